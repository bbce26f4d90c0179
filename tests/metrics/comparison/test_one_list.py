"""Intervals and tests of one list: drawn by its labels, the same for every system, refused where they mean nothing."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from rankwise.errors import DataError, MetricError
from rankwise.kernels._threads import limit_threads
from rankwise.metrics import compare, evaluate
from rankwise.metrics.comparison import _row_samples
from rankwise.metrics.comparison._row_samples import RowSamples

METRICS = "auc map 0.5*auc+0.5*map ndcg@10 ndcg@5 mrr"
FEW = ("ndcg@5", "mrr")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    y = (rng.random(300) < 0.3).astype(float)
    base = rng.normal(size=300) + 1.5 * y
    return y, {name: base + noise * rng.normal(size=300) for name, noise in (("a", 0.2), ("b", 0.5), ("c", 2.0))}


def samples_by_hand(y, scores, samples, seed):
    """Values of AUC on the samples, each evaluated by itself."""
    drawn = RowSamples(y)
    order = np.argsort(-scores, kind="stable")
    found = []
    for ranking in drawn.rankings(order, y, scores, False, samples, seed):
        found += list(zip(ranking.labels.reshape(-1, y.size), ranking.scores.reshape(-1, y.size), strict=True))
    return found


def test_samples_have_the_rows_of_the_list_and_as_many_of_each_label(rows) -> None:
    y, scores = rows
    label_of = dict(zip(scores["a"].tolist(), y.tolist(), strict=True))
    samples = samples_by_hand(y, scores["a"], 50, 3)
    assert len(samples) == 50
    for labels, drawn in samples:
        assert labels.sum() == y.sum()
        assert (np.diff(drawn) <= 0).all()
        assert [label_of[s] for s in drawn.tolist()] == labels.tolist()
    assert len({tuple(drawn) for _, drawn in samples}) == 50


def test_every_row_is_drawn_once_on_average(rows) -> None:
    y, scores = rows
    drawn = np.concatenate([s for _, s in samples_by_hand(y, scores["a"], 2000, 0)])
    _, counts = np.unique(drawn, return_counts=True)
    assert counts.size == y.size
    # Binomial with mean 2,000 and deviation √2,000: 5 deviations.
    assert abs(counts - 2000).max() < 5 * math.sqrt(2000)


def test_intervals_are_percentiles_of_samples_evaluated_one_by_one(rows) -> None:
    y, scores = rows
    result = evaluate(y, scores["b"], metrics="r@p=0.6 map")
    samples = samples_by_hand(y, scores["b"], 200, 7)
    for metric in ("r@p=0.6", "map"):
        values = [evaluate(labels, drawn, metrics=metric)[metric] for labels, drawn in samples]
        expected = np.quantile(values, [0.05, 0.95])
        assert result.interval(metric, 0.9, samples=200, random_state=7) == pytest.approx(tuple(expected), abs=1e-12)


def test_the_same_seed_and_any_number_of_threads_give_the_same_interval(rows) -> None:
    y, scores = rows
    y, s = np.tile(y, 20), np.tile(scores["b"], 20)
    found = evaluate(y, s, metrics="map").interval("map", samples=50)
    with limit_threads(1):
        assert evaluate(y, s, metrics="map").interval("map", samples=50) == found
    assert evaluate(y, s, metrics="map").interval("map", samples=50, random_state=1) != found


def test_the_bootstrap_of_auc_is_near_delong(rows) -> None:
    y, scores = rows
    result = evaluate(y, scores["b"], metrics="auc")
    np.testing.assert_allclose(result.interval("auc", method="bootstrap"), result.interval("auc"), atol=0.006)
    assert result.interval("auc", method="delong") == result.interval("auc")


def test_what_made_each_interval_is_said(rows) -> None:
    y, scores = rows
    result = evaluate(y, scores["a"], metrics=METRICS)
    assert result.interval_method("auc") == "DeLong"
    assert result.interval_method("map") == "bootstrap of rows, 2,000 samples"
    assert "DeLong" in str(result)
    for metric in FEW:
        assert math.isnan(result.interval(metric)[0])
        assert result.interval_method(metric) == "none: it sees the first few rows alone"
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["metrics"]["auc"]["interval_method"] == "DeLong"


@pytest.mark.parametrize(
    ("y", "scores", "metric", "reason"),
    [
        ([1, 1, 1], [3, 2, 1], "map", "one label"),
        ([1, 0, 0], [3, 2, 1], "auc", "one row only"),
        ([1, 1, 0, 0], [4, 3, 2, 1], "auc", "do not overlap"),
        ([1, 1, 0, 0], [4, 3, 2, 1], "map", "same value"),
    ],
)
def test_a_list_that_does_not_tell_says_why(y, scores, metric, reason) -> None:
    result = evaluate(y, scores, metrics=metric)
    assert math.isnan(result.interval(metric)[0])
    assert reason in result.interval_method(metric)
    assert reason in str(result)


def test_methods_that_do_not_fit_are_refused(rows) -> None:
    y, scores = rows
    one, many = evaluate(y, scores["a"], metrics="map"), evaluate(y, scores["a"], np.arange(300) % 3, "auc")
    with pytest.raises(MetricError, match="is for auc"):
        one.interval("map", method="delong")
    with pytest.raises(MetricError, match="is for one list"):
        many.interval("auc", method="delong")
    with pytest.raises(MetricError, match="must be"):
        one.interval("map", method="exact")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="level"):
        one.interval("map", level=95)
    assert math.isnan(one.interval("map", method="t")[0])
    assert many.interval_method("auc") == "bootstrap of queries"


def test_long_lists_are_drawn_less_often_and_have_normal_intervals(rows, monkeypatch) -> None:
    y, scores = rows
    monkeypatch.setattr(_row_samples, "MAX_DRAWN_ROWS", 300 * 400)
    result = evaluate(y, scores["a"], metrics="map")
    assert "400 samples" in result.interval_method("map")
    assert result.one_list is not None
    values = result.one_list.values(2000, 0)["map"]
    low, high = result.interval("map")
    assert (low + high) / 2 == pytest.approx(values.mean())
    assert (high - low) / 2 == pytest.approx(1.959964 * values.std(ddof=1), rel=1e-5)
    monkeypatch.setattr(_row_samples, "MAX_DRAWN_ROWS", 300)
    assert "50 samples" in evaluate(y, scores["a"], metrics="map").interval_method("map")


def test_ties_unretrieved_and_unjudged_rows_and_the_weight_of_the_one_query(rows) -> None:
    y, scores = rows
    y, s = y.copy(), np.round(scores["a"] * 2)
    y[:20], s[20:40] = -1, -np.inf
    for ties in ("expected", "worst", "input"):
        result = evaluate(y, s, metrics="auc map", ties=ties, query_weight=[3.0])
        for metric in ("auc", "map"):
            low, high = result.interval(metric, samples=300)
            assert low < result[metric] < high
        assert result.interval("map") == evaluate(y, s, metrics="map", ties=ties).interval("map")


def sampled(evaluation, metric):
    return evaluation.one_list.values(2000, 0)[metric]


def test_pairs_are_tested_over_the_same_rows(rows) -> None:
    y, scores = rows
    result = compare(y, scores, metrics="auc map mrr")
    assert result.tests == []
    by = {(test.metric, test.a, test.b): test for test in result.row_tests}
    assert len(by) == 9
    good = by["auc", "a", "c"]
    assert good.method == "DeLong"
    assert good.difference == pytest.approx(result.evaluations["a"]["auc"] - result.evaluations["c"]["auc"])
    assert good.interval[0] > 0
    assert good.p < good.p_holm < 0.01
    a, c = (sampled(result.evaluations[name], "map") for name in "ac")
    assert by["map", "a", "c"].interval[1] - by["map", "a", "c"].difference == pytest.approx(
        1.959964 * np.std(a - c, ddof=1), rel=1e-5
    )
    # Paired: the deviation of the difference is below that of two independent lists.
    assert np.std(a - c) < math.hypot(np.std(a), np.std(c))
    assert math.isnan(by["mrr", "a", "b"].p)
    assert "DeLong" in str(result)
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_equal_systems_have_p_1_and_no_spread(rows) -> None:
    y, scores = rows
    result = compare(y, {"a": scores["a"], "again": 2 * scores["a"] + 1}, metrics="auc map")
    for test in result.row_tests:
        assert (test.p, test.difference, test.interval) == (1.0, 0.0, (0.0, 0.0))
