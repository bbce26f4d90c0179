"""What one worker does: it holds whole queries, in bins, and grows the same trees as all the others."""

from __future__ import annotations

import math
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data._row_hashes import RowHashes
from rankwise.errors import DataError
from rankwise.metrics import Metric, evaluate
from rankwise.rankers.trees._boosting import Judged, LocalEngine, Rounds, largest_of, put_on_a_grid
from rankwise.rankers.trees._local_plan import Plan
from rankwise.rankers.trees._model_text import read_booster, split_trees
from rankwise.rankers.trees._plan import binned, check_splits, dataset
from rankwise.rankers.trees._predict import mean_scores
from rankwise.rankers.trees._stages import Draw, StageWork
from rankwise.rankers.trees.dask._sources import Piece
from rankwise.rankers.trees.dask._worker_rows import PartRows, Request
from rankwise.types import FloatArray, IntArray

Sum = tuple[float, int]  # of a metric over queries, and how many these are

WAIT_MINUTES = 120  # for the other workers, at the start of a stage; a dead one is noticed long before


@dataclass(frozen=True)
class Grown:
    """Where a part stands after a round: the sums of each judged set, and the largest gradient and Hessian, in size.

    The tree is told by one part for all.
    """

    judged: list[Sum]
    largest: tuple[float, float]
    grown: bool = True
    header: list[str] = field(default_factory=list)
    trees: list[str] = field(default_factory=list)


class Part:
    """One worker's share of a training; all of it runs in one thread, since LightGBM's connections belong to a thread.

    `judged` has None for a set of which this part has no query.
    """

    def __init__(self, threads: int) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="rankwise-part")
        self.threads = threads
        os.environ.setdefault("RANKWISE_NUM_THREADS", str(threads))

    def load(
        self,
        features: tuple[str, ...],
        sample: int,
        pieces: Sequence[Sequence[Piece]],
        requests: Sequence[Sequence[Request]],
    ) -> list[tuple[IntArray, RowHashes] | None]:
        """Read the training rows and those of each judged set; for each, its queries and what tells them apart."""
        sets = [
            PartRows(its, asked, features, sample if number == 0 else 0) if its else None
            for number, (its, asked) in enumerate(zip(pieces, requests, strict=True))
        ]
        first = sets[0]
        assert first is not None
        self.rows, self.judged_rows = first, sets[1:]
        told: list[tuple[IntArray, RowHashes] | None] = []
        for one in sets:
            if one is None:
                told.append(None)
                continue
            keys = np.add.reduceat(one.groups.grouped(one.keys), one.groups.offsets[:-1])
            told.append((one.groups.qids, keys))
        return told

    def lowest_keys(self) -> RowHashes:
        """Keys of the rows that may be among those that bins are found from."""
        self.sample = self.rows.lowest.found()
        return self.sample[0]

    def lowest_rows(self, highest: int) -> tuple[NDArray[np.float32], FloatArray]:
        """Features and labels of the rows that are."""
        keys, X, y = self.sample
        chosen = keys <= np.uint64(highest)
        return X[chosen], y[chosen]

    def bin(
        self,
        sample: tuple[NDArray[np.float32], FloatArray],
        options: dict[str, Any],
        course: dict[str, Any],
        judged_metrics: Sequence[Metric],
        query_weight: FloatArray | None,
        machines: int,
    ) -> None:
        """Put all rows into bins, which are the same on all workers, and make a plan of them."""
        parameters = {**course["parameters"], "num_threads": self.threads, "force_col_wise": True}
        reference = dataset(*sample, **{**options, "params": parameters})
        check_splits(reference, {"min_child_samples": parameters["min_data_in_leaf"]}, self.rows.y.size)
        data = binned(self.rows, self.rows.y, parameters, reference)
        self.metrics, judged = [], []
        for rows, metric in zip(self.judged_rows, judged_metrics, strict=True):
            if rows is not None:
                qid = rows.groups.query_of_row()
                judged.append(Judged(binned(rows, rows.y, parameters, reference), rows, rows.y, qid))
                self.metrics.append(metric)
        del self.sample
        self.machines = machines
        self.plan = Plan(
            **{**course, "parameters": parameters},
            X=self.rows,
            rows=data,
            y=self.rows.y,
            groups=self.rows.groups,
            keys=self.rows.keys,
            row_weight=self.rows.values.get("weight"),
            query_weight=query_weight,
            start=self.rows.values.get("start"),
            judged=judged,
        )

    def prepare(self, number: int, draw: Draw) -> tuple[list[float], int]:
        """Draw a stage's rows; the sums of its loss, and a port at which other workers will find this one."""
        self.work = StageWork(self.plan, number, draw)
        if not self.work.size:
            raise DataError("a bag has none of the queries of a worker; use fewer workers or more queries")
        self.socket = socket.socket()
        self.socket.bind(("", 0))
        return self.work.objective.sums, int(self.socket.getsockname()[1])

    def start(
        self, sums: Sequence[Sequence[float]], header: list[str], trees: list[str], done: int, network: dict[str, Any]
    ) -> Grown:
        """Begin a stage, or go on with it after `done` of its rounds; all parts do this at once."""
        self.work.objective.settle(sums)
        rounds = Rounds(self.work.start_scores(header, trees), trees[len(trees) - done :])
        self.socket.close()
        if self.machines > 1:
            self.plan.parameters.update(network, tree_learner="data", pre_partition=True, time_out=WAIT_MINUTES)
        with _silent():
            self.engine: LocalEngine = self.work.engine(rounds)
        return Grown(self._judged(), self._largest())

    def grow(self, largest: tuple[float, float], tell: bool) -> Grown:
        """One round, given the largest gradient and Hessian of all parts; `tell` its tree."""
        grown = self.engine.grow_by(*(put_on_a_grid(self.descent.pop(0), of_all) for of_all in largest))
        engine, header, trees = self.engine, list[str](), list[str]()
        if tell and grown:
            start = engine.rounds.done - engine.first
            header, trees = split_trees(engine.booster.model_to_string(start_iteration=start))
            engine.rounds.trees += trees
        return Grown(self._judged(), self._largest() if grown else largest, grown, header, trees)

    def _largest(self) -> tuple[float, float]:
        """Of the gradients of the round that comes next, which are kept for it."""
        self.descent = list(self.engine.gradients())
        gradient, hessian = map(largest_of, self.descent)
        return gradient, hessian

    def finish(self) -> None:
        """End a stage."""
        engine = self.engine
        del self.engine, self.work
        engine.booster.free_network()

    def first_sum(self, texts: Sequence[str]) -> Sum:
        """The sum of the metric of these models' mean score over queries of the first judged set."""
        if self.judged_rows[0] is None:
            return 0.0, 0
        first = self.plan.judged[0]
        return _sum(first, self.metrics[0], mean_scores([read_booster(text) for text in texts], first.X, self.threads))

    def _judged(self) -> list[Sum]:
        """For each set, also those that this part has nothing of."""
        judged = zip(self.plan.judged, self.metrics, self.engine.rounds.scores[1:], strict=True)
        return [(0.0, 0) if rows is None else _sum(*next(judged)) for rows in self.judged_rows]


def _sum(judged: Judged, metric: Metric, scores: FloatArray) -> Sum:
    (values,) = evaluate(judged.y, scores, judged.qid, metric).per_query.values()
    known = values[~np.isnan(values)]
    return math.fsum(known), known.size


@contextmanager
def _silent() -> Iterator[None]:
    """LightGBM says on stdout that it listens, from a thread of its own; a command's results go there."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
