"""Linear models for rate objectives: as good as programs solved another way, and no better than proved."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import DataError, ShapeError
from rankwise.metrics import evaluate
from rankwise.objectives import SaddlePoint, linear_rates, rate_objective
from rankwise.objectives.rates.saddle._dual_bound import dual_bound
from rankwise.objectives.rates.saddle._linear_problem import LinearProblem, Penalty
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER
from tests.reference import rate_programs as exact


def made(seed, gap, n=120, share=0.3, d=3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(float)
    X = rng.normal(size=(n, d))
    X[:, 0] += gap * y
    return X, y


def levels(name, y):
    return rate_objective(name, anchors=3).levels(y.mean())


ORACLES = {
    "r@p=0.6": lambda X, y: exact.recall_at_precision_program(X, y, [0.6]),
    "r@p=0.9": lambda X, y: exact.recall_at_precision_program(X, y, [0.9]),
    "p@r=0.8": lambda X, y: exact.precision_at_recall_program(X, y, 0.8),
    "tpr@fpr=0.1": lambda X, y: exact.tpr_at_fpr_program(X, y, [0.1]),
    "f1": lambda X, y: exact.fbeta_program(X, y, 1.0),
    "f2": lambda X, y: exact.fbeta_program(X, y, 2.0),
    "f0.5": lambda X, y: exact.fbeta_program(X, y, 0.5),
    "aucpr": lambda X, y: exact.recall_at_precision_program(X, y, levels("aucpr", y)),
    "auc": lambda X, y: exact.tpr_at_fpr_program(X, y, levels("auc", y)),
    "pauc[0,0.2]": lambda X, y: exact.tpr_at_fpr_program(X, y, levels("pauc[0,0.2]", y)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("gap", [2.0, 3.5, 9.0], ids=["overlapping", "nearly apart", "separable"])
@pytest.mark.parametrize("name", ORACLES)
def test_the_solver_reaches_the_linear_program(name, gap, seed) -> None:
    X, y = made(seed, gap)
    best = ORACLES[name](X, y)
    solution = linear_rates(rate_objective(name, anchors=3), X, y, l2=1e-7, tolerance=2e-5)
    assert solution.converged
    assert solution.gap <= 2e-5
    if np.isinf(best):  # no linear model has this precision under the hinge bound, and the solver says so
        assert solution.violation > 1e-3
    else:
        assert solution.violation == 0.0
        assert -1e-9 < solution.costs.mean() - best <= solution.gap + 2e-6  # of the penalty


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["auc", "aucpr", "r@p=0.7", "p@r=0.8", "f1"])
def test_a_lower_tolerance_is_never_worse_and_its_gap_is_true(name, seed) -> None:
    """With five anchors of AUC the solver once claimed a gap of 0.0 at a cost of .2750, the optimum being .2732."""
    X, y = made(seed, 2.0)
    objective = rate_objective(name, anchors=5)
    best = value(linear_rates(objective, X, y, method="lp"))
    before = np.inf
    for tolerance in (1e-1, 1e-3, 1e-5, 1e-7):
        solution = linear_rates(objective, X, y, l2=1e-7, tolerance=tolerance)
        reached = value(solution) + 0.5e-7 * solution.weights @ solution.weights
        assert reached <= before + 1e-12
        assert best - 1e-9 <= reached <= best + solution.gap + 1e-5  # the best has no penalty, at most 1e-5 here
        assert solution.converged == (solution.gap <= tolerance)
        before = reached


def value(solution):
    """What is minimized, without penalties of the weights; anchors count alike."""
    return float(np.mean(solution.costs + MAX_MULTIPLIER * np.maximum(solution.excesses, 0.0)))


@pytest.mark.parametrize("loss", ["hinge", "smooth-hinge", "log2"])
@pytest.mark.parametrize("name", ["auc", "r@p=0.7", "p@r=0.8", "tpr@fpr=0.2", "f1", "f0.5"])
def test_the_bound_is_below_every_model_whatever_it_is_made_of(name, loss) -> None:
    """Slopes and multipliers drawn at random, and penalties of every size: no optimizer has a part in the proof."""
    rng = np.random.default_rng(0)
    for l2, proximal in ((1e-2, 0.5),):
        X, y = made(3, 2.0, n=60)
        saddle = SaddlePoint(rate_objective(name, anchors=3), y, surrogate=loss)
        problem = LinearProblem(saddle, X, Penalty(l2, proximal, rng.normal(size=3)))
        models = [
            linear_rates(saddle.objective, X, y, surrogate=loss, l2=l2, proximal=proximal, start=problem.penalty.start)
        ]
        weights = [models[0].weights, *rng.normal(size=(5, 3))]
        values = [problem.value(w, problem.best_thresholds(w)) for w in weights]
        for w in weights:
            b = problem.best_thresholds(w) + rng.normal(size=saddle.thresholds.size)
            slopes = problem.falls(w, b, problem.loss)
            shaken = [np.clip(side * rng.uniform(0.5, 1.2, side.shape), 0.0, 1.0) for side in slopes]
            coefficients = problem.coefficients(problem.counts(w, b, problem.loss))
            multipliers = rng.uniform(0.0, 2.0, b.size)
            for some in (slopes, shaken):
                assert dual_bound(problem, coefficients, multipliers, some, max(values)) <= min(values) + 1e-9


@pytest.mark.parametrize("name", ["r@p=0.6", "p@r=0.8", "tpr@fpr=0.1"])
@pytest.mark.parametrize("gap", [2.0, 3.5])
def test_the_methods_agree(name, gap) -> None:
    """Eban 2017 (5), (7), (9): the program at once, and the multiplier by bisection."""
    X, y = made(1, gap)
    solutions = {m: linear_rates(name, X, y, method=m, tolerance=1e-5) for m in ("lagrangian", "bisection", "lp")}
    for solution in solutions.values():
        assert solution.converged
        assert value(solution) == pytest.approx(ORACLES[name](X, y), abs=2e-5)
    if gap == 2.0:  # else nothing is in excess, and no multiplier is the only one
        prices = [solution.multipliers[0] for solution in solutions.values()]
        assert np.ptp(prices) < 1e-3 * prices[0]


@pytest.mark.parametrize("name", ["aucpr", "auc", "pauc[0,0.2]", "f1", "f2", "f0.5", "0.5*r@p=0.6 + 0.5*tpr@fpr=0.1"])
def test_the_linear_program_is_exact(name) -> None:
    """Eban 2017 (12) and (13), by a program of our own; sums beside them by the other method."""
    X, y = made(1, 3.5)
    objective = rate_objective(name, anchors=3)
    solution = linear_rates(objective, X, y, method="lp")
    assert solution.gap < 1e-7
    best = ORACLES[name](X, y) if name in ORACLES else value(linear_rates(name, X, y, tolerance=1e-5))
    assert value(solution) == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("aucpr", {"method": "bisection"}, "bisection is for one point"),
        ("f1", {"method": "bisection"}, "bisection is for one point"),
        ("r@p=0.8", {"method": "bisection", "surrogate": "ramp"}, "convex surrogate, got r@p=0.8 under ramp"),
        ("r@p=0.8", {"method": "lp", "surrogate": "log2"}, "for the hinge"),
        ("r@p=0.8", {"method": "lp", "l2": 0.1}, "without squared penalties"),
        ("0.5*f1 + 0.5*auc", {"method": "lp"}, "without sums with F-beta"),
        ("f1", {"method": "simplex"}, "one of lagrangian, bisection, lp"),
    ],
)
def test_what_a_method_cannot_do_is_refused(name, options, message) -> None:
    with pytest.raises(DataError, match=message):
        linear_rates(name, *made(0, 2.0), **options)


def test_a_surrogate_that_is_not_convex_is_never_proved() -> None:
    X, y = made(4, 1.5)
    solution = linear_rates("r@p=0.7", X, y, surrogate="ramp[0.5]", start=[1.0, 0.0, 0.0])
    assert not solution.converged
    assert solution.gap >= value(solution)  # nothing but that no cost is below 0


def test_most_of_the_programs_have_a_solution() -> None:
    """Or the comparison above would say little."""
    met = [np.isfinite(ORACLES[name](*made(seed, gap))) for name in ORACLES for gap in (2.0, 3.5) for seed in range(3)]
    assert np.mean(met) > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_solver_reaches_the_bisection_on_the_weight(seed) -> None:
    """Eban 2017 (7): for a fixed multiplier it is a weighted SVM."""
    X, y = made(seed, 3.0)
    best = exact.recall_at_precision_by_bisection(X, y, 0.7)
    assert linear_rates("r@p=0.7", X, y, l2=1e-7).costs[0] == pytest.approx(best, rel=0.01, abs=0.001)


def test_weights_are_repeated_rows() -> None:
    X, y = made(5, 3.0)
    weight = np.random.default_rng(0).integers(0, 4, y.size)
    best = exact.recall_at_precision_program(X, y, [0.8], weight)
    assert linear_rates("r@p=0.8", X, y, weight, l2=1e-7).costs[0] == pytest.approx(best, rel=0.01, abs=0.001)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["hinge", "smooth-hinge", "log2"])
@pytest.mark.parametrize("name", ["r@p=0.8", "p@r=0.7", "f1", "aucpr"])
def test_the_bound_holds_on_the_rows_of_the_fit(name, loss) -> None:
    X, y = made(1, 3.0, n=300)
    solution = linear_rates(name, X, y, surrogate=loss)
    metric = "aucpr[0,1]" if name == "aucpr" else name
    value = evaluate(y, X @ solution.weights, None, metric)[metric]
    assert solution.converged
    if solution.violation < 1e-6:
        assert value >= solution.bound - 0.02 * (name == "aucpr")  # anchors are middles, not lower ends


@pytest.mark.slow
def test_a_ramp_improves_on_its_start_and_a_proximal_term_holds_it_there() -> None:
    X, y = made(2, 1.5, n=400)
    X[0] = [30.0, 0.0, 0.0]  # an outlier that the hinge cannot pass over
    y[0] = 0.0
    first = np.array([1.0, 0.0, 0.0])
    free = linear_rates("r@p=0.7", X, y, surrogate="ramp[0.5]", start=first)
    held = linear_rates("r@p=0.7", X, y, surrogate="ramp[0.5]", start=first, proximal=1000.0)

    def recall(w):
        return evaluate(y, X @ w, None, "r@p=0.7")["r@p=0.7"]

    assert recall(free.weights) > recall(first)
    assert np.linalg.norm(held.weights - first) < 0.05 < np.linalg.norm(free.weights - first)


def test_wrong_shapes_are_refused() -> None:
    X, y = made(0, 1.0)
    with pytest.raises(ShapeError, match="one row for each"):
        linear_rates("f1", X[:5], y)
    with pytest.raises(ShapeError, match="start"):
        linear_rates("f1", X, y, start=[1.0])
    with pytest.raises(DataError, match="finite"):
        linear_rates("f1", np.where(X > 2, np.nan, X), y)
