"""Linear models for rate objectives: within 1% of programs solved another way."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import DataError, ShapeError
from rankwise.metrics import evaluate
from rankwise.objectives import linear_rates, rate_objective
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
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gap", [2.0, 3.5, 9.0], ids=["overlapping", "nearly apart", "separable"])
@pytest.mark.parametrize("name", ORACLES)
def test_the_solver_reaches_the_linear_program(name, gap, seed) -> None:
    X, y = made(seed, gap)
    best = ORACLES[name](X, y)
    solution = linear_rates(rate_objective(name, anchors=3), X, y, l2=1e-7)
    assert solution.converged
    if np.isinf(best):  # no linear model has this precision under the hinge bound, and the solver says so
        assert solution.violation > 1e-3
    else:
        assert solution.violation < 1e-3
        assert solution.costs.mean() == pytest.approx(best, rel=0.01, abs=0.001)


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
    hinge = linear_rates("r@p=0.7", X, y)
    first = hinge.weights / np.linalg.norm(hinge.weights)
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
