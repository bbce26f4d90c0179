"""What `fit` of every ranker is given besides rows and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.errors import DataError, ShapeError
from rankwise.metrics._evaluate import rows_of
from rankwise.objectives.lambdas._position_bias import MOST_POSITIONS

__all__ = ["eval_sets", "positions_of", "weights_of"]


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


def positions_of(given: ArrayLike | None, labels: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Where each document was shown, checked; None where that is not known."""
    if given is None:
        return None
    positions = rows_of("position", given)
    if positions.size != labels.size:
        raise ShapeError(f"position must have one entry a row: got {positions.size} for {labels.size}")
    if (positions < 0).any() or (positions % 1 != 0).any():
        odd = positions[(positions < 0) | (positions % 1 != 0)][0]
        raise DataError(f"position must have whole numbers of 0 or more, got {odd:g}; leave out rows that nobody saw")
    count = np.unique(positions).size
    if count > MOST_POSITIONS:
        raise DataError(
            f"position must have at most {MOST_POSITIONS} different numbers, got {count}; "
            "let deep positions share one, as np.minimum(position, 100) does"
        )
    if not (labels > 0).any():
        raise DataError("position is for labels that are clicks, got none above 0; pass 1 for a click")
    return positions.astype(np.int64)
