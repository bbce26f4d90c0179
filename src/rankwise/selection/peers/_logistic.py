"""LogisticRanker: scikit-learn's logistic regression of relevant documents, as a ranker."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression

from rankwise.data.prepare._standardizer import Standardizer
from rankwise.metrics import Metric, parse
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import Constraint, Integer, Real
from rankwise.rankers._persistence import read_floats
from rankwise.rankers._score_functions._functions import LinearFunction, kind_and_names
from rankwise.rankers.pairs._base import Attributes, PairRanker, Step
from rankwise.rankers.pairs._matrix import Matrix, matrix_times
from rankwise.types import FloatArray, JsonObject

MAX_SAVED_WEIGHT = 1e150  # a feature times more may be no number


class LogisticRanker(PairRanker):
    """A linear ranker by the plain log loss of labels above the lowest, in all queries alike.

    `metric` plays no part in training: it is what `score` returns. Every feature must be known.

    Parameters
    ----------
    metric : str or Metric, default="auc"
        What the ranker is evaluated by.
    C : float in (0, 1e12], default=100.0
        Weight of the mean log loss against ½|w|², on features divided by their standard deviations.
    max_iter : int in [1, 1e9], default=1000
        Largest number of steps of the solver.
    verbose : int in [0, 1e6], default=0
        Log every so many steps; 0 logs nothing.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights, in the units of the features.

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.web(queries=10, documents=20, features=5, seed=0)
    >>> LogisticRanker("auc").fit(data).score(data) > 0.5
    True
    """

    kind: ClassVar[str] = "logistic"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **PairRanker._parameter_constraints,
        "C": [Real(0, 1e12, open_low=True)],
        "max_iter": [Integer(1, 10**9)],
    }

    def __init__(
        self, metric: str | Metric = "auc", *, C: float = 100.0, max_iter: int = 1000, verbose: int = 0
    ) -> None:
        self.metric = metric
        self.C = C
        self.max_iter = max_iter
        self.verbose = verbose

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return the number of steps that callbacks count up to: one.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Labels; not used.
        qid : array-like of shape (n_rows,), optional
            Queries; not used.

        Returns
        -------
        int
            One.
        """
        return 1

    def _steps(self, rows: PairRows, eval_sets: list[EvalSet]) -> Iterator[Step]:
        rows = rows.counted
        positive = rows.y > rows.y.min()
        X = rows.features
        weight = np.ones(rows.y.size) if rows.weight is None else rows.weight
        scale = Standardizer.of(X, weight=weight).scale
        solver = LogisticRegression(C=float(self.C) / float(weight.sum()), max_iter=int(self.max_iter), tol=1e-8)
        solver.fit(X * scale if isinstance(X, np.ndarray) else X.multiply(scale).tocsr(), positive, weight)
        coef = solver.coef_[0] * scale
        values = [eval_set.value(parse(self.metric), matrix_times(eval_set.X, coef)) for eval_set in eval_sets]
        yield Step(partial(_learned, coef), values, values)

    def _scores(self, X: Matrix) -> FloatArray:
        return matrix_times(X, self.coef_)

    def _contributions(self, X: Matrix) -> FloatArray:
        return np.asarray(X * self.coef_, dtype=np.float64)

    def to_score_function(self) -> LinearFunction:
        """The weights of the features as they are."""
        size = self.coef_.size
        return LinearFunction(*kind_and_names(self), self.coef_, 0.0, np.zeros(size), np.ones(size))

    def _get_state(self) -> JsonObject:
        return {"coef": self.coef_.tolist()}

    def _set_state(self, state: JsonObject) -> None:
        self.coef_ = read_floats(state, "coef", self.n_features_in_, low=-MAX_SAVED_WEIGHT, high=MAX_SAVED_WEIGHT)


def _learned(coef: FloatArray) -> Attributes:
    return {"coef_": coef}
