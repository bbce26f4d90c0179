"""Operating points as programs: "minimize cost subject to excess <= 0", from bounded counts alone (Eban 2017 sections 4
to 6).

A statement is plain arithmetic on `RateCounts`, so that arrays of real and of complex numbers pass through it alike:
the solvers and the torch losses read the one definition. Counts may be in any unit (rows, shares of the positives):
every excess is homogeneous in them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from rankwise.errors import MetricError
from rankwise.types import AnyArray, FloatArray


@dataclass(frozen=True)
class RateCounts:
    """What is known of the rows at the threshold of each anchor."""

    missed: AnyArray  # L+, the surrogate losses of the positives: |Y+| − missed <= true positives, Eban 2017 (2)
    false: AnyArray  # L−, those of the negatives: false >= false positives, Eban 2017 (2)
    positives: AnyArray | float  # |Y+|
    negatives: AnyArray | float  # |Y−|
    level: AnyArray  # what the anchor asks for: a precision, a recall, a false positive rate
    split: AnyArray  # ψ of Eban 2017 (15), an unknown of the minimization, in the unit of the counts

    def at_anchors(self, anchors: slice) -> RateCounts:
        """The counts of some of the anchors, which are the last axis."""
        missed, false, level, split = (a[..., anchors] for a in (self.missed, self.false, self.level, self.split))
        return RateCounts(missed, false, self.positives, self.negatives, level, split)


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
    def cost(self, c: RateCounts) -> AnyArray:
        """What is minimized at each anchor."""

    @abstractmethod
    def excess(self, c: RateCounts) -> AnyArray:
        """What must not be positive at each anchor."""

    @abstractmethod
    def point(self, cost: FloatArray, level: FloatArray) -> FloatArray:
        """The value at an anchor that a cost per positive, with no excess, guarantees on the same rows."""

    def bound(self, costs: FloatArray, share: float) -> float:
        """The value of the metric that the costs guarantee, where `share` of the rows are positive."""
        return float(np.mean(self.point(costs, self.levels(share))))


@dataclass(frozen=True)
class RecallAtPrecisionStatement(RateStatement):
    """The most recall at a precision of at least α; AUCPR is its mean over α (Eban 2017 (12))."""

    def __post_init__(self) -> None:
        if self.low == 1.0:
            raise MetricError(
                "a precision of 1 has no rate objective, got r@p=1: no price of a false positive is high enough; "
                "ask for a little less, such as r@p=0.99"
            )

    def levels(self, share: float) -> FloatArray:
        """Precisions below the share of positives cost nothing, so anchors stand above it where the range allows."""
        start = self._start(share)
        return start + (self.high - start) * (np.arange(self.anchors) + 0.5) / self.anchors

    def _start(self, share: float) -> float:
        return max(self.low, share) if share < self.high else self.low

    def cost(self, c: RateCounts) -> AnyArray:
        """L+."""
        return c.missed

    def excess(self, c: RateCounts) -> AnyArray:
        """Eban 2017 (6): α/(1−α) L− + L+ − |Y+|."""
        return c.level / (1.0 - c.level) * c.false + c.missed - c.positives

    def point(self, cost: FloatArray, level: FloatArray) -> FloatArray:
        """Recall."""
        return 1.0 - cost

    def bound(self, costs: FloatArray, share: float) -> float:
        """Below the first anchors' range the recall is 1."""
        free = (self._start(share) - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        return free + (1.0 - free) * super().bound(costs, share)


@dataclass(frozen=True)
class PrecisionAtRecallStatement(RateStatement):
    """The most precision at a recall of at least β."""

    def cost(self, c: RateCounts) -> AnyArray:
        """L−: Eban 2017 (9)."""
        return c.false

    def excess(self, c: RateCounts) -> AnyArray:
        """Eban 2017 (9): L+ − (1−β)|Y+|."""
        return c.missed - (1.0 - c.level) * c.positives

    def point(self, cost: FloatArray, level: FloatArray) -> FloatArray:
        """Precision: β / (β + fp/|Y+|)."""
        return level / (level + cost)


@dataclass(frozen=True)
class TPRAtFPRStatement(RateStatement):
    """The most true positives at a false positive rate of at most φ; AUC is its mean over φ (Eban 2017 section 5)."""

    def __post_init__(self) -> None:
        if self.high == 0.0:
            raise MetricError(
                "a false positive rate of 0 has no rate objective, got tpr@fpr=0: a bound of the false positives is "
                "above 0; allow some, such as tpr@fpr=0.001"
            )

    def cost(self, c: RateCounts) -> AnyArray:
        """L+."""
        return c.missed

    def excess(self, c: RateCounts) -> AnyArray:
        """L− − φ|Y−|, over φ|Y−|/|Y+| so that multipliers have the same size for every φ."""
        return c.positives * (c.false / (c.level * c.negatives) - 1.0)

    def point(self, cost: FloatArray, level: FloatArray) -> FloatArray:
        """True positive rate."""
        return 1.0 - cost


@dataclass(frozen=True)
class FBetaStatement(RateStatement):
    """The highest F_β, β being the level: least (1+β²)/F_β − 1 = (β²|Y+| + fp) / tp, with ψ in the place of tp."""

    def cost(self, c: RateCounts) -> AnyArray:
        """Eban 2017 (15) in units of counts: |Y+| (β²|Y+| + L−) / ψ."""
        return c.positives * (c.level**2 * c.positives + c.false) / c.split

    def excess(self, c: RateCounts) -> AnyArray:
        """Eban 2017 (15): ψ <= |Y+| − L+."""
        return c.split - (c.positives - c.missed)

    def point(self, cost: FloatArray, level: FloatArray) -> FloatArray:
        """(1+β²) / (1 + cost)."""
        return (1.0 + level**2) / (1.0 + cost)


# By the rate that a metric holds.
STATEMENTS: dict[str, type[RateStatement]] = {
    "precision": RecallAtPrecisionStatement,
    "recall": PrecisionAtRecallStatement,
    "fpr": TPRAtFPRStatement,
    "beta": FBetaStatement,
}
