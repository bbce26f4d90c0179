"""Linear models: cross entropy by L-BFGS on all rows, then soft counts added to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import minimize

from rankwise.kernels.rows._sigmoid_sums import log_loss_sum
from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers._persistence import read_float, read_floats
from rankwise.rankers._score_functions._functions import LinearFunction, kind_and_names
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split
from rankwise.rankers.rates.families._base import Scorer, log_losses, score_unit
from rankwise.types import FloatArray, JsonObject

if TYPE_CHECKING:
    from rankwise.rankers.rates._classifier import RateClassifier

PENALTIES = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # tried in this order, each from the weights of the one before
DEFAULT_PENALTY = 0.1  # where there are too few rows to choose by
GAMMA = 32.0  # soft counts against cross entropy
WIDTHS = (1.0, 0.5)  # of the sigmoids, in units of the scores
MAX_CURVATURE = 257  # weights, up to which their Hessian is worth its time
TUNING_STEPS = 15  # of L-BFGS for each width, at most

Bounds = list[tuple[float | None, float | None]]  # of each weight
Loss = Callable[[FloatArray], tuple[float, FloatArray]]  # from all that is free to the value and its gradient


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Weights of standardized features, and an intercept."""

    weights: FloatArray
    intercept: float
    penalty: float

    def scores(self, X: RowMatrix) -> FloatArray:
        """X·w + b."""
        return np.asarray(X @ self.weights + self.intercept)

    def finished(self) -> LinearScorer:
        """Itself."""
        return self

    def to_score_function(self, model: RateClassifier, constant: float) -> LinearFunction:
        """Weights of features less their mean, over their deviation."""
        kind, names = kind_and_names(model)
        scale, constant = model.standardizer_, constant + self.intercept
        assert scale is not None
        return LinearFunction(kind, names, self.weights, constant, scale.mean, scale.scale, single=True)

    @property
    def vector(self) -> FloatArray:
        """Weights and intercept in one."""
        return np.append(self.weights, self.intercept)

    def to_saved(self, name: str) -> tuple[JsonObject, dict[str, bytes]]:
        """Numbers of the manifest."""
        return {"weights": self.weights.tolist(), "intercept": self.intercept, "penalty": self.penalty}, {}


@dataclass(frozen=True)
class LinearFamily:
    """min Σ weight·CE / |Y+| + penalty/2 |w|²; `penalty=None` chooses it by the log loss of the rows to evaluate on.

    Weights of `monotone` features are kept from falling (1) or rising (−1) through 0.
    """

    penalty: float | None = None
    monotone: list[int] | None = None

    @property
    def max_rounds(self) -> int:
        """A round is a program that is solved."""
        return (len(PENALTIES) if self.penalty is None else 1) + len(WIDTHS)

    @property
    def why_plain(self) -> str | None:
        """A linear model is weak enough to gain from a choice of what to get wrong."""
        return None

    @property
    def bounds(self) -> Bounds | None:
        """Of the weights, as `monotone` has them, and of the intercept."""
        if self.monotone is None:
            return None
        return [*((0.0 if sign > 0 else None, 0.0 if sign < 0 else None) for sign in self.monotone), (None, None)]

    def fit_baselines(
        self, rows: Rows, splits: list[Split], *, refit: bool, report: Report | None = None
    ) -> list[Scorer]:
        """Cross entropy, with the penalties from high to low until the log loss of held-out rows rises."""
        report = report or Report()
        train_rows, eval_rows = ([rows.take(split[side]) for split in splits] for side in (0, 1))
        n_evaluated = max(sum(float(held_out.weight.sum()) for held_out in eval_rows), 1e-300)
        penalties = (self.penalty,) if self.penalty is not None else PENALTIES if splits else (DEFAULT_PENALTY,)
        lowest, best_penalty = np.inf, penalties[0]
        best: list[LinearScorer] = []
        models: list[LinearScorer] = []
        with report.until_interrupted():
            for penalty in penalties:
                models = self._fit_splits(train_rows, penalty, models)
                losses = [_log_loss(model, held_out) for model, held_out in zip(models, eval_rows, strict=True)]
                loss = sum(losses) / n_evaluated
                if loss < lowest or not best:
                    lowest, best, best_penalty = loss, models, penalty
                if splits:
                    report.round(loss)
                if best is not models:
                    break  # beyond, weights only grow
            if refit:
                start = np.mean([model.vector for model in best], axis=0) if best else None
                final = fit_cross_entropy(rows, best_penalty, start, self.bounds)
                report.round()
                return [*best, final]
        return [*best]

    def _fit_splits(self, splits: list[Rows], penalty: float, before: list[LinearScorer]) -> list[LinearScorer]:
        """A model per split, from those `before` of another penalty if there are some.

        All splits have much the same rows, so the first one says how the weights of the others change.
        """
        models: list[LinearScorer] = []
        for number, rows in enumerate(splits):
            start = before[number].vector if before else None
            if models:
                start = models[0].vector + (0.0 if start is None else start - before[0].vector)
            models.append(fit_cross_entropy(rows, penalty, start, self.bounds))
        return models

    def tune(self, baseline: Scorer, rows: Rows, soft: SoftCounts, report: Report) -> Scorer | None:
        """Soft counts added, of a wide sigmoid and then of a narrow one."""
        assert isinstance(baseline, LinearScorer)
        unit = score_unit(baseline.scores(rows.X), rows.positive)
        w = baseline.vector
        with report.until_interrupted():
            for width in WIDTHS:
                w = _fit_soft_counts(rows, soft, baseline.penalty, GAMMA, width * unit, w, self.bounds)
                report.round()
        return LinearScorer(w[:-1], float(w[-1]), baseline.penalty)

    def member_names(self, fields: object, name: str) -> list[str]:
        """None: all is in the manifest."""
        return []

    def read_scorer(self, fields: object, members: list[bytes], n_features: int) -> Scorer:
        """Weights, intercept and penalty."""
        weights = read_floats(fields, "weights", n_features)
        return LinearScorer(weights, read_float(fields, "intercept"), read_float(fields, "penalty"))


