"""ExpectedChange: against pairs that are swapped and judged again, draw by draw and in expectation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from rankwise.checks._pools import default_pool, rescored
from rankwise.data import RankingData
from rankwise.errors import DataError, MetricError
from rankwise.metrics import NDCG, parse
from rankwise.sampling import ExpectedChange, Pool
from rankwise.sampling.strategies._expected_change import grade_chances
from tests.sampling.pool_factories import FirstFeature


def small_pool(grades: int, sizes: tuple[int, ...], seed: int) -> Pool:
    """Queries of as many candidates, each with four labels."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.append(rng.permutation(4) % grades, np.full(size, -1)) for size in sizes]).astype(float)
    qid = np.repeat(np.arange(len(sizes)), [size + 4 for size in sizes])
    scores = rng.permutation(y.size) / 4 + np.maximum(y, 0) * 1.0625  # no two are equal
    order = rng.permutation(y.size)
    return Pool(RankingData(scores[order, None], y[order], qid[order]), y[order], FirstFeature())


def pushes(value: Callable[[list[float]], float], labels: list[float], scores: list[float]) -> list[float]:
    """How far each document of a query is pushed: over its pairs with other grades, swapped and judged again."""
    order = sorted(range(len(labels)), key=lambda k: -scores[k])
    ranked = [labels[k] for k in order]
    found = [0.0] * len(labels)
    if math.isnan(value(ranked)):
        return found
    for a, b in itertools.permutations(range(len(order)), 2):
        if ranked[a] > ranked[b]:
            swapped = list(ranked)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            wrong = 1 / (1 + math.exp(scores[order[a]] - scores[order[b]]))
            push = abs(value(swapped) - value(ranked)) * wrong
            found[order[a]] += push
            found[order[b]] -= push
    return [abs(push) for push in found]


def by_loops(pool: Pool, metric: str, labels: np.ndarray) -> np.ndarray:
    """Utilities of the candidates if these were all labels."""
    scores = pool.data.X[:, 0].astype(float)
    scores = scores / scores.std()
    fitted = parse(metric).for_labels(labels)
    found = np.zeros(labels.size)
    for query in np.unique(pool.data.qid):
        rows = np.flatnonzero(pool.data.qid == query)
        found[rows] = pushes(fitted.value, labels[rows].tolist(), scores[rows].tolist())
    return found[pool.candidates]


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ndcg@3", "ndcg@10", "map", "auc", "mauc", "err@4", "mrr"])
@pytest.mark.parametrize("grades", [2, 4])
def test_one_draw_by_swaps(metric, grades) -> None:
    for seed in range(4):
        pool = small_pool(grades, (3, 0, 6, 1), seed)
        found = ExpectedChange(metric, n_draws=1).utilities(pool, np.random.default_rng(seed))
        known, chances = grade_chances(pool)
        number = pool.random_numbers(np.random.default_rng(seed))  # the first draw is that of the labels
        labels = pool.y.copy()
        for row, of_grades in zip(pool.candidates, chances, strict=True):
            labels[row] = next(g for g, upto in zip(known, np.cumsum(of_grades), strict=True) if number[row] <= upto)
        assert found == pytest.approx(by_loops(pool, metric, labels), rel=1e-6, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "grades"), [("ndcg@3", 3), ("auc", 2), ("map", 2)])
def test_many_draws_are_the_expectation_over_all_labels(metric, grades) -> None:
    pool, draws = small_pool(grades, (3, 2), seed=5), 1500
    known, chances = grade_chances(pool)
    mean, square = np.zeros(5), np.zeros(5)
    for choice in itertools.product(range(grades), repeat=5):
        labels = pool.y.copy()
        labels[pool.candidates] = known[list(choice)]
        weight = math.prod(chances[k, g] for k, g in enumerate(choice))
        value = by_loops(pool, metric, labels)
        mean, square = mean + weight * value, square + weight * value**2
    error = np.sqrt(np.maximum(square - mean**2, 0) / draws)
    found = ExpectedChange(metric, n_draws=draws).utilities(pool, np.random.default_rng(0))
    assert (np.abs(found - mean) < 4 * error + 1e-9).all()


def test_what_a_metric_does_not_see_is_not_chosen() -> None:
    """Nothing below rank 1 matters to p@1 but what may replace the first: of equal labels, no one."""
    y = np.array([1.0, 0.0, -1.0, -1.0])
    pool = Pool(RankingData([[9.0], [0.0], [5.0], [4.0]], y, np.zeros(4)), y, FirstFeature())
    for seed in range(5):
        found = ExpectedChange("p@1", n_draws=1).utilities(pool, np.random.default_rng(seed))
        labels = y.copy()
        known, chances = grade_chances(pool)
        number = pool.random_numbers(np.random.default_rng(seed))[pool.candidates]
        labels[pool.candidates] = np.where(number > chances[:, 0], known[1], known[0])
        relevant = labels[pool.candidates] == 1
        assert (found[relevant] == 0).all()
        assert (found[~relevant] > 0).all()


@pytest.mark.parametrize("times", [2.0**20, 2.0**-20])
def test_the_scale_of_scores_does_not_matter(times) -> None:
    pool = default_pool()
    assert ExpectedChange().select(rescored(pool, times=times)).tolist() == ExpectedChange().select(pool).tolist()


def test_the_order_of_equal_scores_is_drawn_anew_each_time() -> None:
    """Where all scores are equal, no document is first in all draws, so utilities come near each other."""
    y = np.array([1.0, 0.0, *[-1.0] * 6])
    X = np.column_stack([np.zeros(8), np.arange(8.0)])
    pool = Pool(RankingData(X, y, np.zeros(8)), y, FirstFeature())
    found = ExpectedChange("p@3", n_draws=400).utilities(pool, np.random.default_rng(0))
    assert found.max() < 1.25 * found.min()  # 1.09; by the order of the input, the third would have 1.75 times the last


def test_metrics_are_named_in_one_way() -> None:
    assert ExpectedChange("NDCG@10 ") == ExpectedChange(NDCG(k=10)) == ExpectedChange()
    with pytest.raises(MetricError, match="there is no metric 'ndgc'; did you mean"):
        ExpectedChange("ndgc")
    with pytest.raises(
        DataError, match="n_draws must be a whole number from 1 to 1000000000, got 0; pass for example 8"
    ):
        ExpectedChange(n_draws=0)
