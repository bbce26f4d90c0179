"""An AutoRanker that is fitted in a moment."""

from __future__ import annotations

from typing import Any

import rankwise as rw

TREES: dict[str, Any] = {
    "n_estimators": 6, "num_leaves": 5, "min_child_samples": 5, "split_noise": 0.0, "surrogate": "swap",
    "random_state": 0, "n_jobs": 1,
}  # fmt: skip


def small_auto(metric: str = "ndcg@5", **parameters: Any) -> rw.AutoRanker:
    """A linear model and trees on two folds."""
    candidates = {"linear": rw.RankSVM(metric), "trees": rw.LambdaMART(metric, **TREES)}
    return rw.AutoRanker(metric, **{"folds": 2, "candidates": candidates, "random_state": 0, "n_jobs": 1, **parameters})
