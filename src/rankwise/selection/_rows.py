"""Rows to learn from, in a form of which any part can be taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.rankers._features import TrainingRows
from rankwise.rankers._pair_rows import PairRows, pair_rows
from rankwise.types import AnyArray, FloatArray, IntArray

Callback = Callable[[int, dict[str, float]], object]


@dataclass(frozen=True, eq=False)
class Rows:
    """Features with labels, queries and weights; X is RankingData, which has them all, or a checked matrix."""

    X: Any
    y: FloatArray
    qid: AnyArray
    sample_weight: FloatArray | None = None
    query_weight: FloatArray | None = None  # of each query, by first appearance

    @classmethod
    def of(cls, data: RankingData) -> Rows:
        """All rows of a data set, which go to the estimator with their names and categories."""
        return cls(data, data.y, data.qid, None, data.query_weight)

    @classmethod
    def by_content(cls, name: str, data: TrainingRows, matrix: AnyArray | sp.csr_matrix) -> Rows:
        """Rows of a checked matrix in an order that follows from what stands in them, their queries numbered."""
        pairs = pair_rows(name, matrix, data.y, data.qid, data.sample_weight, data.query_weight)
        order, counts = pairs.order, np.diff(pairs.offsets)
        return cls(
            matrix[order],
            np.asarray(data.y, dtype=np.float64)[order],
            np.repeat(np.arange(counts.size), counts),
            None if data.sample_weight is None else np.asarray(data.sample_weight, dtype=np.float64)[order],
            pairs.query_weight,
        )

    def __len__(self) -> int:
        return self.y.size

    def content_order(self) -> PairRows:
        """The rows in an order that follows from what stands in them; DataError where there is nothing to learn."""
        features: Any = self.X.X if isinstance(self.X, RankingData) else self.X
        matrix = sp.csr_matrix(features) if hasattr(features, "indptr") else features
        return pair_rows("training", matrix, self.y, self.qid, self.sample_weight, self.query_weight)

    def take(self, keep: IntArray) -> Rows:
        """The rows of these numbers, in the order of the input; weights follow their queries."""
        if isinstance(self.X, RankingData):
            return Rows.of(self.X.rows(keep))
        return Rows(
            self.X[keep],
            self.y[keep],
            self.qid[keep],
            None if self.sample_weight is None else self.sample_weight[keep],
            self.weights_of(keep),
        )

    def weights_of(self, keep: IntArray) -> FloatArray | None:
        """Weights of the queries of these rows, by first appearance."""
        if self.query_weight is None:
            return None
        queries = self.X.groups.query_of_row()[keep] if isinstance(self.X, RankingData) else self.qid[keep]
        _, first = np.unique(queries, return_index=True)
        return np.asarray(self.query_weight[queries[np.sort(first)]])

    def fit(self, estimator: Any, eval_set: Rows | None = None, callbacks: Iterable[Callback] = ()) -> Any:
        """The estimator, fitted to these rows."""
        options: dict[str, Any] = {}
        if eval_set is not None:
            is_data = isinstance(eval_set.X, RankingData)
            options["eval_set"] = eval_set.X if is_data else (eval_set.X, eval_set.y, eval_set.qid)
        options |= {"callbacks": list(callbacks)} if callbacks else {}
        if isinstance(self.X, RankingData):
            return estimator.fit(self.X, **options)
        weights: dict[str, ArrayLike | None] = {"sample_weight": self.sample_weight, "query_weight": self.query_weight}
        options |= {name: weight for name, weight in weights.items() if weight is not None}
        return estimator.fit(self.X, self.y, qid=self.qid, **options)


def check_ranker(caller: str, estimator: object) -> None:
    """DataError for what is no unfitted ranker or classifier of rankwise, or one of their form."""
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in ("get_params", "fit", "scores")):
        raise DataError(
            f"{caller} takes a ranker or a RateClassifier, got {estimator!r:.100}; pass one such as rankwise.RankSVM()"
        )


def as_rows(caller: str, data: object) -> Rows:
    """The rows of RankingData; DataError for anything else."""
    if not isinstance(data, RankingData):
        raise DataError(
            f"{caller} takes RankingData, got {type(data).__name__}; pass rankwise.RankingData(X, y, qid) of yours"
        )
    return Rows.of(data)
