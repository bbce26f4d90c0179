"""Sums over pairs of documents, query by query: the λ's and their Hessians."""

from __future__ import annotations

import logging
import weakref
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwise.errors import MetricError
from rankwise.kernels import _threads as threads
from rankwise.kernels._compile import compiled_hooks, specialize
from rankwise.kernels.pairs import _lambda_loops as lambda_loops
from rankwise.kernels.pairs._expansions import PairTerms, divided_terms, plain_terms, reach
from rankwise.kernels.pairs._lambda_loops import MAX_CLASSES, PreparedGains, level_weights, sweep_weights
from rankwise.kernels.pairs._pair_sums import decays, sweep
from rankwise.metrics._ranking import descending_order
from rankwise.metrics.catalogue._linear import LinearMetric
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.objectives.lambdas._objective import LambdaObjective

GAP = 0.01  # added to the difference of scores before dividing by it, as in LightGBM
ALONE = 100_000  # a list this long gets a thread for each of its two sweeps
NUMBERS_OF_GRADES = (2, 3, 5, 8, 32, 64)
LARGEST_TABLE = 5_000  # documents of a query whose pairs may stand in memory at once

log = logging.getLogger(__name__)

Sums = tuple[FloatArray, FloatArray]


def _padded(grades: FloatArray) -> FloatArray:
    """Grades up to one of a few numbers of them, by grades that no document has: each number is compiled once."""
    size = next((size for size in NUMBERS_OF_GRADES if size >= grades.size), grades.size)
    return np.append(grades, grades[-1] + np.arange(1.0, size - grades.size + 1))


def _same(self, ranked, ideal, grades):  # type: ignore[no-untyped-def]
    """A metric's own factors, callable from Python."""
    return swap_factors(self, ranked, ideal, grades)  # type: ignore[name-defined]  # noqa: F821


class Loops(NamedTuple):
    """Two sweeps over each query by some exponentials, compiled."""

    terms: PairTerms
    sweep: Any
    tables: tuple[Any, ...]  # the weights of both sweeps, where all queries share them
    over_queries: Any


