"""Judge a sum of stumps while it grows, a stump at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rankwise.metrics import Metric
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers.pairs.stumps._columns import canonical, sides


class GrowingScores:
    """Scores of dense or CSR rows."""

    def __init__(self, X: Any) -> None:
        self._X = canonical(X).tocsc() if sp.issparse(X) else X
        self.scores = np.zeros(X.shape[0])

    def add(self, feature: int, threshold: float, value: float) -> None:
        """Add value·h of a stump."""
        X = self._X
        if isinstance(X, np.ndarray):
            h = sides(X[:, feature], threshold)
        else:
            stored = slice(X.indptr[feature], X.indptr[feature + 1])
            h = sides(X.data[stored], threshold, X.indices[stored], X.shape[0])
        self.scores += value * h


class Watch:
    """The metric of each judged set after each round, and the round that is best on the first of them."""

    def __init__(self, metric: Metric, judged: list[EvalSet], patience: int | None) -> None:
        self._metric, self._judged, self._patience = metric, judged, patience
        self._growing = [GrowingScores(rows.X) for rows in judged]
        self.round, self.best_round = 0, 0
        self.values: list[float] = []
        self.best: list[float] = []

    def add(self, feature: int, threshold: float, value: float) -> None:
        """Judge the sum with one more stump; without a set to be judged on, or without patience, the last is best."""
        self.round += 1
        for growing in self._growing:
            growing.add(feature, threshold, value)
        self.judge()

    def judge(self) -> None:
        """Judge the sum as it is."""
        sets = zip(self._judged, self._growing, strict=True)
        self.values = [rows.value(self._metric, growing.scores) for rows, growing in sets]
        if not self.best or self._patience is None or self.values[0] > self.best[0]:
            self.best, self.best_round = self.values, self.round

    @property
    def is_over(self) -> bool:
        """Whether nothing better came for too long."""
        return bool(self._judged) and self._patience is not None and self.round - self.best_round >= self._patience
