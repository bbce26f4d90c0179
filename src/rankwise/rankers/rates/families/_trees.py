"""Boosted trees: LightGBM's log loss, then rounds on it and the soft counts together."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np

from rankwise.errors import DataError
from rankwise.objectives.rates._soft_counts import SoftCounts, SoftPoints
from rankwise.rankers._score_functions._functions import TreeSum, kind_and_names
from rankwise.rankers.rates._rows import Rows, Split, folds
from rankwise.rankers.rates.families._base import Scorer, unit_of
from rankwise.rankers.trees._score_function import booster_trees
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.rankers.rates._classifier import RateClassifier

GAMMAS = (2.0, 8.0)  # soft counts against log loss; the scores of the two models are averaged
ROUNDS, RATE, EVERY = 80, 0.03, 10  # of the rounds that tune; operating points are found anew every so many
WIDTHS, WIDE = (1.0, 0.5), 20  # of the sigmoids, in units of the scores: the first for so many rounds
INNER = 4  # parts of the training rows for scores that are not learned by heart
PATIENCE = 40
UNJUDGED = 100  # trees where there are too few rows to choose by
TOLD = {"verbosity": -1, "feature_pre_filter": False}


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """Trees whose sums are averaged, after those that all share.

    Trees know the rows they grew on by heart, and operating points found on such scores are those of no other rows:
    `honest` are scores of the training rows by trees that did not grow on them.
    """

    shared: lgb.Booster
    averaged: tuple[lgb.Booster, ...]
    honest: FloatArray

    def scores(self, X: Any) -> FloatArray:
        """Sums of leaves."""
        total = _sums(self.shared, X)
        for booster in self.averaged:
            total = total + _sums(booster, X) / len(self.averaged)
        return total

    def to_score_function(self, model: RateClassifier, constant: float) -> TreeSum:
        """All trees, those that are averaged by their share."""
        trees = booster_trees(self.shared, 1.0)
        for booster in self.averaged:
            trees += booster_trees(booster, 1.0 / len(self.averaged))
        return TreeSum(*kind_and_names(model), trees, constant)


@dataclass(frozen=True)
class TreeFamily:
    """Parameters as LightGBM has them; the number of trees is where the log loss of the rows judged is least."""

    n_estimators: int
    num_leaves: int
    learning_rate: float
    min_child_samples: int
    threads: int
    seed: int
    categorical: list[int]  # columns that are categories

    def plain(self, rows: Rows, splits: list[Split], *, refit: bool) -> list[Scorer]:
        """Log loss, everywhere with as many trees as is best for the rows judged, in the median over splits."""
        trees = self._trees(rows, splits)
        found: list[Scorer] = []
        judged = np.zeros(rows.positive.size)
        for train, others in splits:
            part = rows.part(train)
            booster = self._grown(part, trees)
            judged[others] = _sums(booster, rows.X[others])
            found.append(TreeScorer(booster, (), self._honest(part, trees, booster)))
        if refit:
            found.append(TreeScorer(self._grown(rows, trees), (), judged))
        return found

    def _trees(self, rows: Rows, splits: list[Split]) -> int:
        kept = []
        for train, judged in splits:
            part, seen = self._dataset(rows.part(train)), rows.part(judged)
            valid = part.create_valid(seen.X, seen.positive.astype(np.float64), weight=seen.weight, params=part.params)
            stopping = [lgb.early_stopping(PATIENCE, verbose=False)]
            booster = self.boost("binary", part, self.n_estimators, self.learning_rate, valid, stopping)
            kept.append(booster.best_iteration)
        return max(int(np.median(kept)), 5) if kept else min(self.n_estimators, UNJUDGED)

    def _grown(self, rows: Rows, trees: int) -> lgb.Booster:
        return self.boost("binary", self._dataset(rows), trees, self.learning_rate)

    def _honest(self, rows: Rows, trees: int, grown: lgb.Booster) -> FloatArray:
        scores = _sums(grown, rows.X)  # what remains where there are too few rows for parts
        for train, others in folds(rows.positive, INNER, self.seed):
            scores[others] = _sums(self._grown(rows.part(train), trees), rows.X[others])
        return scores

    def tuned(self, start: Scorer, rows: Rows, soft: SoftCounts) -> Scorer:
        """Trees more for each γ, on log loss and soft counts."""
        assert isinstance(start, TreeScorer)
        unit, data = unit_of(start.honest, rows.positive), self._dataset(rows, start.honest)
        more = [self.boost(counted(rows, soft, gamma, unit), data, ROUNDS, RATE) for gamma in GAMMAS]
        return TreeScorer(start.shared, tuple(more), start.honest)

    def _dataset(self, rows: Rows, start: FloatArray | None = None) -> lgb.Dataset:
        """With a start, the objective is our own, which weighs rows itself."""
        weight = rows.weight if start is None else None
        names = [f"f{column}" for column in range(rows.X.shape[1])]  # as a model file has them
        given: dict[str, Any] = {"init_score": start, "weight": weight, "feature_name": names, "params": TOLD}
        given["categorical_feature"] = self.categorical
        data = lgb.Dataset(rows.X, rows.positive.astype(np.float64), **given).construct()
        if not any(data.feature_num_bin(column) > 1 for column in range(rows.X.shape[1])):
            raise DataError(f"no feature varies over {rows.positive.size} rows; pass more rows or features that vary")
        return data

    def boost(
        self, objective: Any, data: lgb.Dataset, rounds: int, rate: float, valid: Any = None, callbacks: Any = None
    ) -> lgb.Booster:
        """So many rounds on an objective of LightGBM's or of our own."""
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


def counted(rows: Rows, soft: SoftCounts, gamma: float, unit: float) -> Any:
    """LightGBM's view of log loss and soft counts: gradient and Hessian of each row at the present scores."""
    rounds = itertools.count()
    points: SoftPoints | None = None

    def gradients(scores: FloatArray, _: Any) -> tuple[FloatArray, FloatArray]:
        nonlocal points
        number = next(rounds)
        if number % EVERY == 0 or points is None:
            points = soft.points(scores, unit * (WIDTHS[0] if number < WIDE else WIDTHS[1]))
        return points.with_log_loss(scores, rows.positive, rows.weight, gamma)

    return gradients


def _sums(booster: lgb.Booster, X: Any) -> FloatArray:
    return np.asarray(booster.predict(X, raw_score=True), dtype=np.float64)
