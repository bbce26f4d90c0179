"""λ-gradients: exact and linear against brute force, against each other, and what must hold of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import rankwise as rw
from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.metrics import Metric
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas import _pair_sums as pair_sums
from rankwise.objectives.lambdas._costs import lambda_costs
from tests.reference.lambdas_by_definition import lambdas, lambdas_of_sum

WITH_FACTORS = (
    "auc auc[2] mauc ndcg ndcg@3 ndcg[linear] dcg@5 map map@3 map[min]@3 mrr mrr@2 err err@3 wta bpref pairs p@3 r@5 "
    "p-micro@3 p-macro@3"
).split()
WITHOUT = ["f1", "r@p=0.5", "aucpr", "pauc[0,0.5]", "aucpr[0.5,1]"]


def close(found: NDArray[Any], expected: NDArray[Any], tolerance: float) -> bool:
    """Within `tolerance` of the largest value."""
    return bool(np.abs(found - expected).max() <= tolerance * np.abs(expected).max() + 1e-200)


def example(seed: int, n: int, grades: int = 4, ties: bool = False) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n).round(1) if ties else rng.normal(size=n) * 2
    return rng.integers(0, grades, n).astype(float), scores


@pytest.mark.parametrize("norm", [None, "gap"])
@pytest.mark.parametrize("metric", WITH_FACTORS + WITHOUT)
def test_brute_force_swaps(metric: str, norm: Any) -> None:
    """Both methods are the papers' sum over swaps of the very metric that is named."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(6), [2, 3, 5, 12, 4, 1])
    y = rng.integers(0, 4, qid.size).astype(float)
    y[:2], y[qid == 4] = [3, 0], 1.0  # all grades occur, and one query has a single grade
    s, weight = rng.normal(size=qid.size) * 2, rng.uniform(0.5, 2, qid.size)
    judged = rw.parse(metric).for_labels(y)
    pushes, bends = np.zeros(qid.size), np.zeros(qid.size)
    for q in range(6):
        rows = np.flatnonzero(qid == q)
        rows = rows[np.argsort(-s[rows])]
        gap = None if norm is None else 0.01
        pushes[rows], bends[rows] = lambdas(judged.value, y[rows].tolist(), s[rows].tolist(), 1.7, gap, weight[rows])
    for method, tolerance in (("exact", 1e-12), ("linear", 1e-8 if norm is None else 1e-3)):
        if method == "exact" or metric in WITH_FACTORS:
            g, h = rw.lambda_gradients(judged, y, s, qid, method=method, norm=norm, sigma=1.7, sample_weight=weight)  # type: ignore[arg-type]
            assert close(-g, pushes, tolerance), method
            assert close(h, bends, 10 * tolerance), method


