"""Tails of scores against linear programs over distributions of pairs, and what their cuts bound."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.objectives.margins._tails import CLOSE, HardProgram, PairProgram, ProductProgram, TangentProgram
from tests.objectives.margins.factories import KINDS, QueryData, make_data
from tests.reference import margin_lists as slow

EPSILONS = [0.02, 0.3, 1.0]
CLOSE_LP = 1e-8


def centres(data: QueryData, epsilon: float, seed: int) -> np.ndarray:
    """Any ν+ from εp to p, where ν- = εpn/ν+ is at most n."""
    p = np.array([data.weight[better].sum() for better, _ in slow.blocks_of(data.y, data.qid)])
    return p * epsilon ** np.random.default_rng(seed).random(p.size)


def programs(data: QueryData, epsilon: float, seed: int = 0):
    """Every program, and the value of its dual at scores by HiGHS, the scores being its only hypothesis."""
    nu, rows = centres(data, epsilon, seed), (data.y, data.qid, data.weight, epsilon)
    return {
        "pairs": (PairProgram(data.lists, epsilon), lambda f: slow.over_pairs(f[:, None], *rows)),
        "reduced": (ProductProgram(data.lists, epsilon), lambda f: slow.over_rows(f[:, None], *rows)),
        "fixed": (ProductProgram(data.lists, epsilon, nu), lambda f: slow.over_rows(f[:, None], *rows, nu)),
        "tangent": (TangentProgram(data.lists, epsilon, nu), lambda f: slow.over_rows_and_nu(f[:, None], *rows, nu)),
        "hard": (HardProgram(data.lists), lambda f: slow.hard(f[:, None], data.y, data.qid)),
    }


PROGRAMS = ["pairs", "reduced", "fixed", "tangent", "hard"]


def scores_of(data: QueryData, count: int) -> list[np.ndarray]:
    """Scores of combinations, first all of them 0."""
    random = np.random.default_rng(7)
    alphas = random.dirichlet(np.ones(data.H.shape[1]), count - 1) * random.choice([-1, 1], (count - 1, 1))
    return [np.zeros(data.y.size), *(data.H @ alpha for alpha in alphas)]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_value_and_cuts_are_those_of_the_linear_program(name, kind, epsilon) -> None:
    data = make_data(1, **KINDS[kind])
    program, dual = programs(data, epsilon)[name]
    unsure = CLOSE if name == "pairs" else 0.0
    for scores in scores_of(data, 4):
        tail, expected = program(scores), dual(scores).value
        assert expected - unsure - CLOSE_LP <= tail.value <= expected + CLOSE_LP
        assert tail.value <= tail.rho + 1e-12
        assert 0.5 * tail.weights[0] @ scores == pytest.approx(tail.value, abs=unsure + CLOSE_LP)
        for u in tail.weights:
            assert u.sum() == pytest.approx(0.0, abs=1e-12)
            assert u[data.y == data.y.max()].min() >= 0.0
            assert u[data.y == data.y.min()].max() <= 0.0


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_cut_bounds_the_program_everywhere(name, kind, epsilon) -> None:
    """Also where it is most likely not to: at scores that oppose it, and those of one row."""
    data = make_data(2, **KINDS[kind])
    program, _ = programs(data, epsilon, seed=1)[name]
    elsewhere = scores_of(data, 3)
    for scores in scores_of(data, 3):
        tail = program(scores)
        for u in tail.weights:
            row = np.eye(data.y.size)[np.abs(u).argmax()]
            for other in (*elsewhere, -np.sign(u), -u / np.abs(u).max(), row, -row):
                assert program(other).value <= 0.5 * u @ other + 1e-12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_cuts_of_an_eased_program_are_cuts_of_the_harder(name, kind) -> None:
    data, epsilon = make_data(3, **KINDS[kind]), 0.1
    program, _ = programs(data, epsilon, seed=2)[name]
    for easier in (0.1, 0.15, 0.4, 1.0):
        eased = program.eased(easier)
        for scores in scores_of(data, 3):
            tail = eased(scores)
            assert tail.value >= program(scores).value - CLOSE
            for u in tail.weights:
                assert u.sum() == pytest.approx(0.0, abs=1e-12)
                for other in (*scores_of(data, 3), -np.sign(u), -u / np.abs(u).max()):
                    assert program(other).value <= 0.5 * u @ other + 1e-12


def test_easing_lets_more_pairs_into_the_tail() -> None:
    data = make_data(3, rows=20, queries=2)
    for name in ("pairs", "reduced", "fixed"):
        program = programs(data, 0.1)[name][0]
        scores = scores_of(data, 2)[1]
        values = [program.eased(epsilon)(scores).value for epsilon in (0.1, 0.2, 0.5, 0.8, 1.0)]
        assert (np.diff(values) > 0.0).all()
        assert program.eased(0.1)(scores).value == pytest.approx(program(scores).value, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_more_than_the_tail_lies_below_rho(kind, epsilon) -> None:
    """Over pairs by weight; in products on each side of each block, which theorem 3 rests on."""
    data = make_data(4, **KINDS[kind])
    better, worse = slow.pairs_of(data.y, data.qid)
    weights = data.weight[better] * data.weight[worse]
    for scores in scores_of(data, 4):
        margins = 0.5 * (scores[better] - scores[worse])
        actual = programs(data, epsilon)
        rho = actual["pairs"][0](scores).rho
        assert weights[margins < rho - 1e-12].sum() <= epsilon * weights.sum() + 1e-9
        assert actual["hard"][0](scores).rho == pytest.approx(margins.min(), abs=1e-12)
        for name in ("reduced", "fixed"):
            program = actual[name][0]
            tail = program(scores)
            masses = program.masses(tail.nu)
            for b, (first, second) in enumerate(slow.blocks_of(data.y, data.qid)):
                below = data.weight[first][scores[first] < tail.ends[b, 0] - 1e-12].sum()
                above = data.weight[second][scores[second] > tail.ends[b, 1] + 1e-12].sum()
                assert below <= masses[b, 0] + 1e-9
                assert above <= masses[b, 1] + 1e-9


def test_rounding_of_scores_and_of_their_spread_does_not_matter() -> None:
    """Equal scores that were added up in another order are equal; a spread of 1e-12 is one."""
    data = make_data(5, rows=30, queries=2, ties=True)
    scores = data.H @ np.full(data.H.shape[1], 1.0 / data.H.shape[1])
    nudged = scores + np.random.default_rng(0).choice([-1e-16, 0.0, 1e-16], scores.size)
    for name in PROGRAMS:
        program = programs(data, 0.3)[name][0]
        for plain, other in zip(program(scores).weights, program(nudged).weights, strict=True):
            assert np.array_equal(plain, other)
        tiny = program(1e-12 * scores)
        assert tiny.value == pytest.approx(1e-12 * program(scores).value, abs=1e-13 if name != "pairs" else CLOSE)


@pytest.mark.parametrize("name", ["pairs", "reduced", "fixed", "tangent"])
def test_the_band_lies_at_the_end_of_the_tail(name) -> None:
    """Pairs whose margin is near rho, or rows that are near the end of their side; pairs of the lists only."""
    data = make_data(6, rows=600, queries=2, columns=3)
    program = programs(data, 0.2)[name][0]
    scores = scores_of(data, 2)[1]
    tail = program(scores)
    band = program.band(scores, tail)
    assert (band.scale > 0.0).all()
    if name == "pairs":
        assert (data.y[band.first] > data.y[band.second]).all()
        assert (data.qid[band.first] == data.qid[band.second]).all()
        off = np.abs(0.5 * (scores[band.first] - scores[band.second]) - tail.rho)
        assert off.max() < 0.1 * np.ptp(scores)
    else:
        assert band.second is None
        ends = tail.ends[data.qid[band.first], band.side]
        assert np.array_equal(band.side == 0, data.y[band.first] > 0)
        assert np.abs(scores[band.first] - ends).max() < np.ptp(scores)


def test_the_hard_margin_has_no_band() -> None:
    data = make_data(6)
    program = HardProgram(data.lists)
    assert program.band(data.H[:, 0], program(data.H[:, 0])) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 0.99])
def test_long_lists_are_searched_from_a_sample(monkeypatch, epsilon) -> None:
    """The bracket of a sample may be wrong; the tail is the same."""
    data = make_data(8, rows=300, queries=3, grades=3, weighted=True)
    scores = scores_of(data, 2)[1]
    expected = PairProgram(data.lists, epsilon)(scores)
    monkeypatch.setattr("rankwise.objectives.margins._tails.BRACKET_MIN_ROWS", 10)
    for seed in range(3):
        lists = data.lists
        random = np.random.default_rng(seed)
        drawn = random.integers(0, 300, 5), random.integers(0, 300, 5)
        if seed:  # a sample that misleads
            lists.__dict__["sample"] = drawn
        actual = PairProgram(lists, epsilon)(scores)
        assert actual.value == pytest.approx(expected.value, abs=CLOSE)
        better, worse = slow.pairs_of(data.y, data.qid)
        below = 0.5 * (scores[better] - scores[worse]) < actual.rho - 1e-12
        assert (data.weight[better] * data.weight[worse])[below].sum() <= epsilon * lists.pairs + 1e-9


@pytest.mark.parametrize("name", ["pairs", "reduced", "fixed"])
def test_the_band_tells_how_the_value_bends(name) -> None:
    """Second differences along a line; a band is a sample, so within a third."""
    random = np.random.default_rng(0)
    rows = 20_000
    y = np.tile([1.0, 0.0], rows // 2)
    data = QueryData(random.normal(size=(rows, 2)) * 0.1 + 0.05 * y[:, None], y, np.zeros(rows), np.ones(rows))
    program = programs(data, 0.2)[name][0]
    scores, change, step = data.H[:, 0], data.H[:, 1] - data.H[:, 0], 0.1
    values = [program(scores + t * change).value for t in (-step, 0.0, step)]
    band = program.band(scores, program(scores))
    z = 0.5 * change[band.first] - (0.0 if band.second is None else 0.5 * change[band.second])
    for side in np.unique(band.side):
        z[band.side == side] -= z[band.side == side].mean()
    bend = np.diff(values, 2)[0] / step**2
    assert bend < 0.0
    assert -float(band.scale @ z**2) == pytest.approx(bend, rel=1 / 3)
