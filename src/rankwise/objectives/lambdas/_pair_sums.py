"""Sums over pairs of documents, query by query: the λ's and their Hessians.

A metric linear in its gains is summed by them, another by the factors of its changes, both pair by pair in short lists
and by two sweeps in long ones; a metric that states neither by calling its `swap_delta`.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import compiled_hooks, hook, specialize
from rankwise.kernels.pairs import _lambda_loops as lambda_loops
from rankwise.kernels.pairs._expansions import PairTerms, counted_terms, divided_terms, plain_terms, reach
from rankwise.kernels.pairs._lambda_loops import (
    MAX_CLASSES,
    PreparedGains,
    SwapFactors,
    SweepWeights,
    level_weights,
    sweep_weights,
)
from rankwise.kernels.pairs._lambda_sums import Classes, all_pairs, counted_pairs, put_back, sweep
from rankwise.kernels.sorting._ranks import gather
from rankwise.metrics._ranking import descending_order, rank_one_list
from rankwise.metrics.catalogue._linear import LinearMetric
from rankwise.objectives.lambdas._swap_sums import swap_lambdas
from rankwise.types import AnyArray, FloatArray

if TYPE_CHECKING:
    from rankwise.objectives.lambdas._objective import LambdaObjective

GAP = 0.01  # added to the difference of scores before dividing by it, as in LightGBM
TWO_THREADS_MIN_ROWS = 100_000  # a list this long gets a thread for each of its two sweeps
GRADE_COUNTS = (2, 3, 5, 8, 32, 64)  # that sweeps are compiled for
NO_LIMIT = int(np.iinfo(np.int64).max)

log = logging.getLogger(__name__)

Sums = tuple[FloatArray, FloatArray]

swap_factors: SwapFactors = hook  # what `specialize` replaces


def _padded(grades: FloatArray) -> FloatArray:
    """Grades up to one of `GRADE_COUNTS`, by grades that no document has: each count is compiled once."""
    size = next((size for size in GRADE_COUNTS if size >= grades.size), grades.size)
    return np.append(grades, grades[-1] + np.arange(1.0, size - grades.size + 1))


def _call_factors(
    self: np.void, ranked: FloatArray, ideal: FloatArray, grades: FloatArray
) -> tuple[Classes, FloatArray, FloatArray]:
    """A metric's own factors, callable from Python."""
    return swap_factors(self, ranked, ideal, grades)


class Loops(NamedTuple):
    """Two sweeps over each query by some exponentials, compiled."""

    terms: PairTerms
    sweep: Callable[..., None]
    tables: tuple[SweepWeights, ...]  # the weights of both sweeps, where all queries share them
    over_queries: Callable[..., None]


