"""Operating points as programs: "minimize cost subject to excess <= 0", from bounded counts alone (Eban 2017 sections 4
to 6).

A statement is plain arithmetic on `Counts`, so that arrays, tensors and complex numbers pass through it alike: the
solvers, the trees and the torch losses all read the one definition. Counts may be in any unit (rows, shares of the
positives): every excess is homogeneous in them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.types import FloatArray


@dataclass(frozen=True)
class Counts:
    """What is known of the rows at the threshold of each anchor."""

    missed: Any  # L+, the surrogate losses of the positives: |Y+| − missed <= true positives, Eban 2017 (2)
    false: Any  # L−, those of the negatives: false >= false positives, Eban 2017 (2)
    positives: Any  # |Y+|
    negatives: Any  # |Y−|
    level: Any  # what the anchor asks for: a precision, a recall, a false positive rate
    split: Any  # ψ of Eban 2017 (15), an unknown of the minimization, in the unit of the counts

    def part(self, places: slice) -> Counts:
        """The counts of some of the anchors, which are the last axis."""
        cut = (..., places)
        known = (self.missed[cut], self.false[cut], self.positives, self.negatives, self.level[cut], self.split[cut])
        return Counts(*known)


@dataclass(frozen=True)
class RateStatement(ABC):
    """An operating point at a level, or the mean of such points over levels between `low` and `high`."""

    low: float
    high: float
    anchors: int = 1

    def levels(self, share: float) -> FloatArray:
        """The middles of equal parts of the range, so strictly inside it; the range itself where it is one point."""
        return self.low + (self.high - self.low) * (np.arange(self.anchors) + 0.5) / self.anchors

    @abstractmethod
    def cost(self, c: Counts) -> Any:
        """What is minimized at each anchor."""

    @abstractmethod
    def excess(self, c: Counts) -> Any:
        """What must not be positive at each anchor."""

    @abstractmethod
    def point(self, cost: Any, level: Any) -> Any:
        """The value at an anchor that a cost per positive, with no excess, guarantees on the same rows."""

    def bound(self, costs: FloatArray, share: float) -> float:
        """The value of the metric that the costs guarantee, where `share` of the rows are positive."""
        return float(np.mean(self.point(costs, self.levels(share))))


@dataclass(frozen=True)
class RecallAtPrecisionStatement(RateStatement):
    """The most recall at a precision of at least α; AUCPR is its mean over α (Eban 2017 (12))."""

    def levels(self, share: float) -> FloatArray:
        """Precisions below the share of positives cost nothing, so anchors stand above it where the range allows."""
        start = self._start(share)
        return start + (self.high - start) * (np.arange(self.anchors) + 0.5) / self.anchors

    def _start(self, share: float) -> float:
        return max(self.low, share) if share < self.high else self.low

    def cost(self, c: Counts) -> Any:
        """L+."""
        return c.missed

    def excess(self, c: Counts) -> Any:
        """Eban 2017 (6): α/(1−α) L− + L+ − |Y+|."""
        return c.level / (1.0 - c.level) * c.false + c.missed - c.positives

    def point(self, cost: Any, level: Any) -> Any:
        """Recall."""
        return 1.0 - cost

    def bound(self, costs: FloatArray, share: float) -> float:
        """Below the first anchors' range the recall is 1."""
        free = (self._start(share) - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        return free + (1.0 - free) * super().bound(costs, share)


@dataclass(frozen=True)
class PrecisionAtRecallStatement(RateStatement):
    """The most precision at a recall of at least β."""

    def cost(self, c: Counts) -> Any:
        """L−: Eban 2017 (9)."""
        return c.false

    def excess(self, c: Counts) -> Any:
        """Eban 2017 (9): L+ − (1−β)|Y+|."""
        return c.missed - (1.0 - c.level) * c.positives

    def point(self, cost: Any, level: Any) -> Any:
        """Precision: β / (β + fp/|Y+|)."""
        return level / (level + cost)


@dataclass(frozen=True)
class TPRAtFPRStatement(RateStatement):
    """The most true positives at a false positive rate of at most φ; AUCROC is its mean over φ (Eban 2017 section
    5)."""

    def cost(self, c: Counts) -> Any:
        """L+."""
        return c.missed

    def excess(self, c: Counts) -> Any:
        """L− − φ|Y−|, over φ|Y−|/|Y+| so that multipliers have the same size for every φ."""
        return c.positives * (c.false / (c.level * c.negatives) - 1.0)

    def point(self, cost: Any, level: Any) -> Any:
        """True positive rate."""
        return 1.0 - cost


@dataclass(frozen=True)
class FBetaStatement(RateStatement):
    """The highest F_β, β being the level: least (1+β²)/F_β − 1 = (β²|Y+| + fp) / tp, with ψ in the place of tp."""

    def cost(self, c: Counts) -> Any:
        """Eban 2017 (15) in units of counts: |Y+| (β²|Y+| + L−) / ψ."""
        return c.positives * (c.level**2 * c.positives + c.false) / c.split

    def excess(self, c: Counts) -> Any:
        """Eban 2017 (15): ψ <= |Y+| − L+."""
        return c.split - (c.positives - c.missed)

    def point(self, cost: Any, level: Any) -> Any:
        """(1+β²) / (1 + cost)."""
        return (1.0 + level**2) / (1.0 + cost)
