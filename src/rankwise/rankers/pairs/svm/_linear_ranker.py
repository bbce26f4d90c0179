"""What linear rankers of pairs share: C to choose by an eval_set, weights in the units of the features, model files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankwise.errors import DataError
from rankwise.kernels.rows._products import rows_times
from rankwise.metrics import parse
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import Condition, Constraint, Integer, OneOf, OneOrMore, Real
from rankwise.rankers._persistence import read_float, read_floats, read_int
from rankwise.rankers._score_functions._functions import LinearFunction, kind_and_names
from rankwise.rankers.pairs._base import PairRanker, Step
from rankwise.rankers.pairs.svm._linear import LinearRows
from rankwise.rankers.pairs.svm._pairs import Pairs
from rankwise.rankers.pairs.svm._solve import Loss
from rankwise.rankers.pairs.svm._training import Found, Settings, train
from rankwise.types import FloatArray

LARGEST = 1e150  # weight in a file: a feature times more may be no number


class LinearPairRanker(PairRanker):
    """A linear ranker by the hinge of pairs; its subclass says which pairs there are."""

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **PairRanker._parameter_constraints,
        "C": [OneOrMore(Real(0, 1e12, open_low=True))],
        "loss": [OneOf("hinge", "squared_hinge")],
        "standardize": [
            Condition(
                "True, False, or None for dense features alone",
                lambda value: isinstance(value, bool | np.bool_ | None),
            )
        ],
        "tol": [Real(0, 1, open_low=True)],
        "max_iter": [Integer(1, 10**9)],
    }

    C: float | Sequence[float]
    loss: Loss
    standardize: bool | None
    tol: float
    max_iter: int

    @abstractmethod
    def _problems(self, rows: PairRows) -> dict[float, Pairs]:
        """Pairs to learn from, by the factor with which the model that is learnt from them counts in the score."""

    def _steps(self, rows: PairRows, judged: list[EvalSet]) -> Iterator[Step]:
        settings = Settings(self._values(), self.loss, float(self.tol), int(self.max_iter))
        if len(settings.C) > 1 and not judged:
            raise DataError(
                f"C has {len(settings.C)} values, but there is nothing to choose one by; pass an eval_set, or one value"
            )
        rows, metric = rows.counted, parse(self.metric)
        problems = self._problems(rows)
        features = rows.features
        scaled = isinstance(features, np.ndarray) if self.standardize is None else bool(self.standardize)
        X = LinearRows.of(features, rows.weight, scaled)

        def judge(coef: FloatArray) -> list[float]:
            return [one.value(metric, linear_scores(one.X, coef)) for one in judged]

        for found, values, best in train(settings, X, problems, judge):
            yield Step(partial(self._learned, found), values, best)

    def _values(self) -> list[float]:
        given: Any = self.C
        return [float(given)] if np.ndim(given) == 0 else [float(C) for C in given]

    def _learned(self, found: Found) -> dict[str, Any]:
        return {
            "coef_": found.coef,
            "C_": found.C,
            "n_iter_": found.steps,
            "objective_": found.objective,
            "duality_gap_": found.gap,
        }

    def _scores(self, X: Any) -> FloatArray:
        return linear_scores(X, self.coef_)

    def _parts(self, X: Any) -> FloatArray:
        return np.asarray(X * self.coef_, dtype=np.float64)

    def to_score_function(self) -> LinearFunction:
        """The weights of the features as they are."""
        size = self.coef_.size
        return LinearFunction(*kind_and_names(self), self.coef_, 0.0, np.zeros(size), np.ones(size))

    def _told(self) -> dict[str, Any]:
        return {
            "coef": self.coef_.tolist(),
            "C": self.C_,
            "n_iter": self.n_iter_,
            "objective": self.objective_,
            "duality_gap": self.duality_gap_,
        }

    def _recall(self, told: dict[str, Any]) -> None:
        self.coef_ = read_floats(told, "coef", self.n_features_in_, low=-LARGEST, high=LARGEST)
        self.C_ = read_float(told, "C")
        self.n_iter_ = read_int(told, "n_iter")
        self.objective_, self.duality_gap_ = read_float(told, "objective"), read_float(told, "duality_gap")


def linear_scores(X: Any, coef: FloatArray) -> FloatArray:
    """X @ coef, added up in double precision."""
    return rows_times(np.ascontiguousarray(X), coef) if isinstance(X, np.ndarray) else np.asarray(X @ coef)
