"""From pairs to weights: one value of C after another, each from the weights of the one before, the best kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rankwise.rankers.pairs.svm._linear import LinearRows
from rankwise.rankers.pairs.svm._pairs import Pairs
from rankwise.rankers.pairs.svm._solve import Loss, Solution, solutions
from rankwise.types import FloatArray

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """Parameters of a ranker that say how it learns."""

    C: list[float]
    loss: Loss
    tol: float
    max_iter: int


@dataclass(frozen=True, eq=False)
class Found:
    """What was learnt with a value of C, by the factor with which it counts."""

    C: float
    solved: dict[float, Solution]
    steps: int
    scale: FloatArray

    @property
    def coefs(self) -> dict[float, FloatArray]:
        """The models, in the units of the features."""
        return {factor: self.scale * one.w for factor, one in self.solved.items()}

    @property
    def coef(self) -> FloatArray:
        """The model that is the sum of them."""
        return summed(self.coefs)

    @property
    def objective(self) -> float:
        """The sum of the objectives."""
        return sum(one.objective for one in self.solved.values())

    @property
    def gap(self) -> float:
        """How much less that may be at the very best."""
        return sum(one.gap for one in self.solved.values())


def summed(coefs: dict[float, FloatArray]) -> FloatArray:
    """One model for several: scores add up, each times its factor."""
    return np.asarray(sum(factor * coef for factor, coef in coefs.items()))


def train(
    settings: Settings, rows: LinearRows, problems: dict[float, Pairs], judge: Callable[[FloatArray], list[float]]
) -> Iterator[tuple[Found, list[float], list[float]]]:
    """After each step: the best so far, how the model of this step is judged (where one is finished), and the best."""
    start = Solution(np.zeros(rows.scale.size), np.zeros(rows.X.shape[0]), np.inf, np.inf)
    now = Found(settings.C[0], dict.fromkeys(problems, start), 0, rows.scale)
    best: tuple[Found, list[float]] | None = None
    for C in settings.C:
        now = Found(C, now.solved, 0, rows.scale)
        for factor, pairs in problems.items():
            last = now.solved[factor]
            found = solutions(rows, pairs, C, settings.loss, last.w, last.scores, settings.tol)
            for _, solution in zip(range(settings.max_iter), found, strict=False):
                now = Found(C, now.solved | {factor: solution}, now.steps + 1, rows.scale)
                yield (now, [], []) if best is None else (best[0], [], best[1])
        gap = max(one.gap / one.size(C) for one in now.solved.values())
        if gap > settings.tol:
            log.warning("with C=%g the relative duality gap is %.1e, not tol; raise max_iter, or lower C", C, gap)
        values = judge(now.coef)
        if best is None or values[0] > best[1][0]:
            best = now, values
        yield best[0], values, best[1]
