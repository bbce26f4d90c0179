"""λ's and Hessians of one ranked query: over all pairs, and in linear time.

Shared arguments, all in rank order: `scores` times σ; `classes` of documents, a higher class being the better
one; `heights[r, i]` and `weights[r, a, b]`, which give the change of the metric when i above j are exchanged,

    |ΔM_ij| = Σ_r weights[r, class_i, class_j] · (heights[r, i] − heights[r, j]);

`share` the weight of each document; `pushes` (the λ's) and `curvature` (the Hessians), which are added to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel, reassociating_kernel
from rankwise.kernels.pairs._vectors import LANES, admit, step
from rankwise.types import AnyArray, FloatArray

Classes = NDArray[np.int32] | NDArray[np.int64]  # of documents, the better the higher

SAFE_SPAN = 600.0  # e^600 and e^−600 are both doubles


@helper
def padded_classes(classes: int) -> int:
    """Classes up to a whole number of vectors."""
    return (classes + LANES - 1) // LANES * LANES


@reassociating_kernel
def all_pairs_by_gain(
    scores: FloatArray, classes: Classes, gain: FloatArray, height: FloatArray, c: float, share: FloatArray,
    pushes: FloatArray, curvature: FloatArray,
) -> None:  # fmt: skip
    """All pairs for |ΔM_ij| = |gain_i − gain_j| · |height_i − height_j|; c > 0: divided by c + |s_i − s_j|.

    Full rows rather than half of the pairs: sums in registers are faster than stores to two places, and a full row
    faster than one without the pairs of equal class. With e = e^s a pair pushes by e_j/(e_i + e_j), which needs no
    exponential; never by 1 minus that, which cancels.
    """
    n = scores.size
    near = scores[0] - scores[n - 1] <= SAFE_SPAN
    e = np.exp(scores - 0.5 * (scores[0] + scores[n - 1])) if near else scores
    for i in range(n):
        push, bend = 0.0, 0.0
        s, k, g, h, e_i = scores[i], classes[i], gain[i], height[i], e[i]
        if near and c == 0.0:
            for j in range(n):
                per = 1.0 / (e_i + e[j])
                w = abs(g - gain[j]) * abs(h - height[j]) * share[j]
                push += w * per * (-e_i if classes[j] > k else e[j])
                bend += w * (e_i * per) * (e[j] * per)
        elif near:
            for j in range(n):
                per = 1.0 / (e_i + e[j])
                w = abs(g - gain[j]) * abs(h - height[j]) * share[j] / (c + abs(s - scores[j]))
                push += w * per * (-e_i if classes[j] > k else e[j])
                bend += w * (e_i * per) * (e[j] * per)
        else:
            for j in range(n):
                z = np.exp(-abs(s - scores[j]))
                z_i, z_j = (1.0, z) if s >= scores[j] else (z, 1.0)
                w = abs(g - gain[j]) * abs(h - height[j]) * share[j] / (1.0 + z)
                if c > 0.0:
                    w /= c + abs(s - scores[j])
                push += w * (-z_i if classes[j] > k else z_j)
                bend += w * z / (1.0 + z)
        pushes[i] += push * share[i]
        curvature[i] += bend * share[i]


@kernel
def all_pairs(
    scores: FloatArray, classes: Classes, heights: FloatArray, weights: FloatArray, c: float, share: FloatArray,
    pushes: FloatArray, curvature: FloatArray,
) -> None:  # fmt: skip
    """All pairs for any factors; c > 0: divided by c + |s_i − s_j|."""
    n = scores.size
    for i in range(n):
        for j in range(i + 1, n):
            a, b = classes[i], classes[j]
            if a == b:
                continue
            delta = 0.0
            for r in range(heights.shape[0]):
                delta += weights[r, a, b] * (heights[r, i] - heights[r, j])
            if delta == 0.0:
                continue
            x = scores[i] - scores[j]
            z = np.exp(-x)
            w = delta * share[i] * share[j] / (1.0 + z)
            if c > 0.0:
                w /= c + x
            push = w * z if a > b else -w
            bend = w * z / (1.0 + z)
            pushes[i] += push
            pushes[j] -= push
            curvature[i] += bend
            curvature[j] += bend


@kernel
def counted_pairs(
    scores: FloatArray, classes: Classes, heights: FloatArray, weights: FloatArray, c: float, share: FloatArray,
    pushes: FloatArray, curvature: FloatArray,
) -> None:  # fmt: skip
    """All pairs where each counts `weights[0, a, b]` wherever it stands, by the bounded cost (`counted_terms`)."""
    n = scores.size
    for i in range(n):
        for j in range(i + 1, n):
            a, b = classes[i], classes[j]
            if a == b:
                continue
            z = np.exp(scores[j] - scores[i])
            push = weights[0, a, b] * share[i] * share[j] * z / (1.0 + z) ** 2
            signed = push if a > b else -push
            pushes[i] += signed
            pushes[j] -= signed
            curvature[i] += 0.5 * push
            curvature[j] += 0.5 * push


# What `specialize` replaces for `sweep`: how many factors, classes and vectors of exponentials there are, where two
# more exponentials lie between those whose rates double (0: rates are 1, 2, 3, …), and whether pairs count alike
# rather than by differences in height.
FACTORS, CLASSES, VECTORS, BETWEEN, COUNTED = 1, 2, 3, 0, False


@kernel
def decays(scores: FloatArray, slowest: float) -> FloatArray:
    """e^{−t·gap} for each gap between neighbours in rank, t being the slowest rate."""
    z = np.empty(max(scores.size - 1, 0))
    for i in range(z.size):
        z[i] = np.exp(slowest * (scores[i + 1] - scores[i]))
    return z


@kernel
def sweep(
    z: FloatArray,
    classes: Classes,
    heights: FloatArray,
    push_weights: FloatArray,
    bend_weights: FloatArray,
    zero_weights: FloatArray,
    share: FloatArray,
    down: bool,
    pushes: FloatArray,
    curvature: FloatArray,
) -> None:
    """What the documents above (`down`) or below each document do to it, in one pass over the list.

    For each class and exponential, the documents passed so far are held as a sum that decays with every gap in score
    (`_vectors.step`). Nothing is subtracted, so nothing cancels. `push_weights[b]` turn these sums into the λ of a
    document of class b, `bend_weights[b]` into its Hessian.
    """
    n = classes.size
    P, D = np.zeros(CLASSES * VECTORS * LANES), np.zeros(FACTORS * CLASSES * VECTORS * LANES)
    padded = padded_classes(CLASSES)
    P0, D0 = np.zeros(padded), np.zeros(FACTORS * padded)
    if COUNTED:  # no document rises, and sums of heights are those of documents
        D, D0 = P, P0
    rises = np.empty(FACTORS)
    direction = 1 if down else -1
    i = 0 if down else n - 1
    admit(VECTORS, P, P0, np.int64(classes[i]), share[i])
    for _ in range(n - 1):
        before = i
        i += direction
        label_class = np.int64(classes[i])
        for r in range(FACTORS):
            rises[r] = direction * (heights[r, before] - heights[r, i])
        gap = z[before] if down else z[i]
        rows = (push_weights[label_class], bend_weights[label_class], zero_weights[label_class])
        push, bend = step(FACTORS, CLASSES, VECTORS, BETWEEN, P, D, P0, D0, gap, rises, rows[0], rows[1], rows[2])
        pushes[i] += push * share[i]
        curvature[i] += bend * share[i]
        admit(VECTORS, P, P0, label_class, share[i])


@kernel
def put_back(rows: AnyArray, scale: float, pairs: FloatArray, pushes: FloatArray, curvature: FloatArray) -> None:
    """λ's and Hessians, times `scale`, from rank order to the order of the rows.

    By way of `pairs`, scratch space: where a list exceeds the cache, each place costs a trip to memory, and so both of
    a document take one.
    """
    for i in range(rows.size):
        row = rows[i]
        pairs[row, 0], pairs[row, 1] = pushes[i] * scale, curvature[i] * scale
    for i in range(rows.size):
        pushes[i], curvature[i] = pairs[i, 0], pairs[i, 1]
