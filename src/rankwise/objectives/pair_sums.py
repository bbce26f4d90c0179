"""Sums over pairs of documents, query by query: the λ's and their Hessians."""

from __future__ import annotations

import logging
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import MetricError
from rankwise.kernels import lambda_loops, threads
from rankwise.kernels.compiled import is_compiled, specialise
from rankwise.kernels.expansions import PairTerms, divided_terms, plain_terms
from rankwise.kernels.pair_sums import sweep
from rankwise.metrics.base import Metric
from rankwise.metrics.linear import LinearMetric
from rankwise.metrics.ranking import falling_rows

if TYPE_CHECKING:
    from rankwise.objectives.lambdas import LambdaObjective

__all__ = ["GAP", "PairSums"]

GAP = 0.01  # added to the difference of scores before dividing by it, as in LightGBM
ALONE = 100_000  # a list this long gets a thread for each of its two sweeps
NUMBERS_OF_GRADES = (2, 3, 5, 8, 32, 64)
LARGEST_TABLE = 5_000  # documents of a query whose pairs may stand in memory at once

log = logging.getLogger("rankwise")

Sums = tuple[NDArray[np.float64], NDArray[np.float64]]


def _factors_of(metric: Metric) -> Any | None:
    """The compiled factors of a metric; None if it has none."""
    cls: Any = type(metric)
    if isinstance(metric, LinearMetric):
        hooks = {"gains": cls.gains, "discounts": cls.discounts, "normaliser": cls.normaliser}
        return specialise(lambda_loops.linear_factors, **hooks) if all(map(is_compiled, hooks.values())) else None
    return specialise(_same, swap_factors=cls.swap_factors) if is_compiled(cls.swap_factors) else None


def _padded(grades: NDArray[np.float64]) -> NDArray[np.float64]:
    """Grades up to one of a few numbers of them, by grades that no document has: each number is compiled once."""
    size = next((size for size in NUMBERS_OF_GRADES if size >= grades.size), grades.size)
    return np.append(grades, grades[-1] + np.arange(1.0, size - grades.size + 1))


def _same(self, ranked, ideal, grades):  # type: ignore[no-untyped-def]
    """A metric's own factors, callable from Python."""
    return swap_factors(self, ranked, ideal, grades)  # type: ignore[name-defined]  # noqa: F821


