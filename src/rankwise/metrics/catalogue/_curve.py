"""Metrics that read a point off the ROC or precision-recall curve: recall at a precision, F-beta, …

    value = max over cuts k of _point(tp_k, k)

where tp_k relevant documents stand among the first k of a list with m relevant and n irrelevant ones, and
`_point` is 0 where the cut does not meet the condition. A subclass states `_point`; the rest follows: a
threshold cannot fall between equal scores, so only cuts at the end of a run count, and exchanging ranks
i < j changes tp_k by one for i ≤ k < j and nowhere else.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import ClassVar, Self, TypeAlias

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.errors import MetricError
from rankwise.kernels import _metric_loops as loops
from rankwise.kernels._compile import compiled_hooks, specialize
from rankwise.metrics._base import QueryLoop
from rankwise.metrics._fields import number
from rankwise.metrics.catalogue._rates import RateMetric
from rankwise.types import FloatArray, IntArray

CutCounts: TypeAlias = FloatArray | IntArray  # documents down to each cut of a list


@dataclass(frozen=True)
class CurveMetric(RateMetric):
    """A metric that is the best point of the ROC or precision-recall curve; subclasses have one field, its level.

    Notes
    -----
    A subclass states `_point`, what a cut of the list is worth; the value is the maximum over cuts. Equal scores are
    one threshold, and swaps follow.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from rankwise.metrics import CurveMetric, compiled
    >>> @dataclass(frozen=True)
    ... class Lift(CurveMetric, register=False):
    ...     name = "lift@r="
    ...     recall: float
    ...     @compiled
    ...     def _point(self, hits, cut, relevant, irrelevant):
    ...         return hits / cut / (relevant / (relevant + irrelevant)) * (hits / relevant >= self.recall)
    >>> Lift(0.5).value([1, 0, 0, 0])
    4.0
    """

    needs: ClassVar[str] = "a relevant document"
    ranks_everything: ClassVar[bool] = True
    thresholds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self._level)

    @property
    def _level(self) -> float:
        (field,) = fields(self)
        return float(getattr(self, field.name))

    def _check(self, level: float) -> None:
        """Refuse a level that makes no sense; by default a rate above 0 and at most 1."""
        if not 0.0 < level <= 1.0:
            raise MetricError(f"the level of {self} must be above 0 and at most 1, got {level:g}")

    @abstractmethod
    def _point(self, hits: CutCounts, cut: CutCounts, relevant: float, irrelevant: float) -> FloatArray:
        """What cuts of the list are worth; written for numbers and arrays alike, and marked `@compiled`."""

    def point(self, hits: CutCounts, cut: CutCounts, relevant: float, irrelevant: float) -> FloatArray:
        """Return what cuts of a list are worth.

        Parameters
        ----------
        hits : ndarray
            Relevant documents down to each cut.
        cut : ndarray
            Documents down to each cut.
        relevant, irrelevant : float
            How many of each there are.

        Returns
        -------
        ndarray
            The value at each cut; 0 where the condition is not met.
        """
        return self._point(hits, cut, relevant, irrelevant)

    def values_of_counts(self, hits: FloatArray, cuts: FloatArray) -> FloatArray:
        """Return what cuts are worth where rows have weights.

        Parameters
        ----------
        hits : ndarray of shape (..., n_cuts)
            Weight of the relevant documents down to each cut.
        cuts : ndarray of shape (..., n_cuts)
            Weight of all documents down to each cut; the last is the whole list.

        Returns
        -------
        ndarray of shape (..., n_cuts)
            The value at each cut; 0 where the condition is not met, or nothing has been counted yet.
        """
        relevant, irrelevant = hits[..., -1:], cuts[..., -1:] - hits[..., -1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            # Totals in a column: those of many weights differ, and a point is arithmetic on arrays as on numbers.
            values = self.point(hits, np.maximum(cuts, 1e-300), relevant, irrelevant)  # type: ignore[arg-type]
        return np.nan_to_num(values)

    @inherit_sections(RateMetric.value_of_counts)
    def value_of_counts(self, hits: FloatArray, cuts: FloatArray) -> float:
        """Return the best of the cuts where rows have weights."""
        return float(self.values_of_counts(hits, cuts).max())

    @inherit_sections(RateMetric.levels)
    def levels(self) -> tuple[float, float]:
        """Return the one level, twice."""
        return self._level, self._level

    @inherit_sections(RateMetric.operating_points)
    def operating_points(self, anchors: int) -> Sequence[CurveMetric]:
        """Return the metric itself, with an easier and a harder level beside its own."""
        return [type(self)(*[level]) for level in self._near_levels()]

    def _near_levels(self) -> tuple[float, ...]:
        """Levels whose mean value is less noisy than that of the one level."""
        room = min(self._level, 1.0 - self._level)
        return tuple(dict.fromkeys(round(self._level + step * room, 12) for step in (0.4, 0.0, -0.5)))

    def _points(self, ranked: FloatArray, ideal: FloatArray, more: int = 0) -> FloatArray:
        """`_point` at each cut from 1 on, with `more` further hits."""
        relevant = np.float64(np.sum(ideal > 0))  # numpy's numbers divide by zero as compiled code does: NaN
        cuts = np.arange(1, len(ranked) + 1)
        worth = self._point(np.cumsum(ranked > 0) + more, cuts, relevant, len(ideal) - relevant)
        return np.asarray(worth, dtype=np.float64)

    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """The best cut anywhere."""
        return self._tied_value(ranked, np.arange(len(ranked) + 1), ideal)

    def _tied_value(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> float:
        """The best cut at the end of a run."""
        if not np.any(ideal > 0):
            return float("nan")
        points = self._points(ranked, ideal)[runs[1:] - 1] if len(ranked) else np.zeros(0)
        return float(np.max(points, initial=0.0))

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """The best of: cuts above both ranks and below both, as they were; cuts between, with one hit more or less."""
        now = self._points(ranked, ideal)
        best_until = np.maximum.accumulate(np.concatenate(([0.0], now)))
        best_from = np.append(np.maximum.accumulate(now[::-1])[::-1], 0.0)
        relevant = ranked > 0
        top, low = np.broadcast_arrays(np.minimum(i, j), np.maximum(i, j))
        delta = np.zeros(top.shape)
        for at in np.ndindex(top.shape):
            a, b = top[at], low[at]
            if relevant[a] != relevant[b]:
                between = self._points(ranked, ideal, 1 if relevant[b] else -1)[a:b]
                delta[at] = max(best_until[a], between.max(), best_from[b]) - best_until[-1]
        return delta

    def query_loop(self) -> QueryLoop | None:
        """Compile `_point` into a loop over queries.

        Returns
        -------
        QueryLoop or None
            None if `_point` is plain Python.
        """
        hooks = compiled_hooks(type(self), "point")
        if hooks is None:
            return None
        return QueryLoop(partial(specialize(loops.evaluate_curve, **hooks), self.record()), True)

    def __str__(self) -> str:
        return self.name + number(self._level)

    @classmethod
    def _from_text(cls, text: str) -> Self | None:
        """The name followed by the level: `r@p=0.95`, `f1`."""
        match = re.fullmatch(re.escape(cls.name) + r"(\d+(?:\.\d+)?|\.\d+)", text)
        return cls(*[float(match[1])]) if match else None
