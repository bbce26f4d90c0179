"""XGBoostRanker: XGBoost's losses of pairs, as a ranker."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.errors import need_extra
from rankwise.metrics import Metric
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._pair_rows import PairRows
from rankwise.selection.peers._foreign import ForeignRanker, Trained, by_query
from rankwise.types import FloatArray


class XGBoostRanker(ForeignRanker):
    """Trees of XGBoost, where it is installed, stopped on XGBoost's own metric of its loss.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        What `score` gives.
    objective : str, default="rank:ndcg"
        XGBoost's name of the loss.
    n_estimators : int, default=100
        Trees.
    learning_rate : float, default=0.1
        How much of each tree is added.
    max_depth : int, default=6
        Splits from the root of a tree to a leaf, at most.
    early_stopping_rounds : int or None, default=50
        With an `eval_set`, rounds without a better value before training ends.
    random_state : int, default=0
        Seed.
    n_jobs : int or None, default=None
        Threads; None is all cores.
    """

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        objective: str = "rank:ndcg",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_depth: int = 6,
        early_stopping_rounds: int | None = 50,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.objective = objective
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def max_rounds(self, y: Any, qid: Any = None) -> int:
        """Return the number of trees that training can grow.

        Parameters
        ----------
        y : array-like
            Labels; not used.
        qid : array-like, default=None
            Queries; not used.

        Returns
        -------
        int
            The parameter `n_estimators`.
        """
        return self.n_estimators

    def _train(self, rows: PairRows, eval_set: EvalSet | None) -> Trained:
        need_extra("xgboost", extra="peers")
        import xgboost

        model = xgboost.XGBRanker(
            objective=self.objective,
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            max_depth=self.max_depth,
            early_stopping_rounds=None if eval_set is None else self.early_stopping_rounds,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        numbers = np.repeat(np.arange(rows.offsets.size - 1), np.diff(rows.offsets))
        options: dict[str, Any] = {}
        if eval_set is not None:
            X, y, qid = by_query(eval_set)
            options = {"eval_set": [(X, y)], "eval_qid": [qid], "verbose": False}
        model.fit(rows.features, rows.y, qid=numbers, sample_weight=rows.query_weight, **options)
        stopped = eval_set is not None and self.early_stopping_rounds is not None
        return Trained(model, model.best_iteration + 1 if stopped else self.n_estimators)

    def _scores(self, X: Any) -> FloatArray:
        return np.asarray(self.model_.predict(X))
