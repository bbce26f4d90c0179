"""Rate objectives: each statement, with 0/1 counts, is its metric; names, sums and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankwise.errors import MetricError
from rankwise.metrics import RecallAtPrecision, TPRAtFPR, parse
from rankwise.objectives import rate_objective
from rankwise.objectives.rates._statements import RateCounts
from rankwise.objectives.rates.saddle._bounded_counts import BoundedCounts
from rankwise.objectives.rates.saddle._surrogates import parse_surrogate

NAMES = "r@p=0.75 p@r=0.6 tpr@fpr=0.2 f1 f2 f0.5 aucpr aucpr[0.5,0.9] auc pauc[0,0.3]".split()
ranked = st.lists(st.integers(0, 1), min_size=2, max_size=25).filter(lambda y: 0 < sum(y) < len(y))


def least_costs(objective, y):
    """The least cost at each anchor over all cuts of a ranked list whose excess is not positive; `y`: 0/1, best first.

    A statement that no cut meets is met by predicting nothing: all positives missed, none false.
    """
    m, n = y.sum(), len(y) - y.sum()
    hits, cuts = np.append(0, np.cumsum(y)), np.arange(len(y) + 1)
    levels = objective.levels(m / len(y))
    best = np.full(objective.size, np.inf)
    for tp, k in zip(hits, cuts, strict=True):
        every = np.ones(objective.size)
        counts = RateCounts(every * (m - tp), every * (k - tp), float(m), float(n), levels, every * max(tp, 1e-9))
        with_excess = objective.excesses(counts) > 1e-9
        best = np.minimum(best, np.where(with_excess, np.inf, objective.costs(counts) / m))
    return best


@given(y=ranked)
def test_precision_at_recall_counts_the_positives_it_asks_for(y) -> None:
    """Eban 2017 (9) minimizes the false positives; true positives beyond β·|Y+| are not in its bound."""
    y = np.array(y)
    objective = rate_objective("p@r=0.6")
    false = np.min(np.cumsum(1 - y)[np.cumsum(y) >= 0.6 * y.sum() - 1e-9])
    assert least_costs(objective, y) == pytest.approx([false / y.sum()])
    assert objective.bound(least_costs(objective, y), y.mean()) <= parse("p@r=0.6").value(y) + 1e-9


@pytest.mark.parametrize("name", [name for name in NAMES if "auc" not in name and name != "p@r=0.6"])
@given(y=ranked)
def test_a_statement_with_exact_counts_is_its_metric(name, y) -> None:
    y = np.array(y)
    objective = rate_objective(name)
    assert objective.bound(least_costs(objective, y), y.mean()) == pytest.approx(parse(name).value(y), abs=1e-6)


@pytest.mark.parametrize("name", ["aucpr", "aucpr[0.5,0.9]", "auc", "pauc[0,0.3]"])
@given(y=ranked)
def test_an_area_is_the_mean_of_its_anchors(name, y) -> None:
    y = np.array(y)
    objective = rate_objective(name, anchors=4)
    levels = objective.levels(y.mean())
    low, high = {"aucpr": (0, 1), "auc": (0, 1), "pauc[0,0.3]": (0, 0.3), "aucpr[0.5,0.9]": (0.5, 0.9)}[name]
    assert (levels > low).all()
    assert (levels < high).all()
    point = TPRAtFPR if "pauc" in name or name == "auc" else RecallAtPrecision
    rates = np.cumsum(y) / np.arange(1, y.size + 1) if point is RecallAtPrecision else np.cumsum(1 - y) / (1 - y).sum()
    assume(np.abs(rates[:, None] - levels).min() > 1e-9)  # a rate at a level is above or below it as it is rounded
    expected = [1 - point(level).value(y) for level in levels]
    assert least_costs(objective, y) == pytest.approx(expected)


@given(y=ranked)
def test_aucpr_with_many_anchors_is_the_interpolated_area(y) -> None:
    y = np.array(y)
    objective = rate_objective("aucpr", anchors=400)
    found = objective.bound(least_costs(objective, y), y.mean())
    assert found == pytest.approx(parse("aucpr[0,1]").value(y), abs=len(y) / 400)


def test_names_are_those_of_the_metrics() -> None:
    for name in NAMES:
        assert str(rate_objective(name)) == name
        assert rate_objective(parse(name)) == rate_objective(name)
    both = rate_objective("0.5*r@p=0.9+0.25*f1 + 2*auc", anchors=3)
    assert str(both) == "0.5*r@p=0.9 + 0.25*f1 + 2*auc"
    assert both.shares() == pytest.approx([0.5, 0.25, 2 / 3, 2 / 3, 2 / 3])
    assert rate_objective(str(both), anchors=3) == both


@pytest.mark.parametrize("name", ["ndcg@10", "map", "auc[2]", "r@p=1", "tpr@fpr=0", "0*f1", "nonsense"])
def test_what_has_no_rate_objective_says_so(name) -> None:
    with pytest.raises(MetricError):
        rate_objective(name)


def test_the_lagrangian_is_the_sum_of_costs_and_excesses() -> None:
    objective = rate_objective("0.5*r@p=0.9 + 0.3*f2 + p@r=0.6 + aucpr + pauc[0,0.1]", anchors=3)
    rng = np.random.default_rng(0)
    missed, false, split, multipliers = rng.random((4, objective.size))
    counts = RateCounts(missed, false, 1.0, 9.0, objective.levels(0.1), split)
    both = objective.costs(counts) + multipliers * objective.excesses(counts)
    assert objective.lagrangian(counts, multipliers) == pytest.approx(objective.shares() @ both)


@pytest.mark.parametrize("name", ["hinge", "log2", "ramp"])
def test_a_weight_of_three_is_three_rows(name) -> None:
    rng = np.random.default_rng(1)
    y, s, weight = rng.integers(0, 2, 40), rng.normal(size=40), rng.integers(0, 4, 40)
    b, p, q = rng.normal(size=(3, 5))
    once, again = BoundedCounts(y, weight), BoundedCounts(np.repeat(y, weight))
    loss, more = parse_surrogate(name), np.repeat(s, weight)
    assert (once.positives, once.negatives) == (again.positives, again.negatives)
    assert np.array(once.sums(s, b, loss)) == pytest.approx(np.array(again.sums(more, b, loss)))
    mine, theirs = once.slopes(s, b, loss, p, q, curved=True), again.slopes(more, b, loss, p, q, curved=True)
    assert np.repeat(mine.scores, weight) == pytest.approx(theirs.scores * np.repeat(weight, weight))
    assert mine.missed == pytest.approx(theirs.missed)
    assert mine.threshold_curvature == pytest.approx(theirs.threshold_curvature)
