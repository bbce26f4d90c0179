"""What a RankSVM learned of quantiles: their weights, scores by these, and model files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from rankwise.data.prepare._quantiles import MAX_KNOTS, Quantiles
from rankwise.errors import ModelFileError
from rankwise.rankers._persistence import read_floats
from rankwise.rankers.pairs._matrix import matrix_times
from rankwise.rankers.pairs.svm._linear_ranker import MAX_SAVED_WEIGHT
from rankwise.types import AnyArray, FloatArray, JsonObject

ROWS_AT_ONCE = 1 << 16  # so that no second matrix of all rows is made


@dataclass(frozen=True, eq=False)
class QuantileWeights:
    """Quantiles of the features, and a weight for each.

    Parameters
    ----------
    quantiles : Quantiles
        The share of training rows below each value of each feature.
    coef : ndarray of shape (n_features,)
        What these shares weigh in the score.
    """

    quantiles: Quantiles
    coef: FloatArray

    def scores(self, X: AnyArray) -> FloatArray:
        """What the quantiles add to the score of each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_rows,)
            The sums of all features.
        """
        pieces = (X[start : start + ROWS_AT_ONCE] for start in range(0, len(X), ROWS_AT_ONCE))
        return np.concatenate([matrix_times(self.quantiles.shares(piece), self.coef) for piece in pieces])

    def contributions(self, X: AnyArray) -> FloatArray:
        """What the quantile of each feature adds to the score of each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            The summands.
        """
        return np.asarray(self.quantiles.shares(X) * self.coef, dtype=np.float64)

    def to_state(self) -> JsonObject:
        """State all of it as plain values.

        Returns
        -------
        dict
            Weights, knots and levels.
        """
        knots, levels = ([column.tolist() for column in of] for of in (self.quantiles.knots, self.quantiles.levels))
        return {"coef": self.coef.tolist(), "knots": knots, "levels": levels}

    @classmethod
    def from_state(cls, state: object, n_features: int) -> Self:
        """Make what `to_state` stated, all of it checked.

        Parameters
        ----------
        state : object
            What a file holds.
        n_features : int
            Number of features of the model.

        Returns
        -------
        QuantileWeights
            The weights.

        Raises
        ------
        ModelFileError
            If anything is wrong with it.
        """
        coef = read_floats(state, "coef", n_features, low=-MAX_SAVED_WEIGHT, high=MAX_SAVED_WEIGHT)
        assert isinstance(state, dict)
        lists = [state.get(name) for name in ("knots", "levels")]
        if not all(isinstance(of, list) and len(of) == n_features for of in lists):
            raise ModelFileError(f"the model must have quantiles of its {n_features} features; save it again")
        columns = [_column(*of_feature) for of_feature in zip(*lists, strict=True)]
        return cls(Quantiles([line for line, _ in columns], [line for _, line in columns]), coef)


def _column(knots: object, levels: object) -> tuple[FloatArray, FloatArray]:
    """Knots and levels of a feature."""
    values = read_floats({"knots": knots}, "knots")
    shares = read_floats({"levels": levels}, "levels", values.size, low=0.0, high=1.0)
    if not 1 <= values.size <= MAX_KNOTS or (np.diff(values) <= 0.0).any() or (np.diff(shares) < 0.0).any():
        raise ModelFileError(f"quantiles of the model must be 1 to {MAX_KNOTS} rising numbers; save it again")
    return values, shares
