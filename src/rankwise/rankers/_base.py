"""What every model is: a scikit-learn estimator that can be saved; and a ranker, whose score is its metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from rankwise._validation import as_vector, register
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError
from rankwise.metrics import Metric, evaluate, parse
from rankwise.rankers._features import MatchedColumns, training_rows
from rankwise.rankers._parameters import Constraint
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.rankers._score_functions._functions import ScoreFunction

_KINDS: dict[str, type[SavableModel]] = {}


@dataclass(frozen=True)
class SavedModel:
    """What a model file holds: plain values for its manifest, and bytes by name for its other members."""

    kind: str
    metric: str
    parameters: dict[str, Any]
    n_features: int
    feature_names: list[str] | None
    summary: dict[str, Any] = field(default_factory=dict)
    members: dict[str, bytes] = field(default_factory=dict)
    categories: dict[str, list[str]] = field(default_factory=dict)


class SavableModel(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all models; a subclass with a `kind` can be saved and loaded under that name."""

    kind: ClassVar[str] = ""
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register(cls, "kind", _KINDS)

    @abstractmethod
    def scores(self, X: Any) -> FloatArray:
        """A number for each row: the higher, the better its rank, or the likelier positive."""

    def checked_scores(self, X: FloatArray) -> FloatArray:
        """`scores` of a matrix known to be sound (a column per feature, nothing infinite), checked again or not."""
        return self.scores(MatchedColumns(X))

    @abstractmethod
    def to_saved(self) -> SavedModel:
        """The fitted model as plain values and bytes."""

    @classmethod
    @abstractmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The model that `to_saved` described; whatever is wrong with it raises ModelFileError."""

    def to_score_function(self) -> ScoreFunction:
        """What the fitted model computes, for systems without rankwise; DataError if they cannot compute it."""
        raise DataError(f"export does not know models of kind {self.kind!r}; load it in Python where it is needed")


class Ranker(SavableModel):
    """Base of all rankers."""

    metric: str | Metric

    @abstractmethod
    def predict(self, X: Any) -> FloatArray:
        """A score for each row: the higher, the better its rank."""

    def scores(self, X: Any) -> FloatArray:
        """What `predict` gives."""
        return self.predict(X)

    def score(
        self,
        X: Any,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """The metric of this model on these rows, queries without a value left out.

        RankingData brings its labels, queries and their weights along. Metrics weigh queries, not rows: a query weighs
        the mean of `sample_weight` over its rows.
        """
        metric = parse(self.metric)
        data = training_rows(X, y, qid, takes_position=True)
        y, qid, weight = data.y, data.qid, data.query_weight
        if y is None:
            raise DataError("a score needs labels, got y=None; pass them, or RankingData, which has them")
        if sample_weight is not None:
            rows = as_vector("weights", sample_weight)
            groups = QueryGroups.of_rows(qid, rows.size)
            weight = np.add.reduceat(groups.grouped(rows), groups.offsets[:-1]) / groups.sizes
        return evaluate(y, self.predict(X), qid, metric, query_weight=weight)[metric]


def model_kinds() -> dict[str, type[SavableModel]]:
    """Every class of models that can be saved, by kind."""
    return dict(_KINDS)
