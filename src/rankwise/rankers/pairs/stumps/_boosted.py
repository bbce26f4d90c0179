"""What boosting of decision stumps shares: a stump per round, the best for the weights that the rounds before leave."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.errors import ModelFileError
from rankwise.metrics import Metric, parse
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import NONE, Constraint, Integer
from rankwise.rankers._score_functions._functions import TreeSum, kind_and_names
from rankwise.rankers.pairs._base import Attributes, PairRanker, Step
from rankwise.rankers.pairs._matrix import Matrix, canonical
from rankwise.rankers.pairs.stumps._columns import column_sides
from rankwise.rankers.pairs.stumps._graded_rows import GradedRows, graded_rows
from rankwise.rankers.pairs.stumps._search import StumpSearch
from rankwise.rankers.pairs.stumps._stumps import Stumps
from rankwise.types import Features, FloatArray, JsonObject

MIN_EDGE = 1e-12  # beside the 1 of a perfect stump: less is rounding


class RowBooster(ABC):
    """Weights of rows that change with each stump; they follow from `scores`, the weighted sum of the stumps so far."""

    def __init__(self, rows: GradedRows) -> None:
        self.rows = rows
        self.scores = np.zeros(rows.order.size)
        self.round = 1

    @abstractmethod
    def row_weights(self) -> FloatArray:
        """u, by row of the features: ½ Σ u_i h(x_i) is the edge of a stump h, from −1 to 1."""

    @abstractmethod
    def stump_weight(self, edge: float) -> float:
        """What a stump with this edge weighs."""

    def add(self, edge: float, h: NDArray[np.int8]) -> float:
        """Add a stump, given its edge and its values for all rows of the features; what it weighs."""
        weight = self.stump_weight(edge)
        self.scores += weight * h[self.rows.order]
        self.round += 1
        return weight


class StagedScores:
    """Scores of dense or CSR rows by a sum of stumps that grows."""

    def __init__(self, X: Matrix) -> None:
        self._X = canonical(X).tocsc() if sp.issparse(X) else X
        self.scores = np.zeros(X.shape[0])

    def add(self, feature: int, threshold: float, value: float) -> None:
        """Add value·h of a stump."""
        self.scores += value * column_sides(self._X, feature, threshold)


class StagedEvaluation:
    """The metric on each eval_set after each round, and the round that is best on the first of them."""

    def __init__(self, metric: Metric, eval_sets: list[EvalSet], patience: int | None) -> None:
        self._metric, self._eval_sets, self._patience = metric, eval_sets, patience
        self._staged = [StagedScores(rows.X) for rows in eval_sets]
        self.round, self.best_round = 0, 0
        self.values: list[float] = []
        self.best_values: list[float] = []

    def add(self, feature: int, threshold: float, value: float) -> None:
        """Evaluate the sum with one more stump; without an eval_set, or without patience, the latest round is best."""
        self.round += 1
        for staged in self._staged:
            staged.add(feature, threshold, value)
        self.evaluate()

    def evaluate(self) -> None:
        """Evaluate the sum as it is."""
        sets = zip(self._eval_sets, self._staged, strict=True)
        self.values = [rows.value(self._metric, staged.scores) for rows, staged in sets]
        if not self.best_values or self._patience is None or self.values[0] > self.best_values[0]:
            self.best_values, self.best_round = self.values, self.round

    @property
    def is_over(self) -> bool:
        """Whether nothing better came for too long."""
        return bool(self._eval_sets) and self._patience is not None and self.round - self.best_round >= self._patience


class BoostedStumps(PairRanker):
    """A ranker whose score is a weighted sum of decision stumps.

    Parameters
    ----------
    early_stopping_rounds : int in [1, 1e6] or None, default=50
        With an eval_set, rounds without a better value before training ends; the rounds up to the best are kept. None
        trains and keeps all rounds.
    verbose : int in [0, 1e6], default=0
        Log the metric every so many rounds; 0 logs nothing.

    Attributes
    ----------
    rounds_ : Stumps
        The stumps as they were learned, one per round.
    stumps_ : Stumps
        The same score by stumps that all differ, sorted by feature and threshold.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weights of all stumps.
    best_iteration_ : int
        Number of rounds that were kept.
    best_score_ : float or None
        The metric on the first eval_set.
    evals_result_ : dict
        The metric on each eval_set, after each round.
    interrupted_ : bool
        Whether Ctrl-C ended the training early.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.
    n_rows_, n_queries_ : int
        Size of the training data.
    """

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **PairRanker._parameter_constraints,
        "n_estimators": [Integer(1, 10**6)],
        "early_stopping_rounds": [Integer(1, 10**6), NONE],
    }

    missing_values = True
    n_estimators: int
    early_stopping_rounds: int | None
    rounds_: Stumps

    @abstractmethod
    def _booster(self, rows: GradedRows) -> RowBooster:
        """Where boosting starts from."""

    def _steps(self, rows: PairRows, eval_sets: list[EvalSet]) -> Iterator[Step]:
        rows = rows.counted
        if rows.order.size < rows.X.shape[0]:  # what weighs nothing has no thresholds either
            rows = replace(rows, X=rows.features, order=np.arange(rows.order.size))
        evaluation = StagedEvaluation(parse(self.metric), eval_sets, self.early_stopping_rounds)
        booster, search = self._booster(graded_rows(rows)), StumpSearch(rows.X)
        rounds: list[tuple[int, float, int, float]] = []  # feature, threshold, sign and weight
        edges: list[float] = []

        def step() -> Step:  # lists only grow, so their lengths say what they were
            n_rounds, n_edges = evaluation.best_round, len(edges)
            return Step(
                lambda: self._learned(rows, _stumps_of_rounds(rounds[:n_rounds]), edges[:n_edges]),
                evaluation.values,
                evaluation.best_values,
            )

        while len(rounds) < self.n_estimators and not evaluation.is_over:
            features, thresholds, signs, sizes = search.best(booster.row_weights())
            edges.append(float(sizes[0]) / 2.0 if sizes.size else 0.0)
            if edges[-1] <= MIN_EDGE:
                break  # no stump is better than chance
            feature, threshold, sign = int(features[0]), float(thresholds[0]), int(signs[0])
            weight = booster.add(edges[-1], signs[0] * search.values(feature, threshold))
            rounds.append((feature, threshold, sign, weight))
            evaluation.add(feature, threshold, sign * weight)
            yield step()
            if edges[-1] >= 1.0 - MIN_EDGE:
                break  # the stump ranks every pair that weighs anything
        if not rounds:
            evaluation.evaluate()
            yield step()

    def _learned(self, rows: PairRows, stumps: Stumps, edges: list[float]) -> Attributes:
        """Attributes of a model of these stumps, after rounds with these edges."""
        return {"rounds_": stumps, "best_iteration_": len(stumps)}

    @property
    def stumps_(self) -> Stumps:
        """The model: stumps that all differ, sorted by feature and threshold, whose weighted sum is the score."""
        check_is_fitted(self, "n_rows_")
        merged = self.rounds_.merged()
        return replace(merged, weight=merged.weight / self._divisor(len(self.rounds_)))

    def _divisor(self, rounds: int) -> float:
        """By what the sum of so many rounds is divided."""
        return 1.0

    def _scores(self, X: Matrix) -> FloatArray:
        return self.rounds_.scores(X) / self._divisor(len(self.rounds_))

    def _contributions(self, X: Matrix) -> FloatArray:
        return self.stumps_.contributions(X)

    def staged_predict(self, X: Features | RankingData) -> Iterator[FloatArray]:
        """Yield the scores after each round.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.

        Yields
        ------
        ndarray of shape (n_rows,)
            Scores, the last being those of `predict` but for rounding.
        """
        check_is_fitted(self, "n_rows_")
        staged, rounds = StagedScores(self._features(X, False)), self.rounds_
        values = (rounds.feature, rounds.threshold, rounds.sign * rounds.weight)
        for number, stump in enumerate(zip(*(array.tolist() for array in values), strict=True), start=1):
            staged.add(*stump)
            yield staged.scores / self._divisor(number)

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the weights of all stumps."""
        return self.stumps_.importances(self.n_features_in_)

    @inherit_sections(PairRanker.max_rounds)
    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return `n_estimators`."""
        return self.n_estimators

    @inherit_sections(PairRanker.to_score_function)
    def to_score_function(self) -> TreeSum:
        """Return a tree per stump."""
        return TreeSum(*kind_and_names(self), self.stumps_.trees())

    def _get_state(self) -> JsonObject:
        return {"rounds": self.rounds_.to_state()}

    def _set_state(self, state: JsonObject) -> None:
        self.rounds_ = Stumps.from_state(state.get("rounds"), self.n_features_in_)
        if len(self.rounds_) != self.best_iteration_:
            raise ModelFileError(
                f"the model has {len(self.rounds_)} stumps for {self.best_iteration_} rounds; save it again"
            )


def _stumps_of_rounds(rounds: list[tuple[int, float, int, float]]) -> Stumps:
    return Stumps.of(*zip(*rounds, strict=True)) if rounds else Stumps.of([], [], [], [])
