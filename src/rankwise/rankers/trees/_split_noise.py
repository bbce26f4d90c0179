"""Noise in the choice of splits: a tree is grown on noisy gradients, and its leaves take the values of the true ones.

With few rows the best split is often the luckiest one. Noise as large as the gradients lets splits that are nearly as
good win as often; since the values of the leaves come from the true gradients, the noise costs no step. It averages
out as rows grow. CatBoost's `random_strength` and stochastic gradient Langevin boosting (Ustimenko & Prokhorenkova
2021) are relatives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rankwise.data._row_hashes import RowHashes, bell_hashes
from rankwise.rankers.trees._streaming import Float32Array
from rankwise.types import FloatArray, IntArray

LARGEST_DRAW = 2.0 * 3.0**0.5  # of `bell_hashes`, in size
SUM_STEPS = 2.0**20  # per unit of a gradient: whole numbers add up to the same in any order and on any machines
SAME_VALUE = 1e-10  # leaves whose values are no further apart than this cannot be told apart by scores


class GradientSize(NamedTuple):
    """How large the gradients of a round are, over the rows of one machine or of all."""

    gradient: float  # the largest, in size
    hessian: float  # the largest
    sizes: int = 0  # the sum of the gradients' sizes in steps of 1/SUM_STEPS; 0 where there is no noise
    rows: int = 0  # that have a gradient

    @classmethod
    def of_all(cls, machines: Iterable[GradientSize]) -> GradientSize:
        """Of the rows of all machines."""
        gradients, hessians, sizes, rows = zip(*machines, strict=True)
        return cls(max(gradients), max(hessians), sum(sizes), sum(rows))

    @property
    def mean(self) -> float:
        """The mean size of a gradient."""
        return self.sizes / SUM_STEPS / max(self.rows, 1)


class SplitNoise:
    """Draws noise for the gradients of a round, in units of their mean size, by what stands in the rows."""

    def __init__(self, strength: float, keys: RowHashes, seed: int) -> None:
        self.strength, self.keys, self.seed = strength, keys, seed

    def largest(self, size: GradientSize) -> float:
        """What no noisy gradient exceeds."""
        return size.gradient + LARGEST_DRAW * self.strength * size.mean

    def add(self, gradient: Float32Array, hessian: Float32Array, size: GradientSize, number: int) -> FloatArray:
        """Gradients of round `number` with noise, where rows have a Hessian: others are not learned from."""
        noise = bell_hashes(self.keys, round_seed(self.seed, number))
        noise *= self.strength * size.mean
        noise[hessian == 0.0] = 0.0
        noise += gradient
        return noise


class LeafRows:
    """Which rows fell into which leaf of a tree, as the changes of their scores tell.

    `values` are those of the leaves; leaves of the same value count as one.
    """

    def __init__(self, values: FloatArray) -> None:
        order = np.argsort(values)
        rising = values[order]
        starts = np.append(True, np.diff(rising) > SAME_VALUE)
        self.place_of_leaf = np.empty(values.size, dtype=np.int64)
        self.place_of_leaf[order] = np.cumsum(starts) - 1
        ends = np.append(starts[1:], True)
        self.bounds = (rising[ends][:-1] + rising[starts][1:]) / 2.0
        self.n_places = self.bounds.size + 1

    def places(self, before: FloatArray, after: FloatArray) -> IntArray:
        """The place of each row's leaf among the different values, rising."""
        return np.searchsorted(self.bounds, after - before)

    def sums(self, places: IntArray, gradient: Float32Array, hessian: Float32Array) -> FloatArray:
        """Sums of gradients and of Hessians in each place, exact since both are on a grid."""
        return np.array([np.bincount(places, numbers, self.n_places) for numbers in (gradient, hessian)])


def round_seed(seed: int, number: int) -> int:
    """What is drawn in a round follows from this."""
    return int(np.random.default_rng([seed, number]).integers(2**62))


def sum_of_sizes(gradient: FloatArray) -> int:
    """Σ |gradient| in whole steps, so that the order in which rows are added does not matter."""
    return int(np.rint(np.abs(gradient) * SUM_STEPS).astype(np.int64).sum())
