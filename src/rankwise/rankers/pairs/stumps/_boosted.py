"""What boosting of decision stumps shares: a stump per round, the best for the weights that the rounds before leave."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rankwise.errors import ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import NONE, Constraint, Integer
from rankwise.rankers._score_functions._functions import TreeSum, kind_and_names
from rankwise.rankers.pairs._base import PairRanker, Step
from rankwise.rankers.pairs.stumps._search import StumpSearch
from rankwise.rankers.pairs.stumps._stumps import Stumps
from rankwise.rankers.pairs.stumps._watch import GrowingScores, Watch
from rankwise.types import FloatArray

Round = tuple[int, float, int, float]  # feature, threshold, sign and weight
NO_EDGE = 1e-12  # beside the 1 of a perfect stump: less is rounding


class Booster(Protocol):
    """Weights of rows that change with each stump."""

    def row_weights(self) -> FloatArray:
        """u, by row of the features: ½ Σ u_i h(x_i) is the edge of a stump h, from −1 to 1."""

    def add(self, edge: float, h: NDArray[np.int8]) -> float:
        """Take a stump, by its edge and its values for all rows of the features, and say what it weighs."""


class BoostedStumps(PairRanker):
    """A ranker whose score is a weighted sum of decision stumps."""

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
    def _booster(self, rows: PairRows) -> Booster:
        """Where boosting starts from."""

    def _steps(self, rows: PairRows, judged: list[EvalSet]) -> Iterator[Step]:
        rows = rows.counted
        if rows.order.size < rows.X.shape[0]:  # what weighs nothing has no thresholds either
            rows = replace(rows, X=rows.features, order=np.arange(rows.order.size))
        watch = Watch(parse(self.metric), judged, self.early_stopping_rounds)
        booster, search = self._booster(rows), StumpSearch(rows.X)
        rounds: list[Round] = []
        edges: list[float] = []

        def step() -> Step:  # lists only grow, so their lengths say what they were
            return Step(
                partial(self._learned, rows, rounds, watch.best_round, edges, len(edges)), watch.values, watch.best
            )

        while len(rounds) < self.n_estimators and not watch.is_over:
            features, thresholds, signs, sizes = search.best(booster.row_weights())
            edges.append(float(sizes[0]) / 2.0 if sizes.size else 0.0)
            if edges[-1] <= NO_EDGE:
                break  # no stump is better than chance
            feature, threshold, sign = int(features[0]), float(thresholds[0]), int(signs[0])
            weight = booster.add(edges[-1], signs[0] * search.values(feature, threshold))
            rounds.append((feature, threshold, sign, weight))
            watch.add(feature, threshold, sign * weight)
            yield step()
            if edges[-1] >= 1.0 - NO_EDGE:
                break  # the stump ranks every pair that weighs anything
        if not rounds:
            watch.judge()
            yield step()

    def _learned(
        self, rows: PairRows, rounds: list[Round], kept: int, edges: list[float], count: int
    ) -> dict[str, Any]:
        """Attributes of a model of the first `kept` rounds; the edges of `count` rounds are known."""
        return {
            "rounds_": Stumps.of(*zip(*rounds[:kept], strict=True)) if kept else Stumps.of([], [], [], []),
            "best_iteration_": kept,
        }

    @property
    def stumps_(self) -> Stumps:
        """The model: stumps that all differ, sorted by feature and threshold, whose weighted sum is the score."""
        check_is_fitted(self, "n_rows_")
        merged = self.rounds_.merged()
        return Stumps(merged.feature, merged.threshold, merged.sign, merged.weight / self._divisor(len(self.rounds_)))

    def _divisor(self, rounds: int) -> float:
        """By what the sum of so many rounds is divided."""
        return 1.0

    def _scores(self, X: Any) -> FloatArray:
        return self.rounds_.scores(X) / self._divisor(len(self.rounds_))

    def _parts(self, X: Any) -> FloatArray:
        return self.stumps_.parts(X)

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Scores after each round, the last being those of `predict` but for rounding."""
        check_is_fitted(self, "n_rows_")
        growing, rounds = GrowingScores(self._features(X, False)), self.rounds_
        values = rounds.sign * rounds.weight
        for number, (feature, threshold, value) in enumerate(
            zip(rounds.feature.tolist(), rounds.threshold.tolist(), values.tolist(), strict=True), start=1
        ):
            growing.add(feature, threshold, value)
            yield growing.scores / self._divisor(number)

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the weights of all stumps."""
        return self.stumps_.importances(self.n_features_in_)

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """`n_estimators`."""
        return self.n_estimators

    def to_score_function(self) -> TreeSum:
        """A tree per stump."""
        return TreeSum(*kind_and_names(self), self.stumps_.trees())

    def _told(self) -> dict[str, Any]:
        return {"rounds": self.rounds_.told()}

    def _recall(self, told: dict[str, Any]) -> None:
        self.rounds_ = Stumps.from_told(told.get("rounds"), self.n_features_in_)
        if len(self.rounds_) != self.best_iteration_:
            raise ModelFileError(
                f"the model has {len(self.rounds_)} stumps for {self.best_iteration_} rounds; save it again"
            )
