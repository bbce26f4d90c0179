"""The saddle point: its derivatives, its start, its steps, and what it reaches."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import pytest

from benchmarks.saddle_trees import tree_gradients
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import evaluate
from rankwise.objectives import SaddlePoint, linear_rates, rate_objective
from rankwise.objectives.rates.saddle._bounded_counts import BoundedCounts
from rankwise.objectives.rates.saddle._surrogates import Hinge

NAMES = "r@p=0.75 p@r=0.6 tpr@fpr=0.2 f1 f2 aucpr auc pauc[0,0.3]".split()
SUM = "0.5*r@p=0.8 + 0.5*aucpr + 0.2*f2"


def made(seed=0, n=300, gap=2.0, share=0.3, d=3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(float)
    X = rng.normal(size=(n, d))
    X[:, 0] += gap * y
    return X, y


@pytest.mark.parametrize("name", [*NAMES, SUM])
@pytest.mark.parametrize("loss", ["log2", "smooth-hinge"])
def test_derivatives_are_those_of_the_value(name, loss) -> None:
    X, y = made(n=60)
    weight = np.random.default_rng(3).random(60)
    s = X.sum(axis=1)
    saddle = SaddlePoint(name, y, weight, surrogate=loss, share=0.2).start(s)
    saddle.thresholds += 0.1
    at = saddle.gradients(s)
    assert at.value == pytest.approx(saddle.objective.shares() @ (at.costs + saddle.multipliers * at.excesses))
    h = 1e-5

    def moved(vector, i):
        vector[i] += h
        up = saddle.gradients(s).value
        vector[i] -= 2 * h
        down = saddle.gradients(s).value
        vector[i] += h
        return (up - down) / (2 * h)

    for vector, reference in ((s, at.scores), (saddle.thresholds, at.thresholds), (saddle.splits, at.splits)):
        assert [moved(vector, i) for i in range(vector.size)] == pytest.approx(reference, abs=1e-6)
    by_multiplier = [moved(saddle.multipliers, t) for t in range(saddle.objective.size)]
    assert by_multiplier == pytest.approx(saddle.objective.shares() * at.excesses, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["r@p=0.75", "p@r=0.6", "tpr@fpr=0.2", "f1", "f2"])
def test_a_tight_ramp_starts_at_the_best_threshold_there_is(name, seed) -> None:
    """Brute force over thresholds is what the metric itself does."""
    X, y = made(seed)
    s = X[:, 0]
    saddle = SaddlePoint(name, y, surrogate="ramp[1e-4]").start(s)
    at = saddle.gradients(s)
    assert at.excesses.max() <= 1e-9
    best = evaluate(y, s, None, name)[name]
    assert 0.99 * best <= saddle.bound(at) <= best + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["hinge", "log2", "ramp"])
def test_steps_at_fixed_scores_settle_where_the_start_is(loss) -> None:
    """For given scores the start is the saddle point itself: steps from elsewhere come to it."""
    X, y = made(n=500, gap=2.5)
    s = 2.0 * X[:, 0]
    for name in ("tpr@fpr=0.2", "p@r=0.6", "f1"):
        reference = SaddlePoint(name, y, surrogate=loss).start(s)
        saddle = SaddlePoint(name, y, surrogate=loss, multiplier_step=0.1)
        saddle.thresholds = reference.thresholds + 0.3
        path = []
        for _ in range(2000):
            saddle.step(saddle.gradients(s, curved=True))
            assert saddle.multipliers.min() >= 0
            path.append(saddle.thresholds[0])
        assert np.mean(path[1000:]) == pytest.approx(reference.thresholds[0], abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r@p=0.8", "p@r=0.7", "tpr@fpr=0.1", "f1", "aucpr", "0.5*r@p=0.8 + 0.5*auc"])
def test_descent_and_ascent_reach_what_the_solver_reaches(name) -> None:
    """The last iterates go around the saddle point; their costs, averaged, come within 1% of its own."""
    X, y = made(n=400, gap=3.0)
    objective = rate_objective(name, anchors=3)
    exact = linear_rates(objective, X, y, surrogate="log2", l2=1e-2, tolerance=0.03)  # F1's penalty is not all proved
    w, saddle = np.zeros(3), SaddlePoint(objective, y, surrogate="log2", multiplier_step=0.02)
    saddle.start(X @ w)
    values = []
    for step in range(6000):
        at = saddle.gradients(X @ w, curved=True)
        curved = (X * at.curvature[:, None]).T @ X + 1e-2 * np.eye(3)
        w = w - 0.2 * np.linalg.solve(curved, X.T @ at.scores + 1e-2 * w)
        saddle.step(at)
        saddle.multiplier_step = 0.02 / (1 + step / 500)
        values.append(objective.shares() @ at.costs)
    assert exact.converged
    assert np.mean(values[-2000:]) == pytest.approx(objective.shares() @ exact.costs, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tpr@fpr=0.1", "p@r=0.7"])
def test_trees_by_the_saddle_point(name) -> None:
    """Multipliers and thresholds move between the rounds of LightGBM until the constraint just holds."""
    X, y = made(n=1500, gap=1.0, share=0.2)
    X[:, 1] = np.where(y > 0, np.abs(X[:, 1]), X[:, 1])
    saddle = SaddlePoint(name, y, surrogate="log2").start(np.zeros(y.size))
    options = {"verbose": -1, "num_leaves": 7, "deterministic": True, "num_threads": 1, "seed": 0}
    objective = {"objective": lambda scores, _: tree_gradients(saddle, scores)}
    s: Any = lightgbm.train(options | objective, lightgbm.Dataset(X, y), 120).predict(X)
    gradient, hessian = tree_gradients(saddle, s)
    assert gradient.shape == y.shape
    assert (hessian > 0).all()
    assert (gradient[y > 0] <= 0).all()
    assert (gradient[y == 0] >= 0).all()
    assert gradient.sum() == pytest.approx(0.0, abs=0.01 * np.abs(gradient).sum())  # thresholds are the best ones
    assert saddle.gradients(s).excesses.max() < 0.05
    assert evaluate(y, s, None, name)[name] > evaluate(y, X[:, 0], None, name)[name] + 0.1


def test_rows_of_like_score_may_be_taken_together() -> None:
    X, y = made(n=20_000)
    weight = np.random.default_rng(0).random(y.size)
    s = X[:, 0]
    rows, values = BoundedCounts(y, weight), np.linspace(-2, 3, 7)
    few, means = rows.condensed(s)
    assert few.n_rows < 5000
    for full, other in zip(rows.sums(s, values, Hinge()), few.sums(means, values, Hinge()), strict=True):
        assert full == pytest.approx(other, rel=1e-4)


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(DataError, match="both classes"):
        SaddlePoint("f1", [0, 0])
    with pytest.raises(DataError, match="share"):
        SaddlePoint("f1", [0, 1], share=1.0)
    with pytest.raises(DataError, match="sample_weight must"):
        SaddlePoint("f1", [0, 1], [1.0, -1.0])
    with pytest.raises(ShapeError, match="sample_weight must"):
        SaddlePoint("f1", [0, 1], [1.0])
    with pytest.raises(DataError, match="surrogate"):
        SaddlePoint("f1", [0, 1], surrogate="square")