class PairSums:
    """How the pairs of one objective are summed: chosen once, used in every round."""

    def __init__(self, objective: LambdaObjective, ideal: FloatArray) -> None:
        # Weakly, so that the objective is freed as soon as nobody has it: it holds several numbers per row.
        self.objective: LambdaObjective = weakref.proxy(objective)
        self.ideal = ideal
        self.offsets = objective.groups.offsets
        self.counts_pairs = objective.metric.counts_pairs
        self.divides = objective.norm is not None and not self.counts_pairs
        self.c = GAP * objective.sigma if self.divides else 0.0
        self.share = np.ones(objective.labels.size) if objective.row_weight is None else objective.row_weight
        self.grades = _padded(np.unique(objective.labels))
        self.factors: SwapFactors | None = None
        self.prepared: PreparedGains | None = None
        self.exact_up_to = NO_LIMIT
        self.loops: dict[int, Loops] = {}  # by how far the scores lie apart
        cls = type(objective.metric)
        is_linear = issubclass(cls, LinearMetric) and not self.counts_pairs
        gains = is_linear and compiled_hooks(cls, "gains", "discounts", "normalizer")
        if gains:
            self.prepared = self._prepare_gains(specialize(lambda_loops.prepare_gains, **gains))
            self._choose(1, self.grades.size)
        elif hooks := compiled_hooks(cls, "swap_factors"):
            self.factors = specialize(_call_factors, **hooks)
            two = self.grades[1::-1].copy()
            with np.errstate(all="ignore"):
                factors = cls._swap_factors(objective.metric, two, two, self.grades)
            assert factors is not None
            self._choose(*factors[2].shape[:2])
        else:
            log.info("%s states no factors: its pairs are summed one by one, which is slow", objective.metric)

    def _prepare_gains(self, fill: Callable[..., None]) -> PreparedGains:
        """What a metric linear in its gains makes of these labels."""
        rows, queries = self.objective.labels.size, self.offsets.size - 1
        grades = self.grades.size if self.grades.size <= MAX_CLASSES else 0
        classes, levels, scales = np.zeros(rows, dtype=np.int32), np.zeros((queries, grades)), np.zeros(queries)
        prepared = PreparedGains(classes, np.zeros(rows), np.zeros(rows), levels, scales)
        source = (self.objective.metric.record(), self.objective.labels, self.ideal, self.offsets, self.grades)
        threads.by_queries(lambda low, high: fill(*source, low, high, prepared), self.offsets)
        return prepared

    def _choose(self, factors: int, classes: int) -> None:
        """Choose where two sweeps take over from all pairs."""
        self.shape = {"FACTORS": factors, "CLASSES": classes}
        if factors * max(classes, self.grades.size) <= MAX_CLASSES:
            self.exact_up_to = self._crossover(factors * classes)

    def _crossover(self, size: int) -> int:
        """Documents up to which all pairs are faster than two sweeps, as measured for 2 to 32 grades."""
        if self.objective.method != "auto":
            return NO_LIMIT if self.objective.method == "exact" else 0
        if self.prepared is None:
            return 10 * size
        return 50 + 26 * size if self._shared_levels(self.prepared) is None else 25 + 16 * size

    def _shared_levels(self, prepared: PreparedGains) -> FloatArray | None:
        """The weights of pairs of grades, if a grade is worth the same in all queries, as with most metrics."""
        levels = prepared.levels[prepared.scales > 0.0]
        return None if levels.size == 0 or (levels != levels[0]).any() else level_weights(levels[0])

    def _loops_for(self, steep: FloatArray) -> Loops:
        """What sums pairs at these scores: where a gap divides, it may be as wide as the scores are apart."""
        depth = reach(float(np.ptp(steep))) if self.divides else 0
        if depth not in self.loops:
            plain = counted_terms if self.counts_pairs else plain_terms
            self.loops[depth] = self._compiled(divided_terms(self.c, depth) if self.divides else plain())
        return self.loops[depth]

    def _compiled(self, terms: PairTerms) -> Loops:
        long = {"LONG_LISTS": int(np.diff(self.offsets).max() > self.exact_up_to)}
        constants = {"VECTORS": terms.vectors, "BETWEEN": terms.between, "COUNTED": self.counts_pairs}
        down_or_up = specialize(sweep, **self.shape, **constants)
        if self.factors is not None:
            sum_pairs = counted_pairs if self.counts_pairs else all_pairs
            loop = specialize(
                lambda_loops.lambdas_by_factors,
                swap_factors=self.factors,
                sum_pairs=sum_pairs,
                sweep=down_or_up,
                **long,
            )
            return Loops(terms, down_or_up, (), loop)
        assert self.prepared is not None
        shared = self._shared_levels(self.prepared)
        tables = () if shared is None else tuple(sweep_weights(shared, terms, down) for down in (True, False))
        return Loops(terms, down_or_up, tables, specialize(lambda_loops.lambdas_by_gains, sweep=down_or_up, **long))

    def __call__(self, scores: FloatArray) -> Sums:
        """λ's and Hessians for scores in grouped order, in grouped order."""
        objective = self.objective
        pushes, bends = np.zeros(scores.size), np.zeros(scores.size)
        if self.factors is None and self.prepared is None:
            order = descending_order(scores, self.offsets, objective.shuffle)
            for a, b in pairwise(self.offsets):
                rows = order[a:b]
                ranked, share = objective.labels[rows], self.share[rows]
                steep = objective.sigma * scores[rows]
                pushes[rows], bends[rows] = swap_lambdas(objective.metric, ranked, steep, share, self.c)
        else:
            self._sum_by_loop(scores, pushes, bends)
            np.maximum(bends, 0.0, out=bends)  # sums of exponentials may miss 0 by a little
        # |ΔM| is divided by a gap of σ·s, not of s, where it is divided at all
        scale = objective.sigma * (objective.sigma if self.divides else 1.0)
        if scale != 1.0:
            pushes *= scale
            bends *= scale * objective.sigma
        return pushes, bends

    def _sum_by_loop(self, scores: FloatArray, pushes: FloatArray, bends: FloatArray) -> None:
        objective = self.objective
        longest = TWO_THREADS_MIN_ROWS if self.exact_up_to < TWO_THREADS_MIN_ROWS else NO_LIMIT
        order = descending_order(scores, self.offsets, objective.shuffle, longest)
        steep = scores if objective.sigma == 1.0 else objective.sigma * scores
        rows = (steep, self.share, order, self.ideal, self.offsets)
        loops = self._loops_for(steep)
        limits = (loops.terms, self.c, self.exact_up_to, longest)
        source = (
            (objective.metric.record(), objective.labels, *rows, self.grades, *limits)
            if self.prepared is None
            else (self.prepared, loops.tables, *rows, *limits)
        )
        threads.by_queries(lambda low, high: loops.over_queries(*source, low, high, pushes, bends), self.offsets)
        for q in np.flatnonzero(np.diff(self.offsets) > longest).tolist():
            start, stop = self.offsets[q], self.offsets[q + 1]
            if self.ideal[start] > self.ideal[stop - 1]:
                self._sum_long_list(loops, q, scores[start:stop], pushes[start:stop], bends[start:stop])

    def _sum_long_list(self, loops: Loops, q: int, scores: FloatArray, pushes: FloatArray, bends: FloatArray) -> None:
        """One very long list, whose scores come back in rank order from sorting: a thread sweeps down, another up."""
        query = slice(self.offsets[q], self.offsets[q + 1])
        space = np.empty((2, scores.size))  # written over as often as possible: at this size fresh memory is slow
        rows, ranked = rank_one_list(scores, self.objective.shuffle[query], space)
        classes, heights, weights, scale = self._query_factors(q, rows)
        if classes.size == 0:
            return
        z = np.subtract(ranked[1:], ranked[:-1], out=space[0, :-1])
        z *= self.objective.sigma * loops.terms.slowest
        np.exp(z, out=z)
        share = self.share[query]
        if self.objective.row_weight is not None:  # else all 1, in any order
            share = share[rows]
        down = up = (pushes, bends)
        if threads.thread_count() > 1:  # each thread needs its own
            up = (np.zeros(rows.size), np.zeros(rows.size))
        tasks = []
        for is_down, sums in ((True, down), (False, up)):
            tables = sweep_weights(weights, loops.terms, is_down)
            tasks.append(partial(loops.sweep, z, classes, heights, *tables, share, is_down, *sums))
        threads.run(tasks)
        if up is not down:
            pushes += up[0]
            bends += up[1]
        put_back(rows, scale, space.reshape(-1, 2), pushes, bends)

    def _query_factors(self, q: int, rows: AnyArray) -> tuple[Classes, FloatArray, FloatArray, float]:
        """Classes, heights and weights of the rows of a query, in rank order, and what its sums are to be scaled by.

        There are none where the metric is not defined.
        """
        query = slice(self.offsets[q], self.offsets[q + 1])
        if self.factors is not None:
            ranked = self.objective.labels[query][rows]
            return *self.factors(self.objective.metric.record(), ranked, self.ideal[query], self.grades), 1.0
        assert self.prepared is not None
        scale = float(self.prepared.scales[q])
        classes = np.empty(0 if scale == 0.0 else rows.size, dtype=np.int32)
        gather(self.prepared.classes[query], rows, 0, classes.size, classes)
        heights = self.prepared.discounts[query].reshape(1, -1)
        return classes, heights, level_weights(self.prepared.levels[q]), scale
