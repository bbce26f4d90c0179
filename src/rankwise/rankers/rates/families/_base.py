"""What a family of models must be able to do to be trained for an operating point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split
from rankwise.types import BoolArray, FloatArray, JsonObject

if TYPE_CHECKING:
    from rankwise.rankers._score_functions._functions import ScoreFunction
    from rankwise.rankers.rates._classifier import RateClassifier


class Scorer(Protocol):
    """A fitted model of two classes."""

    def scores(self, X: RowMatrix) -> FloatArray:
        """Log-odds, or something like them: the higher, the likelier positive."""
        ...

    def finished(self) -> Scorer:
        """The same without what only training on needs."""
        ...

    def to_saved(self, name: str) -> tuple[JsonObject, dict[str, bytes]]:
        """What the manifest of a model file says of it, and its members, whose names begin with `name`."""
        ...

    def to_score_function(self, model: RateClassifier, constant: float) -> ScoreFunction:
        """What it computes as the only one of a classifier, and a constant."""
        ...


class Family(Protocol):
    """A kind of models."""

    @property
    def max_rounds(self) -> int:
        """Rounds of a baseline and of tuning it, at most."""
        ...

    @property
    def why_plain(self) -> str | None:
        """Why models of these parameters are not trained for a point; None if they are."""
        ...

    def fit_baselines(
        self, rows: Rows, splits: list[Split], *, refit: bool, report: Report | None = None
    ) -> list[Scorer]:
        """Cross entropy: a model per split, what is free chosen by the rows to evaluate on; to `refit`, one of all.

        After Ctrl-C it gives those that there are, the last of them as far as it had come, without one of all rows.
        """
        ...

    def tune(self, baseline: Scorer, rows: Rows, soft: SoftCounts, report: Report) -> Scorer | None:
        """A baseline trained on for what `soft` counts on the same rows; None if the point does not respond."""
        ...

    def member_names(self, fields: object, name: str) -> list[str]:
        """The members of a scorer in a model file whose manifest has these fields for it."""
        ...

    def read_scorer(self, fields: object, members: list[bytes], n_features: int) -> Scorer:
        """The scorer that `Scorer.to_saved` described; whatever is wrong with it raises ModelFileError."""
        ...


def log_losses(scores: FloatArray, positive: BoolArray) -> FloatArray:
    """Cross entropy of each row."""
    return np.logaddexp(0.0, np.where(positive, -scores, scores))


def score_unit(scores: FloatArray, positive: BoolArray) -> float:
    """The scale of scores: their deviation among positives, since outliers rule that of all rows."""
    return max(float(np.std(scores[positive])), 1e-3)
