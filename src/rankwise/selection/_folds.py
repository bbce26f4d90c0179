"""Folds: parts of the queries, each of which is held out once. A query is never split; one list is split by rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise._validation import check_whole, is_finite_number
from rankwise.errors import DataError
from rankwise.metrics import Evaluation, Metric, evaluate
from rankwise.selection._rows import Rows
from rankwise.types import FloatArray, IntArray

INNER_PARTS = 5  # one of so many parts of the training queries of a fold says when training is to stop


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold of each row; `inner` has, fold by fold, the part of each row within the training rows of that fold."""

    of_row: IntArray
    inner: list[IntArray]
    one_list: bool

    @property
    def count(self) -> int:
        """Number of folds."""
        return len(self.inner)

    def held_out(self, fold: int) -> IntArray:
        """Rows that a fold is judged on."""
        return np.flatnonzero(self.of_row == fold)

    def training(self, fold: int) -> IntArray:
        """Rows that a fold learns from."""
        return np.flatnonzero(self.of_row != fold)

    def stopping(self, fold: int) -> tuple[IntArray, IntArray]:
        """The same rows in two parts: those to learn from, and those to stop on."""
        stops = self.inner[fold] == 0
        outside = self.of_row != fold
        return np.flatnonzero(outside & ~stops), np.flatnonzero(outside & stops)

    def evaluate(
        self, rows: Rows, scores: FloatArray, metrics: str | Metric | list[Metric], *, of: Sequence[int] | None = None
    ) -> Evaluation:
        """Evaluate scores of rows that were held out, of some folds or of all.

        Scores of different models are never ranked in one list: where there is one list, every fold is a list.
        """
        indices = np.flatnonzero(np.isin(self.of_row, range(self.count) if of is None else of))
        qid = self.of_row if self.one_list else rows.qid
        weight = None if self.one_list else rows.weights_of(indices)
        return evaluate(rows.y[indices], scores[indices], qid[indices], metrics, query_weight=weight)


def make_folds(rows: Rows, count: int, seed: int) -> Folds:
    """Folds of equal size that follow from the seed and from what stands in the rows, not from their order."""
    pairs = rows.content_order()
    n_queries = pairs.offsets.size - 1
    one_list = n_queries == 1
    units, noun = (len(rows), "rows") if one_list else (n_queries, "queries")
    check_whole("random_state", seed, 0, 2**63 - 1)
    if not is_finite_number(count) or count != int(count) or not 2 <= count <= units:
        raise DataError(f"folds must be from 2 to the number of {noun}, {units}, got {count!r:.60}; pass another")
    # Rows of one list are dealt label by label, so that every fold has its share of each.
    labels = pairs.y if one_list else np.zeros(n_queries)
    unit_of_place = np.arange(units) if one_list else np.repeat(np.arange(units), np.diff(pairs.offsets))

    def by_row(of_unit: IntArray) -> IntArray:
        of_row = np.empty(len(rows), dtype=np.int64)
        of_row[pairs.order] = of_unit[unit_of_place]
        return of_row

    of_unit = _dealt(labels, count, np.random.default_rng([seed, 0]))
    inner = []
    for fold in range(count):
        part = np.full(units, -1)
        outside = of_unit != fold
        part[outside] = _dealt(labels[outside], INNER_PARTS, np.random.default_rng([seed, 1, fold]))
        inner.append(by_row(part))
    return Folds(by_row(of_unit), inner, one_list)


def _dealt(labels: FloatArray, parts: int, rng: np.random.Generator) -> IntArray:
    """A part for each: those of equal label, in random order, one to each part in turn."""
    part = np.empty(labels.size, dtype=np.int64)
    part[np.lexsort((rng.permutation(labels.size), labels))] = np.arange(labels.size) % parts
    return part
