"""From what `fit` is given to a plan: everything is checked here, before the first round."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.data._row_hashes import RowHashes, row_hashes
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import parse
from rankwise.rankers._eval_sets import check_positions, check_weights, list_eval_sets, make_eval_set
from rankwise.rankers._features import as_features, categorical_columns, is_table, values_by_column
from rankwise.rankers._parameters import check_parameters
from rankwise.rankers.trees._boosting import Judged
from rankwise.rankers.trees._lightgbm import engine_parameters
from rankwise.rankers.trees._local_plan import Plan
from rankwise.rankers.trees._model_text import split_trees
from rankwise.rankers.trees._sampling import LowestKeys
from rankwise.rankers.trees._streaming import ReadInPasses, RowSequence, StreamedFeatures, as_stream, survey
from rankwise.rankers.trees._training import Stage
from rankwise.types import FloatArray

# After a plain model the λ's take smaller steps: they refine a ranking that is good already.
TURNING = 0.2
BINNED_FROM = 50_000  # rows that bins are found from; LightGBM sorts four times as many


def make_plan(
    model: Any,
    X: Any,
    y: ArrayLike | None,
    qid: ArrayLike | None,
    eval_set: Any,
    sample_weight: ArrayLike | None,
    query_weight: ArrayLike | None,
    position: ArrayLike | None,
    seed: int,
) -> Plan:
    """Check everything that a LambdaMART was given, and say what to train."""
    check_parameters(model)
    given = model.get_params(deep=False)
    metric = parse(given["metric"])
    features, labels, qid, sample = _rows_in(model, X, y, qid)
    groups = QueryGroups.single(labels.size) if qid is None else QueryGroups.from_qid(qid)
    rows = features.shape[0]
    if labels.size != rows or groups.n_rows != rows:
        raise ShapeError(f"X, y and qid must have one entry per row, got {rows}, {labels.size} and {groups.n_rows}")
    if given["query_subsample"] < 1.0 and groups.n_queries == 1:
        raise DataError("query_subsample draws whole queries, got one list; leave it at 1.0 or pass qid")
    monotone = values_by_column(model, given["monotone_constraints"], "monotone_constraints")
    parameters = engine_parameters(given, rows, monotone)
    streamed = isinstance(features, StreamedFeatures)
    if streamed:
        parameters["force_col_wise"] = True  # else LightGBM may keep the bins twice
    keys = features.keys if streamed else row_hashes(features, labels)
    options: dict[str, Any] = {
        "params": parameters,
        # LightGBM forbids many characters in names, so it never sees the real ones.
        "feature_name": [f"f{column}" for column in range(model.n_features_in_)],
        "categorical_feature": categorical_columns(model, X, given["categorical_feature"]),
    }
    if sample is None:
        data = _training_rows(features, labels, keys, **options)
    else:
        data = binned(features, labels, parameters, dataset(*sample.found()[1:], **options))
    check_splits(data, given, rows)
    positions = check_positions(position, labels)
    init = (
        first_loss(given["init"], labels, groups.n_queries) if positions is None else _start_for_clicks(given["init"])
    )
    header, trees, start = start_of(model, init, rows)
    judged = [_judged(model, one, data, parameters, needs_start=start is not None) for one in list_eval_sets(eval_set)]
    return Plan(
        metric=metric,
        X=features,
        rows=data,
        y=labels,
        groups=groups,
        keys=keys,
        row_weight=check_weights("sample_weight", sample_weight, rows, "row"),
        query_weight=check_weights("query_weight", query_weight, groups.n_queries, "query"),
        positions=positions,
        start=start,
        first_trees=trees,
        header=header,
        judged=judged,
        stages=stages_of(given, init, continues=bool(trees)),
        parameters=parameters,
        limit=int(given["n_estimators"]),
        patience=given["early_stopping_rounds"] if judged else None,
        norm=given["norm"],
        sigma=float(given["sigma"]),
        query_subsample=float(given["query_subsample"]),
        seed=seed,
    )


def stages_of(given: dict[str, Any], init: Any, *, continues: bool) -> list[Stage]:
    """The stages of all bags: a plain loss first where `init` names one, then the metric."""
    plain = [init] if isinstance(init, str) else []
    rate = given["learning_rate"]
    losses = [(loss, rate) for loss in plain] + [("lambdas", rate * TURNING if plain or continues else rate)]
    return [Stage(bag, loss, step) for bag in range(given["bags"]) for loss, step in losses]


def check_splits(data: lgb.Dataset, given: dict[str, Any], rows: int) -> None:
    """Raise DataError where no feature could part the rows."""
    if not any(data.feature_num_bin(column) > 1 for column in range(data.num_feature())):
        raise DataError(
            f"no feature parts the {rows} rows into two of at least {given['min_child_samples']} each; "
            "pass more rows, features that vary or a lower min_child_samples"
        )


def _rows_in(model: Any, X: Any, y: Any, qid: Any) -> tuple[Any, FloatArray, Any, LowestKeys | None]:
    """Features, labels, queries, and the rows that bins are found from where not all features are in memory."""
    stream = as_stream(X, y, qid)
    if stream is not None:
        found = survey(as_features(model, stream, fitting=True), BINNED_FROM)
        if found.y.size < 2:
            raise DataError(f"{stream} must have 2 or more rows to learn from, got {found.y.size}; name more data")
        return found.features, found.y, found.qid, found.sample
    features = as_features(model, X, fitting=True)
    if y is None:
        raise DataError("LambdaMART requires y to be passed, but the target y is None; pass the labels")
    return features, as_vector("labels", y), qid, None


def first_loss(init: Any, labels: FloatArray, queries: int) -> Any:
    """What "auto" stands for: on one list of two kinds of documents the log loss comes first, else nothing.

    On six such data sets λ's from zero lost .0085 of AUC and average precision against the log loss, and nothing after
    it; in queries they gain from zero (benchmarks/warm_start.py, benchmarks/lambdamart.py).
    """
    if not (isinstance(init, str) and init == "auto"):
        return init
    kinds = np.unique(np.maximum(labels, 0.0))
    return "logloss" if queries == 1 and kinds.size == 2 and kinds[0] == 0.0 else None


def _start_for_clicks(init: Any) -> Any:
    """Plain losses would learn positions along with relevance, so the metric comes first."""
    if isinstance(init, str) and init in ("logloss", "l2"):
        raise DataError(f"init must be None where positions are given, since {init!r} knows no positions; drop one")
    return None if isinstance(init, str) and init == "auto" else init


def _training_rows(X: Any, y: FloatArray, keys: RowHashes, **options: Any) -> lgb.Dataset:
    """All rows in bins. Bins are found from at most `BINNED_FROM` rows, chosen by what stands in them.

    LightGBM would choose them by their numbers, and bin the same rows otherwise in another order.
    """
    if y.size <= BINNED_FROM:
        return dataset(X, y, **options)
    chosen = np.sort(np.argpartition(keys, BINNED_FROM)[:BINNED_FROM])
    some = X.take(chosen) if hasattr(X, "take") and is_table(X) else X[chosen]
    return dataset(X, y, params=options["params"], reference=dataset(some, y[chosen], **options))


def binned(X: ReadInPasses, y: FloatArray, parameters: dict[str, Any], like: lgb.Dataset) -> lgb.Dataset:
    """Rows that are read in passes, in the bins of other rows."""
    return dataset(RowSequence(X.blocks(), y.size), y, params=parameters, reference=like)


def dataset(X: Any, y: FloatArray, **options: Any) -> lgb.Dataset:
    """Rows in bins; what LightGBM cannot read is a DataError."""
    try:
        made = lgb.Dataset(X, label=y, **options).construct()
    except (lgb.basic.LightGBMError, TypeError, ValueError) as problem:
        said = " ".join(str(problem).split())
        raise DataError(f"cannot read the features ({said}); pass numbers or declared categories") from problem
    made.label = None  # a copy of what the engine holds
    return made


def start_of(model: Any, init: Any, rows: int) -> tuple[list[str], list[str], FloatArray | None]:
    """Header and trees of a model to start from, and scores to start from."""
    if init is None or (isinstance(init, str) and init in ("logloss", "l2")):
        return [], [], None
    if isinstance(init, str):
        raise DataError(f'init must be "auto", None, "logloss", "l2", scores or a fitted model, got {init!r}')
    # Ours has one booster per bag, LightGBM's estimators have one, and a booster is itself.
    boosters = getattr(init, "boosters_", None) or [getattr(init, "booster_", init)]
    if not isinstance(boosters[0], lgb.Booster):
        if hasattr(init, "predict"):
            raise DataError(
                f"init can start from fitted trees, got {type(init).__name__}, fitted or not; fit a LambdaMART or a "
                "LightGBM model, or pass the scores of yours"
            )
        scores = as_vector("init", init)
        if scores.size != rows:
            raise ShapeError(f"init must have one score per row: got {scores.size} for {rows} rows")
        return [], [], scores
    if len(boosters) > 1:
        raise DataError(f"init must be a model of one bag, got one of {len(boosters)}; fit it with bags=1")
    (booster,) = boosters
    if booster.num_feature() != model.n_features_in_ or booster.num_model_per_iteration() != 1:
        raise ShapeError(
            f"init must be a model of one score on the same features, got {booster.num_model_per_iteration()} scores "
            f"on {booster.num_feature()} features for X with {model.n_features_in_}"
        )
    return *split_trees(booster.model_to_string()), None


def _judged(model: Any, given: Any, train: lgb.Dataset, parameters: dict[str, Any], needs_start: bool) -> Judged:
    stream = as_stream(given)
    if stream is not None:
        if needs_start:
            raise DataError(
                "a model that starts from given scores is judged with given scores; pass eval_set=(X, y, qid, scores)"
            )
        found = survey(as_features(model, stream, fitting=False), 0)
        data = binned(found.features, found.y, parameters, train)
        return Judged(data, found.features, found.y, found.qid)
    checked = make_eval_set(
        given,
        lambda X: as_features(model, X, fitting=False),
        forms="RankingData, (X, y, qid), Parquet files or a list of these",
        takes_scores=True,
    )
    if needs_start and checked.init_score is None:
        raise DataError(
            "a model that starts from given scores is judged with given scores; pass eval_set=(X, y, qid, scores)"
        )
    rows = dataset(checked.X, checked.y, params=parameters, reference=train)
    return Judged(rows, checked.X, checked.y, checked.qid, checked.init_score)
