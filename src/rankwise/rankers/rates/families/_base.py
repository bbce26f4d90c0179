"""What a family of models must be able to do to be trained for an operating point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers.rates._rows import Rows, Split
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.rankers._score_functions._functions import ScoreFunction
    from rankwise.rankers.rates._classifier import RateClassifier


class Scorer(Protocol):
    """A fitted model of two classes."""

    def scores(self, X: Any) -> FloatArray:
        """Log-odds, or something like them: the higher, the likelier positive."""
        ...

    def to_score_function(self, model: RateClassifier, constant: float) -> ScoreFunction:
        """What it computes as the only one of a classifier, and a constant."""
        ...


class Family(Protocol):
    """A kind of models."""

    def plain(self, rows: Rows, splits: list[Split], *, refit: bool) -> list[Scorer]:
        """By cross entropy: a model for each split, what is free chosen by the rows judged; one of all rows more."""
        ...

    def tuned(self, start: Scorer, rows: Rows, soft: SoftCounts) -> Scorer:
        """A plain model trained on for what `soft` counts on the same rows."""
        ...


def log_losses(scores: FloatArray, positive: Any) -> FloatArray:
    """Cross entropy of each row."""
    return np.logaddexp(0.0, np.where(positive, -scores, scores))


def unit_of(scores: FloatArray, positive: Any) -> float:
    """The scale of scores: their deviation among positives, since outliers rule that of all rows."""
    return max(float(np.std(scores[positive])), 1e-3)
