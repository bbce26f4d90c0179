"""Cutting planes for the programs of Suehiro 2011, with steps that know how the tail bends.

Kelley's method solves a master program over the cuts so far, and makes the next cut at its solution; it takes
thousands of rounds. But the mean of a tail of many pairs is nearly a smooth function: from the best combination so far,
a step by its slope and by the curvature that pairs at the end of the tail tell (a sample does) comes close to the
optimum in about ten rounds, and the cut there bounds it. Where such a step gains nothing, because there are few
pairs or rows, one goes from the best combination towards the master's solution, and cuts just beyond where the
value stops rising (Franc and Sonnenburg 2009). The first steps are made with a larger ε, where the value is above 0.

Hypotheses are priced in each round, and enter only when the mixture of cuts says that they would gain. The value of
the best combination and the bound by the mixture of cuts enclose the optimum: their gap holds, however anything rounds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankwise.kernels.rows._simplex import ascend_simplex
from rankwise.objectives.margins._master import Master
from rankwise.objectives.margins._tails import CLOSE, Band, Tail, TailOf
from rankwise.types import FloatArray, IntArray

FIRST_COLUMNS = 512
MORE_COLUMNS = 64
EASING = 0.5  # by which ε falls from 1 to its own value, a step each
MOVED = 64  # hypotheses besides those in use that a step may take up
CLIMBS_AT_EASE = 6
CLIMBS = 2000
TRIES = 4  # shorter steps
SHORTER = 0.3
BEYOND, TIMES = 0.1, 3.0  # how far towards the master's solution a search starts, and how it goes on
OLD = 25  # rounds that an idle cut is kept
RIDGE = 1e-6
SLOW = 0.7  # share of the gap that is left after a good round
LONGEST_WAIT = 7


class Hypotheses(Protocol):
    """Functions of rows with values from −1 to 1, named by keys; as many as one likes, since few are looked at."""

    def scores(self, keys: list[Hashable], alpha: FloatArray) -> FloatArray:
        """Σ α_k h_k for every row."""
        ...

    def values(self, keys: list[Hashable], rows: IntArray) -> FloatArray:
        """Every hypothesis (by column) at some rows."""
        ...

    def memory(self, weights: FloatArray) -> FloatArray:
        """What must be kept of weights of rows to tell the edge of any hypothesis; linear in them."""
        ...

    def edges(self, memory: FloatArray, keys: list[Hashable]) -> FloatArray:
        """½ Σ_i u_i h_k(x_i) for the weights that the memory is of."""
        ...

    def best(self, memory: FloatArray, count: int) -> tuple[list[Hashable], float]:
        """Hypotheses with the largest edges, `count` or all there are, and the largest edge."""
        ...


@dataclass(eq=False)
class Cut:
    """Where a cut was made, what is kept of it, and for how many rounds it was idle."""

    keys: list[Hashable]
    alpha: FloatArray
    tail_of: TailOf
    number: int  # among the cuts of that tail
    memory: FloatArray
    nu: FloatArray | None
    idle: int = 0


@dataclass(frozen=True, eq=False)
class Progress:
    """The best combination so far: `tail.value` is the program's at it, `bound` what no combination can exceed."""

    keys: list[Hashable]
    alpha: FloatArray
    tail: Tail
    bound: float
    mixture: list[tuple[float, Cut]]  # shares of cuts, which make the bound

    @property
    def gap(self) -> float:
        """How far the optimum may lie above."""
        return self.bound - self.tail.value


def solve(hypotheses: Hypotheses, tail_of: TailOf, rows: int, start: Progress | None = None) -> Iterator[Progress]:
    """Rounds without end: the caller stops when the gap is small enough for it."""
    search = _Search(hypotheses, tail_of, rows, start)
    if start is not None or not search.ease(tail_of):
        search.look(tail_of)
    idle, before = 0, np.inf  # rounds to go without a step by curvature, since those gained nothing; the last gap
    waits = 0
    while True:
        progress = search.bounded()
        yield progress
        slow, before = progress.gap > SLOW * before, progress.gap
        if waits > 0:
            waits -= 1
        elif search.ascend():
            idle = 0
        else:
            idle = waits = min(1 + 2 * idle, LONGEST_WAIT)
        if slow or idle:
            search.descend_to_master()


