"""What training and certifying ask of a metric that is read off the ROC or the precision-recall curve."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.errors import MetricError
from rankwise.metrics._base import Metric
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.metrics.catalogue._curve import CurveMetric

Rate = Literal["precision", "recall", "fpr"]
GAINS: dict[str, Literal["precision", "recall"]] = {"precision": "recall", "recall": "precision", "fpr": "recall"}


@dataclass(frozen=True)
class Demand:
    """The rate that must hold, and the one to maximize: recall (here also called TPR) or precision."""

    rate: Rate
    target: float
    gain: Literal["precision", "recall"]

    @property
    def level(self) -> float:
        """The lowest share of hits, see `ThresholdCounts.trials`."""
        return 1.0 - self.target if self.rate == "fpr" else self.target


@dataclass(frozen=True)
class RateMetric(Metric):
    """A metric of rates: one is held at a level, or at all levels of a range, while another is maximized."""

    held: ClassVar[Rate | Literal["beta"] | None] = None  # None: neither trained for nor certified

    @abstractmethod
    def levels(self) -> tuple[float, float]:
        """Return the lowest and the highest level at which the rate is held.

        Returns
        -------
        tuple of float
            The lowest and the highest level at which the rate is held.
        """

    @abstractmethod
    def operating_points(self, anchors: int) -> Sequence[CurveMetric]:
        """Return the points of a curve whose mean tells what the metric tells, with less noise if it is one point.

        Parameters
        ----------
        anchors : int
            How many points an area is averaged over; a metric of one level takes no notice.

        Returns
        -------
        list of CurveMetric
            The points.
        """

    @abstractmethod
    def value_of_counts(self, hits: FloatArray, cuts: FloatArray) -> float:
        """Return the value where rows have weights, from the weight of the positives and of all rows at each cut.

        A cut is after the last of equal scores.

        Parameters
        ----------
        hits : ndarray of shape (n_cuts,)
            Weight of the relevant documents down to each cut.
        cuts : ndarray of shape (n_cuts,)
            Weight of all documents down to each cut; the last is the whole list.

        Returns
        -------
        float
            The value.
        """

    def hit_gains(self, tp: FloatArray, fp: FloatArray, positives: float, prices: FloatArray) -> FloatArray:
        """Return what a true positive gains at each operating point, where a false one costs `prices` of them.

        Parameters
        ----------
        tp, fp : ndarray of shape (n_points,)
            True and false positives at each operating point.
        positives : float
            How many positives there are.
        prices : ndarray of shape (n_points,)
            What a false positive costs, in true positives.

        Returns
        -------
        ndarray of shape (n_points,)
            The gain of a true positive.
        """
        return np.ones(prices.size)

    def demand(self) -> Demand | None:
        """Return the rate that a threshold must keep.

        Returns
        -------
        Demand or None
            The rate and its target; None if the metric asks for none.
        """
        low, high = self.levels()
        if self.held is None or self.held == "beta" or low < high:
            return None
        return Demand(self.held, high, GAINS[self.held])


@dataclass(frozen=True)
class AreaMetric(RateMetric):
    """The mean of points of a curve over all levels of a rate, or over a range of them."""

    anchor: ClassVar[type[CurveMetric]]

    @inherit_sections(RateMetric.levels)
    def levels(self) -> tuple[float, float]:
        """Return the whole range of a rate."""
        return 0.0, 1.0

    @inherit_sections(RateMetric.operating_points)
    def operating_points(self, anchors: int) -> Sequence[CurveMetric]:
        """Return points all along the range, in the middles of equal parts."""
        low, high = self.levels()
        middles = low + (high - low) * (np.arange(anchors) + 0.5) / anchors
        return [self.anchor(*[level]) for level in middles.tolist()]


@dataclass(frozen=True)
class PartialArea(AreaMetric):
    """An area under a curve between two rates, over their distance."""

    ranks_everything: ClassVar[bool] = True
    thresholds: ClassVar[bool] = True
    low: float
    high: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.low < self.high <= 1.0:
            raise MetricError(f"{self.name} needs 0 <= low < high <= 1, got [{self.low:g},{self.high:g}]")

    @inherit_sections(RateMetric.levels)
    def levels(self) -> tuple[float, float]:
        """Return the two rates."""
        return self.low, self.high