class PairSums:
    """How the pairs of one objective are summed: chosen once, used in every round."""

    def __init__(self, objective: LambdaObjective, ideal: FloatArray) -> None:
        # Weakly, so that the objective is freed as soon as nobody has it: it holds several numbers per row.
        self.objective: LambdaObjective = weakref.proxy(objective)
        self.ideal = ideal
        self.offsets = objective.groups.offsets
        self.c = 0.0 if objective.norm is None else GAP * objective.sigma
        self.share = np.ones(objective.labels.size) if objective.row_weight is None else objective.row_weight
        self.grades = _padded(np.unique(objective.labels))
        self.factors: Any = None
        self.stated: PreparedGains | None = None
        self.exact_up_to = np.iinfo(np.int64).max
        self.loops: dict[int, Loops] = {}  # by how far the scores lie apart
        cls = type(objective.metric)
        gains = issubclass(cls, LinearMetric) and compiled_hooks(cls, "gains", "discounts", "normalizer")
        if gains:
            self.stated = self._state(specialize(lambda_loops.state_gains, **gains))
            self._prepare(1, self.grades.size)
        elif hooks := compiled_hooks(cls, "swap_factors"):
            self.factors = specialize(_same, **hooks)
            two = self.grades[1::-1].copy()
            self._prepare(*self.factors(objective.metric.record(), two, two, self.grades)[2].shape[:2])
        else:
            log.info("%s states no factors: its pairs are summed one by one, which is slow", objective.metric)

    def _state(self, fill: Any) -> PreparedGains:
        """What a metric linear in its gains says of these labels."""
        rows, queries = self.objective.labels.size, self.offsets.size - 1
        grades = self.grades.size if self.grades.size <= MAX_CLASSES else 0
        classes, levels, scales = np.zeros(rows, dtype=np.int32), np.zeros((queries, grades)), np.zeros(queries)
        stated = PreparedGains(classes, np.zeros(rows), np.zeros(rows), levels, scales)
        given = (self.objective.metric.record(), self.objective.labels, self.ideal, self.offsets, self.grades)
        threads.by_queries(lambda low, high: fill(*given, low, high, stated), self.offsets)
        return stated

    def _prepare(self, factors: int, classes: int) -> None:
        """Choose where two sweeps take over from all pairs."""
        self.shape = {"FACTORS": factors, "CLASSES": classes}
        if factors * max(classes, self.grades.size) <= MAX_CLASSES:
            self.exact_up_to = self._crossover(factors * classes)

    def loops_for(self, steep: FloatArray) -> Loops:
        """What sums pairs at these scores: where a gap divides, it may be as wide as the scores are apart."""
        depth = reach(float(np.ptp(steep))) if self.objective.norm else 0
        if depth not in self.loops:
            self.loops[depth] = self._compiled(divided_terms(self.c, depth) if self.objective.norm else plain_terms())
        return self.loops[depth]

    def _compiled(self, terms: PairTerms) -> Loops:
        down_or_up = specialize(sweep, **self.shape, VECTORS=terms.vectors, BETWEEN=terms.between)
        if self.stated is None:
            loop = specialize(lambda_loops.lambdas_by_factors, swap_factors=self.factors, sweep=down_or_up)
            return Loops(terms, down_or_up, (), loop)
        shared = self._shared_levels(self.stated)
        tables = () if shared is None else tuple(sweep_weights(shared, terms, down) for down in (True, False))
        return Loops(terms, down_or_up, tables, specialize(lambda_loops.lambdas_by_gains, sweep=down_or_up))

    def _shared_levels(self, stated: PreparedGains) -> Any:
        """The weights of pairs of grades, if a grade is worth the same in all queries, as with most metrics."""
        levels = stated.levels[stated.scales > 0.0]
        return None if levels.size == 0 or (levels != levels[0]).any() else level_weights(levels[0])

    def _crossover(self, size: int) -> int:
        """Documents up to which all pairs are faster than two sweeps, as measured for 2 to 32 grades."""
        if self.objective.method != "auto":
            return int(np.iinfo(np.int64).max) if self.objective.method == "exact" else 0
        if self.stated is None:
            return 10 * size
        return 50 + 26 * size if self._shared_levels(self.stated) is None else 25 + 16 * size

    def __call__(self, scores: FloatArray) -> Sums:
        """λ's and Hessians for scores in grouped order, in grouped order."""
        objective = self.objective
        order = descending_order(scores, self.offsets, objective.shuffle)
        steep = scores if objective.sigma == 1.0 else objective.sigma * scores
        pushes, bends = np.zeros(scores.size), np.zeros(scores.size)
        if self.factors is None and self.stated is None:
            self._by_swaps(steep, order, pushes, bends)
        else:
            self._by_loop(steep, order, pushes, bends)
            np.maximum(bends, 0.0, out=bends)  # sums of exponentials may miss 0 by a little
        # |ΔM| is divided by a gap of σ·s, not of s, where it is divided at all
        scale = objective.sigma * (objective.sigma if objective.norm else 1.0)
        if scale != 1.0:
            pushes *= scale
            bends *= scale * objective.sigma
        return pushes, bends

    def _by_loop(self, scores: Any, order: Any, pushes: Any, bends: Any) -> None:
        alone = ALONE if self.exact_up_to < ALONE else np.iinfo(np.int64).max
        rows = (scores, self.share, order, self.ideal, self.offsets)
        loops = self.loops_for(scores)
        rest = (loops.terms, self.c, self.exact_up_to, alone)
        given = (
            (self.objective.metric.record(), self.objective.labels, *rows, self.grades, *rest)
            if self.stated is None
            else (self.stated, loops.tables, *rows, *rest)
        )
        threads.by_queries(lambda low, high: loops.over_queries(*given, low, high, pushes, bends), self.offsets)
        for q in np.flatnonzero(np.diff(self.offsets) > alone).tolist():
            start, stop = self.offsets[q], self.offsets[q + 1]
            if self.ideal[start] > self.ideal[stop - 1]:
                mine = order[start:stop]
                pushes[mine], bends[mine] = self._by_two_threads(loops, q, mine, scores[mine])

    def _by_two_threads(self, loops: Loops, q: int, rows: Any, scores: Any) -> Sums:
        """One very long list in rank order: a thread sweeps down, another up."""
        one = slice(self.offsets[q], self.offsets[q + 1])
        if self.stated is None:
            record, labels = self.objective.metric.record(), self.objective.labels
            classes, heights, weights = self.factors(record, labels[rows], self.ideal[one], self.grades)
        else:
            lacking = self.stated.scales[q] == 0.0
            classes = self.stated.classes[rows[: 0 if lacking else None]]
            heights = self.stated.discounts[one].reshape(1, -1) * self.stated.scales[q]
            weights = level_weights(self.stated.levels[q])
        down_sums, up_sums = np.zeros((2, rows.size)), np.zeros((2, rows.size))
        if classes.size == 0:
            return down_sums[0], down_sums[1]
        z = decays(scores, loops.terms.slowest)
        share = self.share if self.objective.row_weight is None else self.share[rows]  # all 1: in any order
        tasks = []
        for down, sums in ((True, down_sums), (False, up_sums)):
            tables = sweep_weights(weights, loops.terms, down)
            tasks.append(partial(loops.sweep, z, classes, heights, *tables, share, down, sums[0], sums[1]))
        threads.run(tasks)
        down_sums += up_sums
        return down_sums[0], down_sums[1]

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
