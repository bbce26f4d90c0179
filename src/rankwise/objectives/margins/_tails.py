"""How good the worst pairs are: what the programs of Suehiro 2011 maximize, for given scores, and its slope.

For scores f each program's value is the minimum of Σ_ij d_ij (f_i − f_j)/2 over the distributions d that its dual
allows: the mean margin of a tail. A `Tail` has that value, and the d that attains it as signed weights of rows, u with
Σ_ij d_ij (f_i − f_j) = Σ_i u_i f_i: a cut, since any allowed d bounds the program from above.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rankwise.kernels.pairs import _close_pairs as close_pairs
from rankwise.kernels.pairs import _pair_tails as pair_tails
from rankwise.kernels.pairs import _row_tails as row_tails
from rankwise.metrics._ranking import descending_order
from rankwise.objectives.margins._lists import PairLists
from rankwise.types import FloatArray, IntArray

CLOSE = 5e-8  # how exactly the mean of a tail of pairs is found, margins being from −1 to 1
BAND_SIZE = 1024  # pairs or rows that the curvature is taken from
BRACKET_MIN_ROWS = 20_000  # from which on a sample of pairs tells where to search
BRACKET_PAIRS = 4096
WORST_PAIRS = 16  # each of which gives the hard margin a cut
NU_HALVINGS = 48  # of an interval of ν+
SCORE_GRID = 2.0**44  # scores are rounded to 1/SCORE_GRID: equal ones stay equal however they were added up


@dataclass(frozen=True, eq=False)
class Band:
    """Pairs, or rows, whose margins lie at the end of a tail: how far its mean bends when the scores change.

    The second derivative is −Σ scale·(z − z̄)(z − z̄)ᵀ, z being half the difference of the two rows, or half the row,
    and z̄ the mean of its side.
    """

    first: IntArray
    second: IntArray | None
    side: IntArray
    scale: FloatArray


@dataclass(frozen=True, eq=False)
class Tail:
    """The value of a program at some scores, its cuts there, and the margin ρ that the tail lies below."""

    value: float
    weights: list[FloatArray]
    rho: float
    ends: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))  # of both sides of each block
    nu: FloatArray | None = None  # the ν+ of each block that the value is had by


class MarginProgram(Protocol):
    """A program to maximize; it is called with scores, one per row."""

    epsilon: float

    def __call__(self, scores: FloatArray) -> Tail:
        """The tail of these scores."""
        ...

    def band(self, scores: FloatArray, tail: Tail) -> Band | None:
        """What lies at the end of that tail; None where the program is no smooth function of the scores."""
        ...

    def eased(self, epsilon: float) -> MarginProgram:
        """The program for a larger ε, whose cuts are cuts of this one too."""
        ...


class PairProgram:
    """Suehiro 2011 (2): the mean margin of the lowest ν = ε·(all pairs); d_ij <= 1/ν."""

    def __init__(self, lists: PairLists, epsilon: float) -> None:
        self.lists, self.epsilon, self.mass = lists, epsilon, epsilon * lists.pairs

    def eased(self, epsilon: float) -> PairProgram:
        """The same pairs, more of them in the tail."""
        return PairProgram(self.lists, epsilon)

    def __call__(self, scores: FloatArray) -> Tail:
        """The tail, by a sort and a search for its end."""
        lists, scores = self.lists, _on_grid(scores)
        spread = float(np.ptp(scores))
        if spread == 0.0:
            return Tail(0.0, [self._mean_weights()], 0.0)
        order = descending_order(scores, lists.offsets)
        ranked, grade, weight = scores[order], lists.grade[order], lists.weight[order]
        counted = (ranked, weight, weight, grade, lists.grades, lists.offsets)
        if lists.two_grades:
            place, starts = np.empty_like(order), np.empty_like(lists.offsets)
            levels, better, worse = np.empty((3, order.size))
            count = pair_tails.put_together(ranked, grade, weight, lists.offsets, place, levels, better, worse, starts)
            levels, better, worse, empty = levels[:count], better[:count], worse[:count], np.zeros(0, dtype=np.int64)
            counted = (levels, better, worse, empty, empty, starts)
        bounds = (*self._bracket(scores, spread), -2.0 * spread, 2.0 * spread)
        low, high, below_low, below_high = pair_tails.find_gap(*counted, self.mass, *bounds, CLOSE)
        share = (self.mass - below_low) / (below_high - below_low) if below_high > below_low else 0.0
        if lists.two_grades:
            of_better, of_worse = np.empty((2, count))
            pair_tails.two_grade_weights(levels, better, worse, starts, low, high, share, of_better, of_worse)
            by_rank = np.where(grade > 0, of_better[place], -of_worse[place])
        else:
            by_rank = (1.0 - share) * self._partners(ranked, grade, weight, low)
            by_rank += share * self._partners(ranked, grade, weight, high)
        u = np.empty_like(scores)
        u[order] = by_rank * weight / self.mass
        # Between low and high the tail is a mixture, which may lie above the true one by no more than this.
        error = 0.5 * (high - low) * share * (below_high - below_low) / self.mass
        return Tail(0.5 * float(u @ scores) - error, [u], 0.5 * low)

    def band(self, scores: FloatArray, tail: Tail) -> Band:
        """Pairs of a sample whose margins are next to ρ."""
        first, second = self.lists.sample
        distance = np.abs(0.5 * (scores[first] - scores[second]) - tail.rho)
        near, width, multiplicity = _nearest(distance)
        scale = np.full(near.size, multiplicity / (2.0 * width * self.epsilon * first.size))
        return Band(first[near], second[near], np.zeros_like(near), scale)

    def _bracket(self, scores: FloatArray, spread: float) -> tuple[float, float]:
        """Where the tail may end: for many rows as a sample of pairs has it."""
        if scores.size < BRACKET_MIN_ROWS:
            return -spread, spread
        first, second = (rows[:BRACKET_PAIRS] for rows in self.lists.sample)
        at = np.clip(np.array([self.epsilon - 0.03, self.epsilon + 0.03]), 0.0, 1.0)
        low, high = np.quantile(scores[first] - scores[second], at)
        return float(low), float(max(high, low + 1e-6 * spread))

    def _partners(self, scores: FloatArray, grade: IntArray, weight: FloatArray, gap: float) -> FloatArray:
        """Weight of the worse partners of each row whose margin is below the gap, less that of the better ones."""
        lists = self.lists
        worse, better = np.empty((2, scores.size))
        rows = (scores, grade, lists.grades, weight, lists.offsets)
        close_pairs.close_weights(*rows, gap, 0, lists.grades.size, worse, better)
        return np.asarray(worse - better)

    def _mean_weights(self) -> FloatArray:
        """Every pair alike."""
        lists = self.lists
        zero = np.zeros(lists.grade.size)
        return self._partners(zero, lists.grade, lists.weight, 1.0) * lists.weight / lists.pairs


class ProductProgram:
    """Suehiro 2011 (7): d_ij = d+_i·d-_j with d+_i <= 1/ν+ and d-_j <= 1/ν-, ν+·ν- = ε·p·n, in each block of pairs.

    A block has the share of its pairs in all, so that d_ij <= 1/ν holds for any number of blocks; with one list of two
    grades there is one block, and this is Suehiro 2011's own program.
    """

    def __init__(self, lists: PairLists, epsilon: float, nu: FloatArray | None = None) -> None:
        self.lists, self.blocks, self.epsilon = lists, lists.blocks, epsilon
        self.share = self.blocks.pairs / self.blocks.pairs.sum()
        # corollary 4: ν+ = √ε·p, unless it is given
        self.nu = np.sqrt(epsilon) * self.blocks.weights[:, 0] if nu is None else nu

    def eased(self, epsilon: float) -> ProductProgram:
        """Larger ν+ and ν-, in the same proportion."""
        p = self.blocks.weights[:, 0]
        nu = self.nu * np.sqrt(epsilon / self.epsilon)
        return ProductProgram(self.lists, epsilon, np.clip(nu, np.maximum(epsilon * p, self.nu), p))

    def masses(self, nu: FloatArray) -> FloatArray:
        """ν+ and ν- = ν/ν+ of each block."""
        return np.column_stack((nu, self.epsilon * self.blocks.pairs / nu))

    def __call__(self, scores: FloatArray) -> Tail:
        """The tail, by counting."""
        return self._tail(scores, self.nu)

    def _tail(self, scores: FloatArray, nu: FloatArray) -> Tail:
        u, ends, _ = self._block_tails(scores, self.masses(nu))
        # (8): ρ̂ = ½ (end of the better − end of the worse), b half-way between them
        rho = 0.5 * float(self.share @ (ends[:, 0] - ends[:, 1]))
        return Tail(0.5 * float(u @ scores), [u], rho, ends, nu)

    def _block_tails(self, scores: FloatArray, masses: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights of rows; where the tails of both sides of each block end; and their means."""
        blocks, scores = self.blocks, _on_grid(scores)
        u, (ends, means) = np.zeros_like(scores), np.empty((2, len(masses), 2))
        rows = (blocks.better, blocks.better_starts, blocks.worse, blocks.worse_starts)
        row_tails.block_tails(scores, self.lists.weight, *rows, masses, self.share, 0, len(masses), u, ends, means)
        return u, ends, means

    def band(self, scores: FloatArray, tail: Tail) -> Band:
        """Rows next to where the tail of their side of their block ends."""
        assert tail.nu is not None
        blocks, caps = self.blocks, self.share[:, None] / self.masses(tail.nu)
        starts = (blocks.better_starts, blocks.worse_starts)
        rows = np.concatenate([blocks.better, blocks.worse])
        block = np.concatenate([np.repeat(np.arange(len(caps)), np.diff(side)) for side in starts])
        side = np.repeat([0, 1], [blocks.better.size, blocks.worse.size])
        scale = caps[block, side] * self.lists.weight[rows]
        near, width, multiplicity = _nearest(np.abs(scores[rows] - tail.ends[block, side]))
        return Band(rows[near], None, side[near], multiplicity * scale[near] / width)


