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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankwise.kernels.rows._simplex import ascend_simplex
from rankwise.objectives.margins._master import Master
from rankwise.objectives.margins._tails import CLOSE, Band, MarginProgram, Tail
from rankwise.types import FloatArray, IntArray

FIRST_HYPOTHESES = 512
MORE_HYPOTHESES = 64  # that may enter per round
EPSILON_FACTOR = 0.5  # by which ε falls from 1 to its own value, a step each
EASED_ASCENTS = 6  # per larger ε
MOVED_HYPOTHESES = 64  # besides those in use, that a step may take up
SIMPLEX_STEPS = 2000
MAX_STEP_TRIALS = 4
STEP_FACTOR = 0.3  # of a shorter step
FIRST_SHARE, SHARE_FACTOR = 0.1, 3.0  # of the way to the master's solution: where a search starts, and how it goes on
MAX_IDLE_ROUNDS = 25  # for which a cut is kept
RIDGE = 1e-6
SLOW_GAP_SHARE = 0.7  # of the gap that is left after a good round
MAX_WAIT_ROUNDS = 7

StumpKey = tuple[int, float, int]  # feature, threshold and sign
Key = int | StumpKey
Keys = list[Key]


class Hypotheses(Protocol):
    """Functions of rows with values from −1 to 1, named by keys; as many as one likes, since few are looked at."""

    def scores(self, keys: Keys, alpha: FloatArray) -> FloatArray:
        """Σ α_k h_k for every row."""
        ...

    def values(self, keys: Keys, rows: IntArray) -> FloatArray:
        """Every hypothesis (by column) at some rows."""
        ...

    def pricing(self, weights: FloatArray) -> FloatArray:
        """What is needed of weights of rows to compute the edge of any hypothesis; linear in them."""
        ...

    def edges(self, pricing: FloatArray, keys: Keys) -> FloatArray:
        """½ Σ_i u_i h_k(x_i) for the weights that the pricing is of."""
        ...

    def best(self, pricing: FloatArray, count: int) -> tuple[Keys, float]:
        """Hypotheses with the largest edges, `count` or all there are, and the largest edge."""
        ...

    def opposite(self, key: Key) -> Key | None:
        """The negative of a hypothesis; None where it has none."""
        ...


@dataclass(eq=False)
class Cut:
    """Where a cut was made, what is kept of it, and for how many rounds it was idle."""

    keys: Keys
    alpha: FloatArray
    program: MarginProgram
    number: int  # among the cuts of that tail
    pricing: FloatArray
    nu: FloatArray | None
    idle: int = 0


@dataclass(frozen=True, eq=False)
class Progress:
    """The best combination so far: `tail.value` is the program's at it, `bound` what no combination can exceed."""

    keys: Keys
    alpha: FloatArray
    tail: Tail
    bound: float
    mixture: list[tuple[float, Cut]]  # shares of cuts, which make the bound

    @property
    def gap(self) -> float:
        """How far the optimum may lie above."""
        return self.bound - self.tail.value


def solve(
    hypotheses: Hypotheses, program: MarginProgram, rows: int, start: Progress | None = None
) -> Iterator[Progress]:
    """Rounds without end: the caller stops when the gap is small enough for it."""
    search = _Search(hypotheses, program, rows, start)
    if start is not None or not search.start_eased(program):
        search.use_program(program)
    idle, before = 0, np.inf  # rounds to go without a step by curvature, since those gained nothing; the last gap
    waits = 0
    while True:
        progress = search.solve_master()
        yield progress
        slow, before = progress.gap > SLOW_GAP_SHARE * before, progress.gap
        if waits > 0:
            waits -= 1
        elif search.ascend():
            idle = 0
        else:
            idle = waits = min(1 + 2 * idle, MAX_WAIT_ROUNDS)
        if slow or idle:
            search.move_to_master()


