"""A quadratic program over the simplex, two weights at a time."""

from __future__ import annotations

from rankwise.kernels._compile import kernel
from rankwise.types import FloatArray


@kernel
def ascend_simplex(slope: FloatArray, bend: FloatArray, alpha: FloatArray, max_steps: int, tolerance: float) -> None:
    """max slope·α − ½ αᵀ bend α over the simplex, from `alpha`, which is overwritten.

    Each step moves weight from the hypothesis of the lowest slope to that of the highest, as far as it rises.
    """
    n = alpha.size
    here = slope - bend @ alpha
    for _ in range(max_steps):
        up, down = 0, -1
        for k in range(n):
            if here[k] > here[up]:
                up = k
            if alpha[k] > 0.0 and (down < 0 or here[k] < here[down]):
                down = k
        rise = here[up] - here[down]
        if rise <= tolerance:
            break
        curve = bend[up, up] + bend[down, down] - 2.0 * bend[up, down]
        step = alpha[down]
        if curve * step > rise:
            step = rise / curve
        alpha[up] += step
        alpha[down] -= step
        for k in range(n):
            here[k] -= step * (bend[k, up] - bend[k, down])
