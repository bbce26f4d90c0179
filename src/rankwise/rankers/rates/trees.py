"""Boosted trees: LightGBM's log loss, then rounds on it and the soft counts together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np
from scipy.special import expit

from rankwise.errors import DataError
from rankwise.objectives.soft_counts import SoftCounts, SoftPoints
from rankwise.rankers.rates.family import Scorer, unit_of
from rankwise.rankers.rates.rows import Array, Rows, Split

__all__ = ["TreeFamily", "TreeScorer"]

GAMMAS = (2.0, 8.0)
ROUNDS, RATE, EVERY = 20, 0.03, 5  # of the rounds that tune; operating points are found anew every so many
WIDTHS = (1.0, 0.5)  # of the sigmoids, in units of the scores: wide in the first quarter of the rounds
PATIENCE = 40


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """Trees whose sums are averaged, after those that all share."""

    shared: lgb.Booster
    averaged: tuple[lgb.Booster, ...]

    def scores(self, X: Any) -> Array:
        """Sums of leaves."""
        total = _sums(self.shared, X)
        for booster in self.averaged:
            total = total + _sums(booster, X) / len(self.averaged)
        return total


@dataclass(frozen=True)
class TreeFamily:
    """Parameters as LightGBM has them; the number of trees is where the log loss of the rows judged is least."""

    n_estimators: int
    num_leaves: int
    learning_rate: float
    min_child_samples: int
    threads: int
    seed: int

    def plain(self, rows: Rows, splits: list[Split], *, refit: bool) -> list[Scorer]:
        """Log loss, stopped early; on all rows, as many trees as the splits kept in the median."""
        found, kept = [], []
        for train, judged in splits:
            part, seen = _dataset(rows.part(train)), rows.part(judged)
            stopping = lgb.early_stopping(PATIENCE, verbose=False)
            labels = seen.positive.astype(np.float64)
            valid = part.create_valid(seen.X, labels, weight=seen.weight, params=part.params)
            booster = self._train("binary", part, self.n_estimators, self.learning_rate, valid, [stopping])
            kept.append(booster.best_iteration)
            found.append(_cut(booster, booster.best_iteration))
        if refit:
            most = max(int(np.median(kept)), 5) if kept else min(self.n_estimators, 100)
            found.append(self._train("binary", _dataset(rows), most, self.learning_rate))
        return [TreeScorer(booster, ()) for booster in found]

    def tuned(self, start: Scorer, rows: Rows, soft: SoftCounts) -> Scorer:
        """A few trees more for each γ, on log loss and soft counts."""
        assert isinstance(start, TreeScorer)
        first = start.scores(rows.X)
        unit = unit_of(first, rows.positive)
        data = _dataset(rows, first)
        more = [self._train(_Counted(rows, soft, gamma, unit), data, ROUNDS, RATE) for gamma in GAMMAS]
        return TreeScorer(start.shared, tuple(more))

    def _train(
        self, objective: Any, data: lgb.Dataset, rounds: int, rate: float, valid: Any = None, callbacks: Any = None
    ) -> lgb.Booster:
        told = {
            "objective": objective,
            "metric": "binary_logloss" if valid is not None else "none",
            "num_leaves": self.num_leaves,
            "min_data_in_leaf": self.min_child_samples,
            "learning_rate": rate,
            "num_threads": self.threads,
            "seed": self.seed,
            "deterministic": True,
            "verbosity": -1,
        }
        return lgb.train(told, data, rounds, valid_sets=valid and [valid], callbacks=callbacks)


class _Counted:
    """LightGBM's view of the loss: gradient and Hessian of each row at the present scores."""

    def __init__(self, rows: Rows, soft: SoftCounts, gamma: float, unit: float) -> None:
        self.rows, self.soft, self.gamma, self.unit = rows, soft, gamma, unit
        self.round = 0
        self.points: SoftPoints | None = None

    def __call__(self, scores: Array, _: Any) -> tuple[Array, Array]:
        width = WIDTHS[0] if self.round < ROUNDS // 4 else WIDTHS[1]
        if self.round % EVERY == 0 or self.points is None:
            self.points = self.soft.points(scores, width * self.unit)
        self.round += 1
        slope, bend = self.points.bends(scores, self.rows.positive)
        likely = expit(scores)
        gradient = likely - self.rows.positive + self.gamma * slope
        return self.rows.weight * gradient, self.rows.weight * (likely * (1.0 - likely) + self.gamma * bend)


def _dataset(rows: Rows, start: Array | None = None) -> lgb.Dataset:
    """With a start, the objective is our own, which weighs rows itself."""
    weight = rows.weight if start is None else None
    names = [f"f{column}" for column in range(rows.X.shape[1])]  # as a model file has them
    told = {"verbosity": -1, "feature_pre_filter": False}
    given: dict[str, Any] = {"init_score": start, "weight": weight, "feature_name": names, "params": told}
    data = lgb.Dataset(rows.X, rows.positive.astype(np.float64), **given).construct()
    if not any(data.feature_num_bin(column) > 1 for column in range(rows.X.shape[1])):
        raise DataError(f"no feature varies over {rows.positive.size} rows; pass more rows or features that vary")
    return data


def _sums(booster: lgb.Booster, X: Any) -> Array:
    return np.asarray(booster.predict(X, raw_score=True), dtype=np.float64)


def _cut(booster: lgb.Booster, rounds: int) -> lgb.Booster:
    return lgb.Booster(model_str=booster.model_to_string(num_iteration=rounds))
