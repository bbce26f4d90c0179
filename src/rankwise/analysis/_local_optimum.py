"""Is a fitted model at a local optimum of its metric? The Monte Carlo test of Donmez, Svore & Burges (2009)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rankwise.analysis._held_out import MIN_QUERIES, HeldOutImprovement, held_out_improvement
from rankwise.analysis._local_optimum_result import LocalOptimum
from rankwise.analysis._neighbourhoods import neighbourhood
from rankwise.analysis._rays import Ray, Rays
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.rankers import Ranker
from rankwise.types import FloatArray

STEPS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)

Callback = Callable[[int, dict[str, float]], None]


def local_optimum(
    model: Ranker,
    data: RankingData,
    metric: str | Metric | None = None,
    *,
    directions: int = 100,
    steps: Sequence[float] = STEPS,
    confidence: float = 0.95,
    random_state: int = 0,
    callbacks: Iterable[Callback] | None = None,
) -> LocalOptimum:
    """Test whether a metric rises when what a model learned is moved in random directions.

    Parameters
    ----------
    model : LambdaMART, RankSVM, AUCSVM, MarginRanker, LambdaRank or RankNet
        A fitted model. Moved are the values of the leaves of all trees, the weights of a linear model in units of its
        features' deviations, or the weights of a net.
    data : RankingData
        Rows with labels: those of the training ask whether training ended at a local optimum, others whether there is
        a better model nearby.
    metric : str or Metric, default=None
        What should not rise; by default the metric of the model.
    directions : int, default=100
        How many directions are tried, all equally likely.
    steps : sequence of float, default=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
        How far to go along each: a step of 0.1 moves scores within queries by a tenth of their spread (root mean
        square), whatever the model.
    confidence : float, default=0.95
        Of the statement on all directions, and of the interval of the improvement.
    random_state : int, default=0
        Seed of the directions; the same seed gives the same result, and more directions begin with the same.
    callbacks : iterable of callable, default=None
        Each is called after every direction with its number and {metric: best value so far}.

    Returns
    -------
    LocalOptimum
        The metric at every step along every direction, how many directions improve it, and what follows.

    Raises
    ------
    DataError
        If the model is of another kind, or has learned nothing.

    Notes
    -----
    If none of n directions improves the metric, the share of directions that do is below 1 − δ^(1/n) with confidence
    1 − δ; otherwise it is in the interval of Clopper and Pearson. On finite data a few exchanges of documents may raise
    a metric by chance, and the best of many directions is good by chance too. So the mean of all directions, weighted
    by what each gains on half of the queries, is followed to the best step there, and the change of the other half is
    measured and tested. That mean is an estimate of the gradient of the smoothed metric, and finds improvements among
    many parameters that single random directions miss.

    References
    ----------
    Donmez, Svore & Burges (2009). On the local optimality of LambdaRank. SIGIR.

    Examples
    --------
    >>> import rankwise.data
    >>> from rankwise import RankSVM
    >>> data = rankwise.data.cubic(queries=30, documents=20, features=5)
    >>> optimum = local_optimum(RankSVM("ndcg@10").fit(data), data, directions=50)
    >>> optimum.values.shape
    (50, 6)
    """
    _check(model, data, directions, steps, confidence)
    near = neighbourhood(model, data)
    judged = parse(model.metric if metric is None else metric)
    rays = Rays(near, data, model.predict(data), judged, np.array(steps, dtype=np.float64))
    if rays.spread == 0.0:
        raise DataError("the model gives all documents of a query the same score, so nothing was learned; fit it anew")
    if not rays.counted.any():
        raise DataError(f"no query of the data has {judged.needs}, which {judged} needs; pass other queries")
    name, value, called, tried = str(judged), rays.start[judged], list(callbacks or ()), []
    best = value
    for number, direction in enumerate(rays.directions(directions, random_state), start=1):
        tried.append(rays.along(direction))
        best = max(best, float(tried[-1].values.max()))
        for callback in called:
            callback(number, {name: best})
    held_out = None
    if rays.counted.sum() >= MIN_QUERIES:
        held_out = _held_out(rays, tried, confidence, random_state)
    return LocalOptimum(
        metric=name,
        value=value,
        parameters=f"{near.n_parameters:,} {near.noun}",
        n_queries=rays.start.queries_counted(name),
        steps=rays.steps,
        values=np.array([ray.values for ray in tried]),
        held_out=held_out,
        confidence=float(confidence),
    )


def _held_out(rays: Rays, tried: list[Ray], confidence: float, seed: int) -> HeldOutImprovement:
    """What the mean of the directions that were tried, weighted by gains, improves on queries that did not weigh."""

    def along_mean(gains: FloatArray) -> FloatArray:
        mean = np.zeros(rays.near.n_parameters)
        # Drawn anew: all of them at once might not fit into memory.
        for gain, ray, direction in zip(gains, tried, rays.directions(len(tried), seed), strict=True):
            mean += gain * ray.unit * direction
        length = float(np.linalg.norm(mean))
        return rays.along(mean / length).changes if length > 0.0 else np.zeros_like(tried[0].changes)

    weight = rays.start.query_weight
    changes = np.array([ray.changes for ray in tried])
    return held_out_improvement(changes, None if weight is None else weight[rays.counted], along_mean, confidence, seed)


def _check(model: Ranker, data: RankingData, directions: int, steps: Sequence[float], confidence: float) -> None:
    if not isinstance(data, RankingData):
        raise DataError(f"data must be RankingData, got {type(data).__name__}; read it by rankwise.read, or make it so")
    if directions < 1:
        raise DataError(f"directions must be 1 or more, got {directions!r}; 100 is the default")
    if len(steps) == 0 or not all(0.0 < step < math.inf for step in steps) or list(steps) != sorted(set(steps)):
        raise DataError(f"steps must be rising numbers above 0, got {steps!r}; {STEPS} is the default")
    if not 0.0 < confidence < 1.0:
        raise DataError(f"confidence must lie between 0 and 1, got {confidence!r}; 0.95 is the default")
    if isinstance(model, Ranker):
        check_is_fitted(model)
