"""Linear models: cross entropy by L-BFGS on all rows, then soft counts added to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers._persistence import read_float, read_floats
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split
from rankwise.rankers.rates.families._base import Scorer, log_losses, score_unit
from rankwise.types import FloatArray, JsonObject

PENALTIES = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # tried in this order, each from the weights of the one before
DEFAULT_PENALTY = 0.1  # where there are too few rows to choose by
GAMMAS = (2.0, 8.0, 32.0)  # soft counts against cross entropy; the weights of the three models are averaged
WIDTHS = (1.0, 0.5)  # of the sigmoids, in units of the scores

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

    @property
    def vector(self) -> FloatArray:
        """Weights and intercept in one."""
        return np.append(self.weights, self.intercept)

    def to_saved(self, name: str) -> tuple[JsonObject, dict[str, bytes]]:
        """Numbers of the manifest."""
        return {"weights": self.weights.tolist(), "intercept": self.intercept, "penalty": self.penalty}, {}


@dataclass(frozen=True)
class LinearFamily:
    """min Σ weight·CE / |Y+| + penalty/2 |w|²; `penalty=None` chooses it by the log loss of the rows to evaluate on."""

    penalty: float | None = None

    def fit_baselines(self, rows: Rows, splits: list[Split], *, refit: bool) -> list[Scorer]:
        """Cross entropy."""
        train_rows, eval_rows = ([rows.take(split[side]) for split in splits] for side in (0, 1))
        penalties = (self.penalty,) if self.penalty is not None else PENALTIES if splits else (DEFAULT_PENALTY,)
        lowest, best_penalty = np.inf, penalties[0]
        starts: list[LinearScorer | None] = [None] * len(splits)
        best: list[Scorer] = []
        for penalty in penalties:
            models = [fit_cross_entropy(train, penalty, start) for train, start in zip(train_rows, starts, strict=True)]
            loss = sum(_log_loss(model, held_out) for model, held_out in zip(models, eval_rows, strict=True))
            if loss < lowest:
                lowest, best, best_penalty = loss, [*models], penalty
            starts = [*models]
        return [*best, fit_cross_entropy(rows, best_penalty, None)] if refit else best

    def tune(self, baseline: Scorer, rows: Rows, soft: SoftCounts) -> Scorer:
        """Soft counts added, for each γ from wide to narrow; the mean of the models."""
        assert isinstance(baseline, LinearScorer)
        unit = score_unit(baseline.scores(rows.X), rows.positive)
        vectors = []
        for gamma in GAMMAS:
            w = baseline.vector
            for width in WIDTHS:
                w = _fit_soft_counts(rows, soft, baseline.penalty, gamma, width * unit, w)
            vectors.append(w)
        mean = np.mean(vectors, axis=0)
        return LinearScorer(mean[:-1], float(mean[-1]), baseline.penalty)

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
    value = rows.weight @ log_losses(scores, rows.positive) / rows.positive_weight + 0.5 * penalty * w[:-1] @ w[:-1]
    return float(value), rows.weight * (expit(scores) - rows.positive) / rows.positive_weight


def _by_weights(rows: Rows, by_score: FloatArray, penalty: float, w: FloatArray) -> FloatArray:
    return np.append(rows.X.T @ by_score + penalty * w[:-1], by_score.sum())


def fit_cross_entropy(rows: Rows, penalty: float, start: LinearScorer | None) -> LinearScorer:
    """The baseline, from the weights of another one if there is one."""

    def loss(w: FloatArray) -> tuple[float, FloatArray]:
        value, by_score = _entropy(rows, penalty, w, rows.X @ w[:-1] + w[-1])
        return value, _by_weights(rows, by_score, penalty, w)

    first = np.append(np.zeros(rows.X.shape[1]), rows.log_odds) if start is None else start.vector
    w = _minimize(loss, first, maxiter=300, maxcor=20, ftol=1e-9, gtol=1e-6)
    return LinearScorer(w[:-1], float(w[-1]), penalty)


def _fit_soft_counts(
    rows: Rows, soft: SoftCounts, penalty: float, gamma: float, width: float, start: FloatArray
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

    return _minimize(loss, np.append(start, points.thresholds), maxiter=40, maxcor=15, ftol=1e-6, gtol=1e-5)[:size]


def _minimize(loss: Loss, start: FloatArray, **options: float) -> FloatArray:
    solver: Any = minimize  # whose stubs list every option by name
    return np.asarray(solver(loss, start, jac=True, method="L-BFGS-B", options=options).x)
