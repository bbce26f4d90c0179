"""Small models and results, and a picture of each kind of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import rankwise as rw
from rankwise.analysis import TradeOff

NAMES = ["price in $", "bm25_title", "clicks", "a name that is much longer than there is room for", "age"]


@cache
def queries() -> rw.RankingData:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).round(2)
    y = np.clip(np.round(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=400)), 0, 3)
    return rw.RankingData(X, y, np.repeat(np.arange(20), 20), feature_names=NAMES)


@cache
def one_list() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(1)
    y = (rng.random(600) < 0.3).astype(float)
    base = rng.normal(size=600) + 2 * y
    return y, {
        name: base + noise * rng.normal(size=600) for name, noise in (("gbdt", 0.3), ("logistic_$", 1.0), ("rule", 3.0))
    }


@cache
def ranker() -> rw.LambdaMART:
    settings: dict[str, Any] = {
        "n_estimators": 25,
        "num_leaves": 7,
        "min_child_samples": 5,
        "random_state": 0,
        "n_jobs": 1,
    }
    data = queries()
    half = data.rows(np.arange(200)), data.rows(np.arange(200, 400))
    return rw.LambdaMART("ndcg@5", **settings).fit(half[0], eval_set=[half[0], half[1]])


@cache
def comparison() -> rw.Comparison:
    return rw.compare(*one_list(), metrics="auc map")


@cache
def some_trade_off() -> TradeOff:
    """Points near each other, the weights of which would lie upon each other."""
    data, rng = queries(), np.random.default_rng(2)
    truth = data.y + rng.normal(size=len(data))
    weights = (1.0, 0.75, 0.5, 0.25, 0.0)
    scores = {f"{w:g}": truth + 0.05 * w * rng.normal(size=len(data)) for w in weights}
    metrics = ("ndcg@5", "map")
    return TradeOff(metrics, weights, rw.compare(data, scores, metrics=metrics), scores, [])


def probability(scores: Any) -> Any:
    return 1 / (1 + np.exp(1.0 - scores))


def y() -> Any:
    return one_list()[0]


def scores(name: str = "gbdt") -> Any:
    return one_list()[1][name]


PICTURES: dict[str, Any] = {
    "learning_curve": lambda ax: rw.plot.learning_curve(ranker(), ax=ax),
    "importances": lambda ax: rw.plot.importances(ranker(), ax=ax),
    "importances by the metric": lambda ax: rw.plot.importances(ranker(), queries(), repeats=2, ax=ax),
    "partial_dependence": lambda ax: rw.plot.partial_dependence(ranker(), queries(), "bm25_title", points=10, ax=ax),
    "waterfall": lambda ax: rw.plot.waterfall(ranker().explain(queries(), 0, 1), top=3, ax=ax),
    "query_waterfall": lambda ax: rw.plot.query_waterfall(ranker(), queries(), 3, ax=ax),
    "calibration": lambda ax: rw.plot.calibration(y(), probability(scores()), ax=ax),
    "score_histogram": lambda ax: rw.plot.score_histogram(y(), scores(), threshold=1.0, ax=ax),
    "precision_recall_threshold": lambda ax: rw.plot.precision_recall_threshold(y(), scores(), threshold=1.0, ax=ax),
    "gain": lambda ax: rw.plot.gain(*one_list(), ax=ax),
    "lift": lambda ax: rw.plot.lift(*one_list(), ax=ax),
    "roc_curves": lambda ax: rw.plot.roc_curves(*one_list(), ax=ax),
    "pr_curves": lambda ax: rw.plot.pr_curves(*one_list(), ax=ax),
    "trade_off": lambda ax: rw.plot.trade_off(some_trade_off(), ax=ax),
    "differences": lambda ax: rw.plot.differences(comparison(), ax=ax),
}
"""By name, how it is drawn on axes, or on its own where None is given."""
