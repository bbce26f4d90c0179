"""Labels, scores and weights at the ends of what numbers hold: exact, or refused by a sentence."""

from __future__ import annotations

import gc
import math
import weakref
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from rankwise.errors import DataError, MetricError
from rankwise.metrics import certify, evaluate, parse
from rankwise.metrics._ranking import rank
from rankwise.metrics.comparison import _statistics as statistics
from tests.reference.metrics_by_definition import TIE_AWARE

SCORES = np.array(
    [1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0, 1e-310, 2.5, np.nextafter(2.5, 3), 1.7e308, -1.7e308, 1e-310]
)
LABELS = np.array([1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 3.0, 0.0, 1.0, 0.0, 2.0, 0.0])


def exact_pairs(y: np.ndarray, scores: np.ndarray) -> Fraction:
    pairs = [(a, b) for a, b in product(range(y.size), repeat=2) if y[a] > y[b]]
    right = sum(Fraction(2 if scores[a] > scores[b] else int(scores[a] == scores[b]), 2) for a, b in pairs)
    return Fraction(right) / len(pairs)


@pytest.mark.parametrize("name", sorted(TIE_AWARE))
def test_scores_are_compared_and_nothing_else(name: str) -> None:
    expected = TIE_AWARE[name](LABELS.tolist(), SCORES.tolist())
    tolerance = 1e-4 if "," in name and "[0" in name else 1e-12  # the reference of areas integrates on a grid
    assert evaluate(LABELS, SCORES, metrics=name)[name] == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("copies", [1, 40, 2500])  # counting, buckets or merging, radix
def test_ties_are_equal_scores_in_lists_of_any_length(copies: int) -> None:
    y, scores = np.tile(LABELS, copies), np.tile(SCORES, copies)
    rng = np.random.default_rng(0)
    order = rng.permutation(y.size)
    got = evaluate(y[order], scores[order], metrics="pairs")["pairs"]
    assert got == pytest.approx(float(exact_pairs(LABELS, SCORES)), abs=1e-12)


@pytest.mark.parametrize("highest", [1e300, 1.7e308, 1e-300, 5e-324])
@pytest.mark.parametrize(
    "name", ["auc", "pairs", "map", "mrr", "bpref", "mauc", "r@p=0.5", "f1", "aucpr", "pauc[0,0.5]"]
)
def test_metrics_of_order_take_any_label(name: str, highest: float) -> None:
    others = [0.0, 0.0, 0.0]
    scores = [2.0, 3.0, 1.0, 0.0]
    assert (
        evaluate([highest, *others], scores, metrics=name)[name] == evaluate([1.0, *others], scores, metrics=name)[name]
    )


@pytest.mark.parametrize("name", ["ndcg@10", "dcg", "err", "0.5*ndcg + 0.5*auc"])
def test_gains_that_are_no_numbers_are_refused(name: str) -> None:
    for label in (1001.0, 1e300):
        with pytest.raises(MetricError, match=r"takes labels up to 1000.* scale"):
            evaluate([label, 1, 0], [1, 2, 3], metrics=name)
        with pytest.raises(MetricError, match="takes labels up to 1000"):
            parse(name).value([1.0, label, 0.0])
    assert math.isfinite(evaluate([1000, 1, 0] * 100, range(300), metrics=name)[name])


def test_linear_gains_are_numbers_up_to_1e300() -> None:
    assert evaluate([1e300, 5e299, 0], [1, 2, 3], metrics="ndcg[linear]")["ndcg[linear]"] == pytest.approx(
        evaluate([2, 1, 0], [1, 2, 3], metrics="ndcg[linear]")["ndcg[linear]"]
    )
    with pytest.raises(MetricError, match=r"labels up to 1e\+300"):
        evaluate([1e308, 1, 0], [1, 2, 3], metrics="ndcg[linear]")


@pytest.mark.parametrize("unit", [1e-3, 1e-9, 1e-17, 1e-300])
def test_small_gains_do_not_cancel(unit: float) -> None:
    labels = np.array([1.0, 3.0, 2.0])
    gains = [math.expm1(label * unit * math.log(2.0)) for label in labels]
    dcg = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))
    best = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(sorted(gains, reverse=True)))
    assert evaluate(labels * unit, [3, 2, 1], metrics="ndcg")["ndcg"] == pytest.approx(dcg / best, rel=1e-14)


@pytest.mark.parametrize("convention", ["trec", "xgboost"])
def test_scores_beyond_single_precision_are_retrieved(convention: str) -> None:
    assert evaluate([0, 1], [1e308, -1e308], metrics="mrr", convention=convention, ties="input")["mrr"] == 0.5


