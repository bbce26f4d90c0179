"""From what `fit` is called with to training on a cluster: rows go to workers by query, into the same bins on all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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
from rankwise.rankers.trees._lightgbm import column_options, engine_threads
from rankwise.rankers.trees._local import check_init_score
from rankwise.rankers.trees._plan import make_plan
from rankwise.rankers.trees._streaming import Float32Array
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
from rankwise.rankers.trees.dask._trainer import ClusterTrainer
from rankwise.rankers.trees.dask._worker import TrainingWorker
from rankwise.types import FloatArray, IntArray


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
    all_rows = [train]
    for rows in list_eval_sets(eval_set):
        all_rows.append(as_features(model, _distribute_eval_set(client, rows), fitting=False))
    layouts = [_survey(client, rows) for rows in all_rows]
    n_rows, n_queries = layouts[0].n_rows, layouts[0].n_queries
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
        seed=seed,
    )
    if init_score is not None and len(layouts) > 1:
        raise DataError("on a cluster a model that starts from an init_score cannot be evaluated; pass no eval_set")
    query_weight = check_weights("query_weight", data.query_weight, n_queries, "query")
    columns = {
        "row_weight": check_weights("sample_weight", data.sample_weight, n_rows, "row"),
        "init_score": check_init_score(init_score, n_rows),
    }
    row_values = {name: values for name, values in columns.items() if values is not None}
    if row_values and any(isinstance(piece, ParquetRows) and piece.skip_bad for piece in train.pieces):
        raise DataError("numbers for each row cannot be matched to rows of which bad ones are skipped; fix the data")
    cluster = _start_workers(model, client, all_rows, layouts, row_values)
    try:
        query_hashes = cluster.all(TrainingWorker.query_hashes)
        worker_queries = [hashes[0][0] for hashes in query_hashes if hashes[0] is not None]
        sample = _gather_sample(cluster)
        options = column_options(model.n_features_in_, categorical_columns(model, None, model.categorical_feature))
        worker_plan = replace(plan, metric=_fit_to_labels(plan.metric, layouts[0]))
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
        row_values=[
            values for values in (columns["row_weight"], query_weight, columns["init_score"]) if values is not None
        ],
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
