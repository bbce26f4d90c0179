"""Linear models: cross entropy by L-BFGS on all rows, then soft counts added to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers._score_functions._functions import LinearFunction, kind_and_names
from rankwise.rankers.rates._rows import Rows, Split
from rankwise.rankers.rates.families._base import Scorer, log_losses, unit_of
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.rankers.rates._classifier import RateClassifier

PENALTIES = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # tried in this order, each from the weights of the one before
UNJUDGED = 0.1  # where there are too few rows to choose by
GAMMAS = (2.0, 8.0, 32.0)  # soft counts against cross entropy; the weights of the three models are averaged
WIDTHS = (1.0, 0.5)  # of the sigmoids, in units of the scores


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Weights of standardized features, and an intercept."""

    weights: FloatArray
    intercept: float
    penalty: float

    def scores(self, X: Any) -> FloatArray:
        """X·w + b."""
        return np.asarray(X @ self.weights + self.intercept)

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


@dataclass(frozen=True)
class LinearFamily:
    """min Σ weight·CE / |Y+| + penalty/2 |w|²; `penalty=None` chooses it by the log loss of the rows judged."""

    penalty: float | None = None

    def plain(self, rows: Rows, splits: list[Split], *, refit: bool) -> list[Scorer]:
        """Cross entropy."""
        parts = [rows.part(train) for train, _ in splits]
        tried = (self.penalty,) if self.penalty is not None else PENALTIES if splits else (UNJUDGED,)
        least, penalty = np.inf, tried[0]
        models: list[LinearScorer] = []
        best: list[Scorer] = []
        for candidate in tried:
            starts: list[LinearScorer | None] = [*models] if models else [None] * len(parts)
            models = [cross_entropy(part, candidate, start) for part, start in zip(parts, starts, strict=True)]
            losses = [_loss(model, rows.part(judged)) for model, (_, judged) in zip(models, splits, strict=True)]
            if sum(losses) < least:
                least, best, penalty = sum(losses), [*models], candidate
        return [*best, cross_entropy(rows, penalty, None)] if refit else best

    def tuned(self, start: Scorer, rows: Rows, soft: SoftCounts) -> Scorer:
        """Soft counts added, for each γ from wide to narrow; the mean of the models."""
        assert isinstance(start, LinearScorer)
        unit = unit_of(start.scores(rows.X), rows.positive)
        found = []
        for gamma in GAMMAS:
            w = start.vector
            for width in WIDTHS:
                w = _with_counts(rows, soft, start.penalty, gamma, width * unit, w)
            found.append(w)
        mean = np.mean(found, axis=0)
        return LinearScorer(mean[:-1], float(mean[-1]), start.penalty)


def _loss(model: LinearScorer, rows: Rows) -> float:
    return float(rows.weight @ log_losses(model.scores(rows.X), rows.positive))


def _entropy(rows: Rows, penalty: float, w: FloatArray, scores: FloatArray) -> tuple[float, FloatArray]:
    """Σ weight·CE / |Y+| + penalty/2 |w|², and its gradient by the scores."""
    value = rows.weight @ log_losses(scores, rows.positive) / rows.positives + 0.5 * penalty * w[:-1] @ w[:-1]
    return float(value), rows.weight * (expit(scores) - rows.positive) / rows.positives


def _by_weights(rows: Rows, by_score: FloatArray, penalty: float, w: FloatArray) -> FloatArray:
    return np.append(rows.X.T @ by_score + penalty * w[:-1], by_score.sum())


def cross_entropy(rows: Rows, penalty: float, start: LinearScorer | None) -> LinearScorer:
    """The plain model."""

    def program(w: FloatArray) -> tuple[float, FloatArray]:
        value, by_score = _entropy(rows, penalty, w, rows.X @ w[:-1] + w[-1])
        return value, _by_weights(rows, by_score, penalty, w)

    if start is None:
        odds = rows.positives / max(float(rows.weight.sum()) - rows.positives, 1e-9)
        first = np.append(np.zeros(rows.X.shape[1]), np.log(odds))
    else:
        first = start.vector
    w = _least(program, first, maxiter=300, maxcor=20, ftol=1e-9, gtol=1e-6)
    return LinearScorer(w[:-1], float(w[-1]), penalty)


def _with_counts(
    rows: Rows, soft: SoftCounts, penalty: float, gamma: float, width: float, start: FloatArray
) -> FloatArray:
    """Cross entropy + γ · (price · fp − gain · tp) / |Y+| over weights and thresholds, from here."""
    points = soft.points(rows.X @ start[:-1] + start[-1], width)
    scale = gamma / rows.positives
    size = start.size

    def program(z: FloatArray) -> tuple[float, FloatArray]:
        w, thresholds = z[:size], z[size:]
        scores = rows.X @ w[:-1] + w[-1]
        value, by_score = _entropy(rows, penalty, w, scores)
        counted, slope, by_threshold, _ = points.sums(scores, rows.positive, rows.weight, thresholds)
        by_score = by_score + scale * rows.weight * slope
        return value + scale * counted, np.append(_by_weights(rows, by_score, penalty, w), scale * by_threshold)

    return _least(program, np.append(start, points.thresholds), maxiter=40, maxcor=15, ftol=1e-6, gtol=1e-5)[:size]


def _least(program: Callable[[FloatArray], tuple[float, FloatArray]], first: FloatArray, **options: Any) -> FloatArray:
    solver: Any = minimize
    return np.asarray(solver(program, first, jac=True, method="L-BFGS-B", options=options).x)
