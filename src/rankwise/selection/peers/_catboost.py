"""CatBoostRanker: CatBoost's YetiRank and other losses, as a ranker."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.errors import need_extra
from rankwise.metrics import Metric
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._pair_rows import PairRows
from rankwise.selection.peers._foreign import ForeignRanker, Trained, by_query
from rankwise.types import FloatArray


class CatBoostRanker(ForeignRanker):
    """Trees of CatBoost, where it is installed, cut at the best round by CatBoost's own metric of its loss.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        What `score` gives.
    objective : str, default="YetiRank"
        CatBoost's name of the loss.
    n_estimators : int, default=1000
        Trees.
    learning_rate : float or None, default=None
        How much of each tree is added; None leaves it to CatBoost.
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
        objective: str = "YetiRank",
        n_estimators: int = 1000,
        learning_rate: float | None = None,
        early_stopping_rounds: int | None = 50,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.objective = objective
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
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
        need_extra("catboost", extra="peers")
        import catboost

        numbers = np.repeat(np.arange(rows.offsets.size - 1), np.diff(rows.offsets))
        weight = None if rows.query_weight is None else rows.query_weight[numbers]
        train = catboost.Pool(rows.features, rows.y, group_id=numbers, group_weight=weight)
        model = catboost.CatBoost(
            {
                "loss_function": self.objective,
                "iterations": self.n_estimators,
                "learning_rate": self.learning_rate,
                "random_seed": self.random_state,
                "thread_count": -1 if self.n_jobs is None else self.n_jobs,
                "logging_level": "Silent",
                "allow_writing_files": False,
            }
        )
        options: dict[str, Any] = {}
        if eval_set is not None:
            X, y, qid = by_query(eval_set)
            options = {"eval_set": catboost.Pool(X, y, group_id=qid), "use_best_model": True}
            options["early_stopping_rounds"] = self.early_stopping_rounds
        model.fit(train, **options)
        return Trained(model, int(model.tree_count_))

    def _scores(self, X: Any) -> FloatArray:
        return np.asarray(self.model_.predict(X))
