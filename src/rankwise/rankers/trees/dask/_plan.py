"""A course of training whose rows are on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import lightgbm as lgb
import numpy as np

from rankwise.data._row_hashes import RowHashes
from rankwise.rankers.trees._boosting import Rounds
from rankwise.rankers.trees._model_text import model_to_text
from rankwise.rankers.trees._stages import Draw
from rankwise.rankers.trees._training import Course, State, trees_so_far
from rankwise.rankers.trees.dask._cluster import Cluster
from rankwise.rankers.trees.dask._engine import ClusterEngine, combined
from rankwise.types import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class ClusterPlan(Course):
    """All that decides what is trained, but for the rows, of which it knows the queries alone."""

    cluster: Cluster
    rows: int
    query_keys: Sequence[RowHashes]  # of the training rows and of each judged set
    part_queries: Sequence[IntArray]  # numbers of the queries of each part, in its order
    given: Sequence[FloatArray]  # what the caller gave for each row or query

    @property
    def size(self) -> tuple[int, int]:
        """Rows and queries."""
        return self.rows, self.query_keys[0].size

    @property
    def judged_sets(self) -> int:
        """How many sets the model is judged on."""
        return len(self.query_keys) - 1

    def engine(self, state: State) -> ClusterEngine:
        """LightGBM on all workers, on the rows of the present bag."""
        number = len(state.finished)
        draw = Draw.of(self.query_keys[0], self, self.stages[number].bag)
        draws = self.cluster.put([draw.of_queries(own) for own in self.part_queries])
        prepared = self.cluster.each("prepare", [(number, its) for its in draws])
        machines = [f"{host}:{port}" for host, (_, port) in zip(self.cluster.hosts(), prepared, strict=True)]
        header, trees = trees_so_far(self, state)
        rounds = state.rounds or Rounds([])
        if rounds.done:
            header, trees = rounds.header, [*trees, *rounds.trees]
        sums = [its for its, _ in prepared]
        parts = self.cluster.each(
            "start",
            [
                (
                    sums,
                    header,
                    trees,
                    rounds.done,
                    {"machines": ",".join(machines), "num_machines": len(machines), "local_listen_port": port},
                )
                for _, port in prepared
            ],
        )
        return ClusterEngine(self.cluster, rounds, self.metric, parts)

    def end_stage(self) -> None:
        """Let the workers part until the next stage."""
        self.cluster.all("finish")

    def first_value(self, boosters: Sequence[lgb.Booster]) -> float:
        """The metric of the mean of these models on the first judged set."""
        return combined(self.cluster.all("first_sum", [model_to_text(booster) for booster in boosters]), self.metric)

    def row_arrays(self) -> list[AnyArray | None]:
        """Arrays that tell all queries apart, on however many workers they are."""
        return [*map(np.sort, self.query_keys), *self.given]

    def close(self) -> None:
        """Free what the workers hold."""
        self.cluster.close()
