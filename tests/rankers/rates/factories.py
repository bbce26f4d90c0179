"""Data of two classes, and classifiers that learn it in a moment."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

import rankwise as rw
from rankwise.rankers.rates._rows import Rows
from rankwise.rankers.rates.families._base import log_losses

SMALL: dict[str, Any] = {
    "n_jobs": 1,
    "random_state": 0,
    "n_estimators": 15,
    "min_child_samples": 5,
    "epochs": 4,
    "hidden": (6,),
}
FAMILIES = ["linear", "trees", "net"]


def clusters(rows: int, seed: int) -> tuple[Any, Any]:
    """Eban 2017's figure 1: a third of the positives lies alone, the others lie among negatives, on the other side."""
    rng = np.random.default_rng(seed)
    sizes = [rows // 10, rows // 5, rows // 2, rows // 5]
    kinds = [((-2.0, 2.0), 0.5), ((3.0, 0.0), 0.7), ((0.0, 0.0), 1.0), ((3.0, 0.0), 0.7)]
    X = np.concatenate([rng.normal(at, wide, (size, 2)) for size, (at, wide) in zip(sizes, kinds, strict=True)])
    return X, np.repeat([1, 1, 0, 0], sizes)


def logistic(rows: int, seed: int, features: int = 4) -> tuple[Any, Any]:
    """Logistic regression is the true model here."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    odds = 1.5 * X[:, 0] - X[:, 1] + 0.5 * X[:, 2] - 1.5
    return X, (rng.random(rows) < 1 / (1 + np.exp(-odds))).astype(int)


def small(objective: Any = "r@p=0.7", **parameters: Any) -> rw.RateClassifier:
    return rw.RateClassifier(objective, **SMALL | parameters)


def rows_of(data: tuple[Any, Any], weight: Any = None) -> Rows:
    X, y = data
    return Rows(X, y == 1, np.ones(y.size) if weight is None else weight)


def soft_loss(points: Any, scores: Any, rows: Rows, gamma: float) -> float:
    """Cross entropy + γ · soft counts, over the positives, at the best of many thresholds for each point."""
    thresholds = np.linspace(scores.min() - 1, scores.max() + 1, 200)
    above = expit((scores - thresholds[:, None]) / points.width)
    counted = 0.0
    for gain, price in zip(points.gains, points.prices, strict=True):
        counted += float(np.min(above @ (rows.weight * np.where(rows.positive, -gain, price))))
    return float(rows.weight @ log_losses(scores, rows.positive) + gamma * counted) / rows.positive_weight
