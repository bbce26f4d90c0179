"""A sum of trees as arrays for `kernels/_tree_scoring.py`: scores bit-equal to LightGBM's, several times as fast.

To compile the kernel takes as long as LightGBM takes for `COMPILE_WORK`, to load what an earlier process compiled for
`LOAD_WORK`, and a table as long as for `TABLE_ROWS`. So few rows are left to LightGBM, until as much has been scored as
it takes to catch up: nobody waits for more than twice the better of the two. A process that will score often says so at
its start by `prefer_tables`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import has_compiled
from rankwise.kernels._threads import run, thread_count
from rankwise.kernels._tree_scoring import Numbers, Words, score_trees
from rankwise.kernels._words import WORD_BITS
from rankwise.rankers._score_functions._functions import Leaf, Node, TreeSplit
from rankwise.types import FloatArray, IntArray

COMPILE_WORK, LOAD_WORK = 80_000_000, 4_000_000  # rows times trees
TABLE_ROWS = 4_000
CHUNK_ROWS = 4_096  # that are converted to double precision, or given to a thread, at once
MAX_TREE_CONDITIONS = 400  # in the mean: of larger trees, to follow one path beats to look at all conditions
ALL_LEAVES = 2**WORD_BITS - 1
IN_SET = 0.5  # parts 0 (in the set of categories) from 1
LEFT, RIGHT = -np.inf, np.nan  # what is sent to that side by every threshold
# What stands for 0 and for a missing value, by TreeSplit.missing.
STAND_INS = {
    "as zero": (0.0, 0.0),
    "learnt left": (0.0, LEFT),
    "learnt right": (0.0, RIGHT),
    "zero left": (LEFT, LEFT),
    "zero right": (RIGHT, RIGHT),
}

Column = tuple[int, str, frozenset[int] | None]
_preferred = False
_work = 0


def prefer_tables() -> None:
    """From now on every sum of trees becomes a table at its first prediction, however few rows it is of."""
    global _preferred
    _preferred = True


def table_pays(n_rows: int, n_rows_before: int, n_trees: int) -> bool:
    """Whether to make a table for a sum of trees that is to score rows, after others without a table."""
    global _work
    if _preferred:
        return True
    _work += n_rows * n_trees
    if _work < LOAD_WORK or n_rows + n_rows_before < TABLE_ROWS:
        return False
    return _work >= COMPILE_WORK or has_compiled(score_trees)


@dataclass(frozen=True, eq=False)
class TreeTable:
    """The arguments of `score_trees`, in its order."""

    features: Numbers
    for_zero: FloatArray
    for_missing: FloatArray
    set_starts: IntArray
    set_words: Words
    columns: Numbers
    thresholds: FloatArray
    masks: Words
    word_starts: Numbers
    word_leaves: Numbers
    tree_words: Numbers
    leaf_values: FloatArray

    @cached_property
    def _arrays(self) -> tuple[NDArray[np.generic], ...]:
        return tuple(getattr(self, one.name) for one in fields(self))

    def scores(self, X: NDArray[np.float32 | np.float64], n_threads: int) -> FloatArray:
        """The score of each row, the same for any number of threads; 0 takes all there are."""
        scores = np.empty(len(X))
        n_ranges = min(n_threads or thread_count(), -(-len(X) // CHUNK_ROWS))
        if n_ranges <= 1:
            self._write(X, scores, 0, len(X))
        else:
            borders = np.linspace(0, len(X), n_ranges + 1).astype(int).tolist()
            run([partial(self._write, X, scores, *ends) for ends in pairwise(borders)])
        return scores

    def _write(self, X: NDArray[np.float32 | np.float64], scores: FloatArray, low: int, high: int) -> None:
        step = high - low if X.dtype == np.float64 and X.flags.c_contiguous else CHUNK_ROWS
        for first in range(low, high, max(step, 1)):
            last = min(first + step, high)
            rows = np.ascontiguousarray(X[first:last], dtype=np.float64)
            score_trees(rows, *self._arrays, scores[first:last])  # type: ignore[call-arg,arg-type]


def make_table(roots: Iterable[Node]) -> TreeTable | None:
    """The table of trees, None where their own way to follow them is quicker."""
    tables = _Tables()
    for root in roots:
        tables.add(root)
    if len(tables.masks) > MAX_TREE_CONDITIONS * len(tables.tree_words):
        return None
    return tables.finish()


@dataclass
class _Tables:
    """Lists that grow tree by tree."""

    places: dict[Column, int] = field(default_factory=dict)
    columns: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)
    word_starts: list[int] = field(default_factory=lambda: [0])
    word_leaves: list[int] = field(default_factory=list)
    tree_words: list[int] = field(default_factory=lambda: [0])
    leaf_values: list[float] = field(default_factory=list)

    def add(self, root: Node) -> None:
        """One more tree."""
        first = len(self.leaf_values)
        words: dict[int, dict[tuple[int, float], int]] = {0: {}}
        self._visit(root, first, words)
        for word in sorted(words, reverse=True):  # the lowest leaf counts, so it is found last
            for (column, threshold), mask in words[word].items():
                self.columns.append(column)
                self.thresholds.append(threshold)
                self.masks.append(mask)
            self.word_starts.append(len(self.columns))
            self.word_leaves.append(first + word * WORD_BITS)
        self.tree_words.append(len(self.word_leaves))

    def _visit(self, node: Node, first: int, words: dict[int, dict[tuple[int, float], int]]) -> None:
        if isinstance(node, Leaf):
            words.setdefault((len(self.leaf_values) - first) // WORD_BITS, {})
            self.leaf_values.append(node.value)
            return
        low = len(self.leaf_values) - first
        self._visit(node.left, first, words)
        high = len(self.leaf_values) - first
        condition = self._condition(node)
        for word in range(low // WORD_BITS, (high - 1) // WORD_BITS + 1):
            start, end = max(low - word * WORD_BITS, 0), min(high - word * WORD_BITS, WORD_BITS)
            cleared = (1 << end) - (1 << start)
            # One condition may stand at several splits, as in symmetric trees at all of a depth.
            words[word][condition] = words[word].get(condition, ALL_LEAVES) & ~cleared
        self._visit(node.right, first, words)

    def _condition(self, split: TreeSplit) -> tuple[int, float]:
        column = split.feature, split.missing, split.categories
        place = self.places.setdefault(column, len(self.places))
        return place, split.threshold if split.categories is None else IN_SET

    def finish(self) -> TreeTable:
        """The arrays."""
        stand_ins = [STAND_INS[missing] for _, missing, _ in self.places]
        sets = [_words_of(categories) for _, _, categories in self.places]
        return TreeTable(
            features=np.array([feature for feature, _, _ in self.places], dtype=np.int32),
            for_zero=np.array([zero for zero, _ in stand_ins], dtype=np.float64),
            for_missing=np.array([missing for _, missing in stand_ins], dtype=np.float64),
            set_starts=np.cumsum([0, *map(len, sets)]),
            set_words=np.concatenate([*sets, np.zeros(0, dtype=np.uint64)]),
            columns=np.array(self.columns, dtype=np.int32),
            thresholds=np.array(self.thresholds, dtype=np.float64),
            masks=np.array(self.masks, dtype=np.uint64),
            word_starts=np.array(self.word_starts, dtype=np.int32),
            word_leaves=np.array(self.word_leaves, dtype=np.int32),
            tree_words=np.array(self.tree_words, dtype=np.int32),
            leaf_values=np.array(self.leaf_values, dtype=np.float64),
        )


def _words_of(categories: frozenset[int] | None) -> Words:
    """A bit for each category of a set; an empty one still is a set."""
    if categories is None:
        return np.zeros(0, dtype=np.uint64)
    words = np.zeros(max(categories, default=0) // WORD_BITS + 1, dtype=np.uint64)
    for category in categories:
        words[category // WORD_BITS] |= np.uint64(1 << category % WORD_BITS)
    return words
