"""Training on the workers of a cluster in step: each adds its rows to the same trees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import lightgbm as lgb
import numpy as np

from rankwise.data._row_hashes import RowHashes
from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.rankers.trees._model_text import model_to_text
from rankwise.rankers.trees._plan import Bootstrap
from rankwise.rankers.trees._training import Rounds, Trainer, TrainingState, trees_so_far
from rankwise.rankers.trees.dask._cluster import Cluster
from rankwise.rankers.trees.dask._worker import MetricSum, TrainingWorker, WorkerRound
from rankwise.types import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class ClusterTrainer(Trainer):
    """A plan and rows on workers, of which it knows the queries alone."""

    cluster: Cluster
    query_hashes: Sequence[RowHashes]  # of the training rows and of each eval_set
    worker_queries: Sequence[IntArray]  # numbers of the queries of each worker, in its order
    row_values: Sequence[FloatArray]  # what the caller passed for each row or query

    def start_stage(self, state: TrainingState) -> ClusterEngine:
        """LightGBM on all workers, on the rows of the present bag."""
        stage = len(state.finished)
        bootstrap = Bootstrap.of(self.query_hashes[0], self.plan, stage)
        bootstraps = [(stage, bootstrap.of_queries(queries)) for queries in self.worker_queries]
        prepared = self.cluster.each(TrainingWorker.prepare, bootstraps)
        sums = [worker_sums for worker_sums, _ in prepared]
        machines = [f"{host}:{port}" for host, (_, port) in zip(self.cluster.hosts(), prepared, strict=True)]
        header, trees = trees_so_far(self.plan, state)
        rounds = state.rounds or Rounds([])
        if rounds.n_done:
            header, trees = rounds.header, [*trees, *rounds.trees]
        arguments = (sums, header, trees, rounds.n_done, machines)
        started = self.cluster.each(TrainingWorker.start, [arguments] * len(prepared), in_step=True)
        return ClusterEngine(self.cluster, rounds, self.plan.metric, started)

    def end_stage(self) -> None:
        """Let the workers leave each other until the next stage."""
        self.cluster.all(TrainingWorker.finish)

    def evaluate(self, boosters: Sequence[lgb.Booster]) -> float:
        """The metric of the mean of these models on the first eval_set."""
        texts = [model_to_text(booster) for booster in boosters]
        return _mean(self.cluster.all(TrainingWorker.evaluate, texts), self.plan.metric)

    def row_arrays(self) -> list[AnyArray | None]:
        """Arrays that tell all queries apart, on however many workers they are."""
        return [*map(np.sort, self.query_hashes), *self.row_values]

    def close(self) -> None:
        """Free what the workers hold."""
        self.cluster.close()


class ClusterEngine:
    """Grows trees on all workers; they are reported after each round, so that none is lost with a worker."""

    def __init__(self, cluster: Cluster, rounds: Rounds, metric: Metric, workers: list[WorkerRound]) -> None:
        self.cluster, self.rounds, self.metric, self.workers = cluster, rounds, metric, workers

    @property
    def n_done(self) -> int:
        """Rounds so far."""
        return self.rounds.n_done

    def grow(self) -> bool:
        """One round; False if there is nothing to split."""
        gradients, hessians = zip(*(worker.largest for worker in self.workers), strict=True)
        largest = (max(gradients), max(hessians))
        arguments = [(largest, number == 0) for number in range(len(self.workers))]
        self.workers = self.cluster.each(TrainingWorker.grow, arguments, in_step=True)
        first = self.workers[0]
        self.rounds.header = first.header or self.rounds.header
        self.rounds.trees += first.trees
        return first.grown

    def evaluate(self) -> list[float]:
        """The metric on each eval_set, over the queries of all workers."""
        return [_mean(sums, self.metric) for sums in zip(*(worker.sums for worker in self.workers), strict=True)]

    def fetch(self) -> None:
        """The rounds are up to date already."""


def _mean(sums: Sequence[MetricSum], metric: Metric) -> float:
    """The mean over all queries."""
    n_queries = sum(metric_sum.n_queries for metric_sum in sums)
    if not n_queries:
        raise DataError(f"no query of eval_set has {metric.needs}, which {metric} needs; pass other queries")
    return math.fsum(metric_sum.total for metric_sum in sums) / n_queries
