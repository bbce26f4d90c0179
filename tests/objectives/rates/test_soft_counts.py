"""Soft counts: thresholds against every cut, derivatives against differences, torch against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit

from rankwise.metrics import AUC, AUCPR, PartialAUC, PartialAUCPR, parse
from rankwise.objectives.rates._objective import rate_objective
from rankwise.objectives.rates._soft_counts import (
    MAX_PRICE,
    MIN_TRUE_POSITIVES,
    RankedRows,
    SoftCounts,
    operating_threshold,
)
from tests.reference.thresholds import count

POINTS = ["r@p=0.5", "r@p=0.9", "p@r=0.3", "p@r=1", "tpr@fpr=0.1", "tpr@fpr=0.5", "f1", "f0.5", "f3"]
OBJECTIVES = ["r@p=0.7", "p@r=0.6", "tpr@fpr=0.2", "f1", "aucpr", "aucpr[0.4,0.9]", "auc", "pauc[0,0.3]"]
OBJECTIVES += ["0.3*r@p=0.6 + 2*aucpr"]


@st.composite
def rows(draw):
    """Scores with many ties, labels of both kinds, whole weights."""
    size = draw(st.integers(2, 25))
    scores = draw(hnp.arrays(np.int64, size, elements=st.integers(0, draw(st.sampled_from([1, 4, 30])))))
    positive = draw(hnp.arrays(np.bool_, size).filter(lambda p: p.any() and not p.all()))
    weight = draw(hnp.arrays(np.int64, size, elements=st.integers(1, 3)))
    return scores.astype(float), positive, weight.astype(float)


def worth_of(name, tp, fp, m, n):
    """The metric at one threshold, from the textbook."""
    precision, recall, fpr = tp / (tp + fp), tp / m, fp / n
    if name.startswith("r@p="):
        return recall if precision >= float(name[4:]) else 0.0
    if name.startswith("p@r="):
        return precision if recall >= float(name[4:]) else 0.0
    if name.startswith("tpr@fpr="):
        return recall if fpr <= float(name[8:]) else 0.0
    beta = float(name[1:])
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if tp else 0.0


def best_cuts(name, scores, positive):
    """What each distinct score is worth as a threshold; where none is worth anything, its precision."""
    m, n = int(positive.sum()), int((~positive).sum())
    counts = {cut: count(positive, scores, cut)[:2] for cut in np.unique(scores)}
    worth = {cut: worth_of(name, tp, fp, m, n) for cut, (tp, fp) in counts.items()}
    if not any(worth.values()):
        worth = {cut: tp / (tp + fp) if tp >= min(MIN_TRUE_POSITIVES, m) else 0.0 for cut, (tp, fp) in counts.items()}
    highest = max(worth.values())
    return min(cut for cut, value in worth.items() if value >= highest - 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", POINTS)
@settings(max_examples=60)
@given(rows())
def test_the_threshold_parts_the_rows_where_the_best_cut_does(name, drawn) -> None:
    scores, positive, weight = drawn
    threshold = operating_threshold(parse(name), scores, positive, weight)  # type: ignore[arg-type]
    times = weight.astype(int)
    repeated = np.repeat(scores, times), np.repeat(positive, times)
    lowest = best_cuts(name, *repeated)
    assert np.array_equal(scores >= threshold, scores >= lowest)
    below = scores[scores < lowest]
    assert threshold == (0.5 * (lowest + below.max()) if below.size else lowest)  # as far from either side
    assert threshold == operating_threshold(parse(name), *repeated, np.ones(times.sum()))  # type: ignore[arg-type]


def made(seed=0, size=400):
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < 0.3
    return rng.normal(size=size) + 1.2 * positive, positive, rng.uniform(0.2, 3.0, size)


def points_of(name, scores, positive, weight, width=0.6):
    return SoftCounts(rate_objective(name, anchors=4), positive, weight).points(scores, width)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_derivatives_are_those_of_differences(name) -> None:
    scores, positive, weight = made(size=60)
    points = points_of(name, scores, positive, weight)
    thresholds = points.thresholds + 0.1

    def total(s, b):
        return points.sums(s, positive, weight, b)[0]

    _, slope, by_threshold, _ = points.sums(scores, positive, weight, thresholds)
    step = 1e-5
    for row in range(scores.size):
        move = step * (np.arange(scores.size) == row)
        numeric = (total(scores + move, thresholds) - total(scores - move, thresholds)) / (2 * step)
        assert weight[row] * slope[row] == pytest.approx(numeric, rel=1e-5, abs=1e-8)
    for k in range(thresholds.size):
        move = step * (np.arange(thresholds.size) == k)
        numeric = (total(scores, thresholds + move) - total(scores, thresholds - move)) / (2 * step)
        assert by_threshold[k] == pytest.approx(numeric, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_what_trees_get_descends_a_log_loss_of_rows_near_the_points(name) -> None:
    """The derivative of both log losses, with the nearness of rows held fixed, and a curvature above 0."""
    scores, positive, weight = made()
    points = points_of(name, scores, positive, weight)
    slope, bend = points.near_log_loss(scores, positive, weight, 3.0)
    above = expit((scores[:, None] - points.thresholds) / points.width)
    near = (4.0 * above * (1 - above) * np.where(positive[:, None], points.gains, points.prices)).sum(1)

    def loss(moved):
        about = moved - points.thresholds.mean()
        signs = np.where(positive, -1.0, 1.0)
        return weight * (np.logaddexp(0, signs * moved) + 3.0 * near * np.logaddexp(0, signs * about))

    numeric = (loss(scores + 1e-5) - loss(scores - 1e-5)) / 2e-5
    assert np.allclose(slope, numeric, rtol=1e-5, atol=1e-8)
    assert (slope[positive] < 0).all()
    assert (slope[~positive] > 0).all()
    assert (bend > 0).all()


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_the_highest_over_all_cuts(name, seed) -> None:
    """Though cuts between positives are left out; also with ties, weights and rows that weigh nothing."""
    scores, positive, weight = made(seed)
    scores = np.round(scores, seed)
    objective = rate_objective(name, anchors=4)
    soft = SoftCounts(objective, positive, weight)
    drawn = weight * np.random.default_rng(seed).integers(0, 3, (5, weight.size))
    found = soft.values(RankedRows(scores, positive), drawn)
    for value, one in zip(found, drawn, strict=True):
        hits, cuts = RankedRows(scores, positive).counts(one)
        expected = sum(
            term.weight
            * np.mean([point.values_of_counts(hits, cuts).max() for point in term.metric.operating_points(4)])
            for term in objective.terms
        )
        assert value == pytest.approx(expected, rel=1e-12)
    assert soft.value(scores) == pytest.approx(float(soft.values(RankedRows(scores, positive), weight)))
    assert soft.values(RankedRows(scores, positive), np.where(positive, 0.0, weight)) == 0.0


@pytest.mark.parametrize("name", OBJECTIVES)
def test_tensors_say_what_arrays_say(name) -> None:
    torch = pytest.importorskip("torch")
    scores, positive, weight = made()
    points = points_of(name, scores, positive, weight)
    thresholds = points.thresholds - 0.2
    s, b = (torch.tensor(values, requires_grad=True) for values in (scores, thresholds))
    loss = torch.tensor(weight) @ points.of_tensors(s, torch.tensor(positive), b)
    total, slope, by_threshold, _ = points.sums(scores, positive, weight, thresholds)
    assert loss.item() == pytest.approx(total, rel=1e-12)
    loss.backward()
    assert np.allclose(s.grad.numpy(), weight * slope, rtol=1e-10, atol=1e-14)
    assert np.allclose(b.grad.numpy(), by_threshold, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_at_its_price_no_threshold_wants_to_move(name, seed) -> None:
    """The multiplier need not be searched for: the derivative by the threshold is 0 where it already stands."""
    scores, positive, weight = made(seed)
    points = points_of(name, scores, positive, weight)
    by_threshold = points.sums(scores, positive, weight, points.thresholds)[2]
    price = points.multipliers
    free = (price > 1.001 / MAX_PRICE) & (price < 0.999 * MAX_PRICE)
    assert free.any()
    above = expit((scores[:, None] - points.thresholds) / points.width)
    size = points.gains * (weight[:, None] * above * (1 - above))[positive].sum(0) / points.width
    assert (np.abs(by_threshold[free]) <= 1e-9 * size[free]).all()


def test_a_price_is_kept_within_bounds() -> None:
    scores = np.concatenate([np.linspace(5, 6, 50), np.linspace(-6, -5, 50)])
    positive = np.arange(100) < 50
    points = SoftCounts(rate_objective("r@p=0.9"), positive, np.ones(100)).points(scores, 0.01)
    assert (points.multipliers >= 1 / MAX_PRICE).all()
    assert (points.multipliers <= MAX_PRICE).all()
    assert np.isfinite(points.prices).all()


@pytest.mark.parametrize("name", OBJECTIVES)
def test_weights_are_repeated_rows(name) -> None:
    scores, positive, _ = made(size=80)
    times = np.random.default_rng(1).integers(1, 4, 80)
    weighted = points_of(name, scores, positive, times.astype(float))
    repeated = points_of(name, *(np.repeat(v, times) for v in (scores, positive)), np.ones(times.sum()))  # type: ignore[call-arg]
    assert np.allclose(weighted.thresholds, repeated.thresholds, rtol=1e-12)
    assert np.allclose(weighted.gains, repeated.gains, rtol=1e-9)
    assert np.allclose(weighted.prices, repeated.prices, rtol=1e-9)


@pytest.mark.parametrize("name", ["r@p=0.9", "p@r=0.2", "r@p=0.99", "tpr@fpr=0.3", "tpr@fpr=0.7", "f2"])
def test_near_points_lie_about_the_one_and_are_possible(name) -> None:
    near = parse(name).operating_points(10)  # type: ignore[attr-defined]
    assert parse(name) in near
    assert len(near) == (1 if name == "f2" else 3)


def test_points_of_an_area_are_spread_along_it() -> None:
    for area, low, high in ((AUC(), 0, 1), (AUCPR(), 0, 1), (PartialAUC(0.1, 0.4), 0.1, 0.4)):
        assert_spread(area.operating_points(5), low, high)
    assert_spread(PartialAUCPR(0.8, 1.0).operating_points(5), 0.8, 1.0)


def assert_spread(points, low, high) -> None:
    levels = [next(iter(vars(point).values())) for point in points]
    assert np.allclose(levels, low + (high - low) * np.array([0.1, 0.3, 0.5, 0.7, 0.9]))
