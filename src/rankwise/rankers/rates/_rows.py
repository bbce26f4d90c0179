"""Rows of two kinds to train on or to evaluate on, and the folds that they are split into."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

RowMatrix: TypeAlias = "AnyArray | sp.csr_matrix"  # sparse for trees alone
Split = tuple[IntArray, IntArray]  # rows to train on, rows to evaluate on


@dataclass(frozen=True, eq=False)
class Rows:
    """Features as the family takes them, whether each row is positive, and its weight."""

    X: RowMatrix
    positive: BoolArray
    weight: FloatArray

    def take(self, rows: IntArray) -> Rows:
        """Some of the rows, by number."""
        return Rows(self.X[rows], self.positive[rows], self.weight[rows])

    @cached_property
    def positive_weight(self) -> float:
        """The sum of the weights of the positives."""
        return float(self.weight[self.positive].sum())

    @property
    def log_odds(self) -> float:
        """Of a row to be positive, where nothing else is known of it."""
        negative_weight = float(self.weight.sum()) - self.positive_weight
        return float(np.log(self.positive_weight / max(negative_weight, 1e-9)))


def concatenate(first: Rows, second: Rows) -> Rows:
    """The rows of both."""
    stack: Any = sp.vstack
    X = stack([first.X, second.X], format="csr") if sp.issparse(first.X) else np.concatenate([first.X, second.X])
    return Rows(X, np.append(first.positive, second.positive), np.append(first.weight, second.weight))


def folds(positive: BoolArray, n_folds: int, seed: int) -> list[Split]:
    """Splits in which each row is evaluated once, positives spread evenly; none where a fold would have no positive.

    Not scikit-learn's StratifiedKFold, which draws other folds for a seed: models, and the figures that
    benchmarks/results record of them, would change by as much as another seed changes them.
    """
    n_folds = min(n_folds, int(np.count_nonzero(positive)), int(np.count_nonzero(~positive)))
    if n_folds < 2:
        return []
    rng, fold = np.random.default_rng(seed), np.empty(positive.size, dtype=np.int64)
    for kind in (True, False):
        rows = rng.permutation(np.flatnonzero(positive == kind))
        fold[rows] = np.arange(rows.size) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]