def _log_loss(model: LinearScorer, rows: Rows) -> float:
    return float(rows.weight @ log_losses(model.scores(rows.X), rows.positive))


def _entropy(rows: Rows, penalty: float, w: FloatArray, scores: FloatArray) -> tuple[float, FloatArray]:
    """Σ weight·CE / |Y+| + penalty/2 |w|², and its gradient by the scores."""
    by_score = np.empty(scores.size)
    loss = log_loss_sum(scores, rows.positive, rows.weight, by_score)
    by_score /= rows.positive_weight
    return float(loss / rows.positive_weight + 0.5 * penalty * w[:-1] @ w[:-1]), by_score


def _by_weights(rows: Rows, by_score: FloatArray, penalty: float, w: FloatArray) -> FloatArray:
    return np.append(rows.X.T @ by_score + penalty * w[:-1], by_score.sum())


def fit_cross_entropy(
    rows: Rows, penalty: float, start: FloatArray | None, bounds: Bounds | None = None
) -> LinearScorer:
    """The baseline, from the weights of another one if there is one.

    Ours rather than scikit-learn's LogisticRegression because tuning needs the same loss, gradient and solver anyway,
    with soft counts added, and because it is sooner done: benchmarks/rates_cost.py has both.
    """
    first = np.append(np.zeros(rows.X.shape[1]), rows.log_odds) if start is None else start
    # Steps of Newton's length from the start, where that is no more work than it saves, and no weight is bounded.
    unit = _newton_unit(rows, penalty, first) if bounds is None and first.size <= MAX_CURVATURE else None

    def loss(u: FloatArray) -> tuple[float, FloatArray]:
        w = u if unit is None else first + unit @ u
        value, by_score = _entropy(rows, penalty, w, rows.X @ w[:-1] + w[-1])
        by_weight = _by_weights(rows, by_score, penalty, w)
        return value, by_weight if unit is None else by_weight @ unit

    origin = first if unit is None else np.zeros(first.size)
    found = _minimize(loss, origin, bounds, maxiter=300, maxcor=20, ftol=1e-9, gtol=1e-6)
    w = found if unit is None else first + unit @ found
    return LinearScorer(w[:-1], float(w[-1]), penalty)


def _newton_unit(rows: Rows, penalty: float, w: FloatArray) -> FloatArray | None:
    """U with U Uᵀ the inverse of the Hessian at these weights; None where that is as good as singular."""
    _, slope = _entropy(rows, penalty, w, rows.X @ w[:-1] + w[-1])
    slope, most = np.abs(slope), np.maximum(rows.weight, 1e-300) / rows.positive_weight
    bend = np.sqrt(slope * (1.0 - slope / most))
    sides = np.column_stack([rows.X * bend[:, None], bend])
    hessian = sides.T @ sides
    hessian[np.diag_indices(w.size - 1)] += penalty
    try:
        return np.asarray(solve_triangular(cholesky(hessian), np.eye(w.size)))
    except LinAlgError:
        return None


def _fit_soft_counts(
    rows: Rows,
    soft: SoftCounts,
    penalty: float,
    gamma: float,
    width: float,
    start: FloatArray,
    bounds: Bounds | None = None,
) -> FloatArray:
    """Cross entropy + γ · (price · fp − gain · tp) / |Y+| over weights and thresholds, from here."""
    points = soft.points(rows.X @ start[:-1] + start[-1], width)
    scale = gamma / rows.positive_weight
    size = start.size

    def loss(unknowns: FloatArray) -> tuple[float, FloatArray]:
        w, thresholds = unknowns[:size], unknowns[size:]
        scores = rows.X @ w[:-1] + w[-1]
        value, by_score = _entropy(rows, penalty, w, scores)
        counted, slope, by_threshold, _ = points.sums(scores, rows.positive, rows.weight, thresholds)
        by_score = by_score + scale * rows.weight * slope
        return value + scale * counted, np.append(_by_weights(rows, by_score, penalty, w), scale * by_threshold)

    first = np.append(start, points.thresholds)
    if bounds is not None:
        bounds = [*bounds, *[(None, None)] * points.thresholds.size]
    return _minimize(loss, first, bounds, maxiter=TUNING_STEPS, maxcor=15, ftol=1e-4, gtol=1e-5)[:size]


def _minimize(loss: Loss, start: FloatArray, bounds: Bounds | None, **options: float) -> FloatArray:
    solver: Any = minimize  # whose stubs list every option by name
    return np.asarray(solver(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)
