"""One estimator trained on two metrics and on sums of them: what the one gains and what the other loses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from rankwise._validation import check_real, check_whole
from rankwise.analysis._trade_off_result import TradeOff
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Metric, WeightedSum, compare
from rankwise.metrics._names import parse_all
from rankwise.types import FloatArray

MAX_WEIGHTS = 10_000
WEIGHT_DIGITS = 12  # a step of 0.1 is written 0.3, not 0.30000000000000004

Callback = Callable[[int, dict[str, float]], None]


def trade_off(
    estimator: Any,
    train: RankingData,
    test: RankingData,
    metrics: str | Sequence[str | Metric] = ("ndcg@10", "auc"),
    *,
    eval_set: Any = None,
    weights: int | Sequence[float] = 5,
    level: float = 0.95,
    random_state: int = 0,
    callbacks: Iterable[Callback] | None = None,
) -> TradeOff:
    """Train on w·A + (1 − w)·B for several weights w, and evaluate each model by both metrics.

    Parameters
    ----------
    estimator : Ranker
        Any with a parameter `metric`; clones of it are fitted.
    train : RankingData
        What they learn from.
    test : RankingData
        What they are evaluated on; none of it may be in the training data.
    metrics : str or sequence of two, default=("ndcg@10", "auc")
        A and B.
    eval_set : RankingData, tuple or list, default=None
        What each of them stops on by the metric that it is trained on, as `fit` of the estimator takes it.
    weights : int or sequence of float, default=5
        So many weights from 1 to 0 at equal distances, or the weights themselves. The ends, A alone and B alone, are
        always among them.
    level : float, default=0.95
        The confidence of the intervals.
    random_state : int, default=0
        Seed of the tests; the estimator has its own.
    callbacks : iterable of callable, default=None
        Each is called after every model with its number and the values of both metrics.

    Returns
    -------
    TradeOff
        The values of both metrics for every weight, which of them are on the Pareto front, and the paired differences
        to both ends.

    Raises
    ------
    DataError
        If the estimator has no metric, or the weights are none.

    References
    ----------
    Svore, Volkovs & Burges (2011). Learning to rank with multiple objective functions. WWW.

    Examples
    --------
    >>> import rankwise.data
    >>> from rankwise import LambdaMART
    >>> train, test = (rankwise.data.web(queries=30, documents=15, features=5, seed=seed) for seed in (1, 2))
    >>> trees = LambdaMART(n_estimators=5, num_leaves=4, min_child_samples=5, random_state=0)
    >>> curve = trade_off(trees, train, test, "ndcg@5 auc", weights=3)
    >>> curve.names
    ['ndcg@5', '0.5*ndcg@5 + 0.5*auc', 'auc']
    """
    first, second = two_metrics(metrics)
    if not hasattr(estimator, "get_params") or "metric" not in estimator.get_params(deep=False):
        raise DataError(
            f"the estimator must have a parameter metric, got {type(estimator).__name__}; "
            "pass a ranker such as LambdaMART"
        )
    swept = _weights(weights)
    check_real("level", level, 0.0, 1.0)
    judged, called = [str(first), str(second)], list(callbacks or ())
    scores: dict[str, FloatArray] = {}
    models = []
    for number, weight in enumerate(swept, start=1):
        metric = _mixture(first, second, weight)
        model = clone(estimator).set_params(metric=metric)
        models.append(model.fit(train) if eval_set is None else model.fit(train, eval_set=eval_set))
        if getattr(model, "interrupted_", False):
            raise KeyboardInterrupt  # our rankers take Ctrl-C as the end of their own training only
        scores[str(metric)] = model.predict(test)
        for callback in called:
            callback(number, {})
    comparison = compare(test, scores, metrics=judged, level=level, random_state=random_state)
    notes = list(comparison.notes)
    if all(np.array_equal(of_model, scores[judged[0]]) for of_model in scores.values()):
        name = type(estimator).__name__
        notes.append(f"all models are the same: the metric plays no part in how {name} is trained here")
    return TradeOff((judged[0], judged[1]), tuple(swept), comparison, scores, models, tuple(notes))


def two_metrics(metrics: str | Sequence[str | Metric]) -> tuple[Metric, Metric]:
    """The two metrics of a trade-off."""
    pair = list(parse_all(metrics).values())
    if len(pair) != 2:
        raise DataError(f"a trade-off is between two metrics, got {', '.join(map(str, pair))}; name two")
    return pair[0], pair[1]


def _weights(weights: int | Sequence[float]) -> list[float]:
    """Weights of the first metric from 1 down to 0."""
    if isinstance(weights, Sequence) and not isinstance(weights, str | bytes):
        swept = [check_real("a weight", weight, 0.0, 1.0) for weight in weights]
    else:
        # The ends are always among them.
        swept = np.linspace(1.0, 0.0, check_whole("weights", weights, 2, MAX_WEIGHTS)).tolist()
    return sorted({round(weight, WEIGHT_DIGITS) for weight in (*swept, 0.0, 1.0)}, reverse=True)


def _mixture(first: Metric, second: Metric, weight: float) -> Metric:
    """The first metric at this weight, the second at the rest."""
    if weight in (0.0, 1.0):
        return first if weight else second
    return WeightedSum((first, second), (weight, round(1.0 - weight, WEIGHT_DIGITS)))
