"""Is a fitted model at a local optimum of its metric? The Monte Carlo test of Donmez, Svore & Burges (2009)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rankwise.analysis._held_out import held_out_improvement
from rankwise.analysis._local_optimum_result import LocalOptimum
from rankwise.analysis._neighbourhoods import Change, Neighbourhood, neighbourhood
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Evaluation, Metric, evaluate, parse
from rankwise.rankers import Ranker
from rankwise.types import FloatArray

STEPS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
SCORE_DIGITS = 10  # scores that differ by less than this share of their spread are equal: rounding must break no ties

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
    a metric by chance, and the best of many directions is good by chance too. So a step is also chosen on four fifths
    of the queries and measured on the others, in five turns: what is left of the improvement there is tested.

    References
    ----------
    Donmez, Svore & Burges (2009). On the local optimality of LambdaRank. SIGIR.

    Examples
    --------
    >>> import rankwise.data
    >>> from rankwise import RankSVM
    >>> data = rankwise.data.cubic(queries=30, documents=20, features=5)
    >>> found = local_optimum(RankSVM("ndcg@10").fit(data), data, directions=50)
    >>> found.values.shape
    (50, 6)
    """
    _check(model, data, directions, steps, confidence)
    near, scores = neighbourhood(model, data), model.predict(data)
    judged = parse(model.metric if metric is None else metric)
    spread = _spread(data, scores)
    if spread == 0.0:
        raise DataError("the model gives all documents of a query the same score, so nothing was learned; fit it anew")

    def judge(moved: FloatArray) -> Evaluation:
        return evaluate(data, np.round(moved / spread, SCORE_DIGITS), metrics=judged)

    start, name, called = judge(scores), str(judged), list(callbacks or ())
    value, counted = start[judged], ~np.isnan(start.per_query[name])
    if start.query_weight is not None:
        counted &= start.query_weight > 0.0
    if not counted.any():
        raise DataError(f"no query of the data has {judged.needs}, which {judged} needs; pass other queries")
    grid, rng = np.array(steps, dtype=np.float64), np.random.default_rng(random_state)
    values = np.empty((directions, grid.size))
    changes = np.empty((directions, grid.size, int(counted.sum())))  # of each query
    for number in range(directions):
        change, unit = _ray(near, data, rng, spread)
        for at, step in enumerate(grid.tolist()):
            result = judge(scores + change(step * unit))
            values[number, at] = result[judged]
            changes[number, at] = (result.per_query[name] - start.per_query[name])[counted]
        for callback in called:
            callback(number + 1, {name: max(value, float(values[: number + 1].max()))})
    held_out = None
    if counted.sum() > 1:
        weight = None if start.query_weight is None else start.query_weight[counted]
        held_out = held_out_improvement(changes.reshape(values.size, -1), weight, confidence, random_state)
    return LocalOptimum(
        metric=name,
        value=value,
        parameters=f"{near.n_parameters:,} {near.noun}",
        n_queries=start.queries_counted(name),
        steps=grid,
        values=values,
        held_out=held_out,
        confidence=float(confidence),
    )


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


def _ray(near: Neighbourhood, data: RankingData, rng: np.random.Generator, spread: float) -> tuple[Change, float]:
    """How scores change along a random direction, and the step that moves them by their spread; 0 if none does."""
    direction = rng.normal(size=near.n_parameters)
    change = near.along(direction / np.linalg.norm(direction))
    slope = _spread(data, change(near.small)) / near.small
    return change, spread / slope if slope > 0.0 else 0.0


def _spread(data: RankingData, scores: FloatArray) -> float:
    """The root mean square of scores less the mean of their query."""
    groups = data.groups
    query, rows = groups.query_of_row(), groups.sizes
    apart = scores - (np.bincount(query, scores) / rows)[query]
    size = float(np.sqrt(np.mean(apart**2)))
    return size if size > 1e-12 * float(np.abs(scores).max()) else 0.0  # what rounding leaves of a mean is no spread
