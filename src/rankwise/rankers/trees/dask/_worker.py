"""What one worker does: it holds whole queries, in bins, and grows the same trees as all the others."""

from __future__ import annotations

import asyncio
import math
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar, TypeVarTuple

import numpy as np

from rankwise.data._row_hashes import RowHashes
from rankwise.errors import DataError
from rankwise.metrics import Metric, evaluate
from rankwise.rankers.trees._engine import BinnedEvalSet, LocalEngine, LocalRows
from rankwise.rankers.trees._lightgbm import bin_blocks, bin_counts, check_splits, make_dataset
from rankwise.rankers.trees._model_text import read_booster
from rankwise.rankers.trees._plan import Bootstrap, TrainingPlan
from rankwise.rankers.trees._predict import average_scores
from rankwise.rankers.trees._split_noise import GradientSize
from rankwise.rankers.trees._streaming import Float32Array
from rankwise.rankers.trees._training_state import Rounds
from rankwise.rankers.trees.dask._layout import RowAssignment
from rankwise.rankers.trees.dask._sources import Piece
from rankwise.rankers.trees.dask._worker_rows import WorkerRows
from rankwise.types import FloatArray, IntArray, JsonObject

NETWORK_MINUTES = 120  # to wait for the other workers, at the start of a stage; a dead one is noticed long before

R = TypeVar("R")
Arguments = TypeVarTuple("Arguments")


class MetricSum(NamedTuple):
    """Of a metric over queries, and how many these are."""

    total: float
    n_queries: int


@dataclass(frozen=True)
class WorkerRound:
    """Where a worker stands after a round: sums of each eval_set, and how large the next gradients are.

    The tree is reported by one worker for all.
    """

    sums: list[MetricSum]
    size: GradientSize
    grown: bool = True
    header: list[str] = field(default_factory=list)
    trees: list[str] = field(default_factory=list)


