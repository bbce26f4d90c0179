"""Costs of pairs in linear time are those of the definition."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import DataError, ShapeError
from rankwise.kernels.pairs._lambda_costs import log_terms
from rankwise.metrics import Metric, parse
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._costs import RankNetObjective, lambda_costs
from tests.reference.costs_by_definition import cost

SPREADS = [(1.0, 0.0), (1e-12, 0.0), (0.0, 0.0), (1e4, 0.0), (1.0, 1e6)]


def made(grades=4, spread=1.0, offset=0.0, rows=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, grades, rows).astype(float), offset + spread * rng.normal(size=rows), rng.random(rows)


def test_the_logarithm_is_a_polynomial() -> None:
    z = np.linspace(0, 1, 1001)
    assert np.abs(np.polyval([*log_terms()[::-1], 0.0], z) - np.log1p(z)).max() < 1e-9


@pytest.mark.parametrize("grades", [2, 4, 100])
@pytest.mark.parametrize(("spread", "offset"), SPREADS)
def test_ranknet(grades, spread, offset) -> None:
    y, s, w = made(grades, spread, offset)
    _, found = RankNetObjective(y, sigma=1.5, sample_weight=w).gradient_and_costs(s)
    assert found[0] == pytest.approx(cost(None, y, s, 1.5, w), rel=1e-8)


@pytest.mark.parametrize("grades", [2, 4, 100])
@pytest.mark.parametrize(("spread", "offset"), SPREADS)
def test_ranknets_gradient_is_minus_the_sum_over_pairs(grades, spread, offset) -> None:
    y, s, w = made(grades, spread, offset)
    gradient, _ = RankNetObjective(y, sigma=1.5, sample_weight=w).gradient_and_costs(s)
    better = np.sign(y[:, None] - y[None, :])
    x = 1.5 * better * (s[:, None] - s[None, :])
    with np.errstate(over="ignore"):
        pushes = (1.5 * better * w[:, None] * w[None, :] / (1.0 + np.exp(x))).sum(axis=1)
    assert gradient == pytest.approx(-pushes, abs=1e-8 * np.abs(pushes).max())
    assert abs(gradient.sum()) < 1e-7 * np.abs(gradient).max()


def test_queries_are_apart_and_rows_in_any_order() -> None:
    y, s, _ = made(rows=40)
    qid = np.arange(40) % 3
    together = RankNetObjective(y, qid, query_weight=[1.0, 2.0, 0.0]).gradient_and_costs(s)
    for q, weight in enumerate([1.0, 2.0, 0.0]):
        mine = qid == q
        gradient, costs = RankNetObjective(y[mine]).gradient_and_costs(s[mine])
        assert together[0][mine] == pytest.approx(weight * gradient)
        assert together[1][q] == pytest.approx(weight * costs[0])


def test_pairs_are_counted_by_weight() -> None:
    y, qid = np.array([0.0, 1.0, 2.0, 1.0, 1.0, -1.0]), np.array([0, 0, 0, 1, 1, 1])
    assert RankNetObjective(y, qid).pairs() == 3 + 2
    assert RankNetObjective(y, qid, query_weight=[2.0, 10.0]).pairs() == pytest.approx(2 * 3 + 10 * 2)


@pytest.mark.parametrize("metric", ["ndcg@10", "auc", "map", "mrr", "err@10", "bpref", "p@5", "pairs"])
@pytest.mark.parametrize(("spread", "offset"), [(1.0, 0.0), (1e4, 0.0), (1.0, 1e6)])
def test_costs_of_a_metrics_lambdas(metric, spread, offset) -> None:
    y, s, w = made(3, spread, offset)
    order = np.argsort(-s)
    value = parse(metric).for_labels(y).value
    expected = cost(value, y[order].tolist(), s[order].tolist(), 0.7, w[order].tolist())
    assert lambda_costs(LambdaObjective(metric, y, sigma=0.7, sample_weight=w), s)[0] == pytest.approx(
        expected, rel=1e-8
    )


def test_a_metric_with_many_grades_and_one_without_factors() -> None:
    y, s, w = made(100)
    order = np.argsort(-s)
    args = (y[order].tolist(), s[order].tolist(), 1.0, w[order].tolist())
    expected = cost(parse("ndcg[linear]").value, *args)
    assert lambda_costs(LambdaObjective("ndcg[linear]", y, sample_weight=w), s)[0] == pytest.approx(expected, rel=1e-8)

    class FirstLabel(Metric):
        def _value(self, ranked, ideal):
            return float(ranked[0])

    expected = cost(FirstLabel().value, *args)
    assert lambda_costs(LambdaObjective(FirstLabel(), y, sample_weight=w), s)[0] == pytest.approx(expected, rel=1e-8)


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(DataError, match="sigma must be"):
        RankNetObjective([0, 1], sigma=0.0)
    with pytest.raises(ShapeError, match="scores must have one entry per row"):
        RankNetObjective([0, 1]).gradient_and_costs([1.0])
