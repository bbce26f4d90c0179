"""Boosted trees: LightGBM's log loss; where they are small, the last of them are grown anew for the operating point."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lightgbm as lgb
import numpy as np

from rankwise.errors import ModelFileError
from rankwise.objectives.rates._soft_counts import SoftCounts, SoftPoints
from rankwise.rankers._persistence import read_int
from rankwise.rankers._score_functions._functions import TreeSum, kind_and_names
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split
from rankwise.rankers.rates.families._base import Scorer, score_unit
from rankwise.rankers.trees._lightgbm import MAX_DEPTH, bin_counts, check_splits, column_options, make_dataset
from rankwise.rankers.trees._model_text import join_trees, model_to_text, read_booster, split_trees
from rankwise.rankers.trees._predict import raw_scores
from rankwise.rankers.trees._score_function import booster_trees
from rankwise.rankers.trees._tree_checks import check_tree_text
from rankwise.types import FloatArray, IntArray, JsonObject

if TYPE_CHECKING:
    from rankwise.rankers.rates._classifier import RateClassifier

SMALL_TREES, SMALL_LEAVES = 50, 8  # up to which training for a point pays: benchmarks/papers/eban.py
TUNED_SHARE = 0.4  # of the trees, the last ones, that are grown anew
GAMMA, WIDTH = 8.0, 0.5  # of the log loss about the point against that about 0; its width in units of the scores
POINTS_ROUNDS = 3  # after which operating points are found anew
MIN_TREES = 5
EARLY_STOPPING_ROUNDS = 40
DEFAULT_TREES = 100  # where there are too few rows to choose by
DATASET_PARAMS = {"verbosity": -1, "feature_pre_filter": False}

Gradients = Callable[[FloatArray, lgb.Dataset], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """A sum of trees; `data` are the rows that they grew on, in bins, until the model is finished.

    Until then, too, the first `n_kept` trees of a tuned model are still those of its baseline.
    """

    booster: lgb.Booster
    data: lgb.Dataset | None = None
    baseline: lgb.Booster | None = None
    n_kept: int = 0

    def scores(self, X: RowMatrix) -> FloatArray:
        """Sums of leaves."""
        scores = raw_scores(self.booster, X, 0)
        if self.baseline is None or not self.n_kept:
            return scores
        return scores + _raw_scores(self.baseline, X, self.n_kept)

    def finished(self) -> TreeScorer:
        """Without the rows."""
        if self.baseline is None:
            return TreeScorer(self.booster)
        header, tuned = split_trees(self.booster.model_to_string())
        _, kept = split_trees(self.baseline.model_to_string())
        return TreeScorer(read_booster(join_trees(header, [*kept[: self.n_kept], *tuned])))

    def to_score_function(self, model: RateClassifier, constant: float) -> TreeSum:
        """All trees."""
        return TreeSum(*kind_and_names(model), booster_trees(self.booster, 1.0), constant)

    def to_saved(self, name: str) -> tuple[JsonObject, dict[str, bytes]]:
        """The number of trees, and their text."""
        text = model_to_text(self.booster).encode()
        return {"trees": self.booster.num_trees()}, {_member_name(name): text}


def _member_name(name: str) -> str:
    return f"{name}_trees.txt"


@dataclass(frozen=True)
class TreeFamily:
    """Parameters as LightGBM has them; the number of trees is where the log loss of held-out rows is lowest."""

    n_estimators: int
    num_leaves: int
    learning_rate: float
    min_child_samples: int
    threads: int
    seed: int
    categorical: list[int]  # columns that are categories
    monotone: list[int] | None = None  # −1, 0 or 1 for each column

    @property
    def max_rounds(self) -> int:
        """A round is a tree."""
        return self.n_estimators + (0 if self.why_plain else self._n_tuned(self.n_estimators))

    @property
    def why_plain(self) -> str | None:
        """Trees of any size that is enough to know the odds of a row need no more than a threshold."""
        if self.n_estimators <= SMALL_TREES or self.num_leaves <= SMALL_LEAVES:
            return None
        return (
            f"with more than {SMALL_TREES} trees of more than {SMALL_LEAVES} leaves the point is a matter of the "
            "threshold, so cross entropy is what they are trained by"
        )

    def fit_baselines(
        self, rows: Rows, splits: list[Split], *, refit: bool, report: Report | None = None
    ) -> list[Scorer]:
        """Log loss, everywhere with as many trees as is best for held-out rows, in the median over splits."""
        report = report or Report()
        data = self._dataset(rows) if refit else None
        fitted: list[tuple[lgb.Booster, lgb.Dataset]] = []
        best: list[int] = []
        for train, others in splits:
            train_data = self._part(rows, train, data)
            # Fewer rounds than it takes to stop are all kept, as they would be without rows to stop by.
            valid = self._part(rows, others, data or train_data) if self.n_estimators > EARLY_STOPPING_ROUNDS else None
            booster, n_trees = self._boost(train_data, self.n_estimators, report, valid=valid)
            if n_trees:
                fitted.append((booster, train_data))
                best.append(n_trees)
            if report.interrupted:
                break
        n_trees = max(int(np.median(best)), MIN_TREES) if best else min(self.n_estimators, DEFAULT_TREES)
        if data is not None and not report.interrupted:
            booster, n_grown = self._boost(data, n_trees, report)
            if n_grown and not (splits and report.interrupted):
                fitted.append((booster, data))
        return [TreeScorer(_first_trees(booster, n_trees), grown_on) for booster, grown_on in fitted]

    def _part(self, rows: Rows, part: IntArray, binned: lgb.Dataset | None) -> lgb.Dataset:
        """Some of the rows in bins of their own, or in those of all rows or of others."""
        if binned is not None and binned.num_data() == rows.positive.size:
            return binned.subset(part.tolist()).construct()
        return self._dataset(rows.take(part), binned)

    def _n_tuned(self, n_trees: int) -> int:
        return max(round(TUNED_SHARE * n_trees), 1)

    def tune(self, baseline: Scorer, rows: Rows, soft: SoftCounts, report: Report) -> Scorer | None:
        """The first trees of the baseline, and as many as it had after them on the log loss about the point."""
        assert isinstance(baseline, TreeScorer)
        assert baseline.data is not None
        n_trees = baseline.booster.num_trees()
        n_kept = n_trees - self._n_tuned(n_trees)
        start = _raw_scores(baseline.booster, rows.X, n_kept) if n_kept else np.full(rows.positive.size, rows.log_odds)
        baseline.data.set_init_score(start)
        gradients = near_point_gradients(rows, soft)
        booster, _ = self._boost(baseline.data, n_trees - n_kept, report, gradients=gradients)
        return TreeScorer(booster, baseline=baseline.booster, n_kept=n_kept)

    def _dataset(self, rows: Rows, reference: lgb.Dataset | None = None) -> lgb.Dataset:
        """Rows in bins, those of the reference if there is one."""
        columns = {} if reference is not None else column_options(rows.X.shape[1], self.categorical)
        labels, options = rows.positive.astype(np.float64), {"weight": rows.weight, "params": DATASET_PARAMS}
        data = make_dataset(rows.X, labels, reference=reference, **options, **columns)
        if reference is None:
            check_splits(bin_counts(data), self.min_child_samples, rows.positive.size)
        return data

    def _boost(
        self,
        data: lgb.Dataset,
        rounds: int,
        report: Report,
        *,
        valid: lgb.Dataset | None = None,
        gradients: Gradients | None = None,
    ) -> tuple[lgb.Booster, int]:
        """Trees on the log loss, or on gradients of ours, and how many; on `valid`, those of the lowest log loss."""
        params = {
            "objective": "binary" if gradients is None else "none",
            "metric": "none" if valid is None else "binary_logloss",
            "num_leaves": self.num_leaves,
            "max_depth": MAX_DEPTH,
            "min_data_in_leaf": self.min_child_samples,
            "learning_rate": self.learning_rate,
            "num_threads": self.threads,
            "seed": self.seed,
            "deterministic": True,
            "verbosity": -1,
        }
        booster = lgb.Booster(
            params if self.monotone is None else params | {"monotone_constraints": self.monotone}, data
        )
        if valid is not None:
            booster.add_valid(valid, "held out")
        lowest, best = np.inf, 0
        with report.until_interrupted():
            for number in range(1, rounds + 1):
                is_last = booster.update(fobj=gradients)  # no split is worth making
                loss = None if valid is None else float(booster.eval_valid()[0][2])
                if loss is None or loss < lowest:
                    lowest, best = lowest if loss is None else loss, number
                report.round(loss)
                if is_last or number - best >= EARLY_STOPPING_ROUNDS:
                    break
        return booster, best

    def member_names(self, fields: object, name: str) -> list[str]:
        """One member has all trees."""
        if not read_int(fields, "trees"):
            raise ModelFileError("the model must have a tree, got none; save it again")
        return [_member_name(name)]

    def read_scorer(self, fields: object, members: list[bytes], n_features: int) -> Scorer:
        """Trees, checked before LightGBM sees them."""
        return TreeScorer(read_booster(check_tree_text(members[0], n_features)))


def near_point_gradients(rows: Rows, soft: SoftCounts) -> Gradients:
    """The log loss about 0 and about the point, for LightGBM: gradient and Hessian of each row."""
    rounds = itertools.count()
    points: SoftPoints | None = None

    def gradients(scores: FloatArray, _: lgb.Dataset) -> tuple[FloatArray, FloatArray]:
        nonlocal points
        if next(rounds) % POINTS_ROUNDS == 0 or points is None:
            points = soft.points(scores, WIDTH * score_unit(scores, rows.positive))
        return points.near_log_loss(scores, rows.positive, rows.weight, GAMMA)

    return gradients


def _first_trees(booster: lgb.Booster, n_trees: int) -> lgb.Booster:
    """A booster of the first trees, free of the rows that they grew on."""
    header, trees = split_trees(booster.model_to_string())
    return read_booster(join_trees(header, trees[:n_trees]))


def _raw_scores(booster: lgb.Booster, X: RowMatrix, n_trees: int | None = None) -> FloatArray:
    return np.asarray(booster.predict(X, raw_score=True, num_iteration=n_trees), dtype=np.float64)
