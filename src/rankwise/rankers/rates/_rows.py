"""Rows to train on or to judge by, and the parts that they are divided into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.types import BoolArray, FloatArray, IntArray

Split = tuple[IntArray, IntArray]  # rows to train on, rows to judge


@dataclass(frozen=True, eq=False)
class Rows:
    """Features as the family takes them, which rows are positive, and what each weighs."""

    X: Any
    positive: BoolArray
    weight: FloatArray

    def part(self, which: IntArray) -> Rows:
        """Some of the rows."""
        return Rows(self.X[which], self.positive[which], self.weight[which])

    @property
    def positives(self) -> float:
        """Their weight."""
        return float(self.weight[self.positive].sum())


def folds(positive: BoolArray, parts: int, seed: int) -> list[Split]:
    """Each row judged once by what the others say; positives shared out evenly. No split where one would have none."""
    fewest = min(int(np.count_nonzero(positive)), int(np.count_nonzero(~positive)))
    parts = min(parts, fewest)
    if parts < 2:
        return []
    rng, part = np.random.default_rng(seed), np.empty(positive.size, dtype=np.int64)
    for kind in (True, False):
        mine = rng.permutation(np.flatnonzero(positive == kind))
        part[mine] = np.arange(mine.size) % parts
    return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(parts)]
