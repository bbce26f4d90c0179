"""Suehiro 2011's methods: which programs are solved one after the other, and when that ends."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankwise.objectives.margins._cutting_planes import Hypotheses, Progress, solve
from rankwise.objectives.margins._lists import PairLists
from rankwise.objectives.margins._tails import HardTail, PairTail, ProductTail, TailOf, TangentTail
from rankwise.types import FloatArray

log = logging.getLogger(__name__)

Stage = tuple[TailOf, Progress, bool]  # the last says whether it is done
Method = Literal["pairs", "reduced", "heuristic", "hard"]
METHODS = ("pairs", "reduced", "heuristic", "hard")
RAISE = 1.25
NO_MARGIN = 1e-3  # where not even this mean margin is possible, and none above 0 was found, there is none to speak of
ALTERNATIONS = 20
LOOSE = 0.01  # gap of a stage of the heuristic that is not the last, as a share of its bound
LITTLE = 1e-3  # a fall of γ by this share ends it
PRUNED = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 0.0)  # of the weights: as many as the gap allows are set to 0


@dataclass(frozen=True, eq=False)
class Round:
    """Where a method stands: the program of its last stage, and the best combination for it."""

    tail_of: TailOf
    progress: Progress
    done: bool
    epsilon: float


def program(method: str, lists: PairLists, epsilon: float, nu: FloatArray | None = None) -> TailOf:
    """The program that the result of a method is judged by; `nu` are the ν+ of its blocks, where it found them."""
    if method == "pairs":
        return PairTail(lists, epsilon)
    return HardTail(lists) if method == "hard" else ProductTail(lists, epsilon, nu)


def rounds(method: str, lists: PairLists, hypotheses: Any, epsilon: float, tol: float, most: int) -> Iterator[Round]:
    """All rounds of a method, `most` at the most; the last is done."""
    solver = _heuristic if method == "heuristic" else _single
    last = None
    for number, (tail_of, progress, done) in enumerate(solver(method, lists, hypotheses, epsilon, tol), start=1):
        last = Round(tail_of, progress, done or number == most, epsilon)
        if last.done:
            break
        yield last
    assert last is not None
    yield replace(last, progress=_sparse(last, hypotheses, tol))


def raised(epsilon: float) -> Iterator[float]:
    """ε itself, and what it is raised to step by step, up to 1.

    >>> [round(one, 3) for one in raised(0.6)]
    [0.6, 0.75, 0.938, 1.0]
    """
    yield epsilon
    while epsilon < 1.0:
        epsilon = min(1.0, RAISE * epsilon)
        yield epsilon


def raised_rounds(
    method: str, lists: PairLists, hypotheses: Any, epsilon: float, tol: float, most: int
) -> Iterator[Round]:
    """The same, with ε raised until the worst pairs have a positive mean margin: only the last round is done."""
    asked = epsilon
    for epsilon in raised(asked):
        final = method == "hard" or epsilon == 1.0
        for one in rounds(method, lists, hypotheses, epsilon, tol, most):
            if not one.done:
                yield one
            if one.progress.tail.value <= tol and one.progress.bound <= NO_MARGIN and not final:
                break
        else:
            if one.progress.tail.value > tol or final:
                break
    if epsilon > asked:
        log.warning(
            "no combination gives the worst %g of the pairs a positive mean margin; epsilon was raised to %.3g",
            asked,
            epsilon,
        )
    yield one


def _single(method: str, lists: PairLists, hypotheses: Hypotheses, epsilon: float, tol: float) -> Iterator[Stage]:
    tail_of = program(method, lists, epsilon)
    for progress in solve(hypotheses, tail_of, lists.grade.size):
        yield tail_of, progress, progress.gap <= tol


def _heuristic(method: str, lists: PairLists, hypotheses: Hypotheses, epsilon: float, tol: float) -> Iterator[Stage]:
    """Suehiro 2011 section 4.2: (9) finds ν+, (7) solves for it, and γ falls until it hardly does; then (7) to the
    end."""
    rows, tail_of = lists.grade.size, ProductTail(lists, epsilon)
    stage = solve(hypotheses, tail_of, rows)
    best = yield from _until(stage, tail_of, tol, LOOSE)
    for _ in range(ALTERNATIONS if best.tail.value > tol else 0):  # of no margin, γ does not fall
        tangent = TangentTail(lists, epsilon, tail_of.nu)
        found = best
        for progress in solve(hypotheses, tangent, rows, best):
            found = progress
            if progress.gap <= max(tol, LOOSE * (progress.bound + LOOSE)):
                break
            yield tail_of, best, False
        # The mixture of cuts is a solution (d+, d-, ν+) of (9): so is the mean of their ν+.
        nu = np.sum([share * cut.nu for share, cut in found.mixture if cut.nu is not None], axis=0)
        other = ProductTail(lists, epsilon, nu)
        next_stage = solve(hypotheses, other, rows, found)
        there = yield from _until(next_stage, other, tol, LOOSE)
        if there.bound >= best.bound:
            break
        fell = best.bound - there.bound
        tail_of, best, stage = other, there, next_stage
        if fell <= LITTLE * best.bound:
            break
    last = yield from _until(stage, tail_of, tol, 0.0)
    yield tail_of, last, True


def _until(stage: Iterator[Progress], tail_of: TailOf, tol: float, loose: float) -> Generator[Stage, None, Progress]:
    """Rounds of a stage until its gap is `tol`, or a share of its bound."""
    for progress in stage:
        if progress.gap <= max(tol, loose * (progress.bound + LOOSE)):
            return progress
        yield tail_of, progress, False
    raise AssertionError("rounds have no end")


def _sparse(last: Round, hypotheses: Any, tol: float) -> Progress:
    """The same combination without what cancels out, and without the smallest weights as far as the gap allows."""
    progress = last.progress
    weights = {key: float(weight) for key, weight in zip(progress.keys, progress.alpha, strict=True) if weight > 0.0}
    for key in list(weights):
        other = hypotheses.opposite(key)
        if other in weights and key in weights:
            less = min(weights[key], weights[other])
            weights = {k: w - less if k in (key, other) else w for k, w in weights.items()}
            weights = {k: w for k, w in weights.items() if w > 0.0}
    keys, alpha = list(weights), np.array(list(weights.values()))
    if progress.tail.value <= tol:
        both = [progress.keys[0], hypotheses.opposite(progress.keys[0])]
        nothing = last.tail_of(np.zeros_like(progress.tail.weights[0]))
        if both[1] is not None and nothing.value >= progress.tail.value:
            return replace(progress, keys=both, alpha=np.full(2, 0.5), tail=nothing)  # exactly 0 everywhere
    if not keys:
        return progress
    alpha /= alpha.sum()
    allowed = min(progress.tail.value, progress.bound - tol)
    for least in PRUNED:
        kept = np.flatnonzero(alpha >= least)
        if kept.size:
            fewer = [keys[k] for k in kept]
            share = alpha[kept] / alpha[kept].sum()
            tail = last.tail_of(hypotheses.scores(fewer, share))
            if tail.value >= allowed:
                return replace(progress, keys=fewer, alpha=share, tail=tail)
    return progress