class _Search:
    """The best combination so far, and the cuts."""

    def __init__(self, hypotheses: Hypotheses, program: MarginProgram, rows: int, start: Progress | None) -> None:
        self.hypotheses, self.program = hypotheses, program
        self.bound = np.inf
        self.mixture: list[tuple[float, Cut]] = []
        self.cuts: list[Cut] = []
        self.master = Master()
        first = program(np.zeros(rows))
        self.keys, _ = hypotheses.best(hypotheses.pricing(first.weights[0]), FIRST_HYPOTHESES)
        self.alpha = np.zeros(len(self.keys))
        self.alpha[0] = 1.0
        if start is not None:
            self.keys = start.keys + [key for key in self.keys if key not in set(start.keys)]
            self.alpha = np.append(start.alpha, np.zeros(len(self.keys) - len(start.keys)))
        self.master.add_columns(np.zeros((len(self.keys), 0)))
        self._cut(np.zeros(len(self.keys)), first)
        self.scores = hypotheses.scores(self.keys, self.alpha)
        for _, cut in start.mixture if start is not None else ():
            # Programs of one method bend at nearly the same combinations: cuts there spare rounds.
            alpha = np.append(cut.alpha, np.zeros(len(self.keys) - cut.alpha.size))
            self._cut(alpha, program(hypotheses.scores(self.keys, alpha)))

    def use_program(self, program: MarginProgram, tail: Tail | None = None) -> None:
        """Evaluate the best combination by this program from now on."""
        self.program = program
        self.best = program(self.scores) if tail is None else tail
        self.slope = self._cut(self.alpha, self.best)

    def start_eased(self, program: MarginProgram) -> bool:
        """Ascend with ε from 1 down, to less only if its value is above 0: below, all ways lead to scores of 0."""
        epsilon, target = EPSILON_FACTOR, program.epsilon
        if epsilon <= target:
            return False
        self.use_program(program.eased(epsilon))
        while epsilon > target:
            epsilon = max(target, EPSILON_FACTOR * epsilon)
            harder = program.eased(epsilon) if epsilon > target else program
            for _ in range(EASED_ASCENTS):
                self.ascend()
                tail = harder(self.scores)
                if tail.value > 0.0:
                    break
            self.use_program(harder, tail)
        return True

    def solve_master(self) -> Progress:
        """Solve the master, price all hypotheses against its mixture of cuts, and return where the search stands."""
        self.target, weights = self.master.solve()
        entering, highest = self.hypotheses.best(
            weights @ np.array([cut.pricing for cut in self.cuts]), MORE_HYPOTHESES
        )
        if highest < self.bound:
            self.bound = highest
            self.mixture = [(share, cut) for share, cut in zip(weights, self.cuts, strict=True) if share > 0.0]
        present = set(self.keys)
        new = [key for key in entering if key not in present]
        if new:
            self.keys = self.keys + new
            self.master.add_columns(np.array([self.hypotheses.edges(cut.pricing, new) for cut in self.cuts]).T)
            self.alpha = np.append(self.alpha, np.zeros(len(new)))
            self.target, weights = self.master.solve()
        self._drop_idle_cuts(weights)
        return Progress(self.keys, self.alpha, self.best, self.bound, self.mixture)

    def ascend(self) -> bool:
        """A step by slope and curvature, shorter until it gains, and a cut at its end; whether it gained."""
        slope = self.hypotheses.edges(self.slope, self.keys)
        band = self.program.band(self.scores, self.best)
        if band is None:
            return False
        priority = np.where(self.alpha > 0.0, np.inf, slope)
        moved = np.sort(np.argsort(-priority, kind="stable")[: np.count_nonzero(self.alpha) + MOVED_HYPOTHESES])
        hessian = self._hessian(band, [self.keys[k] for k in moved])
        target = self.alpha[moved]
        ascend_simplex(slope[moved] + hessian @ target, hessian, target, SIMPLEX_STEPS, 1e-2 * CLOSE)
        alpha = np.zeros_like(self.alpha)
        alpha[moved] = target / target.sum()
        change = self.hypotheses.scores(self.keys, alpha) - self.scores
        for trial in range(MAX_STEP_TRIALS):
            step = STEP_FACTOR**trial
            tail = self.program(self.scores + step * change)
            if tail.value > self.best.value:
                self._move(alpha, step, change, tail)
                return True
        self._cut(self.alpha + step * (alpha - self.alpha), tail)
        return False

    def _hessian(self, band: Band, keys: Keys) -> FloatArray:
        """Σ scale·(z − z̄)(z − z̄)ᵀ, and a little more, so that no direction is flat."""
        z = self.hypotheses.values(keys, band.first)
        if band.second is not None:
            z -= self.hypotheses.values(keys, band.second)
        for side in (0, 1):
            if (band.side == side).all():
                z -= z.mean(axis=0)
            elif (band.side == side).any():
                z[band.side == side] -= z[band.side == side].mean(axis=0)
        z *= 0.5 * np.sqrt(band.scale)[:, None]
        hessian = z.T @ z  # of one array, of which numpy computes half
        hessian[np.diag_indices_from(hessian)] += RIDGE * np.trace(hessian) / len(hessian)
        return np.asarray(hessian)

    def move_to_master(self) -> None:
        """Go towards the master's solution while the value rises; a cut just beyond."""
        change = self.hypotheses.scores(self.keys, self.target) - self.scores
        best, best_step, step = self.best, 0.0, FIRST_SHARE
        while True:
            tail = self.program(self.scores + step * change)
            if tail.value > best.value:
                best, best_step = tail, step
            if step >= 1.0 or float(tail.weights[0] @ change) <= 0.0:
                break
            step = min(1.0, SHARE_FACTOR * step)
        if best is not tail:
            self._cut(self.alpha + step * (self.target - self.alpha), tail)
        if best_step > 0.0:
            self._move(self.target, best_step, change, best)

    def _move(self, alpha: FloatArray, step: float, change: FloatArray, tail: Tail) -> None:
        self.alpha = self.alpha + step * (alpha - self.alpha)
        self.scores = self.scores + step * change
        self.best = tail
        self.slope = self._cut(self.alpha, tail)

    def _cut(self, alpha: FloatArray, tail: Tail) -> FloatArray:
        """Add the cuts of a tail; the pricing of the first."""
        for number, weights in enumerate(tail.weights):
            pricing = self.hypotheses.pricing(weights)
            self.master.add_cut(self.hypotheses.edges(pricing, self.keys))
            self.cuts.append(Cut(self.keys, alpha, self.program, number, pricing, tail.nu))
        return self.cuts[-len(tail.weights)].pricing

    def _drop_idle_cuts(self, weights: FloatArray) -> None:
        """Forget cuts that no mixture has used for long."""
        for cut, weight in zip(self.cuts, weights, strict=True):
            cut.idle = 0 if weight > 0.0 else cut.idle + 1
        idle = [k for k, cut in enumerate(self.cuts) if cut.idle > MAX_IDLE_ROUNDS]
        if idle:
            self.master.drop_cuts(idle)
            self.cuts = [cut for cut in self.cuts if cut.idle <= MAX_IDLE_ROUNDS]
