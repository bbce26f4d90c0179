"""The guarantee holds in simulations from known populations, and a rule without correction fails in the same ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

import rankwise as rw
from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.metrics import RecallAtPrecision, thresholds_to_try
from rankwise.metrics.certification._operating_point import demand_of
from tests.reference.thresholds import count, flat, separated, tied, waves

REPETITIONS, ROWS = 2000, 300
# In each some thresholds are wrong by a hair: those of the ties miss the target by 0.003 or less.
POPULATIONS = {
    "flat": (flat(), ("r@p=0.8", "p@r=0.8", "tpr@fpr=0.1")),
    "waves": (waves(), ("r@p=0.8", "p@r=0.8", "tpr@fpr=0.1")),
    "ties": (tied(), ("r@p=0.809", "p@r=0.828", "tpr@fpr=0.125")),
}
CASES = [(name, objective) for name, (_, objectives) in POPULATIONS.items() for objective in objectives]


def share_that_holds(population, objective, find):
    """How often the threshold found keeps its promise, and how often there is one."""
    demand, rng = demand_of(objective), np.random.default_rng(7)
    found = [find(*population.sample(rng, ROWS), objective) for _ in range(REPETITIONS)]
    kept = {t: population.keeps(demand.rate, demand.target, t) for t in set(found) if t is not None}
    return np.mean([t is None or kept[t] for t in found]), np.mean([t is not None for t in found])


def certified(y, scores, objective):
    return rw.certify(y, scores, objective).threshold


def naive(y, scores, objective):
    """The best threshold of those that each pass the exact test for themselves."""
    demand = demand_of(objective)
    levels = np.unique(scores)
    taken = scores >= levels[:, None]
    tp, predicted = (taken & (y > 0)).sum(axis=1), taken.sum(axis=1)
    passes = binom.sf(tp - 1, predicted, demand.target) <= 0.05
    return levels[passes][0] if passes.any() else None


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective"), CASES)
def test_the_promise_is_kept_as_often_as_promised(name, objective) -> None:
    holds, _ = share_that_holds(POPULATIONS[name][0], objective, certified)
    assert holds >= 0.95


@pytest.mark.slow
def test_thresholds_from_other_data_keep_the_promise() -> None:
    rng = np.random.default_rng(0)

    def with_validation_data(y, scores, objective):
        order = thresholds_to_try(*flat().sample(rng, 100), objective)  # type: ignore[call-arg]
        return rw.certify(y, scores, objective, thresholds=order).threshold

    holds, _ = share_that_holds(flat(), "r@p=0.8", with_validation_data)
    assert holds >= 0.95


@pytest.mark.slow
def test_without_correction_the_promise_is_broken() -> None:
    holds, _ = share_that_holds(flat(), "r@p=0.8", naive)
    assert holds < 0.85


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["r@p=0.9", "p@r=0.9", "tpr@fpr=0.1"])
def test_a_good_model_is_nearly_always_certified(objective) -> None:
    _, certified_share = share_that_holds(separated(), objective, certified)
    assert certified_share > 0.95


ROWS_OF_DATA = st.lists(st.tuples(st.integers(0, 1), st.integers(-4, 6)), min_size=2, max_size=120).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)
OBJECTIVES = st.sampled_from(["r@p=0.5", "r@p=0.8", "p@r=0.3", "p@r=0.9", "tpr@fpr=0.2", "tpr@fpr=0.6"])


@given(ROWS_OF_DATA, OBJECTIVES, st.sampled_from([0.6, 0.9, 0.99]))
def test_counts_bounds_and_rates_recomputed(rows, objective, confidence) -> None:
    y, scores = np.array(rows, dtype=float).T
    found: Any = rw.certify(y, scores, objective, confidence=confidence, thresholds=np.unique(scores))
    assert found.guide_rows == 0
    if not found.certified:
        return
    tp, fp, fn, tn = count(y, scores, found.threshold)
    assert (found.tp, found.fp, found.fn, found.tn) == (tp, fp, fn, tn)
    rates = {"precision": (tp, tp + fp), "recall": (tp, tp + fn), "fpr": (fp, fp + tn)}
    for name, (hits, trials) in rates.items():
        assert getattr(found, name) == hits / trials
    demand = demand_of(objective)
    side: Any = "less" if demand.rate == "fpr" else "greater"
    exact = binomtest(*rates[demand.rate], alternative=side).proportion_ci(confidence)
    bound = exact.high if side == "less" else exact.low
    assert found.bound == pytest.approx(bound, abs=1e-9)
    assert found.bound <= demand.target if side == "less" else found.bound >= demand.target
    hits, trials = rates[demand.gain]
    assert found.expected == hits / trials
    assert found.interval == pytest.approx(tuple(binomtest(hits, trials).proportion_ci(confidence)), abs=1e-9)


@given(ROWS_OF_DATA, st.sampled_from(["p@r=0.3", "p@r=0.9", "tpr@fpr=0.2", "tpr@fpr=0.6"]))
def test_the_best_of_all_that_pass_where_the_rate_is_monotone(rows, objective) -> None:
    y, scores = np.array(rows, dtype=float).T
    demand, best = demand_of(objective), None
    for threshold in np.unique(scores):
        tp, fp, fn, tn = count(y, scores, threshold)
        if demand.rate == "recall":
            p, gain = binomtest(tp, tp + fn, demand.target, "greater").pvalue, tp / (tp + fp)
        else:
            p, gain = binomtest(fp, fp + tn, demand.target, "less").pvalue, tp / (tp + fn)
        if p <= 0.05:
            best = gain if best is None else max(best, gain)
    assert rw.certify(y, scores, objective).expected == best


@given(ROWS_OF_DATA, OBJECTIVES, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(rows, objective, random) -> None:
    mixed = rows.copy()
    random.shuffle(mixed)
    assert rw.certify(*np.array(rows).T, objective) == rw.certify(*np.array(mixed).T, objective)  # type: ignore[call-arg]


@pytest.mark.slow
@given(ROWS_OF_DATA, OBJECTIVES)
def test_more_confidence_never_gives_more(rows, objective) -> None:
    gains = [rw.certify(*np.array(rows).T, objective, confidence=c).expected or 0.0 for c in (0.55, 0.7, 0.9, 0.99)]  # type: ignore[misc]
    assert gains == sorted(gains, reverse=True)


@given(ROWS_OF_DATA, OBJECTIVES)
def test_the_rows_said_to_be_needed_suffice(rows, objective) -> None:
    found = rw.certify(*np.array(rows).T, objective)  # type: ignore[call-arg]
    if found.rows_needed is None:
        return
    assert not found.certified
    assert found.rows_needed > found.rows
    assert found.positives_needed >= found.positives  # type: ignore[operator]
    if demand_of(objective).rate != "precision":  # there the draw of the guide decides too
        times = -(-found.rows_needed // found.rows)
        assert rw.certify(*np.tile(np.array(rows).T, times), objective).certified  # type: ignore[call-arg]


def test_the_rule_of_three() -> None:
    y, scores = [1] * 58 + [0] * 58, [1] * 58 + [0] * 58
    found = rw.certify(y, scores, "p@r=0.95")
    assert (found.threshold, found.positives_needed, found.rows_needed) == (None, 59, 118)
    assert "59 positives in 118 rows would suffice; there are 58 in 116" in str(found)
    again = rw.certify([*y, 1], [*scores, 1], "p@r=0.95")
    assert (again.threshold, again.thresholds_tried, again.expected) == (1.0, 2, 1.0)


def test_needs_of_a_precision_count_the_rows_that_only_guide() -> None:
    y, scores = [1] * 58 + [0] * 58, [1] * 58 + [0] * 58
    found = rw.certify(y, scores, "r@p=0.95")
    assert found.positives_needed == 74  # four fifths of them are 59
    assert rw.certify([1] * 90 + [0] * 58, [1] * 90 + [0] * 58, "r@p=0.95").threshold == 1.0
    assert rw.certify(y, scores, "r@p=0.95", thresholds=[1]).positives_needed == 59


@pytest.mark.parametrize("objective", ["r@p=1", "p@r=1", "tpr@fpr=0"])
def test_no_sample_proves_a_rate_without_exceptions(objective) -> None:
    found = rw.certify([1, 1, 0, 0] * 50, [2, 2, 1, 1] * 50, objective)
    assert (found.certified, found.rows_needed) == (False, None)
    assert "without exceptions" in str(found)


def test_scores_that_say_nothing() -> None:
    found = rw.certify([1, 0] * 50, [0.0] * 100, "r@p=0.9")
    assert (found.threshold, found.rows_needed) == (None, None)
    assert "the scores must become better" in str(found)


def test_a_certificate_can_be_printed_and_stored() -> None:
    found: Any = rw.certify([1] * 90 + [0] * 58, [1] * 90 + [0] * 58, RecallAtPrecision(0.9))
    assert str(found).startswith("With confidence 0.95, score >= 1.0 has a precision of at least 0.9; expect a recall")
    said = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert said["certified"] is True
    assert said["interval"] == list(found.interval)
    assert (said["objective"], said["guide_rows"], said["tp"]) == ("r@p=0.9", 30, found.tp)


@pytest.mark.parametrize(
    ("error", "said", "arguments", "options"),
    [
        (MetricError, "must demand a rate, got ndcg@10", ([1, 0], [1, 0], "ndcg@10"), {}),
        (DataError, "confidence must lie between", ([1, 0], [1, 0], "r@p=0.9"), {"confidence": 95}),
        (DataError, "needs a relevant document", ([0, 0], [1, 0], "r@p=0.9"), {}),
        (DataError, "without any irrelevant", ([1, 1], [1, 0], "tpr@fpr=0.1"), {}),
        (DataError, "thresholds must be finite", ([1, 0], [1, 0], "r@p=0.9"), {"thresholds": [np.nan]}),
        (ShapeError, "one entry per row, got 2 and 1", ([1, 0], [1], "r@p=0.9"), {}),
    ],
)
def test_what_cannot_be_certified_on(error, said, arguments, options) -> None:
    with pytest.raises(error, match=said):
        rw.certify(*arguments, **options)
