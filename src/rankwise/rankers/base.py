"""What every ranker is: a scikit-learn estimator whose score is the metric it trains on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from rankwise.data.groups import QueryGroups
from rankwise.metrics import Metric, evaluate, parse
from rankwise.metrics.evaluate import rows_of

__all__ = ["Ranker", "SavedModel", "ranker_kinds"]

_KINDS: dict[str, type[Ranker]] = {}


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


class Ranker(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all rankers; a subclass with a `kind` can be saved and loaded under that name."""

    kind: ClassVar[str] = ""
    metric: str | Metric

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("kind"):
            _KINDS[cls.kind] = cls

    @abstractmethod
    def predict(self, X: Any) -> NDArray[np.float64]:
        """A score for each row: the higher, the better its rank."""

    @abstractmethod
    def to_saved(self) -> SavedModel:
        """The fitted model as plain values and bytes."""

    @classmethod
    @abstractmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The model that `to_saved` described; whatever is wrong with it raises ModelFileError."""

    def score(
        self, X: Any, y: ArrayLike, qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """The metric of this model on these rows, queries without a value left out.

        Metrics weigh queries, not rows: a query weighs the mean of `sample_weight` over its rows.
        """
        metric = parse(self.metric)
        weight = None
        if sample_weight is not None:
            rows = rows_of("weights", sample_weight)
            groups = QueryGroups.of_rows(qid, rows.size)
            weight = np.add.reduceat(groups.grouped(rows), groups.offsets[:-1]) / groups.sizes
        return evaluate(y, self.predict(X), qid, metric, weight=weight)[metric]


def ranker_kinds() -> dict[str, type[Ranker]]:
    """Every class of rankers that can be saved, by kind."""
    return dict(_KINDS)
