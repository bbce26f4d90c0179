"""What adapters of libraries that rankwise cannot save share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.rankers._base import Ranker, SavedModel
from rankwise.rankers._eval_sets import EvalSet, list_eval_sets, make_eval_set
from rankwise.rankers._features import as_features, training_rows
from rankwise.rankers._pair_rows import PairRows, pair_rows
from rankwise.types import Features, FloatArray


@dataclass(frozen=True, eq=False)
class Trained:
    """A model of another library: its scores, and the trees in it."""

    model: Any
    trees: int


class ForeignRanker(Ranker):
    """A ranker of another library, which it saves by its own means; labels and queries are as everywhere here."""

    @abstractmethod
    def _train(self, rows: PairRows, eval_set: EvalSet | None) -> Trained:
        """Train on rows whose queries lie together; stop on the eval_set if there is one."""

    @abstractmethod
    def _scores(self, X: Any) -> FloatArray:
        """Scores of checked rows."""

    def fit(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        eval_set: object = None,
        query_weight: ArrayLike | None = None,
    ) -> Self:
        """Train on rows in any order.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and query weights along.
        y : array-like of shape (n_rows,), default=None
            Labels.
        qid : array-like of shape (n_rows,), default=None
            The query of each row; None is one list.
        eval_set : RankingData or tuple (X, y, qid), default=None
            Rows to stop on.
        query_weight : array-like of shape (n_queries,), default=None
            Weights of queries, by first appearance.

        Returns
        -------
        ForeignRanker
            The fitted model itself.
        """
        data = training_rows(X, y, qid, query_weight=query_weight)
        features = as_features(self, data.X, fitting=True)
        rows = pair_rows(type(self).__name__, features, data.y, data.qid, None, data.query_weight)
        listed = list_eval_sets(eval_set, rows.offsets.size - 1)
        judged = make_eval_set(listed[0], lambda X: as_features(self, X, fitting=False)) if listed else None
        trained = self._train(rows, judged)
        self.model_, self.best_iteration_ = trained.model, trained.trees
        self.n_queries_ = rows.offsets.size - 1
        return self

    @inherit_sections(Ranker.predict)
    def predict(self, X: Features | RankingData) -> FloatArray:
        """Give a score for each row: the higher, the better its rank."""
        check_is_fitted(self, "model_")
        return np.asarray(self._scores(as_features(self, X, fitting=False)), dtype=np.float64)

    @inherit_sections(Ranker.to_saved)
    def to_saved(self) -> SavedModel:
        """Refuse: the file of another library is its own."""
        self._refuse()

    @classmethod
    @inherit_sections(Ranker.from_saved)
    def from_saved(cls, saved: SavedModel) -> Self:
        """Refuse: there is no such file."""
        cls._refuse()

    @classmethod
    def _refuse(cls) -> NoReturn:
        raise DataError(f"a {cls.__name__} is saved by its own library, not in a .rw file; save its model_ there")

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags


def by_query(eval_set: EvalSet) -> tuple[Any, FloatArray, Any]:
    """Features, labels and queries of an eval_set with the rows of each query together, as other libraries want it."""
    qid = np.zeros(eval_set.y.size, dtype=np.int64) if eval_set.qid is None else eval_set.qid
    _, numbers = np.unique(qid, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    return eval_set.X[order], np.maximum(eval_set.y[order], 0.0), numbers[order]
