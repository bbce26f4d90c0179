"""Boosted trees: LightGBM's log loss, then rounds on it and the soft counts together."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import lightgbm as lgb
import numpy as np

from rankwise.errors import DataError, ModelFileError
from rankwise.objectives.rates._soft_counts import SoftCounts, SoftPoints
from rankwise.rankers._persistence import read_int
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split, folds
from rankwise.rankers.rates.families._base import Scorer, score_unit
from rankwise.rankers.trees._model_text import model_to_text, read_booster
from rankwise.rankers.trees._tree_checks import check_tree_text
from rankwise.types import FloatArray, JsonObject

GAMMAS = (2.0, 8.0)  # soft counts against log loss; the scores of the two models are averaged
TUNING_ROUNDS, TUNING_RATE = 80, 0.03
POINTS_ROUNDS = 10  # after which operating points are found anew
WIDTHS, WIDE_ROUNDS = (1.0, 0.5), 20  # of the sigmoids, in units of the scores: the first for so many rounds
INNER_FOLDS = 4  # of the training rows, for scores by trees that did not grow on them
MIN_TREES = 5
EARLY_STOPPING_ROUNDS = 40
DEFAULT_TREES = 100  # where there are too few rows to choose by
MAX_BOOSTERS = 1000  # of a scorer in a model file
DATASET_PARAMS = {"verbosity": -1, "feature_pre_filter": False}

Gradients = Callable[[FloatArray, lgb.Dataset], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """Trees whose sums are averaged, after those that all share.

    Trees know the rows they grew on by heart, and operating points found on such scores are those of no other rows:
    `honest` are scores of the training rows by trees that did not grow on them.
    """

    shared: lgb.Booster
    averaged: tuple[lgb.Booster, ...]
    honest: FloatArray

    def scores(self, X: RowMatrix) -> FloatArray:
        """Sums of leaves."""
        total = _raw_scores(self.shared, X)
        for booster in self.averaged:
            total = total + _raw_scores(booster, X) / len(self.averaged)
        return total

    def to_saved(self, name: str) -> tuple[JsonObject, dict[str, bytes]]:
        """The number of boosters, and their texts."""
        texts = [model_to_text(booster).encode() for booster in (self.shared, *self.averaged)]
        return {"boosters": len(texts)}, dict(zip(_member_names(name, len(texts)), texts, strict=True))


def _member_names(name: str, n_boosters: int) -> list[str]:
    return [f"{name}_trees_{number}.txt" for number in range(n_boosters)]


@dataclass(frozen=True)
class TreeFamily:
    """Parameters as LightGBM has them; the number of trees is where the log loss of held-out rows is lowest."""

    n_estimators: int
    num_leaves: int
    learning_rate: float
    min_child_samples: int
    threads: int
    seed: int

    def fit_baselines(self, rows: Rows, splits: list[Split], *, refit: bool) -> list[Scorer]:
        """Log loss, everywhere with as many trees as is best for held-out rows, in the median over splits."""
        n_trees = self._best_n_trees(rows, splits)
        scorers: list[Scorer] = []
        held_out = np.zeros(rows.positive.size)
        for train, others in splits:
            train_rows = rows.take(train)
            booster = self._boost_log_loss(train_rows, n_trees)
            held_out[others] = _raw_scores(booster, rows.X[others])
            scorers.append(TreeScorer(booster, (), self._honest_scores(train_rows, n_trees, booster)))
        if refit:
            scorers.append(TreeScorer(self._boost_log_loss(rows, n_trees), (), held_out))
        return scorers

    def _best_n_trees(self, rows: Rows, splits: list[Split]) -> int:
        best = []
        for train, others in splits:
            data, held_out = _dataset(rows.take(train)), rows.take(others)
            valid = data.create_valid(
                held_out.X, held_out.positive.astype(np.float64), weight=held_out.weight, params=data.params
            )
            booster = self.boost("binary", data, self.n_estimators, self.learning_rate, valid)
            best.append(booster.best_iteration)
        return max(int(np.median(best)), MIN_TREES) if best else min(self.n_estimators, DEFAULT_TREES)

    def _boost_log_loss(self, rows: Rows, n_trees: int) -> lgb.Booster:
        return self.boost("binary", _dataset(rows), n_trees, self.learning_rate)

    def _honest_scores(self, rows: Rows, n_trees: int, booster: lgb.Booster) -> FloatArray:
        scores = _raw_scores(booster, rows.X)  # what remains where there are too few rows for folds
        for train, others in folds(rows.positive, INNER_FOLDS, self.seed):
            scores[others] = _raw_scores(self._boost_log_loss(rows.take(train), n_trees), rows.X[others])
        return scores

    def tune(self, baseline: Scorer, rows: Rows, soft: SoftCounts) -> Scorer:
        """Trees more for each γ, on log loss and soft counts."""
        assert isinstance(baseline, TreeScorer)
        unit, data = score_unit(baseline.honest, rows.positive), _dataset(rows, baseline.honest)
        objectives = [soft_count_gradients(rows, soft, gamma, unit) for gamma in GAMMAS]
        boosters = [self.boost(objective, data, TUNING_ROUNDS, TUNING_RATE) for objective in objectives]
        return TreeScorer(baseline.shared, tuple(boosters), baseline.honest)

    def boost(
        self, objective: str | Gradients, data: lgb.Dataset, rounds: int, rate: float, valid: lgb.Dataset | None = None
    ) -> lgb.Booster:
        """Boost on an objective of LightGBM's or of our own; on `valid`, until its log loss no longer falls."""
        params = {
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
        if valid is None:
            return lgb.train(params, data, rounds)
        stopping = lgb.early_stopping(EARLY_STOPPING_ROUNDS, verbose=False)
        return lgb.train(params, data, rounds, valid_sets=[valid], callbacks=[stopping])

    def member_names(self, fields: object, name: str) -> list[str]:
        """A member per booster."""
        n_boosters = read_int(fields, "boosters")
        if not 1 <= n_boosters <= MAX_BOOSTERS:
            raise ModelFileError(f"the model must have 1 to {MAX_BOOSTERS} boosters, got {n_boosters}; save it again")
        return _member_names(name, n_boosters)

    def read_scorer(self, fields: object, members: list[bytes], n_features: int) -> Scorer:
        """Trees, checked before LightGBM sees them."""
        shared, *averaged = (read_booster(check_tree_text(member, n_features)) for member in members)
        return TreeScorer(shared, tuple(averaged), np.zeros(0))


def soft_count_gradients(rows: Rows, soft: SoftCounts, gamma: float, unit: float) -> Gradients:
    """Log loss and soft counts for LightGBM: gradient and Hessian of each row at the present scores."""
    rounds = itertools.count()
    points: SoftPoints | None = None

    def gradients(scores: FloatArray, _: lgb.Dataset) -> tuple[FloatArray, FloatArray]:
        nonlocal points
        number = next(rounds)
        if number % POINTS_ROUNDS == 0 or points is None:
            points = soft.points(scores, unit * (WIDTHS[0] if number < WIDE_ROUNDS else WIDTHS[1]))
        return points.with_log_loss(scores, rows.positive, rows.weight, gamma)

    return gradients


def _dataset(rows: Rows, init_score: FloatArray | None = None) -> lgb.Dataset:
    """With starting scores, the objective is our own, which weighs rows itself."""
    data = lgb.Dataset(
        rows.X,
        rows.positive.astype(np.float64),
        weight=rows.weight if init_score is None else None,
        init_score=init_score,
        feature_name=[f"f{column}" for column in range(rows.X.shape[1])],  # as a model file has them
        params=DATASET_PARAMS,
    ).construct()
    if not any(data.feature_num_bin(column) > 1 for column in range(rows.X.shape[1])):
        raise DataError(f"no feature varies over {rows.positive.size} rows; pass more rows or features that vary")
    return data


def _raw_scores(booster: lgb.Booster, X: RowMatrix) -> FloatArray:
    return np.asarray(booster.predict(X, raw_score=True), dtype=np.float64)