def _on_grid(scores: FloatArray) -> FloatArray:
    return np.rint(scores * SCORE_GRID) / SCORE_GRID


def _nearest(distance: FloatArray) -> tuple[IntArray, float, float]:
    """The nearest, their largest distance, and for how many each stands: of equal ones, only some are returned."""
    count = min(BAND_SIZE, distance.size - 1)
    width = max(float(np.partition(distance, count)[count]), CLOSE)
    near = np.flatnonzero(distance <= width)
    sample = near[:: -(-near.size // BAND_SIZE)]
    return sample, width, near.size / sample.size


class TangentProgram(ProductProgram):
    """Suehiro 2011 (9): ν+ is free, 1/ν+ replaced by its tangent at ν_c, so that (d+, d-, ν+) is from a convex set."""

    def eased(self, epsilon: float) -> ProductProgram:
        """Itself: its ε is part of the tangent."""
        return self

    def masses(self, nu: FloatArray) -> FloatArray:
        """1 / cap of both sides: 2/ν_c − ν+/ν_c² and ν+/ν."""
        return np.column_stack((1.0 / (2.0 / self.nu - nu / self.nu**2), self.epsilon * self.blocks.pairs / nu))

    def __call__(self, scores: FloatArray) -> Tail:
        """The lowest tail over ν+; that is convex in ν+, so its slope is searched for a change of sign."""
        p = self.blocks.weights[:, 0]
        low = self.epsilon * p  # ν/n
        high = np.maximum(low, 2.0 * self.nu - self.nu**2 / p)
        blocks, product = self.blocks, self.epsilon * self.blocks.pairs
        rows = (blocks.better, blocks.better_starts, blocks.worse, blocks.worse_starts)
        row_tails.tangent_minima(_on_grid(scores), self.lists.weight, *rows, self.nu, product, NU_HALVINGS, low, high)
        return self._tail(scores, 0.5 * (low + high))


class HardProgram:
    """Suehiro 2011 (4), and by theorem 2 (5): the lowest margin of any pair."""

    epsilon = 1.0

    def __init__(self, lists: PairLists) -> None:
        self.blocks = lists.blocks

    def eased(self, epsilon: float) -> HardProgram:
        """Itself: it has no ε."""
        return self

    def band(self, scores: FloatArray, tail: Tail) -> None:
        """None: the lowest margin has edges, not bends."""

    def __call__(self, scores: FloatArray) -> Tail:
        """The worst pairs, a cut each: the k-th worst better row with the k-th worst worse one of a block."""
        worst: list[tuple[float, int, int]] = []
        scores = _on_grid(scores)
        for block in range(len(self.blocks.weights)):
            better, worse = self.blocks.rows(block)
            low, high = _lowest(scores[better]), _lowest(-scores[worse])
            for i, j in zip(better[low], worse[high], strict=False):
                worst.append((0.5 * float(scores[i] - scores[j]), int(i), int(j)))
        worst.sort()
        weights = np.zeros((min(WORST_PAIRS, len(worst)), scores.size))
        for u, (_, i, j) in zip(weights, worst, strict=False):
            u[i], u[j] = 1.0, -1.0
        return Tail(worst[0][0], list(weights), worst[0][0])


def _lowest(values: FloatArray) -> IntArray:
    """Where the lowest few are, rising."""
    count = min(WORST_PAIRS, values.size)
    lowest = np.argpartition(values, count - 1)[:count]
    return np.asarray(lowest[np.lexsort((lowest, values[lowest]))])
