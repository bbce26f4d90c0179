"""Why a net puts one document above another: its gradient, followed from the one to the other.

Integrated gradients (Sundararajan et al. 2017) along the straight line between the two rows: a feature adds the
integral of the score's derivative by it. The parts add up to the difference of the scores; what each small step of the
sum leaves over (where the net bends) is divided among the features as they moved the score in that step.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.rankers._explanation import Explanation
from rankwise.rankers.nets._module import module_scores

STEPS = 256


def explain_net(model: Any, X: NDArray[Any], i: int, j: int) -> Explanation:
    """The parts of the difference of the scores of rows `i` and `j`."""
    for row in (i, j):
        if not 0 <= row < len(X):
            raise DataError(f"rows are counted from 0 to {len(X) - 1}, got {row}; name one of these")
    first, second = (torch.from_numpy(model.standardizer_.apply(X[[row]])[0]).double() for row in (i, j))
    module = copy.deepcopy(model.module_).to("cpu", torch.float64)
    cuts = torch.linspace(0.0, 1.0, STEPS + 1, dtype=torch.float64)[:, None]
    with torch.no_grad():
        scores = module_scores(module, second + cuts * (first - second))
    middles = (second + (cuts[1:] + cuts[:-1]) / 2 * (first - second)).requires_grad_()
    (slopes,) = torch.autograd.grad(module_scores(module, middles).sum(), middles)
    parts = (slopes * (first - second) / STEPS).numpy()
    left = np.diff(scores.numpy()) - parts.sum(axis=1)
    moved = np.abs(parts)
    total = moved.sum(axis=1)
    parts += left[:, None] * moved / np.where(total > 0.0, total, 1.0)[:, None]
    names = getattr(model, "feature_names_in_", None)
    return Explanation(
        i=i,
        j=j,
        difference=float(scores[-1] - scores[0]),
        features=[f"feature {k}" for k in range(X.shape[1])] if names is None else [str(name) for name in names],
        contributions=parts.sum(axis=0),
        values=[(one, other) for one, other in zip(X[i], X[j], strict=True)],
    )
