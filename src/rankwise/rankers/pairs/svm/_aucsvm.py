"""AUCSVM: SVM-Perf's model for the area under the ROC curve, and Welleck 2016's baseline for grades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector, is_finite_number
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import Metric
from rankwise.rankers._eval_sets import check_weights
from rankwise.rankers._features import training_rows
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._persistence import read_floats
from rankwise.rankers.pairs._base import Callback
from rankwise.rankers.pairs.svm._linear_ranker import LARGEST, LinearPairRanker
from rankwise.rankers.pairs.svm._pairs import Pairs
from rankwise.rankers.pairs.svm._solve import Loss
from rankwise.rankers.pairs.svm._training import Found, summed
from rankwise.types import FloatArray

MOST_GRADES = 100  # each is a model of its own


class AUCSVM(LinearPairRanker):
    """A linear model with a wide margin between positives and negatives, all rows being one list.

    For each grade c above 0 it is the w of the least ½|w|² + C · mean of max(0, 1 − (s_i − s_j)), s = X·w, over all
    pairs of a row i of grade c and a row j of another, whatever their queries: SVM-Perf with its loss ROCArea, whose c
    is C/100 (it counts swapped pairs in percent). The score is Σ_c c · s_c (Welleck 2016 section 5), which is one
    linear model again. Labels 0 and 1 (or below 0: not judged) are the plain case of one grade.

    `qid` plays no part in training: the queries of an eval_set are what C is chosen by. A row weighs its sample_weight
    times its query's query_weight, a pair the product of its rows'.

    Parameters are those of `RankSVM` without `pair_weighting`; `max_iter` holds for each grade. Attributes too, and
    `grades_` with the model of each in `coefs_`; `objective_` and `duality_gap_` are sums over the grades.

    >>> import rankwise.data
    >>> made = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = AUCSVM("mauc").fit(made.X, made.y)
    >>> model.grades_
    array([1., 2., 3., 4.])
    >>> model.coefs_.shape
    (4, 5)
    """

    kind: ClassVar[str] = "aucsvm"

    def __init__(
        self,
        metric: str | Metric = "auc",
        *,
        C: float | Sequence[float] = 1.0,
        loss: Loss = "hinge",
        standardize: bool | None = None,
        tol: float = 1e-4,
        max_iter: int = 200,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.C = C
        self.loss = loss
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        eval_set: Any = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        callbacks: Iterable[Callback] | None = None,
    ) -> Self:
        """Train on rows in any order, as one list; all else is as in `RankSVM.fit`."""
        queries = 1
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        if data.qid is not None and data.y is not None:
            groups = QueryGroups.of_rows(data.qid, as_vector("labels", data.y).size)
            queries = groups.n_queries
            of_query = check_weights("query_weight", data.query_weight, queries, "query")
            if of_query is not None:
                of_row = check_weights("sample_weight", data.sample_weight, groups.n_rows, "row")
                of_row = of_query[groups.query_of_row()] * (1.0 if of_row is None else of_row)
                data = replace(data, sample_weight=of_row, query_weight=None)
        self._fit(replace(data, qid=None), eval_set, callbacks)
        self.n_queries_ = queries
        return self

    def _problems(self, rows: PairRows) -> dict[float, Pairs]:
        y = rows.y
        return {c: Pairs.of((y == c).astype(np.float64), rows.offsets, rows.weight) for c in self._grades(y)}

    def _grades(self, y: FloatArray) -> list[float]:
        grades = np.unique(y[y > 0.0])
        if not 1 <= grades.size <= MOST_GRADES:
            raise DataError(
                f"AUCSVM learns a model for each of 1 to {MOST_GRADES} positive labels, got {grades.size}; "
                "pass grades (0 is none), or use RankSVM"
            )
        return [float(c) for c in grades]

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Steps that training can take: `max_iter` for each grade and value of C, and one that judges the value."""
        return len(self._values()) * (len(self._grades(as_vector("labels", y))) * int(self.max_iter) + 1)

    def _learned(self, found: Found) -> dict[str, Any]:
        own = {"grades_": np.array(list(found.coefs)), "coefs_": np.array(list(found.coefs.values()))}
        return super()._learned(found) | own

    def _told(self) -> dict[str, Any]:
        return super()._told() | {"grades": self.grades_.tolist(), "coefs": self.coefs_.tolist()}

    def _recall(self, told: dict[str, Any]) -> None:
        super()._recall(told)
        grades, coefs = told.get("grades"), told.get("coefs")
        if (
            not isinstance(grades, list)
            or not all(is_finite_number(c) for c in grades)
            or not isinstance(coefs, list)
            or not 1 <= len(grades) == len(coefs) <= MOST_GRADES
        ):
            raise ModelFileError("the model must have weights for each grade; save it again")
        self.grades_ = np.array(grades, dtype=np.float64)
        self.coefs_ = np.array(
            [read_floats({"coefs": one}, "coefs", self.n_features_in_, low=-LARGEST, high=LARGEST) for one in coefs]
        )
        if not np.array_equal(self.coef_, summed(dict(zip(grades, self.coefs_, strict=True)))):
            raise ModelFileError("the model's weights must be the sum of those of its grades; save it again")
