"""What `fit` of every ranker is given besides rows and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.errors import DataError, ShapeError
from rankwise.metrics.evaluate import rows_of

__all__ = ["eval_sets", "weights_of"]


def eval_sets(given: Any) -> Sequence[Any]:
    """One eval_set or a list of them as a list."""
    if given is None:
        return []
    return given if isinstance(given, list) else [given]


def weights_of(name: str, given: ArrayLike | None, count: int, what: str) -> NDArray[np.float64] | None:
    """Weights of rows or queries, checked; None where there are none."""
    if given is None:
        return None
    weights = rows_of(name, given)
    if weights.size != count:
        raise ShapeError(f"{name} must have one entry a {what}: got {weights.size} for {count}")
    if (weights < 0).any() or not weights.any():
        raise DataError(f"{name} must be 0 or more and not all zero, got a lowest of {weights.min():g}")
    return weights
