"""Training on the workers of a cluster in step: rows go to them by query, and each adds its rows to the same trees."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import lightgbm as lgb
import numpy as np
from distributed import Client
from numpy.typing import ArrayLike

from rankwise.data._row_hashes import RowHashes
from rankwise.data._sources import ParquetRows
from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.rankers._base import Ranker
from rankwise.rankers._eval_sets import check_weights, list_eval_sets
from rankwise.rankers._features import TrainingRows, as_features, categorical_columns
from rankwise.rankers.trees import _lightgbm
from rankwise.rankers.trees._capacity import fill_in
from rankwise.rankers.trees._lightgbm import column_options, engine_threads
from rankwise.rankers.trees._local import check_init_score
from rankwise.rankers.trees._model_text import model_to_text
from rankwise.rankers.trees._plan import Bootstrap, TrainingPlan, make_plan
from rankwise.rankers.trees._split_noise import GradientSize
from rankwise.rankers.trees._streaming import Float32Array
from rankwise.rankers.trees._training import Trainer
from rankwise.rankers.trees._training_state import BagState, Rounds
from rankwise.rankers.trees.dask._cluster import Cluster
from rankwise.rankers.trees.dask._failure import explain_failure, task_results, workers_of
from rankwise.rankers.trees.dask._layout import (
    PieceSurvey,
    QueryLayout,
    assign_queries,
    assign_rows,
    lay_out,
    survey_piece,
)
from rankwise.rankers.trees.dask._sources import ClusterRows, distribute
from rankwise.rankers.trees.dask._worker import MetricSum, TrainingWorker, WorkerRound
from rankwise.types import AnyArray, FloatArray, IntArray

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ClusterTrainer(Trainer):
    """A plan and rows on workers, of which it knows the queries alone."""

    cluster: Cluster
    query_hashes: Sequence[RowHashes]  # of the training rows and of each eval_set
    worker_queries: Sequence[IntArray]  # numbers of the queries of each worker, in its order
    row_values: Sequence[FloatArray | None]  # what the caller passed for each row or query

    def start_stage(self, state: BagState) -> ClusterEngine:
        """LightGBM on all workers, on the rows of a bag."""
        stage = state.bag * self.plan.stages_per_bag + len(state.finished)
        bootstrap = Bootstrap.of(self.query_hashes[0], self.plan, stage)
        bootstraps = [(stage, bootstrap.of_queries(queries)) for queries in self.worker_queries]
        prepared = self.cluster.each(TrainingWorker.prepare, bootstraps)
        sums = [worker_sums for worker_sums, _ in prepared]
        machines = [f"{host}:{port}" for host, (_, port) in zip(self.cluster.hosts(), prepared, strict=True)]
        header, trees = state.header_and_trees(self.plan)
        rounds = state.rounds or Rounds([])
        if rounds.n_done:
            header, trees = rounds.header, [*trees, *rounds.trees]
        arguments = (sums, header, trees, rounds.n_done, machines)
        started = self.cluster.each(TrainingWorker.start, [arguments] * len(prepared), in_step=True)
        return ClusterEngine(self.cluster, rounds, self.plan, started)

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

    def __init__(self, cluster: Cluster, rounds: Rounds, plan: TrainingPlan, workers: list[WorkerRound]) -> None:
        self.cluster, self.rounds, self.metric, self.workers = cluster, rounds, plan.metric, workers
        self.has_noise = plan.split_noise > 0.0

    @property
    def n_done(self) -> int:
        """Rounds so far."""
        return self.rounds.n_done

    def grow(self) -> bool:
        """One round; False if there is nothing to split."""
        size = GradientSize.of_all(worker.size for worker in self.workers)
        reports = [number == 0 for number in range(len(self.workers))]
        if self.has_noise:
            sums = self.cluster.each(TrainingWorker.find_leaves, [(size,)] * len(reports), in_step=True)
            if sums[0] is None:
                return False
            total = np.sum([leaf_sums for leaf_sums in sums if leaf_sums is not None], axis=0)
            self.workers = self.cluster.each(TrainingWorker.set_leaf_values, [(total, report) for report in reports])
        else:
            self.workers = self.cluster.each(TrainingWorker.grow, [(size, r) for r in reports], in_step=True)
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


@explain_failure("before the first round")
def make_cluster_trainer(
    model: Ranker,
    client: Client,
    data: TrainingRows,
    eval_set: object,
    init_score: ArrayLike | None,
    init_model: object,
    seed: int,
) -> ClusterTrainer:
    """Check everything that `fit` of a LambdaMART was called with, and spread the rows."""
    if data.position is not None:
        raise DataError("positions are learned from on one machine, got a client too; leave out one of the two")
    workers_of(client)  # before any task waits for one
    train: ClusterRows = as_features(model, distribute(client, data.X, data.y, data.qid), fitting=True)
    all_rows, layouts = [train], [_survey(client, train)]
    n_rows, n_queries = layouts[0].n_rows, layouts[0].n_queries
    for rows in list_eval_sets(eval_set, n_queries):
        all_rows.append(as_features(model, _distribute_eval_set(client, rows), fitting=False))
        layouts.append(_survey(client, all_rows[-1]))
    if n_rows < 2:
        raise DataError(f"{train} must have 2 or more rows to learn from, got {n_rows}; name more data")
    plan = make_plan(
        model,
        layouts[0].labels,
        n_rows,
        n_queries,
        has_eval_set=len(layouts) > 1,
        has_positions=False,
        has_init_score=init_score is not None,
        init_model=init_model,
        may_be_symmetric=False,
        seed=seed,
    )
    _warn_of_other_trees(model, n_rows, n_queries)
    if init_score is not None and len(layouts) > 1:
        raise DataError("on a cluster a model that starts from an init_score cannot be evaluated; pass no eval_set")
    query_weight = check_weights("query_weight", data.query_weight, n_queries, "query")
    row_weight = check_weights("sample_weight", data.sample_weight, n_rows, "row")
    start = check_init_score(init_score, n_rows)
    columns = {"row_weight": row_weight, "init_score": start}
    row_values = {name: values for name, values in columns.items() if values is not None}
    if row_values and any(isinstance(piece, ParquetRows) and piece.skip_bad for piece in train.pieces):
        raise DataError("numbers for each row cannot be matched to rows of which bad ones are skipped; fix the data")
    cluster = _start_workers(model, client, all_rows, layouts, row_values)
    try:
        query_hashes = cluster.all(TrainingWorker.query_hashes)
        worker_queries = [hashes[0][0] for hashes in query_hashes if hashes[0] is not None]
        sample = _gather_sample(cluster)
        options = column_options(model.n_features_in_, categorical_columns(model, model.categorical_feature))
        metric, trained_metric = (_fit_to_labels(one, layouts[0]) for one in (plan.metric, plan.trained_metric))
        worker_plan = replace(plan, metric=metric, trained_metric=trained_metric)
        eval_metrics = [_fit_to_labels(plan.metric, layout) for layout in layouts[1:]]
        weights = [None if query_weight is None else query_weight[queries] for queries in worker_queries]
        cluster.each(TrainingWorker.bin, [(sample, options, worker_plan, eval_metrics, weight) for weight in weights])
    except BaseException:
        cluster.close()
        raise
    return ClusterTrainer(
        plan=plan,
        cluster=cluster,
        n_rows=n_rows,
        n_queries=n_queries,
        n_eval_sets=len(layouts) - 1,
        query_hashes=[
            _gather_hashes([hashes[number] for hashes in query_hashes], layout.n_queries)
            for number, layout in enumerate(layouts)
        ],
        worker_queries=worker_queries,
        row_values=(row_weight, query_weight, start),
    )


def _warn_of_other_trees(model: Ranker, n_rows: int, n_queries: int) -> None:
    """Log where the defaults make another model here than on one machine."""
    has_categories = bool(categorical_columns(model, model.categorical_feature))
    parameters = model.get_params(deep=False)
    on_one_machine = fill_in(parameters, n_rows, n_queries, may_be_symmetric=not has_categories)
    if on_one_machine["grow_policy"] == "symmetric":
        log.warning(
            "%d rows are few enough for symmetric trees, which rank better but are not grown on a cluster: fit without "
            'client for them, or set grow_policy="lossguide" for the same trees in both places',
            n_rows,
        )


def _distribute_eval_set(client: Client, eval_set: Any) -> ClusterRows:
    if isinstance(eval_set, tuple) and len(eval_set) in (2, 3) and not isinstance(eval_set[0], str):
        return distribute(client, *eval_set)
    return distribute(client, eval_set)


def _survey(client: Client, rows: ClusterRows) -> QueryLayout:
    surveys = task_results(client, client.map(survey_piece, rows.pieces, pure=False))
    return lay_out([survey for survey in surveys if isinstance(survey, PieceSurvey)])


def _start_workers(
    model: Ranker,
    client: Client,
    all_rows: Sequence[ClusterRows],
    layouts: Sequence[QueryLayout],
    row_values: dict[str, FloatArray],
) -> Cluster:
    """Let each worker read the rows of its queries: of the training rows, and of each eval_set."""
    workers, threads = workers_of(client), engine_threads(model.n_jobs)
    queries_of = assign_queries(layouts[0].rows, min(len(workers), layouts[0].n_queries))
    _, first = np.unique(queries_of, return_inverse=True)  # each of them has rows to learn from
    n_workers = int(first.max()) + 1
    workers_of_query = [first, *(assign_queries(layout.rows, n_workers) for layout in layouts[1:])]
    assigned = [
        assign_rows(rows.pieces, layout, worker_of_query, n_workers, row_values if rows is all_rows[0] else {})
        for rows, layout, worker_of_query in zip(all_rows, layouts, workers_of_query, strict=True)
    ]
    return Cluster(
        client,
        {address: threads or workers[address] for address in sorted(workers)[:n_workers]},
        all_rows[0].features,
        _lightgbm.BINNING_ROWS,
        [[pieces[worker] for pieces, _ in assigned] for worker in range(n_workers)],
        [[assignments[worker] for _, assignments in assigned] for worker in range(n_workers)],
    )


def _gather_sample(cluster: Cluster) -> tuple[Float32Array, FloatArray]:
    """The rows that bins are found from: those with the lowest hashes of all workers, as on one machine."""
    hashes = np.concatenate(cluster.all(TrainingWorker.sample_hashes))
    rank = min(_lightgbm.BINNING_ROWS, hashes.size) - 1
    samples = cluster.all(TrainingWorker.sample_rows, int(np.partition(hashes, rank)[rank]))
    return np.concatenate([X for X, _ in samples]), np.concatenate([y for _, y in samples])


def _gather_hashes(worker_hashes: Sequence[tuple[IntArray, RowHashes] | None], n_queries: int) -> RowHashes:
    """What tells the queries of a data set apart, by their numbers, from what each worker has of it."""
    hashes = np.zeros(n_queries, dtype=np.uint64)
    for numbers, query_hashes in filter(None, worker_hashes):
        hashes[numbers] = query_hashes
    return hashes


def _fit_to_labels(metric: Metric, layout: QueryLayout) -> Metric:
    """The metric with what it takes from all labels of a data set."""
    if not metric.reads_dataset:
        return metric
    return metric.for_labels(np.repeat(np.maximum(layout.labels, 0.0), layout.label_rows))
