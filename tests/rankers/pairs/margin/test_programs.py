"""The methods of MarginRanker against Suehiro 2011's programs as HiGHS solves them, with all hypotheses written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.objectives.margins._tails import ProductProgram, TangentProgram
from rankwise.rankers.pairs.margin import _programs as programs
from rankwise.rankers.pairs.margin._hypotheses import FeatureHypotheses, Scale, StumpHypotheses
from rankwise.rankers.pairs.margin._programs import METHODS, MarginSolver
from tests.objectives.margins.factories import KINDS, QueryData, make_data
from tests.reference import margin_lists as slow
from tests.reference import margin_programs as suehiro
from tests.reference import stumps_by_definition as stumps

TOL = 1e-6
HIGHS = 1e-8  # how exactly HiGHS solves


def hypotheses_of(data: QueryData, form: str):
    """Hypotheses of the library, and all of them as columns."""
    X = data.H
    if form == "features":
        scale = Scale.of(X)
        H = (X - scale.middle) * scale.factor
        return FeatureHypotheses(X, scale), np.hstack([H, -H])
    if form == "functions":
        return FeatureHypotheses(X, Scale.none(X.shape[1]), both=False), X
    H = np.column_stack([stumps.side(X[:, feature], threshold) for feature, threshold in stumps.all_stumps(X)])
    return StumpHypotheses(sp.csr_matrix(X) if form == "stumps, sparse" else X), np.hstack([H, -H])


def optimum(method: str, data: QueryData, H: np.ndarray, epsilon: float, nu=None) -> float:
    rows = (H, data.y, data.qid)
    if method == "pairs":
        return slow.over_pairs(*rows, data.weight, epsilon).value
    return slow.hard(*rows).value if method == "hard" else slow.over_rows(*rows, data.weight, epsilon, nu).value


FORMS = ["features", "functions", "stumps", "stumps, sparse"]


CASES = [
    (method, kind, form)
    for method in METHODS
    for kind in KINDS
    for form in FORMS
    if not (method == "heuristic" and kind == "many grades") or form == "features"  # many programs of many blocks
]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "kind", "form"), CASES)
def test_the_optimum_is_that_of_the_whole_program(method, kind, form) -> None:
    """Value and bound enclose it in every round, and are tol apart in the end; the combination has that very value."""
    seed = 10 * list(KINDS).index(kind) + FORMS.index(form)
    data, epsilon = make_data(seed, **KINDS[kind]), [0.02, 0.2, 0.5, 0.9][seed % 4]
    hypotheses, H = hypotheses_of(data, form)
    steps = list(MarginSolver(method, data.lists, hypotheses, TOL, 1000).rounds(epsilon))
    assert [step.done for step in steps] == [False] * (len(steps) - 1) + [True]
    bests = {id(step.program): optimum(method, data, H, epsilon, getattr(step.program, "nu", None)) for step in steps}
    for step in steps:
        best, progress = bests[id(step.program)], step.progress
        assert progress.tail.value - HIGHS <= best <= progress.bound + HIGHS
        assert sum(share for share, _ in progress.mixture) == pytest.approx(1.0)
    progress = steps[-1].progress
    assert progress.gap <= TOL
    assert (progress.alpha >= 0.0).all()
    assert progress.alpha.sum() == pytest.approx(1.0, abs=1e-12)
    again = steps[-1].program(hypotheses.scores(progress.keys, progress.alpha))
    assert again.value == pytest.approx(progress.tail.value, abs=1e-12)
    assert again.rho == pytest.approx(progress.tail.rho, abs=1e-12)


@pytest.mark.parametrize("method", ["pairs", "reduced", "hard"])
def test_rounds_of_one_program_only_gain(method) -> None:
    data = make_data(3, rows=40, columns=8)
    hypotheses, _ = hypotheses_of(data, "features")
    steps = [step.progress for step in MarginSolver(method, data.lists, hypotheses, TOL, 1000).rounds(0.2)][:-1]
    assert len(steps) > 3
    assert (np.diff([step.tail.value for step in steps]) >= 0.0).all()
    assert (np.diff([step.bound for step in steps]) <= 0.0).all()


def two_sides(data: QueryData, H: np.ndarray):
    return H[data.y == 1.0], H[data.y == 0.0]


@pytest.mark.parametrize("epsilon", [0.1, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_the_programs_as_printed(seed, epsilon) -> None:
    """(2) and (3), (7) and (8), and by theorem 2 (4) and (5); γ̂ >= γ*; theorem 3 and corollary 4."""
    data = make_data(seed, rows=18, columns=5, shift=[0.2, 0.7, 1.5, 2.5][seed])
    hypotheses, H = hypotheses_of(data, "features")
    plus, minus = two_sides(data, H)
    p, n = len(plus), len(minus)
    final = {
        method: list(MarginSolver(method, data.lists, hypotheses, TOL, 1000).rounds(epsilon))[-1] for method in METHODS
    }
    value = {method: step.progress.tail.value for method, step in final.items()}
    gamma = suehiro.soft_over_pairs_dual(plus, minus, epsilon * p * n).value
    assert value["pairs"] == pytest.approx(suehiro.soft_over_pairs(plus, minus, epsilon * p * n).value, abs=2 * TOL)
    assert value["pairs"] == pytest.approx(gamma, abs=2 * TOL)
    caps = np.sqrt(epsilon) * p, np.sqrt(epsilon) * n
    assert value["reduced"] == pytest.approx(suehiro.soft_over_rows(plus, minus, *caps).value, abs=2 * TOL)
    assert value["reduced"] == pytest.approx(suehiro.soft_over_rows_dual(plus, minus, *caps).value, abs=2 * TOL)
    assert value["hard"] == pytest.approx(suehiro.hard_over_pairs(plus, minus).value, abs=2 * TOL)
    assert value["hard"] == pytest.approx(suehiro.hard_with_bias(plus, minus).value, abs=2 * TOL)
    assert value["reduced"] >= value["heuristic"] - 2 * TOL
    for method in ("reduced", "heuristic"):
        program: Any
        program, progress = final[method].program, final[method].progress
        assert progress.bound >= gamma - HIGHS
        assert progress.tail.rho >= gamma - 2 * TOL
        nu_plus, nu_minus = program.masses(progress.tail.nu)[0]
        assert nu_plus * nu_minus == pytest.approx(epsilon * p * n)
        scores = hypotheses.scores(progress.keys, progress.alpha)
        margins = 0.5 * np.subtract.outer(scores[data.y == 1.0], scores[data.y == 0.0])
        for rho in (progress.tail.rho, gamma - 2 * TOL):
            assert (margins >= rho - 1e-12).sum() >= (p - nu_plus) * (n - nu_minus) - 1e-9
        if method == "reduced":
            assert (margins >= gamma - 2 * TOL).mean() >= (1.0 - np.sqrt(epsilon)) ** 2 - 1e-12


@pytest.mark.parametrize("kind", ["one list", "one list, weights", "few rows", "queries, weights, ties", "grades"])
@pytest.mark.parametrize("epsilon", [0.1, 0.4])
def test_the_heuristic_alternates_tangents_and_caps_and_falls(monkeypatch, kind, epsilon) -> None:
    """Suehiro 2011 4.2: (7), then (9) at its ν+, then (7) at that of (9), loosely; γ falls; the last (7) is solved to
    the end."""
    data = make_data(7, **{**KINDS[kind], "columns": 6, "shift": 1.2})
    hypotheses, H = hypotheses_of(data, "features")
    stages, original = {}, programs.solve  # type: ignore[attr-defined]

    def watched(hypotheses_, program, rows, start=None):
        for progress in original(hypotheses_, program, rows, start):
            stages[id(program)] = (program, progress)
            yield progress

    monkeypatch.setattr(programs, "solve", watched)
    final = list(MarginSolver("heuristic", data.lists, hypotheses, TOL, 1000).rounds(epsilon))[-1]
    solved = list(stages.values())
    kinds = [type(program) for program, _ in solved]
    assert kinds == ([ProductProgram, TangentProgram] * len(kinds))[: len(kinds)]
    assert len(kinds) >= 3 or kind == "few rows"
    assert final.program in [program for program, _ in solved[-2:]]
    assert final.progress.gap <= TOL
    rows = (H, data.y, data.qid, data.weight, epsilon)
    p = np.array([data.weight[better].sum() for better, _ in slow.blocks_of(data.y, data.qid)])
    assert np.allclose(solved[0][0].nu, np.sqrt(epsilon) * p)
    for number, (program, progress) in enumerate(solved):
        if isinstance(program, TangentProgram):
            assert np.array_equal(program.nu, solved[number - 1][0].nu)
            best = slow.over_rows_and_nu(*rows, program.nu).value
        else:
            best = slow.over_rows(*rows, program.nu).value
            assert (program.nu >= epsilon * p - 1e-9).all()
            assert (program.nu <= p + 1e-9).all()
            assert progress.gap <= max(TOL, 0.01 * progress.bound)
        assert progress.tail.value - HIGHS <= best <= progress.bound + HIGHS
        if kind == "one list":
            plus, minus = two_sides(data, H)
            nu, center = epsilon * len(plus) * len(minus), float(program.nu[0])
            printed = (
                suehiro.tangent_program(plus, minus, nu, center)
                if isinstance(program, TangentProgram)
                else suehiro.soft_over_rows_dual(plus, minus, center, nu / center)
            )
            assert best == pytest.approx(printed.value, abs=1e-7)
    gammas = [progress.bound for program, progress in solved if type(program) is TangentProgram]
    assert (np.diff(gammas) <= TOL).all()
    assert final.progress.bound <= min(gammas) + TOL
    assert final.progress.bound < solved[0][1].tail.value - 10 * TOL or kind == "few rows"  # it gains
    assert final.progress.bound > 0.01


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("max_rounds", [1, 2, 5])
def test_so_many_rounds_and_no_more(method, max_rounds) -> None:
    data = make_data(5, rows=60, columns=10)
    hypotheses, H = hypotheses_of(data, "features")
    steps = list(MarginSolver(method, data.lists, hypotheses, 1e-9, max_rounds).rounds(0.1))
    assert len(steps) == max_rounds
    progress, nu = steps[-1].progress, getattr(steps[-1].program, "nu", None)
    assert steps[-1].done
    assert progress.tail.value - HIGHS <= optimum(method, data, H, 0.1, nu) <= progress.bound + HIGHS


def test_weights_that_the_gap_does_not_need_are_dropped() -> None:
    """The combination is pruned as far as tol allows, and hypotheses that cancel out are not both kept."""
    data = make_data(11, rows=300, columns=30, shift=0.4)
    hypotheses, _ = hypotheses_of(data, "features")
    *before, final = MarginSolver("pairs", data.lists, hypotheses, 1e-2, 1000).rounds(0.3)
    used = final.progress.keys
    assert len(used) < np.count_nonzero(before[-1].progress.alpha)
    assert final.progress.gap <= 1e-2
    assert not {-key - 1 for key in used} & set(used)  # type: ignore[operator]
    assert final.progress.alpha.min() >= 1e-6


def words(rows: int = 400, columns: int = 30_000):
    """0/1 words of documents, most of them in few; twenty of them tell the class, with noise."""
    random = np.random.default_rng(0)
    y = (np.arange(rows) % 3 == 0).astype(float)
    topical = random.random((rows, 20)) < np.where(y[:, None] > 0.0, 0.6, 0.1)
    others: Any = sp.random(rows, columns - 20, density=0.004, random_state=random, format="csr")
    others.data[:] = 1.0
    return sp.csr_matrix(sp.hstack([others[:, :20_000], sp.csr_matrix(topical * 1.0), others[:, 20_000:]])), y


@pytest.mark.slow
@pytest.mark.parametrize(("method", "max_stumps"), [("pairs", 600), ("reduced", 600), ("hard", 600)])
def test_few_of_many_stumps_are_ever_looked_at(method, max_stumps) -> None:
    """Columns are generated as they are needed, and yet the bound is one over all 60,000 stumps."""
    X, y = words()
    lists = QueryData(np.empty((y.size, 0)), y, np.zeros(y.size), np.ones(y.size)).lists
    hypotheses = StumpHypotheses(X)
    final = list(MarginSolver(method, lists, hypotheses, TOL, 1000).rounds(0.3))[-1]
    progress = final.progress
    assert progress.gap <= TOL
    assert progress.tail.value > 0.1
    assert len(progress.keys) < 50
    assert len(hypotheses.places) < max_stumps
    mixed = np.zeros(y.size)
    for share, cut in progress.mixture:
        mixed += share * cut.pricing
    edges = 0.5 * (2.0 * (X.T @ mixed) - mixed.sum())  # 1 where the word is, −1 where it is not
    assert progress.bound == pytest.approx(np.abs(edges[np.diff(X.tocsc().indptr) > 0]).max(), abs=1e-12)
    u = mixed * np.where(y > 0.0, 1.0, -1.0)
    assert (u >= -1e-12).all()
    assert u[y > 0.0].sum() == pytest.approx(1.0)
    assert u[y == 0.0].sum() == pytest.approx(1.0)