class PairSums:
    """How the pairs of one objective are summed: chosen once, used in every round."""

    def __init__(self, objective: LambdaObjective) -> None:
        self.objective = objective
        self.offsets = objective.groups.offsets
        self.c = 0.0 if objective.norm is None else GAP * objective.sigma
        self.terms: PairTerms = plain_terms() if objective.norm is None else divided_terms(self.c)
        self.share = np.ones(objective.labels.size) if objective.row_weight is None else objective.row_weight
        self.grades = _padded(np.unique(objective.labels))
        self.factors = _factors_of(objective.metric)
        if self.factors is None:
            log.info("%s states no factors: its pairs are summed one by one, which is slow", objective.metric)
            self.exact_up_to = np.iinfo(np.int64).max
            return
        record = objective.metric.record()
        two = self.grades[1::-1].copy()
        _, heights, weights, _ = self.factors(record, two, two, self.grades)
        self.shape = (heights.shape[0], weights.shape[1])
        size = self.shape[0] * self.shape[1]
        can_sweep = size <= lambda_loops.MOST_CLASSES and self.grades.size <= lambda_loops.MOST_CLASSES
        self.exact_up_to = self._crossover(size) if can_sweep else np.iinfo(np.int64).max
        names = {"FACTORS": self.shape[0], "CLASSES": self.shape[1], "TERMS": self.terms.right.size}
        self.sweep = specialise(sweep, **names)
        self.loop = specialise(lambda_loops.lambdas_of_queries, swap_factors=self.factors, sweep=self.sweep)

    def _crossover(self, size: int) -> int:
        """Documents up to which all pairs are faster than two sweeps (measured: benchmarks/lambdas.py)."""
        if self.objective.method == "exact":
            return int(np.iinfo(np.int64).max)
        return 0 if self.objective.method == "linear" else 120 + 40 * size

    def __call__(self, scores: NDArray[np.float64], ideal: NDArray[np.float64]) -> Sums:
        """λ's and Hessians for scores in grouped order, in grouped order."""
        objective = self.objective
        order = falling_rows(scores, self.offsets, objective.shuffle)
        steep = scores if objective.sigma == 1.0 else objective.sigma * scores
        pushes, bends = np.zeros(scores.size), np.zeros(scores.size)
        if self.factors is None:
            self._by_swaps(steep, order, pushes, bends)
        else:
            self._by_factors(steep, order, ideal, pushes, bends)
        # |ΔM| is divided by a gap of σ·s, not of s, where it is divided at all
        scale = objective.sigma * (objective.sigma if objective.norm else 1.0)
        if scale != 1.0:
            pushes *= scale
            bends *= scale * objective.sigma
        return pushes, bends

    def _by_factors(self, scores: Any, order: Any, ideal: Any, pushes: Any, bends: Any) -> None:
        objective = self.objective
        alone = ALONE if self.exact_up_to < ALONE else np.iinfo(np.int64).max
        rows = (objective.metric.record(), objective.labels, scores, self.share, order, ideal, self.offsets)
        rest = (self.grades, self.terms, self.c, self.exact_up_to, alone)
        threads.by_queries(lambda low, high: self.loop(*rows, *rest, low, high, pushes, bends), self.offsets)
        for q in np.flatnonzero(np.diff(self.offsets) > alone):
            one = slice(self.offsets[q], self.offsets[q + 1])
            if ideal[one.start] > ideal[one.stop - 1]:
                mine = order[one]
                pushes[mine], bends[mine] = self._by_two_threads(
                    objective.labels[mine], scores[mine], ideal[one], self.share[mine]
                )

    def _by_two_threads(self, labels: Any, scores: Any, ideal: Any, share: Any) -> Sums:
        """One very long list in rank order: a thread sweeps down, another up."""
        assert self.factors is not None
        pushes, bends = np.zeros(labels.size), np.zeros(labels.size)
        classes, heights, weights, _ = self.factors(self.objective.metric.record(), labels, ideal, self.grades)
        if classes.size == 0:
            return pushes, bends
        up_pushes, up_bends = np.zeros_like(pushes), np.zeros_like(bends)
        tasks = []
        for down, p, h in ((True, pushes, bends), (False, up_pushes, up_bends)):
            w = lambda_loops.sweep_weights(weights, self.terms.right, self.terms.wrong, self.terms.curvature, down)
            rates = (self.terms.doubling, self.terms.slowest)
            tasks.append(partial(self.sweep, scores, classes, heights, *w, *rates, share, down, p, h))
        threads.run(tasks)
        return pushes + up_pushes, bends + up_bends

    def _by_swaps(self, all_scores: Any, order: Any, pushes: Any, bends: Any) -> None:
        """All pairs from the metric's own `swap_delta`: for any metric, and slow."""
        for a, b in pairwise(self.offsets):
            rows = order[a:b]
            ranked, scores, share = self.objective.labels[rows], all_scores[rows], self.share[rows]
            if b - a > LARGEST_TABLE:
                raise MetricError(
                    f"{self.objective.metric} has no factors, so a query's pairs are held in memory: got a query of "
                    f"{b - a} documents, more than {LARGEST_TABLE}; state swap_factors or train on another metric"
                )
            i, j = np.meshgrid(np.arange(b - a), np.arange(b - a), indexing="ij")
            delta = np.nan_to_num(np.abs(self.objective.metric.swap_delta(ranked, i, j)))
            gap = scores[:, None] - scores[None, :]
            if self.c > 0:
                delta = delta / (self.c + np.abs(gap))
            delta = delta * share[:, None] * share[None, :]
            better = np.sign(ranked[:, None] - ranked[None, :])
            z = np.exp(-np.abs(gap))
            miss = np.where(better * gap > 0, z, 1.0) / (1.0 + z)
            pushes[rows] = (better * delta * miss).sum(axis=1)
            bends[rows] = (np.abs(better) * delta * z / (1.0 + z) ** 2).sum(axis=1)