class _Search:
    """The best combination so far, and the cuts."""

    def __init__(self, hypotheses: Hypotheses, tail_of: TailOf, rows: int, start: Progress | None) -> None:
        self.hypotheses, self.tail_of = hypotheses, tail_of
        self.bound = np.inf
        self.mixture: list[tuple[float, Cut]] = []
        self.cuts: list[Cut] = []
        self.master = Master()
        first = tail_of(np.zeros(rows))
        memory = hypotheses.memory(first.weights[0])
        self.keys, _ = hypotheses.best(memory, FIRST_COLUMNS)
        self.alpha = np.zeros(len(self.keys))
        self.alpha[0] = 1.0
        if start is not None:
            self.keys = start.keys + [key for key in self.keys if key not in set(start.keys)]
            self.alpha = np.append(start.alpha, np.zeros(len(self.keys) - len(start.keys)))
        self.master.add_columns(np.zeros((len(self.keys), 0)))
        self._cut(np.zeros(len(self.keys)), first)
        self.scores = hypotheses.scores(self.keys, self.alpha)

    def look(self, tail_of: TailOf, tail: Tail | None = None) -> None:
        """Judge the best combination by this program from now on."""
        self.tail_of = tail_of
        self.best = tail_of(self.scores) if tail is None else tail
        self.slope = self._cut(self.alpha, self.best)

    def ease(self, tail_of: TailOf) -> bool:
        """Climb with ε from 1 down, to less only if its value is above 0: below, all ways lead to scores of 0."""
        epsilon, least = EASING, tail_of.epsilon
        if epsilon <= least:
            return False
        self.look(tail_of.eased(epsilon))
        while epsilon > least:
            epsilon = max(least, EASING * epsilon)
            harder = tail_of.eased(epsilon) if epsilon > least else tail_of
            for _ in range(CLIMBS_AT_EASE):
                self.ascend()
                tail = harder(self.scores)
                if tail.value > 0.0:
                    break
            self.look(harder, tail)
        return True

    def bounded(self) -> Progress:
        """Solve the master, price all hypotheses against its mixture of cuts, and say where the search stands."""
        found = self.master.solve()
        memories = np.array([cut.memory for cut in self.cuts])
        mixed = found.weights @ memories
        entering, highest = self.hypotheses.best(mixed, MORE_COLUMNS)
        if highest < self.bound:
            self.bound = highest
            self.mixture = [(share, cut) for share, cut in zip(found.weights, self.cuts, strict=True) if share > 0.0]
        known = set(self.keys)
        new = [key for key in entering if key not in known]
        if new:
            self.keys = self.keys + new
            self.master.add_columns(np.array([self.hypotheses.edges(cut.memory, new) for cut in self.cuts]).T)
            self.alpha = np.append(self.alpha, np.zeros(len(new)))
            found = self.master.solve()
        self.towards = found.alpha
        self._forget(found.weights)
        return Progress(self.keys, self.alpha, self.best, self.bound, self.mixture)

    @property
    def gap(self) -> float:
        return self.bound - self.best.value

    def ascend(self) -> bool:
        """A step by slope and curvature, shorter until it gains, and a cut at its end; whether it gained."""
        slope = self.hypotheses.edges(self.slope, self.keys)
        band = self.tail_of.band(self.scores, self.best)
        if band is None:
            return False
        rest = np.where(self.alpha > 0.0, np.inf, slope)
        moved = np.sort(np.argsort(-rest, kind="stable")[: np.count_nonzero(self.alpha) + MOVED])
        bend = self._bend(band, [self.keys[k] for k in moved])
        target = self.alpha[moved]
        ascend_simplex(slope[moved] + bend @ target, bend, target, CLIMBS, 1e-2 * CLOSE)
        alpha = np.zeros_like(self.alpha)
        alpha[moved] = target / target.sum()
        change = self.hypotheses.scores(self.keys, alpha) - self.scores
        for shorter in range(TRIES):
            step = SHORTER**shorter
            tail = self.tail_of(self.scores + step * change)
            if tail.value > self.best.value:
                break
        if tail.value > self.best.value:
            self._move(alpha, step, change, tail)
            return True
        self._cut(self.alpha + step * (alpha - self.alpha), tail)
        return False

    def _bend(self, band: Band, keys: list[Hashable]) -> FloatArray:
        """Σ scale·(z − z̄)(z − z̄)ᵀ, and a little more, so that no direction is flat."""
        z = 0.5 * self.hypotheses.values(keys, band.first)
        if band.second is not None:
            z -= 0.5 * self.hypotheses.values(keys, band.second)
        for side in (0, 1):
            if (band.side == side).any():
                z[band.side == side] -= z[band.side == side].mean(axis=0)
        bend = (z * band.scale[:, None]).T @ z
        bend[np.diag_indices_from(bend)] += RIDGE * np.trace(bend) / len(bend)
        return np.asarray(bend)

    def descend_to_master(self) -> None:
        """Go towards the master's solution while the value rises; a cut just beyond."""
        change = self.hypotheses.scores(self.keys, self.towards) - self.scores
        best, at, step = self.best, 0.0, BEYOND
        while True:
            tail = self.tail_of(self.scores + step * change)
            if tail.value > best.value:
                best, at = tail, step
            if step >= 1.0 or float(tail.weights[0] @ change) <= 0.0:
                break
            step = min(1.0, TIMES * step)
        if best is not tail:
            self._cut(self.alpha + step * (self.towards - self.alpha), tail)
        if at > 0.0:
            self._move(self.towards, at, change, best)

    def _move(self, alpha: FloatArray, step: float, change: FloatArray, tail: Tail) -> None:
        self.alpha = self.alpha + step * (alpha - self.alpha)
        self.scores = self.scores + step * change
        self.best = tail
        self.slope = self._cut(self.alpha, tail)

    def _cut(self, alpha: FloatArray, tail: Tail) -> FloatArray:
        for number, weights in enumerate(tail.weights):
            memory = self.hypotheses.memory(weights)
            self.master.add_cut(self.hypotheses.edges(memory, self.keys))
            self.cuts.append(Cut(self.keys, alpha, self.tail_of, number, memory, tail.nu))
        return self.cuts[-len(tail.weights)].memory

    def _forget(self, weights: FloatArray) -> None:
        """Cuts that no mixture has used for long."""
        for cut, weight in zip(self.cuts, weights, strict=True):
            cut.idle = 0 if weight > 0.0 else cut.idle + 1
        old = [k for k, cut in enumerate(self.cuts) if cut.idle > OLD]
        if old:
            self.master.drop_cuts(old)
            gone = set(old)
            self.cuts = [cut for k, cut in enumerate(self.cuts) if k not in gone]
