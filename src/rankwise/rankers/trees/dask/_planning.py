"""From what `fit` is given to a plan on a cluster: rows go to workers by query, and into the same bins on all."""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Client

from rankwise.data._sources import ParquetRows
from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.rankers._eval_sets import check_weights, list_eval_sets
from rankwise.rankers._features import as_features, categorical_columns, values_by_column
from rankwise.rankers._parameters import check_parameters
from rankwise.rankers.trees import _plan as local
from rankwise.rankers.trees._lightgbm import engine_parameters, engine_threads
from rankwise.rankers.trees.dask._cluster import Cluster
from rankwise.rankers.trees.dask._failure import results, saying_when, workers_of
from rankwise.rankers.trees.dask._layout import Layout, assign, lay_out, survey_piece
from rankwise.rankers.trees.dask._loading import gathered_keys, requests_of, sample_of
from rankwise.rankers.trees.dask._plan import ClusterPlan
from rankwise.rankers.trees.dask._sources import ClusterRows, as_cluster_rows


@saying_when("before the first round")
def make_cluster_plan(
    model: Any,
    client: Client,
    X: Any,
    y: Any,
    qid: Any,
    eval_set: Any,
    sample_weight: Any,
    query_weight: Any,
    seed: int,
) -> ClusterPlan:
    """Check everything that a LambdaMART was given, spread the rows, and say what to train."""
    check_parameters(model)
    given = model.get_params(deep=False)
    metric = parse(given["metric"])
    workers_of(client)  # before any task waits for one
    train = as_features(model, as_cluster_rows(client, X, y, qid), fitting=True)
    judged = [as_features(model, _judged_rows(client, one), fitting=False) for one in list_eval_sets(eval_set)]
    layouts = [
        lay_out(list(results(client, client.map(survey_piece, one.pieces, pure=False)))) for one in (train, *judged)
    ]
    rows, queries = layouts[0].n_rows, layouts[0].n_queries
    if rows < 2:
        raise DataError(f"{train} must have 2 or more rows to learn from, got {rows}; name more data")
    if given["query_subsample"] < 1.0 and queries == 1:
        raise DataError("query_subsample draws whole queries, got one list; leave it at 1.0 or pass qid")
    init = local.first_loss(given["init"], layouts[0].labels, queries)
    header, trees, start = local.start_of(model, init, rows)
    if start is not None and judged:
        raise DataError("on a cluster a model that starts from given scores cannot be judged; pass no eval_set")
    row_weight = check_weights("sample_weight", _computed(sample_weight), rows, "row")
    query_weight = check_weights("query_weight", _computed(query_weight), queries, "query")
    by_row = {name: values for name, values in (("weight", row_weight), ("start", start)) if values is not None}
    if by_row and any(isinstance(piece, ParquetRows) and piece.skip_bad for piece in train.pieces):
        raise DataError("numbers for each row cannot be matched to rows of which bad ones are skipped; mend the data")

    workers = workers_of(client)
    _, part_of = np.unique(assign(layouts[0].rows, min(len(workers), queries)), return_inverse=True)
    parts = int(part_of.max()) + 1
    threads = engine_threads(given["n_jobs"])
    cluster = Cluster(client, {address: threads or workers[address] for address in sorted(workers)[:parts]})
    try:
        judged_parts = [assign(one.rows, parts) for one in layouts[1:]]
        asked = [
            requests_of(its_rows, layout, its_parts, parts, by_row if number == 0 else {})
            for number, (its_rows, layout, its_parts) in enumerate(
                zip((train, *judged), layouts, (part_of, *judged_parts), strict=True)
            )
        ]
        requests = cluster.put([[its[part] for _, its in asked] for part in range(parts)])
        told = cluster.each(
            "load",
            [
                (train.features, local.BINNED_FROM, [its[part] for its, _ in asked], requests[part])
                for part in range(parts)
            ],
        )
        parameters = engine_parameters(
            given, rows, values_by_column(model, given["monotone_constraints"], "monotone_constraints")
        )
        course: dict[str, Any] = {
            "metric": _fitted(metric, layouts[0]),
            "first_trees": trees,
            "header": header,
            "stages": local.stages_of(given, init, continues=bool(trees)),
            "parameters": parameters,
            "limit": int(given["n_estimators"]),
            "patience": given["early_stopping_rounds"] if judged else None,
            "norm": given["norm"],
            "sigma": float(given["sigma"]),
            "query_subsample": float(given["query_subsample"]),
            "seed": seed,
        }
        options = {
            "feature_name": [f"f{column}" for column in range(model.n_features_in_)],
            "categorical_feature": categorical_columns(model, given["categorical_feature"]),
        }
        own = [its[0][0] for its in told]
        sample = cluster.put_everywhere(sample_of(cluster))
        weights = cluster.put([None if query_weight is None else query_weight[numbers] for numbers in own])
        metrics = [_fitted(metric, layout) for layout in layouts[1:]]
        cluster.each("bin", [(sample, options, course, metrics, its, parts) for its in weights])
    except BaseException:
        cluster.close()
        raise
    return ClusterPlan(
        **{**course, "metric": metric},
        cluster=cluster,
        rows=rows,
        query_keys=[gathered_keys(told, number, layout.n_queries) for number, layout in enumerate(layouts)],
        part_queries=own,
        given=[values for values in (row_weight, query_weight, start) if values is not None],
    )


def _judged_rows(client: Client, given: Any) -> ClusterRows:
    if isinstance(given, tuple) and len(given) in (2, 3) and not isinstance(given[0], str):
        return as_cluster_rows(client, *given)
    return as_cluster_rows(client, given)


def _computed(given: Any) -> Any:
    return given.compute() if hasattr(given, "compute") else given


def _fitted(metric: Metric, layout: Layout) -> Metric:
    """The metric with what it takes from all labels of a data set."""
    if not metric.reads_dataset:
        return metric
    return metric.for_labels(np.repeat(np.maximum(layout.labels, 0.0), layout.label_rows))
