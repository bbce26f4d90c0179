from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest
from scipy import stats

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.metrics.comparison._compare import Comparison, compare
from rankwise.metrics.comparison._statistics import format_p_value

METRICS = ["ndcg@10", "map", "auc", "mrr"]


@pytest.fixture(scope="module")
def data():
    """60 queries, one without relevant documents; "twin" orders documents as "good" does, "poor" is noisy."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(100, 160), rng.integers(5, 30, 60))
    truth = rng.normal(size=qid.size)
    y = np.digitize(truth, [0.7, 1.5]).astype(float)
    y[qid == 107] = 0
    good = truth + rng.normal(size=qid.size)
    return y, {"good": good, "twin": 2 * good + 1, "poor": truth + 3 * rng.normal(size=qid.size)}, qid


@pytest.fixture(scope="module")
def comparison(data) -> Comparison:
    y, scores, qid = data
    return compare(y, scores, qid, METRICS)


def the_test(comparison: Comparison, metric: str, a: str, b: str):
    return next(test for test in comparison.tests if (test.metric, test.a, test.b) == (metric, a, b))


def test_every_pair_of_systems_is_tested_on_every_metric(comparison) -> None:
    assert list(comparison.evaluations) == ["good", "twin", "poor"]
    assert comparison.metrics == METRICS
    assert len(comparison.tests) == 3 * len(METRICS)


def test_the_same_order_of_documents_is_no_difference(comparison) -> None:
    for metric in METRICS:
        twins = the_test(comparison, metric, "good", "twin")
        assert twins.difference == pytest.approx(0, abs=1e-12)
        assert (twins.t_p, twins.fisher_p, twins.effect_size) == (1.0, 1.0, 0.0)
        assert (twins.wins, twins.losses) == (0, 0)


def test_a_real_difference_is_found_and_has_the_numbers_of_scipy(comparison) -> None:
    test = the_test(comparison, "ndcg@10", "good", "poor")
    a, b = (comparison.evaluations[name].per_query["ndcg@10"] for name in ("good", "poor"))
    both = ~np.isnan(a) & ~np.isnan(b)
    expected = stats.ttest_rel(a[both], b[both])
    assert test.queries == both.sum()
    assert test.t_p == pytest.approx(expected.pvalue)
    assert test.interval == pytest.approx(tuple(expected.confidence_interval()))
    assert test.difference == pytest.approx(test.mean_a - test.mean_b)
    assert max(test.t_p_holm, test.fisher_p_holm, test.tukey_p) < 0.05
    assert test.wins > test.losses
    assert comparison.best("ndcg@10") == "good"


def test_the_query_left_out_is_dropped_from_the_pairs(comparison) -> None:
    assert comparison.evaluations["good"].left_out["auc"].count >= 1
    assert the_test(comparison, "auc", "good", "poor").queries == comparison.evaluations["good"].queries_counted("auc")


def test_holm_is_over_the_pairs_of_one_metric(comparison) -> None:
    for metric in METRICS:
        smallest = min((test for test in comparison.tests if test.metric == metric), key=lambda test: test.fisher_p)
        assert smallest.fisher_p_holm == pytest.approx(3 * smallest.fisher_p)


def test_equal_weights_change_nothing_and_weight_0_removes_a_query(data, comparison) -> None:
    y, scores, qid = data
    equal = compare(y, scores, qid, ["ndcg@10"], query_weight=np.full(60, 2.0))
    for test in equal.tests:
        plain = the_test(comparison, "ndcg@10", test.a, test.b)
        assert test.t_p == pytest.approx(plain.t_p, abs=1e-12)
        assert test.tukey_p == pytest.approx(plain.tukey_p, abs=1e-6)
        assert test.interval == pytest.approx(plain.interval, abs=1e-12)
    weight = np.ones(60)
    weight[:30] = 0
    half = compare(y, scores, qid, ["ndcg@10"], query_weight=weight)
    rows = qid >= 130
    without = compare(y[rows], {name: s[rows] for name, s in scores.items()}, qid[rows], ["ndcg@10"])
    for one, other in zip(half.tests, without.tests, strict=True):
        assert one.queries == other.queries
        assert (one.difference, one.t_p) == pytest.approx((other.difference, other.t_p))


def test_one_list_has_means_and_tests_over_rows_not_queries(data) -> None:
    y, scores, _ = data
    single = compare(y, scores, metrics=["auc"])
    assert single.tests == []
    assert single.row_tests
    assert single.best("auc") == "good"


def test_a_metric_without_any_query_has_nan_tests() -> None:
    y, qid = [0, 0, 0, 0], [1, 1, 2, 2]
    result = compare(y, {"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]}, qid, ["auc"])
    (test,) = result.tests
    assert test.queries == 0
    assert math.isnan(test.difference)
    assert math.isnan(test.t_p_holm)
    assert json.dumps(result.to_dict(), allow_nan=False)
    assert "–" in str(result)


@pytest.mark.parametrize("scores", [{}, {"alone": [1, 2]}])
def test_fewer_than_two_systems_is_an_error(scores) -> None:
    with pytest.raises(DataError, match="two or more systems"):
        compare([0, 1], scores)


def test_the_same_seed_gives_the_same_numbers(data, comparison) -> None:
    y, scores, qid = data
    assert compare(y, scores, qid, METRICS).tests == comparison.tests
    near = {
        "good": scores["good"],
        "near": scores["good"] + np.random.default_rng(1).normal(0, 0.2, qid.size),
    }
    one, other = (compare(y, near, qid, ["auc"], random_state=seed).tests[0] for seed in (0, 1))
    assert one.fisher_p != other.fisher_p
    assert one.t_p == other.t_p


def test_to_dict_is_strict_json(comparison) -> None:
    found = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert set(found["systems"]) == {"good", "twin", "poor"}
    assert found["tests"][0]["metric"] == "ndcg@10"
    assert len(found["tests"][0]["interval"]) == 2


def test_the_text_shows_the_best_and_the_tests(comparison) -> None:
    text = str(comparison)
    assert "* best" in text
    assert "good − poor" in text
    assert "Holm" in text


def test_metrics_may_be_a_generator(data) -> None:
    y, scores, qid = data
    assert compare(y, scores, qid, (name for name in ["auc", "map"])).metrics == ["auc", "map"]


def test_p_values_are_never_printed_as_zero() -> None:
    assert [format_p_value(p) for p in (0.0, 0.00005, 0.0321, math.nan)] == ["<0.0001", "<0.0001", "0.0321", "–"]


def test_three_systems_and_four_metrics_on_784_queries_take_little_time() -> None:
    rng = np.random.default_rng(2)
    qid = np.repeat(np.arange(784), 20)
    y = rng.integers(0, 3, qid.size)
    scores = {name: rng.random(qid.size) for name in "abc"}
    compare(y, scores, qid, METRICS)  # compiles
    start = time.perf_counter()
    compare(y, scores, qid, METRICS)
    assert time.perf_counter() - start < 5


def test_ranking_data_brings_labels_queries_and_weights() -> None:
    y, qid = np.array([1.0, 0, 0, 1, 0, 0, 0, 1]), np.array([1, 1, 2, 2, 3, 3, 4, 4])
    rng = np.random.default_rng(0)
    systems = {"a": rng.random(8), "b": rng.random(8)}
    data = RankingData(np.zeros((8, 1)), y, qid, query_weight=[1, 2, 3, 4])
    by_data, by_arrays = compare(data, systems), compare(y, systems, qid, query_weight=[1, 2, 3, 4])
    assert by_data.to_dict() == by_arrays.to_dict()
    with pytest.raises(DataError, match="RankingData brings its qid along"):
        compare(data, systems, qid)
