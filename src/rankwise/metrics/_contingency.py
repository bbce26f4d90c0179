"""Precision over several grades from a contingency table of predicted and true ones (Welleck 2016 (1), (3))."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.errors import DataError, ShapeError
from rankwise.types import IntArray


def micro_precision(y: ArrayLike, predicted: ArrayLike, classes: Sequence[float] | None = None) -> float:
    """Micro-averaged precision of predicted grades (Welleck 2016 (1)): Σ_c TP_c / Σ_c (TP_c + FP_c).

    Parameters
    ----------
    y : array-like
        The grade of each row.
    predicted : array-like
        The grade that is predicted for each row.
    classes : sequence of float, optional
        The grades c; by default those above 0 that are in `y` or `predicted`.

    Returns
    -------
    float
        Of the rows for which one of `classes` is predicted, the share for which that is right; 0 if there are none.

    See Also
    --------
    macro_precision : Each grade counts alike.
    MicroPrecision : The same at a cut-off of a ranking, for scores instead of predicted grades.

    Notes
    -----
    It is scikit-learn's `precision_score(y, predicted, labels=classes, average="micro", zero_division=0)`.

    References
    ----------
    Welleck (2016). Efficient AUC optimization for information ranking applications. ECIR.

    Examples
    --------
    >>> micro_precision([2, 1, 1, 0], [2, 2, 1, 1])  # grade 1: 1 of 2, grade 2: 1 of 2
    0.5
    >>> micro_precision([2, 1, 1, 0], [2, 1, 1, 1])  # grade 1: 2 of 3, grade 2: 1 of 1
    0.75
    """
    hits, trials = _table(y, predicted, classes)
    return float(hits.sum() / max(trials.sum(), 1))


def macro_precision(y: ArrayLike, predicted: ArrayLike, classes: Sequence[float] | None = None) -> float:
    """Macro-averaged precision of predicted grades (Welleck 2016 (3)): the mean over grades of TP_c / (TP_c + FP_c).

    Parameters
    ----------
    y : array-like
        The grade of each row.
    predicted : array-like
        The grade that is predicted for each row.
    classes : sequence of float, optional
        The grades c; by default those above 0 that are in `y` or `predicted`.

    Returns
    -------
    float
        The mean precision of `classes`; the precision of a grade that is never predicted is 0.

    See Also
    --------
    micro_precision : Each row counts alike.
    MacroPrecision : The same at a cut-off of a ranking, for scores instead of predicted grades.

    Notes
    -----
    It is scikit-learn's `precision_score(y, predicted, labels=classes, average="macro", zero_division=0)`.

    References
    ----------
    Welleck (2016). Efficient AUC optimization for information ranking applications. ECIR.

    Examples
    --------
    >>> macro_precision([2, 1, 1, 0], [2, 1, 1, 1])  # (2/3 + 1) / 2
    0.8333...
    """
    hits, trials = _table(y, predicted, classes)
    return float(np.mean(hits / np.maximum(trials, 1)))


def _table(y: ArrayLike, predicted: ArrayLike, classes: Sequence[float] | None) -> tuple[IntArray, IntArray]:
    """TP_c and TP_c + FP_c of each grade."""
    labels, guesses = as_vector("labels", y), as_vector("predicted grades", predicted)
    if labels.size != guesses.size:
        raise ShapeError(f"y and predicted must have one entry per row, got {labels.size} and {guesses.size}")
    both = np.union1d(labels, guesses)
    grades = both[both > 0] if classes is None else as_vector("classes", classes)
    if grades.size == 0:
        raise DataError("there must be a grade above 0, got labels and predictions without one; pass classes")
    trials = guesses == grades[:, None]
    hits = trials & (labels == grades[:, None])
    return np.count_nonzero(hits, axis=1), np.count_nonzero(trials, axis=1)