class TrainingWorker:
    """One worker's share of a training, a Dask actor: it reads its rows when it is made.

    All that follows runs in one thread, since LightGBM's connections belong to a thread. `eval_rows` has None for a
    set of which this worker has no query.
    """

    def __init__(
        self,
        n_threads: int,
        features: tuple[str, ...],
        sample_rows: int,
        pieces: Sequence[Sequence[Piece]],
        assignments: Sequence[Sequence[RowAssignment]],
    ) -> None:
        os.environ.setdefault("RANKWISE_NUM_THREADS", str(n_threads))
        self.n_threads = n_threads
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="rankwise-worker")
        self.rows = WorkerRows(pieces[0], assignments[0], features, sample_rows)
        self.eval_rows = [
            WorkerRows(set_pieces, set_assignments, features, 0) if set_pieces else None
            for set_pieces, set_assignments in zip(pieces[1:], assignments[1:], strict=True)
        ]

    async def run(self, method: Callable[[TrainingWorker, *Arguments], R], *arguments: *Arguments) -> R:
        """Call one of the methods below in the thread of this training."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, method, self, *arguments)

    def query_hashes(self) -> list[tuple[IntArray, RowHashes] | None]:
        """For the training rows and each eval_set, numbers of its queries here and what tells them apart."""
        return [None if rows is None else rows.query_hashes() for rows in (self.rows, *self.eval_rows)]

    def sample_hashes(self) -> RowHashes:
        """Hashes of the rows that may be among those that bins are found from."""
        self.sample = self.rows.sample.take()
        return self.sample[0]

    def sample_rows(self, highest: int) -> tuple[Float32Array, FloatArray]:
        """Features and labels of the rows that are."""
        hashes, X, y = self.sample
        chosen = hashes <= np.uint64(highest)
        return X[chosen], y[chosen]

    def bin(
        self,
        sample: tuple[Float32Array, FloatArray],
        options: JsonObject,
        plan: TrainingPlan,
        eval_metrics: Sequence[Metric],
        query_weight: FloatArray | None,
    ) -> None:
        """Put all rows into bins, which are the same on all workers."""
        parameters = {**plan.parameters, "num_threads": self.n_threads, "force_col_wise": True}
        if plan.split_noise:
            # LightGBM estimates the rows of a leaf here, and fails where noise makes one of so few that it finds none.
            parameters["min_data_in_leaf"] = max(1, parameters["min_data_in_leaf"])
        reference = make_dataset(*sample, **options, params=parameters)
        check_splits(bin_counts(reference), parameters["min_data_in_leaf"], self.rows.y.size)
        dataset = bin_blocks(self.rows, self.rows.y, parameters, reference)
        self.eval_metrics, eval_sets = [], []
        for rows, metric in zip(self.eval_rows, eval_metrics, strict=True):
            if rows is not None:
                eval_dataset = bin_blocks(rows, rows.y, parameters, reference)
                eval_sets.append(BinnedEvalSet(rows, rows.y, rows.groups.query_of_row(), dataset=eval_dataset))
                self.eval_metrics.append(metric)
        del self.sample
        self.plan = replace(plan, parameters=parameters)
        self.local_rows = LocalRows(
            X=self.rows,
            dataset=dataset,
            y=self.rows.y,
            groups=self.rows.groups,
            hashes=self.rows.hashes,
            row_weight=self.rows.values.get("row_weight"),
            query_weight=query_weight,
            init_score=self.rows.values.get("init_score"),
            eval_sets=eval_sets,
        )

    def prepare(self, stage: int, bootstrap: Bootstrap) -> tuple[list[float], int]:
        """Draw a stage's rows; the sums of its loss, and a port at which other workers will find this one."""
        self.engine = LocalEngine(self.plan, self.local_rows, stage, bootstrap)
        if not self.engine.n_rows:
            raise DataError("a bag has none of the queries of a worker; use fewer workers or more queries")
        self.socket = socket.socket()
        self.socket.bind(("", 0))
        return self.engine.objective.sums, int(self.socket.getsockname()[1])

    def start(
        self, sums: Sequence[Sequence[float]], header: list[str], trees: list[str], n_done: int, machines: list[str]
    ) -> WorkerRound:
        """Begin a stage, or go on with it after `n_done` of its rounds; all workers do this at once."""
        self.engine.objective.set_global_sums(sums)
        rounds = Rounds(self.engine.init_scores(header, trees), trees[len(trees) - n_done :])
        port = self.socket.getsockname()[1]
        self.socket.close()
        network: JsonObject = {}
        if len(machines) > 1:
            network = {
                "machines": ",".join(machines),
                "num_machines": len(machines),
                "local_listen_port": port,
                "tree_learner": "data",
                "pre_partition": True,
                "time_out": NETWORK_MINUTES,
            }
        with _silent():
            self.engine.start(rounds, network)
        return WorkerRound(self._metric_sums(), self._next_gradients())

    def grow(self, size: GradientSize, reports_tree: bool) -> WorkerRound:
        """One round, given how large the gradients of all workers are."""
        grown = self.engine.grow_by(self.gradients, size)
        return self._end_round(reports_tree) if grown else WorkerRound(self._metric_sums(), size, grown)

    def find_leaves(self, size: GradientSize) -> FloatArray | None:
        """Grow a tree with split noise: the sums of true gradients in its leaves; None if there is nothing to split."""
        return self.engine.leaf_sums if self.engine.grow_by(self.gradients, size) else None

    def set_leaf_values(self, sums: FloatArray, reports_tree: bool) -> WorkerRound:
        """End a round with split noise, given the sums of all workers."""
        self.engine.set_leaf_values(sums)
        return self._end_round(reports_tree)

    def _end_round(self, reports_tree: bool) -> WorkerRound:
        rounds, size, sums = self.engine.rounds, self._next_gradients(), self._metric_sums()
        if not reports_tree:
            return WorkerRound(sums, size)
        self.engine.fetch_trees()
        return WorkerRound(sums, size, True, rounds.header, rounds.trees[-1:])

    def _next_gradients(self) -> GradientSize:
        """How large the gradients of the round that comes next are, which are kept for it."""
        self.gradients = self.engine.gradients()
        return self.engine.size(self.gradients)

    def finish(self) -> None:
        """End a stage."""
        engine = self.engine
        del self.engine
        if hasattr(engine, "booster"):
            engine.booster.free_network()

    def evaluate(self, texts: Sequence[str]) -> MetricSum:
        """The sum of the metric of these models' mean score over queries of the first eval_set."""
        if self.eval_rows[0] is None:
            return MetricSum(0.0, 0)
        first, boosters = self.local_rows.eval_sets[0], [read_booster(text) for text in texts]
        return _metric_sum(first, self.eval_metrics[0], average_scores(boosters, first.X, self.n_threads))

    def close(self) -> None:
        """Free what this training holds here."""
        if hasattr(self, "engine"):
            self.finish()
        self.thread.shutdown(wait=False)
        vars(self).clear()

    def _metric_sums(self) -> list[MetricSum]:
        """For each eval_set, also those that this worker has nothing of."""
        eval_sets = zip(self.local_rows.eval_sets, self.eval_metrics, self.engine.rounds.scores[1:], strict=True)
        return [MetricSum(0.0, 0) if rows is None else _metric_sum(*next(eval_sets)) for rows in self.eval_rows]


def _metric_sum(eval_set: BinnedEvalSet, metric: Metric, scores: FloatArray) -> MetricSum:
    (values,) = evaluate(eval_set.y, scores, eval_set.qid, metric).per_query.values()
    defined = values[~np.isnan(values)]
    return MetricSum(math.fsum(defined), defined.size)


@contextmanager
def _silent() -> Iterator[None]:
    """LightGBM says on stdout that it listens, from a thread of its own; a command's results go there."""
    sys.stdout.flush()
    stdout, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
        os.close(nowhere)