def test_the_value_of_a_metric_is_a_number() -> None:
    with pytest.raises(MetricError, match="add up to"):
        parse("1e308*auc + 1e308*map")
    with pytest.raises(MetricError, match="add up to"):
        parse("1e-9*auc + 1e-9*map")
    with pytest.raises(MetricError, match="too large"):
        evaluate([1000, 0], [1, 2], metrics="1e10*dcg + auc")
    with pytest.raises(MetricError, match="beta"):
        parse("f1" + "0" * 200)


@pytest.mark.parametrize("unit", [1e308, 1e300, 1.0, 1e-300, 5e-324])
def test_weights_count_by_their_proportions(unit: float) -> None:
    y, scores, qid = [1, 0, 1, 0], [2, 1, 1, 2], [0, 0, 1, 1]
    result = evaluate(y, scores, qid, "auc", query_weight=[unit, unit])
    assert result["auc"] == 0.5
    assert result.interval("auc") == (0.0, 1.0)
    assert evaluate(y, scores, qid, "auc", query_weight=[1e300, 1e-300])["auc"] == 1.0


def test_numbers_that_doubles_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(DataError, match=r"exact in double precision, got 9007199254740993"):
        evaluate([1, 0], np.array([2**53, 2**53 + 1]))
    assert evaluate([1, 0], np.array([2**60, 2**60 + 2**20]), metrics="auc")["auc"] == 0.0


def test_p_values_are_never_0() -> None:
    for n in (2, 3, 8, 14, 40):
        a, b = np.full(n, 0.6), np.full(n, 0.5)
        least = 2.0 ** (1 - n)
        assert statistics.paired_t(a, b) == least
        assert statistics.tukey_hsd(np.column_stack([a, b]))[0, 1] == least
        assert statistics.fisher_randomization(a, b) >= min(least, 1 / 10_001)
    wide = np.random.default_rng(0).normal(100.0, 1e-3, size=2000)
    assert statistics.paired_t(wide, np.zeros(2000)) > 0.0


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_fishers_p_value_is_the_count_of_all_signs(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 4, n) / 4.0, rng.integers(0, 4, n) / 4.0
    sums = [abs(sum(sign * d for sign, d in zip(signs, a - b, strict=True))) for signs in product((1, -1), repeat=n)]
    assert statistics.fisher_randomization(a, b) == np.mean(np.array(sums) >= abs((a - b).sum()))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e150, 1e300])
def test_tests_do_not_depend_on_the_unit(unit: float) -> None:
    a, b = np.array([0.5, 0.7, 0.9, 0.4]), np.array([0.4, 0.5, 0.8, 0.4])
    assert statistics.paired_t(a * unit, b * unit) == pytest.approx(statistics.paired_t(a, b))
    assert statistics.fisher_randomization(a * unit, b * unit) == 0.25
    table = np.column_stack([a, b])
    assert statistics.tukey_hsd(table * unit) == pytest.approx(statistics.tukey_hsd(table))
    low, high = statistics.t_interval(a * unit)
    assert (low / unit, high / unit) == pytest.approx(statistics.t_interval(a))


def test_a_threshold_above_all_rows_can_be_certified() -> None:
    certificate = certify([1, 0, 1, 0], [1, 2, 3, 4], "tpr@fpr=0.5", thresholds=[1e9], confidence=0.5)
    assert (certificate.tp, certificate.fp, certificate.precision) == (0, 0, None)


def test_blocks_of_queries_do_not_change_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y, scores, qid = rng.integers(0, 3, 400), rng.integers(0, 9, 400), rng.integers(0, 37, 400)
    whole = evaluate(y, scores, qid, "ndcg@5 auc mauc err", doc_ids=np.arange(400), ties="docid")
    monkeypatch.setattr("rankwise.metrics._evaluate.BLOCK_ROWS", 25)
    blocks = evaluate(y, scores, qid, "ndcg@5 auc mauc err", doc_ids=np.arange(400), ties="docid")
    for name, values in whole.per_query.items():
        assert np.array_equal(values, blocks.per_query[name], equal_nan=True)


def test_rankings_are_freed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that holds itself is freed by the garbage collector alone, and 10^8 rows would be in memory at a time."""
    made: list[Any] = []

    def spied(*arguments: Any) -> Any:
        ranking = rank(*arguments)
        made.append(weakref.ref(ranking))
        return ranking

    monkeypatch.setattr("rankwise.metrics._evaluate.rank", spied)
    gc.disable()
    try:
        evaluate([1, 0, 1, 0], [1, 2, 3, 4], [0, 0, 1, 1])
        assert [reference() for reference in made] == [None]
    finally:
        gc.enable()
