"""Features as their quantiles: the share of rows below a value, which no outlier and no skew stretches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels.rows._quantiles import fill_shares
from rankwise.types import AnyArray, FloatArray

MAX_KNOTS = 127  # per feature; more made no model better
MAX_ROWS = 1 << 18  # among which knots are sought
ROWS_AT_ONCE = 1 << 14  # per thread


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Of each feature up to 127 values, the knots, and the share of rows below each.

    Half of the rows at a value count as below it. Between two knots the share goes in a straight line, and beyond the
    outermost it stays as it is.

    >>> quantiles = Quantiles.of(np.array([[0.0], [1.0], [1.0], [5.0]]))
    >>> quantiles.shares(np.array([[-1.0], [1.0], [3.0]])).ravel()
    array([0.125 , 0.5   , 0.6875])
    """

    knots: Sequence[FloatArray]
    levels: Sequence[FloatArray]

    @classmethod
    def of(cls, X: AnyArray, weight: FloatArray | None = None) -> Quantiles:
        """Those of these rows, by their weights; where rows are very many, some of them, evenly spaced, tell."""
        step = -(-len(X) // MAX_ROWS)
        rows, mass = X[::step], None if weight is None else weight[::step]
        columns = [_knots(rows[:, column], mass) for column in range(X.shape[1])]
        return cls([knots for knots, _ in columns], [levels for _, levels in columns])

    def shares(self, X: AnyArray) -> FloatArray:
        """The share of rows below each entry of X."""
        X, out = np.ascontiguousarray(X), np.empty(X.shape)
        pieces = [(low, min(low + ROWS_AT_ONCE, len(X))) for low in range(0, len(X), ROWS_AT_ONCE)]
        threads.run([partial(fill_shares, X, *self._pieces, low, high, out) for low, high in pieces])
        return out

    def beside(self, X: AnyArray) -> AnyArray:
        """The features, and then their shares, in the type of X."""
        return np.hstack([X, self.shares(X).astype(X.dtype, copy=False)])

    @cached_property
    def _pieces(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Start, level and slope of each piece: one below all knots, and one from each knot on."""
        starts, levels, slopes = np.zeros((3, len(self.knots), MAX_KNOTS + 1))
        starts += np.inf
        for column, (knots, shares) in enumerate(zip(self.knots, self.levels, strict=True)):
            starts[column, : knots.size + 1] = [knots[0], *knots]
            levels[column, : knots.size + 1] = [shares[0], *shares]
            with np.errstate(over="ignore"):  # knots next to each other, and knots at both ends of all numbers
                rises = np.diff(shares) / np.diff(knots)
            slopes[column, 1 : knots.size] = np.where(np.isfinite(rises), rises, 0.0)
        return starts, levels, slopes


def _knots(values: AnyArray, weight: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Values that leave as much mass between each other as ties allow, and the share of the mass below each."""
    if weight is None:
        values, mass = np.sort(values), np.arange(values.size + 1, dtype=np.float64)
    else:
        order = np.argsort(values, kind="stable")
        values, mass = values[order], np.append(0.0, np.cumsum(weight[order]))
    targets = np.linspace(0.0, mass[-1], MAX_KNOTS)
    knots = np.unique(values[np.searchsorted(mass[1:], targets).clip(max=values.size - 1)])
    first, last = (np.searchsorted(values, knots, side=side) for side in ("left", "right"))
    return knots.astype(np.float64), (mass[first] + mass[last]) / (2.0 * mass[-1])
