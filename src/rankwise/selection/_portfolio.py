"""What AutoRanker tries: one table, the cheap before the dear."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from rankwise.metrics import Metric
from rankwise.rankers import LambdaMART, LambdaRank, RankSVM
from rankwise.selection.peers._lightgbm import LightGBMRanker
from rankwise.selection.peers._logistic import LogisticRanker

# Families, of which a blend takes at most one member each.
FAMILIES: dict[type, str] = {
    RankSVM: "linear",
    LogisticRanker: "linear",
    LambdaMART: "trees",
    LightGBMRanker: "trees",
    LambdaRank: "net",
}


def portfolio(
    metric: str | Metric, *, random_state: int | None = None, n_jobs: int | None = None, two_classes: bool = False
) -> dict[str, Any]:
    """List the candidates of AutoRanker, to choose from or to add to.

    Parameters
    ----------
    metric : str or Metric
        What they are trained on, stopped on, or judged by.
    random_state : int or None, default=None
        Seed of those that draw at random.
    n_jobs : int or None, default=None
        Threads; None is all cores.
    two_classes : bool, default=False
        Whether the data is one list with labels 0 and above, for which plain losses are candidates as well.

    Returns
    -------
    dict of str to Ranker
        Unfitted rankers by name, the cheap before the dear.
    """
    trees: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    by_query = {
        "quantiles, C=0.3 by query": RankSVM(metric, C=0.3, pair_weighting="queries", quantiles=True),
    }
    log_loss: dict[str, Any] = {
        "logistic, C=100": LogisticRanker(metric, C=100.0),
        "logistic, C=1": LogisticRanker(metric, C=1.0),
        "log loss, 8 leaves": LightGBMRanker(metric, objective="binary", num_leaves=8, n_estimators=200, **trees),
        "log loss, 31 leaves": LightGBMRanker(metric, objective="binary", n_estimators=200, **trees),
    }
    nets: dict[str, Any] = {
        "net, linear": LambdaRank(metric, hidden=(), epochs=40, random_state=random_state),
        "net, 10 units": LambdaRank(metric, random_state=random_state),
    }
    return {
        "linear, C=1": RankSVM(metric, C=1.0),
        "linear, C=10": RankSVM(metric, C=10.0),
        "quantiles, C=1": RankSVM(metric, C=1.0, quantiles=True),
        **(log_loss if two_classes else by_query),
        "8 leaves": LambdaMART(metric, num_leaves=8, **trees),
        "8 leaves after l2": LambdaMART(metric, num_leaves=8, init="l2", **trees),
        "trees by default": LambdaMART(metric, **trees),
        "31 leaves, swaps": LambdaMART(metric, num_leaves=31, surrogate="swap", **trees),
        **(nets if find_spec("torch") is not None else {}),
        "trees by default, 3 bags": LambdaMART(metric, bags=3, **trees),
    }


def family_of(estimator: object) -> str:
    """Which family a candidate is of; a class that is not in the table is one by itself."""
    return FAMILIES.get(type(estimator), type(estimator).__name__)
