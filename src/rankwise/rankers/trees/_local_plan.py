"""Training on the rows of this machine."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.data._row_hashes import RowHashes
from rankwise.rankers.trees._boosting import Judged, LocalEngine, Rounds
from rankwise.rankers.trees._predict import feature_arrays, mean_scores
from rankwise.rankers.trees._stages import Draw, StageWork, position_bias
from rankwise.rankers.trees._training import Course, State, trees_so_far
from rankwise.types import AnyArray, FloatArray, IntArray

log = logging.getLogger(__name__)

MOVED = 0.1  # share of clicks on documents that were shown at several positions, below which a warning is logged


@dataclass(frozen=True, kw_only=True)
class Plan(Course):
    """All that decides what is trained on this machine."""

    X: Any
    rows: lgb.Dataset
    y: FloatArray
    groups: QueryGroups
    keys: RowHashes  # what tells rows apart in whatever order they come
    row_weight: FloatArray | None
    query_weight: FloatArray | None
    positions: IntArray | None = None  # where each row was shown, if its label is whether it was clicked
    start: FloatArray | None  # given scores, which are no part of the model
    judged: Sequence[Judged]

    @property
    def size(self) -> tuple[int, int]:
        """Rows and queries."""
        return self.y.size, self.groups.n_queries

    @property
    def judged_sets(self) -> int:
        """How many sets the model is judged on."""
        return len(self.judged)

    def engine(self, state: State) -> LocalEngine:
        """LightGBM on the rows of the present bag."""
        number = len(state.finished)
        draw = Draw.of(self.query_keys(), self, self.stages[number].bag)
        work = StageWork(self, number, draw)
        work.objective.settle([work.objective.sums])
        return work.engine(state.rounds or Rounds(work.start_scores(*trees_so_far(self, state))))

    def first_value(self, boosters: Sequence[lgb.Booster]) -> float:
        """The metric of the mean of these models on the first judged set."""
        first = self.judged[0]
        scores = mean_scores(boosters, first.X, self.parameters["num_threads"])
        return first.value(self.metric, scores if first.start is None else scores + first.start)

    def propensities(self, boosters: Sequence[lgb.Booster]) -> tuple[IntArray, FloatArray] | None:
        """The positions and how likely each is looked at, by the mean scores of these models."""
        if self.positions is None:
            return None
        bias = position_bias(self, slice(None))
        if bias.moved < MOVED:
            log.warning(
                "%.0f%% of the clicks are on documents that were shown at several positions: propensities rest on the "
                "trees, which cannot tell a position from what put a document there (docs/clicks.md)",
                100 * bias.moved,
            )
        scores = mean_scores(boosters, self.X, self.parameters["num_threads"])
        return bias.positions, bias.propensities(scores if self.start is None else scores + self.start)

    def query_keys(self) -> RowHashes:
        """What tells queries apart by what stands in them: neither names nor the order of rows matter."""
        return np.asarray(np.add.reduceat(self.groups.grouped(self.keys), self.groups.offsets[:-1]))

    def row_arrays(self) -> list[AnyArray | None]:
        """Arrays that tell the rows of one training from those of another."""
        arrays: list[AnyArray | None] = [self.y, self.groups.offsets, self.groups.order]
        arrays += [self.row_weight, self.query_weight, self.start, self.positions]
        for one in self.judged:
            arrays += [one.y, one.qid, one.start]
        for X in (self.X, *(one.X for one in self.judged)):
            arrays += feature_arrays(X)
        return arrays