@st.composite
def hard_lists(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any]]:
    """Ties, equal scores, gaps from 1e-12 to 1e4, offsets of 1e6, one document, one grade, 2 to 32 grades."""
    n = draw(st.integers(1, 60))
    highest = draw(st.sampled_from([0, 1, 2, 4, 31]))
    y = np.array(draw(st.lists(st.integers(0, highest), min_size=n, max_size=n)), dtype=float)
    kind = draw(st.sampled_from(["equal", "ties", "gaps", "offset", "normal"]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    if kind == "equal":
        return y, np.zeros(n)
    if kind == "ties":
        return y, rng.integers(0, 4, n).astype(float)
    if kind == "gaps":
        return y, rng.permutation(np.cumsum(10.0 ** rng.uniform(-12, 4, n)))
    return y, rng.normal(size=n) + (1e6 if kind == "offset" else 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric", ["auc", "mauc", "ndcg", "ndcg@10", "map", "map@10", "mrr", "err", "p@5", "wta", "bpref"]
)
@given(case=hard_lists())
@settings(max_examples=60)
def test_linear_is_exact(metric: str, case: tuple[NDArray[Any], NDArray[Any]]) -> None:
    y, s = case
    exact = rw.lambda_gradients(metric, y, s, method="exact")
    linear = rw.lambda_gradients(metric, y, s, method="linear")
    assert close(linear[0], exact[0], 2e-8)
    assert close(linear[1], exact[1], 1e-7)


@pytest.mark.slow
@given(case=hard_lists(), metric=st.sampled_from(["auc", "ndcg@10", "map", "pairs"]))
@settings(max_examples=60)
def test_what_holds_of_any_list(case: tuple[NDArray[Any], NDArray[Any]], metric: str) -> None:
    """λ's sum to zero, Hessians are not negative, the best documents are pushed up and the worst down."""
    y, s = case
    g, h = rw.lambda_gradients(metric, y, s, norm="gap")
    assert abs(g.sum()) <= 1e-9 * np.abs(g).sum() + 1e-250  # sweeps add 1e-280 to what would become denormal
    assert (h >= 0).all()
    if metric != "map":  # gaps are divided by to within 1e-3, and pairs that hardly count may have the wrong sign
        nothing = 1e-6 * np.abs(g).max(initial=0.0) + 1e-12
        assert (g[y == y.max()] <= nothing).all()
        assert (g[y == y.min()] >= -nothing).all()


@pytest.mark.parametrize("metric", ["auc", "ndcg@10", "map", "err@10", "pairs", "mrr"])
@pytest.mark.parametrize("norm", [None, "gap"])
def test_long_lists_and_the_crossover(metric: str, norm: Any) -> None:
    for n in (150, 400, 2000):
        y, s = example(n, n, grades=5, ties=n == 400)
        exact = rw.lambda_gradients(metric, y, s, method="exact", norm=norm)
        for method in ("auto", "linear"):
            found = rw.lambda_gradients(metric, y, s, method=method, norm=norm)
            assert close(found[0], exact[0], 1e-8 if norm is None else 1e-3)
            assert close(found[1], exact[1], 1e-7 if norm is None else 1e-2)


def test_scores_that_span_thousands() -> None:
    """e^s would overflow: all pairs then take one exponential each."""
    y, s = example(0, 50)
    assert close(*(rw.lambda_gradients("ndcg", y, s * 1e3, method=m)[0] for m in ("exact", "linear")), 1e-8)  # type: ignore[arg-type,call-arg]
    assert np.isfinite(rw.lambda_gradients("ndcg", y, s * 1e300, method="exact")[0]).all()


@pytest.mark.slow
@pytest.mark.parametrize("spread", [30.0, 100.0, 1e3, 1e4, 1e6])
def test_gaps_of_scores_that_lie_far_apart(spread: float) -> None:
    """Pairs far apart and out of order count: slower exponentials reach them."""
    y, s = example(7, 1500, grades=3)
    for metric in ("auc", "ndcg@10"):
        exact, linear = (
            rw.lambda_gradients(metric, y, spread * s, method=m, norm="gap")[0] for m in ("exact", "linear")
        )
        assert close(linear, exact, 2e-3)
    for metric in ("pairs", "auc"):
        g, h = rw.lambda_gradients(metric, y, spread * s, method="linear", norm="gap")
        assert (h >= 0).all()
        assert (g[y == y.max()] <= 1e-6 * np.abs(g).max()).all()
        assert (g[y == y.min()] >= -1e-6 * np.abs(g).max()).all()


def test_rows_in_any_order_and_queries_apart() -> None:
    rng = np.random.default_rng(0)
    y, s = example(1, 200)
    qid = rng.integers(0, 7, 200)
    g, h = rw.lambda_gradients("ndcg@10", y, s, qid)
    for q in range(7):
        alone = rw.lambda_gradients("ndcg@10", y[qid == q], s[qid == q])
        np.testing.assert_allclose(g[qid == q], alone[0], atol=1e-15)
        np.testing.assert_allclose(h[qid == q], alone[1], atol=1e-15)


@pytest.mark.parametrize("method", ["exact", "linear"])
def test_weights_keep_the_sum_at_zero(method: Any) -> None:
    rng = np.random.default_rng(0)
    y, s = example(2, 300)
    qid = np.repeat([0, 1, 2], 100)
    plain, _ = rw.lambda_gradients("ndcg@10", y, s, qid, method=method)
    by_query, _ = rw.lambda_gradients("ndcg@10", y, s, qid, method=method, query_weight=[1.0, 4.0, 0.0])
    np.testing.assert_allclose(by_query, plain * np.repeat([1, 4, 0], 100), atol=1e-12)
    by_row, _ = rw.lambda_gradients("ndcg@10", y, s, qid, method=method, sample_weight=rng.uniform(0, 3, 300))
    for q in range(3):
        assert abs(by_row[qid == q].sum()) < 1e-12


@pytest.mark.parametrize("metric", ["map", "ndcg"])
def test_one_very_long_list_uses_two_threads(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own sort, sweeps and way back, among shorter lists: as in the loop over queries, in any number of threads."""
    y, s = example(3, 5200, ties=True)
    qid = np.repeat([0, 1, 2], [100, 5000, 100])
    objective = LambdaObjective(metric, y, qid, method="linear", sigma=1.7, sample_weight=1.0 + y)
    expected = objective.gradients(s)
    monkeypatch.setattr(pair_sums, "TWO_THREADS_MIN_ROWS", 1000)
    started = []
    run = pair_sums.threads.run  # type: ignore[attr-defined]
    monkeypatch.setattr(pair_sums.threads, "run", lambda tasks: (started.append(len(tasks)), run(tasks))[1])  # type: ignore[attr-defined, func-returns-value]
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
        found.append(objective.gradients(s))
    assert 2 in started
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0], expected, rtol=1e-11, atol=1e-15)


def test_equal_scores_do_not_leak_the_order_of_rows() -> None:
    """Rows sorted by label, all scores equal: a ranking by row order would be perfect, and teach nothing."""
    y = np.repeat([2.0, 1.0, 0.0], 20)
    gradients = [LambdaObjective("ndcg@10", y, random_state=seed).gradients(np.zeros(60))[0] for seed in range(200)]
    top = np.mean(gradients, axis=0)[:20]
    assert np.abs(top / top.mean() - 1).max() < 0.5  # no row of a label is favoured over another
    assert np.array_equal(gradients[0], LambdaObjective("ndcg@10", y, random_state=0).gradients(np.zeros(60))[0])


def test_real_labels_and_many_grades() -> None:
    rng = np.random.default_rng(0)
    y, s = rng.uniform(0, 3, 500), rng.normal(size=500)
    g, _ = rw.lambda_gradients("ndcg[linear]", y, s)
    order = np.argsort(-s)
    judged = rw.parse("ndcg[linear]")
    few = order[:12]
    expected, _ = lambdas(judged.value, y[few], s[few])
    found, _ = rw.lambda_gradients(judged, y[few], s[few])
    assert close(-found, np.array(expected), 1e-12)
    assert abs(g.sum()) < 1e-12


@dataclass(frozen=True)
class Plain(Metric, register=False):
    """A user's metric with `_value` alone."""

    name: ClassVar[str] = "test-plain-dcg"

    def _value(self, ranked: NDArray[Any], ideal: NDArray[Any]) -> float:
        return float((ranked / np.arange(1, len(ranked) + 1)).sum())


def test_a_metric_with_value_alone_trains_too(caplog: pytest.LogCaptureFixture) -> None:
    y, s = example(4, 15)
    with caplog.at_level(logging.INFO, logger="rankwise"):
        g, _ = rw.lambda_gradients(Plain(), y, s)
    order = np.argsort(-s)
    assert close(-g[order], np.array(lambdas(Plain().value, y[order], s[order])[0]), 1e-12)
    assert "which is slow" in caplog.text


@pytest.mark.slow
def test_descending_the_gradient_raises_the_metric() -> None:
    for metric in ("auc", "ndcg@10", "map", "mrr", "err@10", "f1"):
        y, s = example(5, 60)
        before = rw.evaluate(y, s, metrics=[metric])[metric]
        objective = LambdaObjective(metric, y)
        for _ in range(200):
            g, _ = objective.gradients(s)
            s = s - 0.1 * g / (np.abs(g).max() + 1e-12)
        assert rw.evaluate(y, s, metrics=[metric])[metric] > min(before + 0.02, 0.999), metric


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"y": [1, 0], "scores": [1.0]}, ShapeError, "got 1 for 2 rows"),
        ({"y": [1, 0], "scores": [1.0, np.nan]}, DataError, "got nan at row 1"),
        ({"y": [1, 0], "scores": [1.0, 2.0], "qid": [1]}, ShapeError, "got 1 for 2 rows"),
        ({"y": [1, 0], "scores": [1.0, 2.0], "sigma": 0.0}, DataError, "sigma must be a positive number"),
        (
            {"y": [1, 0], "scores": [1.0, 2.0], "method": "fast"},
            MetricError,
            "method must be one of auto, exact, linear",
        ),
        ({"y": [1, 0], "scores": [1.0, 2.0], "norm": "x"}, MetricError, "norm must be one of gap"),
        ({"y": [1, 0], "scores": [1.0, 2.0], "sample_weight": [1, 2, 3]}, ShapeError, "one entry per row .2., got 3"),
        ({"y": [1, 0], "scores": [1.0, 2.0], "query_weight": [1, 2]}, ShapeError, "one entry per query .1., got 2"),
        ({"y": [1, 0], "scores": [1.0, 2.0], "sample_weight": [-1, 2]}, DataError, "sample_weight must be 0 or more"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rw.lambda_gradients("ndcg", **arguments)


def test_a_long_query_without_factors_is_refused() -> None:
    with pytest.raises(MetricError, match="more than 5000"):
        rw.lambda_gradients("f1", np.arange(6000) % 2, np.arange(6000.0))


SUMS = ["0.7*ndcg@3 + 0.3*auc", "map + 2*r@p=0.5", "mauc + 0.5*err + 3*mrr@2"]


@pytest.mark.parametrize("norm", [None, "gap"])
@pytest.mark.parametrize("text", SUMS)
def test_lambdas_of_a_sum_are_the_sums_of_lambdas(text: str, norm: Any) -> None:
    """Each part by brute force over its own swaps, although parts may pull a pair in different directions."""
    rng = np.random.default_rng(1)
    qid = np.repeat(np.arange(5), [2, 3, 9, 12, 1])
    y, s = rng.integers(0, 4, qid.size).astype(float), rng.normal(size=qid.size) * 2
    weight = rng.uniform(0.5, 2, qid.size)
    metric = rw.parse(text).for_labels(y)
    terms = [(factor, part.value) for factor, part in metric.terms()]
    pushes, bends = np.zeros(qid.size), np.zeros(qid.size)
    for q in range(5):
        rows = np.flatnonzero(qid == q)
        rows = rows[np.argsort(-s[rows])]
        gap = None if norm is None else 0.01
        pushes[rows], bends[rows] = lambdas_of_sum(terms, y[rows], s[rows], 1.3, gap, weight[rows])
    g, h = rw.lambda_gradients(metric, y, s, qid, method="exact", norm=norm, sigma=1.3, sample_weight=weight)
    assert close(-g, pushes, 1e-12)
    assert close(h, bends, 1e-11)


def test_a_sum_is_reweighed_and_costs_as_its_parts() -> None:
    y, s = example(3, 30)
    qid, weight = np.repeat([0, 1], 15), np.random.default_rng(3).uniform(0, 2, 30)
    objective = LambdaObjective("0.7*ndcg@3 + 0.3*auc", y, qid)
    objective.reweigh(weight)
    again = LambdaObjective("0.7*ndcg@3 + 0.3*auc", y, qid, sample_weight=weight)
    for found, expected in zip(objective.gradients(s), again.gradients(s), strict=True):
        np.testing.assert_array_equal(found, expected)
    parts = [LambdaObjective(name, y, qid, sample_weight=weight) for name in ("ndcg@3", "auc")]
    costs = sum(w * lambda_costs(part, s) for w, part in zip((0.7, 0.3), parts, strict=True))
    np.testing.assert_allclose(lambda_costs(objective, s), costs, rtol=1e-14)


def test_a_sum_is_freed_with_its_parts() -> None:
    import gc
    import weakref

    objective = LambdaObjective("ndcg + auc", [1, 0, 2])
    known = weakref.ref(objective.parts[0][1])
    gc.disable()
    try:
        del objective
        assert known() is None
    finally:
        gc.enable()
