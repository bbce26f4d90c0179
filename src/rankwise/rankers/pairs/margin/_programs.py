"""Suehiro 2011's methods: which programs are solved one after the other, and when that ends."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from rankwise.objectives.margins._cutting_planes import Hypotheses, Progress, solve
from rankwise.objectives.margins._lists import PairLists
from rankwise.objectives.margins._tails import HardProgram, MarginProgram, PairProgram, ProductProgram, TangentProgram
from rankwise.types import FloatArray

log = logging.getLogger(__name__)

Method = Literal["pairs", "reduced", "heuristic", "hard"]
METHODS: tuple[Method, ...] = get_args(Method)
MIN_EPSILON = 1e-9  # a smaller share of the pairs there is not, and raising it would take ever more programs
EPSILON_RAISE = 1.25
MIN_MARGIN = 1e-3  # where not even this mean margin is possible, and none above 0 was found, there is none to speak of
FIRST_GAP_SHARE = 1e-3  # gap of the heuristic's first program, as a share of its bound
LOOSE_GAP_SHARE = 0.01  # and of each (7) that may not be its last
FALL_GAP_SHARE = 0.25  # gap of each (9), as a share of the fall of γ that it brings,
LAST_GAP_SHARE = 0.25  # but not below this share of `tol`: then the heuristic ends
PRUNED_WEIGHTS = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 0.0)  # those below the first that the gap allows are 0


@dataclass(frozen=True, eq=False)
class MethodRound:
    """Where a method stands: the program of its present stage, and the best combination for it."""

    program: MarginProgram
    progress: Progress
    epsilon: float
    done: bool = False


def make_program(method: Method, lists: PairLists, epsilon: float, nu: FloatArray | None = None) -> MarginProgram:
    """The program that the result of a method is evaluated by; `nu` are the ν+ of its blocks, where it found them."""
    if method == "pairs":
        return PairProgram(lists, epsilon)
    return HardProgram(lists) if method == "hard" else ProductProgram(lists, epsilon, nu)


def raised_epsilons(epsilon: float) -> Iterator[float]:
    """ε itself, and what it is raised to step by step, up to 1.

    >>> [round(value, 3) for value in raised_epsilons(0.6)]
    [0.6, 0.75, 0.938, 1.0]
    """
    yield epsilon
    while epsilon < 1.0:
        epsilon = min(1.0, EPSILON_RAISE * epsilon)
        yield epsilon


@dataclass(frozen=True, eq=False)
class MarginSolver:
    """A method for some pairs and hypotheses, to a duality gap of `tol`."""

    method: Method
    lists: PairLists
    hypotheses: Hypotheses
    tol: float
    max_rounds: int
    raises: bool = True  # whether ε may be raised, since hypotheses can cancel out

    def raised_rounds(self, epsilon: float) -> Iterator[MethodRound]:
        """Rounds with ε raised until the worst pairs have a positive mean margin: only the last round is done."""
        for raised in raised_epsilons(epsilon):
            final = self.method == "hard" or raised == 1.0 or not self.raises
            for latest in self.rounds(raised):
                if not latest.done:
                    yield latest
                if latest.progress.tail.value <= self.tol and latest.progress.bound <= MIN_MARGIN and not final:
                    break
            else:
                if latest.progress.tail.value > self.tol or final:
                    break
        if raised > epsilon:
            log.warning(
                "no combination gives the worst %g of the pairs a positive mean margin; epsilon was raised to %.3g",
                epsilon,
                raised,
            )
        yield latest

    def rounds(self, epsilon: float) -> Iterator[MethodRound]:
        """All rounds for an ε, at most `max_rounds`; the last is done."""
        stages = self._heuristic(epsilon) if self.method == "heuristic" else self._single(epsilon)
        latest = None
        for number, latest in enumerate(stages, start=1):
            if latest.done or number == self.max_rounds:
                break
            yield latest
        assert latest is not None
        yield replace(latest, progress=self._pruned(latest), done=True)

    def _single(self, epsilon: float) -> Iterator[MethodRound]:
        program = make_program(self.method, self.lists, epsilon)
        for progress in self._solve(program):
            yield MethodRound(program, progress, epsilon, progress.gap <= self.tol)

    def _heuristic(self, epsilon: float) -> Iterator[MethodRound]:
        """Suehiro 2011 section 4.2: (9) finds the next ν+ and (7) a combination for it, until γ falls no more.

        What (9) comes to depends on ν+ alone, so that no (7) but the last is solved to the end. (9) is solved until
        what γ fell by is well above its gap: ν+ never moves by what rounding, or an early end, left of a program.
        """
        program = ProductProgram(self.lists, epsilon)
        stage = self._solve(program)
        solution = best = yield from self._until_close(stage, program, FIRST_GAP_SHARE)
        fall, least_gap = np.inf, LAST_GAP_SHARE * self.tol
        # Scores of 0 have a γ of 0: of no margin, there is nothing to lower.
        while solution.bound > self.tol and fall > least_gap / FALL_GAP_SHARE:
            gamma = solution.bound
            tangent = self._solve(TangentProgram(self.lists, epsilon, program.nu), solution)
            for solution in tangent:
                fall = gamma - solution.bound
                if solution.gap <= max(least_gap, FALL_GAP_SHARE * fall):
                    break
                yield MethodRound(program, best, epsilon)
            if fall > 0.0:
                # The mixture of cuts is a solution (d+, d-, ν+) of (9): so is the mean of their ν+.
                nu = np.sum([share * cut.nu for share, cut in solution.mixture if cut.nu is not None], axis=0)
                program = ProductProgram(self.lists, epsilon, nu)
                stage = self._solve(program, solution)
                best = yield from self._until_close(stage, program, LOOSE_GAP_SHARE)
        progress = yield from self._until_close(stage, program, 0.0)
        yield MethodRound(program, progress, epsilon, done=True)

    def _solve(self, program: MarginProgram, start: Progress | None = None) -> Iterator[Progress]:
        return solve(self.hypotheses, program, self.lists.grade.size, start)

    def _until_close(
        self, stage: Iterator[Progress], program: ProductProgram, share: float
    ) -> Generator[MethodRound, None, Progress]:
        """Rounds of a stage until its gap is small enough."""
        for progress in stage:
            if progress.gap <= max(self.tol, share * abs(progress.bound)):
                return progress
            yield MethodRound(program, progress, program.epsilon)
        raise AssertionError("rounds have no end")

    def _pruned(self, latest: MethodRound) -> Progress:
        """The same combination without what cancels out, and without the smallest weights as far as the gap allows."""
        progress, hypotheses = latest.progress, self.hypotheses
        weights = {k: float(weight) for k, weight in zip(progress.keys, progress.alpha, strict=True) if weight > 0.0}
        for key in list(weights):
            other = hypotheses.opposite(key)
            if other in weights and key in weights:
                less = min(weights[key], weights[other])
                weights = {k: w - less if k in (key, other) else w for k, w in weights.items()}
                weights = {k: w for k, w in weights.items() if w > 0.0}
        keys, alpha = list(weights), np.array(list(weights.values()))
        first = progress.keys[0]
        opposite = hypotheses.opposite(first)
        if progress.tail.value <= self.tol and opposite is not None:
            zero = latest.program(np.zeros_like(progress.tail.weights[0]))
            if zero.value >= progress.tail.value:  # exactly 0 everywhere
                return replace(progress, keys=[first, opposite], alpha=np.full(2, 0.5), tail=zero)
        if not keys:
            return progress
        alpha /= alpha.sum()
        allowed = min(progress.tail.value, progress.bound - self.tol)
        for threshold in PRUNED_WEIGHTS:
            selected = np.flatnonzero(alpha >= threshold)
            if selected.size:
                fewer = [keys[k] for k in selected]
                share = alpha[selected] / alpha[selected].sum()
                tail = latest.program(hypotheses.scores(fewer, share))
                if tail.value >= allowed:
                    return replace(progress, keys=fewer, alpha=share, tail=tail)
        return progress
