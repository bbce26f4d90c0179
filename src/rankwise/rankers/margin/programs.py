"""P3's methods: which programs are solved one after the other, and when that ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.objectives.margins.cutting_planes import Hypotheses, Progress, solve
from rankwise.objectives.margins.lists import PairLists
from rankwise.objectives.margins.tails import HardTail, PairTail, ProductTail, TailOf, TangentTail

__all__ = ["METHODS", "Method", "Round", "program", "rounds"]

Array = NDArray[np.float64]
Method = Literal["pairs", "reduced", "heuristic", "hard"]
METHODS = ("pairs", "reduced", "heuristic", "hard")
ALTERNATIONS = 20
PRUNED = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 0.0)  # of the weights: as many as the gap allows are set to 0


@dataclass(frozen=True, eq=False)
class Round:
    """Where a method stands: the program of its last stage, and the best combination for it."""

    tail_of: TailOf
    progress: Progress
    done: bool


def program(method: str, lists: PairLists, epsilon: float, nu: Array | None = None) -> TailOf:
    """The program that the result of a method is judged by; `nu` are the ν+ of its blocks, where it found them."""
    if method == "pairs":
        return PairTail(lists, epsilon)
    return HardTail(lists) if method == "hard" else ProductTail(lists, epsilon, nu)


def rounds(method: str, lists: PairLists, hypotheses: Any, epsilon: float, tol: float, most: int) -> Iterator[Round]:
    """All rounds of a method, `most` at the most; the last is done."""
    solver = _heuristic if method == "heuristic" else _single
    last = None
    for number, (tail_of, progress, done) in enumerate(solver(method, lists, hypotheses, epsilon, tol), start=1):
        last = Round(tail_of, progress, done or number == most)
        if last.done:
            break
        yield last
    assert last is not None
    yield replace(last, progress=_sparse(last, hypotheses, tol))


def _single(
    method: str, lists: PairLists, hypotheses: Hypotheses, epsilon: float, tol: float
) -> Iterator[tuple[TailOf, Progress, bool]]:
    tail_of = program(method, lists, epsilon)
    for progress in solve(hypotheses, tail_of, lists.grade.size):
        yield tail_of, progress, progress.gap <= tol


def _heuristic(
    method: str, lists: PairLists, hypotheses: Hypotheses, epsilon: float, tol: float
) -> Iterator[tuple[TailOf, Progress, bool]]:
    """P3 section 4.2: (9) finds ν+, (7) solves for it, and γ falls until it no longer does."""
    rows, before = lists.grade.size, np.inf
    start, tail_of = None, ProductTail(lists, epsilon)
    for number in range(ALTERNATIONS):
        if number > 0:
            tangent = TangentTail(lists, epsilon, tail_of.nu)
            for progress in solve(hypotheses, tangent, rows, start):
                if progress.gap <= tol:
                    break
                assert start is not None
                yield tail_of, start, False
            start = progress
            nu = sum(share * cut.nu for share, cut in progress.mixture if cut.nu is not None)
            tail_of = ProductTail(lists, epsilon, np.asarray(nu))
        for progress in solve(hypotheses, tail_of, rows, start):
            if progress.gap <= tol:
                break
            yield tail_of, progress, False
        start = progress
        done = before - progress.bound <= tol or number == ALTERNATIONS - 1
        before = progress.bound
        yield tail_of, progress, done
        if done:
            return


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
