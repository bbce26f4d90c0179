"""What linear rankers of pairs share: C to choose by an eval_set, weights in the units of the features, model files."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.metrics._ranking import descending_order
from rankwise.objectives.margins._lists import PairLists, has_few_pairs
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import BOOLEAN, NONE, Constraint, Integer, OneOf, OneOrMore, Real
from rankwise.rankers._persistence import read_float, read_floats, read_int
from rankwise.rankers._score_functions._functions import LinearFunction, ScoreFunction, kind_and_names
from rankwise.rankers.pairs._base import Attributes
from rankwise.rankers.pairs._matrix import Matrix, canonical, matrix_times
from rankwise.rankers.pairs._tuned import Candidate, TunedPairRanker
from rankwise.rankers.pairs.svm._newton import LinearProblem, LinearRows
from rankwise.rankers.pairs.svm._solve import Loss, Solution, solutions
from rankwise.types import FloatArray, JsonObject

log = logging.getLogger(__name__)

MAX_SAVED_WEIGHT = 1e150  # a feature times more may be no number


@dataclass(frozen=True, eq=False)
class LinearFit:
    """What was learned with a value of C: models by the factor with which they count in the score."""

    C: float
    solutions: dict[float, Solution]
    n_iter: int
    scale: FloatArray

    @property
    def coefs(self) -> dict[float, FloatArray]:
        """The models, in the units of the features."""
        return {factor: self.scale * solution.w for factor, solution in self.solutions.items()}


def sum_models(coefs: dict[float, FloatArray]) -> FloatArray:
    """One model for several: scores add up, each times its factor."""
    return np.asarray(sum(factor * coef for factor, coef in coefs.items()))


def _scale(rows: PairRows, features: Matrix) -> FloatArray:
    """One over the deviation of each feature; rows without a pair count too."""
    weight = np.ones(rows.y.size) if rows.weight is None else rows.weight
    X = features if isinstance(features, np.ndarray) else canonical(features.astype(np.float64, copy=False))
    return Standardizer.of(X, weight=weight).scale


def _in_pairs(rows: PairRows) -> PairRows:
    """The queries whose documents differ in their labels: in others there is no pair. Short ones by falling label."""
    kept, sizes = rows.has_pairs, np.diff(rows.offsets)
    offsets = np.append(0, np.cumsum(sizes[kept]))
    places = np.flatnonzero(np.repeat(kept, sizes))
    if has_few_pairs(offsets):
        places = places[descending_order(rows.y[places], offsets)]
    elif kept.all():
        return rows
    return PairRows(
        X=rows.X,
        y=rows.y[places],
        offsets=offsets,
        weight=None if rows.weight is None else rows.weight[places],
        order=rows.order[places],
        query_weight=None if rows.query_weight is None else rows.query_weight[kept],
    )


class LinearPairRanker(TunedPairRanker):
    """A linear ranker by the hinge of pairs; its subclass defines the pairs."""

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **TunedPairRanker._parameter_constraints,
        "C": [OneOrMore(Real(0, 1e12, open_low=True))],
        "loss": [OneOf("hinge", "squared_hinge")],
        "standardize": [BOOLEAN, NONE],
        "tol": [Real(0, 1, open_low=True)],
        "max_iter": [Integer(1, 10**9)],
    }

    tuned_parameter = "C"
    C: float | Sequence[float] | str
    loss: Loss
    standardize: bool | None
    tol: float
    max_iter: int

    @abstractmethod
    def _problems(self, rows: PairRows) -> dict[float, PairLists]:
        """Pairs to learn from, by the factor with which the model that is learned from them counts in the score."""

    def _candidates(self, rows: PairRows, values: list[float]) -> Iterator[Candidate]:
        """One value of C after another, each from the weights of the one before."""
        standardize = isinstance(rows.X, np.ndarray) if self.standardize is None else bool(self.standardize)
        paired = _in_pairs(rows)
        features = paired.features
        scale = _scale(rows, features if paired is rows else rows.features) if standardize else None
        problems, X = self._problems(paired), LinearRows.of(features, scale)
        start = Solution(np.zeros(X.scale.size), np.zeros(X.X.shape[0]), np.inf, np.inf)
        solved = dict.fromkeys(problems, start)
        for C in values:
            fit = LinearFit(C, solved, 0, X.scale)
            for factor, lists in problems.items():
                steps = solutions(LinearProblem(X, lists, C), self.loss, solved[factor], float(self.tol))
                for _, solution in zip(range(int(self.max_iter)), steps, strict=False):
                    solved = solved | {factor: solution}
                    fit = LinearFit(C, solved, fit.n_iter + 1, X.scale)
                    yield self._candidate(fit, done=False)
            gap = max(solution.gap / solution.gap_unit(C) for solution in solved.values())
            if gap > self.tol:
                log.warning("with C=%g the relative duality gap is %.1e, not tol; raise max_iter, or lower C", C, gap)
            if not any(solution.w.any() for solution in solved.values()):
                log.warning(
                    "with C=%g all weights are 0, so all scores are alike; pass standardize=True, scale X, or raise C",
                    C,
                )
            yield self._candidate(fit, done=True)

    def _candidate(self, fit: LinearFit, done: bool) -> Candidate:
        return Candidate(partial(self._learned, fit), lambda X: matrix_times(X, sum_models(fit.coefs)), done)

    def _learned(self, fit: LinearFit) -> Attributes:
        return {
            "coef_": sum_models(fit.coefs),
            "C_": fit.C,
            "n_iter_": fit.n_iter,
            "objective_": sum(solution.objective for solution in fit.solutions.values()),
            "duality_gap_": sum(solution.gap for solution in fit.solutions.values()),
        }

    def _scores(self, X: Matrix) -> FloatArray:
        return matrix_times(X, self.coef_)

    @inherit_sections(TunedPairRanker.checked_scores)
    def checked_scores(self, X: FloatArray) -> FloatArray:
        """Scores of a matrix known to be sound; what is no finite number makes a score that is none, and is refused."""
        if X.shape[1:] == (getattr(self, "n_features_in_", 0),):
            scores = self._scores(X)
            with np.errstate(over="ignore", invalid="ignore"):
                total = scores.sum()
            if np.isfinite(total):
                return scores
        return super().checked_scores(X)

    def _contributions(self, X: Matrix) -> FloatArray:
        return np.asarray(X * self.coef_, dtype=np.float64)

    def to_score_function(self) -> ScoreFunction:
        """The weights of the features as they are."""
        size = self.coef_.size
        return LinearFunction(*kind_and_names(self), self.coef_, 0.0, np.zeros(size), np.ones(size))

    def _get_state(self) -> JsonObject:
        return {
            "coef": self.coef_.tolist(),
            "C": self.C_,
            "n_iter": self.n_iter_,
            "objective": self.objective_,
            "duality_gap": self.duality_gap_,
        }

    def _set_state(self, state: JsonObject) -> None:
        self.coef_ = self._read_weights(state, "coef")
        self.C_ = read_float(state, "C")
        self.n_iter_ = read_int(state, "n_iter")
        self.objective_, self.duality_gap_ = read_float(state, "objective"), read_float(state, "duality_gap")

    def _read_weights(self, state: JsonObject, name: str) -> FloatArray:
        return read_floats(state, name, self.n_features_in_, low=-MAX_SAVED_WEIGHT, high=MAX_SAVED_WEIGHT)
