"""Candidates on folds, within a budget: what would not end in time, or cannot win any more, is dropped and said so."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.metrics import Metric
from rankwise.metrics.comparison._statistics import format_p_value, linearized, paired_t
from rankwise.rankers._checkpoint import Checkpoint
from rankwise.selection._fold_fits import fit_fold
from rankwise.selection._folds import Folds
from rankwise.selection._portfolio import family_of
from rankwise.selection._rows import Callback, Rows
from rankwise.selection._search_state import SearchState, seconds_of
from rankwise.selection._stopwatch import Stopwatch
from rankwise.types import FloatArray

log = logging.getLogger(__name__)

MAX_MEMBERS = 3  # of a blend, each of another family
RACE_P = 0.01  # below which a candidate behind the best of its family is given up


class OutOfTimeError(Exception):
    """Ends a fit that the budget has no more time for."""


@dataclass(eq=False)
class Search:
    """All that decides which candidates are fitted, and how far that has come."""

    candidates: dict[str, Any]
    rows: Rows
    folds: Folds
    metric: Metric
    budget: float | None
    max_fits: int | None
    state: SearchState
    checkpoint: Checkpoint[SearchState]

    def run(self, report: Callable[[SearchState], object]) -> bool:
        """Fit candidate after candidate; whether Ctrl-C ended it early."""
        self.watch = Stopwatch(spent=sum(fit.seconds for fits in self.state.fits.values() for fit in fits))
        try:
            with self.watch:
                for name in self.candidates:
                    if name not in self.state.dropped:
                        self._fit(name, report)
        except KeyboardInterrupt:
            self.checkpoint.write(self.state)
            for name in list(self.state.fits):
                if len(self.state.fits[name]) < self.folds.count:
                    self.state.dropped.setdefault(name, "stopped by Ctrl-C")
            if not self.state.finished:
                raise
            log.warning("the search was interrupted; the best so far is kept")
            return True
        return False

    def _fit(self, name: str, report: Callable[[SearchState], object]) -> None:
        """The folds of a candidate that are not done yet, unless it is dropped."""
        fits = self.state.fits.setdefault(name, [])
        while len(fits) < self.folds.count:
            reason = self._over_budget(name) or self._hopeless(name)
            if reason:
                self.state.dropped[name] = reason
                return
            try:
                fit = fit_fold(
                    self.candidates[name], self.rows, self.folds, len(fits), self.metric, self._deadline(name)
                )
            except OutOfTimeError:
                self.state.dropped[name] = f"left out: a fit took more than what was left of {self.budget:g} s"
                return
            except RankwiseError as problem:
                self.state.dropped[name] = f"not possible: {problem}"
                return
            if fit.interrupted:
                raise KeyboardInterrupt
            if not np.isfinite(fit.scores).all():
                self.state.dropped[name] = "not possible: its scores are not finite"
                return
            fits.append(fit)
            if self.checkpoint.is_due():
                self.checkpoint.write(self.state)
            report(self.state)

    def _refits(self, name: str) -> dict[str, float]:
        """Seconds of a fit to all rows, by family, the longest of its finished candidates and of this one."""
        longest: dict[str, float] = {}
        for finished in {*self.state.finished, name}:
            family, seconds = family_of(self.candidates[finished]), seconds_of(self.state.fits[finished])
            longest[family] = max(longest.get(family, 0.0), seconds * self.folds.count / (self.folds.count - 1))
        return dict(sorted(longest.items(), key=lambda entry: -entry[1])[:MAX_MEMBERS])

    def _over_budget(self, name: str) -> str:
        """Why the rest of a candidate does not fit into the budget; empty if it does."""
        if not any(other != name for other in self.state.finished):
            return ""  # something must be fitted
        fits, refits = self.state.fits[name], self._refits(name)
        missing = self.folds.count - len(fits)
        if self.max_fits is not None and self.state.count + missing + len(refits) > self.max_fits:
            return f"left out: {missing} more fits and {len(refits)} to all rows would be more than {self.max_fits}"
        if self.budget is not None:
            family = family_of(self.candidates[name])
            alike = [
                seconds_of(self.state.fits[other])
                for other in self.state.fits
                if family_of(self.candidates[other]) == family
            ]
            expected = missing * (seconds_of(fits) or max(alike)) + sum(refits.values())
            left = self.budget - self.watch.seconds
            if left < expected:
                return f"left out: it would take {expected:.1f} s of {max(left, 0.0):.1f} s left"
        return ""

    def _deadline(self, name: str) -> Sequence[Callback]:
        """What ends a fit that would leave no time for fitting to all rows."""
        if self.budget is None or not any(other != name for other in self.state.finished):
            return ()
        ends = self.budget - sum(self._refits(name).values())

        def check(number: int, values: dict[str, float]) -> None:
            if self.watch.seconds > ends:
                raise OutOfTimeError

        return (check,)

    def _hopeless(self, name: str) -> str:
        """Why more folds of a candidate are not worth it: it is surely behind the best of its family; else empty."""
        done = len(self.state.fits[name])
        family = family_of(self.candidates[name])
        rivals = [
            other
            for other in self.state.finished
            if other != name
            and family_of(self.candidates[other]) == family
            and len(self.state.fits[other]) == self.folds.count
        ]
        if done < 2 or not rivals or self.folds.one_list:
            return ""
        values = {other: self._values(other, range(done)) for other in [*rivals, name]}
        best = max(rivals, key=lambda other: float(np.mean(values[other])))
        behind = float(np.mean(values[best]) - np.mean(values[name]))
        p = paired_t(values[best], values[name])
        if behind > 0 and p < RACE_P:
            return f"given up after {done} folds: {behind:.4f} behind {best} (p {format_p_value(p)})"
        return ""

    def _values(self, name: str, of: Sequence[int]) -> FloatArray:
        """Values of the queries of some folds, whose mean is that of the metric."""
        evaluation = self.folds.evaluate(self.rows, self.state.scores(name, self.folds), self.metric, of=of)
        values, weight = evaluation.per_query[str(self.metric)], evaluation.query_weight
        counted = ~np.isnan(values)
        return linearized(values[counted], None if weight is None else weight[counted])
