"""LambdaMART on a cluster of two processes, beside the same on one machine."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise.data import ParquetRows, RankingData
from rankwise.errors import DataError
from rankwise.rankers.trees import _lightgbm
from rankwise.rankers.trees.dask import cluster_scores
from tests.rankers.trees.dask.factories import ALL, EVAL_SET, SMALL, TRAIN, VALID, write_parts

pytestmark = pytest.mark.slow


def frame(data: RankingData) -> pd.DataFrame:
    columns = {f"feature_{k + 1}": data.X[:, k] for k in range(data.n_features)}
    return pd.DataFrame({"label": data.y, "qid": data.qid} | columns)


def local(**options):
    return rw.LambdaMART(**(SMALL | options)).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET)


def test_parquet_with_split_queries_is_the_same_model_as_on_one_machine(client, tmp_path, monkeypatch) -> None:
    """Rows of every query lie in all four files, that is on both workers, unless they are put together."""
    monkeypatch.setattr(_lightgbm, "BINNING_ROWS", 300)  # of 1800 rows: those with the lowest keys of both workers
    parts, valid = write_parts(TRAIN, tmp_path, "part", 4), write_parts(VALID, tmp_path, "valid", 2)
    # Labels that differ from part to part, so that what is taken from all of them must be.
    model = rw.LambdaMART("mauc", **SMALL).fit(parts, eval_set=valid, client=client)
    one = local(metric="mauc")
    assert np.allclose(model.predict(ALL.X), one.predict(ALL.X), atol=1e-12)
    (history,), (expected,) = (list(m.evals_result_["valid_0"].values()) for m in (model, one))
    assert history == pytest.approx(expected, abs=1e-12)
    assert model.best_score_ == pytest.approx(one.best_score_, abs=1e-12)
    assert (model.n_rows_, model.n_queries_) == (1800, 120)
    again = rw.LambdaMART("mauc", **SMALL).fit(parts, eval_set=valid, client=client)
    assert [b.model_to_string() for b in again.boosters_] == [b.model_to_string() for b in model.boosters_]
    assert np.array_equal(model.predict(parts, client=client), model.predict(TRAIN.X))
    pieces = cluster_scores(model.boosters_, client, ParquetRows.of(parts))
    assert [scores.size for scores in pieces] == [450] * 4  # the driver holds one file's at a time
    ahead = model.predict(dd.from_pandas(frame(TRAIN), npartitions=3, sort=False), client=client)
    assert np.array_equal(ahead, model.predict(TRAIN.X))


def test_a_dask_frame_with_weights_bags_and_samples(client) -> None:
    rng = np.random.default_rng(0)
    weights: dict[str, Any] = {"sample_weight": rng.random(1800), "query_weight": rng.random(120)}
    # Of leaves without a least size, since LightGBM estimates sizes where rows are on several machines.
    options: dict[str, Any] = {"metric": "map", "n_estimators": 3, "min_child_samples": 0, "split_noise": 0.0}
    given: dict[str, Any] = SMALL | options | {"bags": 2, "query_subsample": 0.5, "colsample_bytree": 0.5}
    ddf = dd.from_pandas(frame(TRAIN), npartitions=3, sort=False)
    model = rw.LambdaMART(**given).fit(ddf, client=client, **weights)
    one = rw.LambdaMART(**given).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, **weights)
    assert np.allclose(model.predict(ALL.X), one.predict(ALL.X), atol=1e-12)
    unweighed = rw.LambdaMART(**given).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    assert not np.allclose(unweighed.predict(ALL.X), one.predict(ALL.X), atol=1e-3)
    for init in ("logloss", "l2"):
        given = SMALL | options | {"init": init}
        model = rw.LambdaMART(**given).fit(ddf, client=client)
        one = rw.LambdaMART(**given).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
        assert np.allclose(model.predict(ALL.X), one.predict(ALL.X), atol=1e-12)


def test_other_trees_than_on_one_machine_are_announced(client, caplog) -> None:
    rows: dict[str, Any] = {"X": TRAIN.X, "y": TRAIN.y, "qid": TRAIN.qid}
    given: dict[str, Any] = {"n_estimators": 2, "random_state": 0, "n_jobs": 1}
    on_cluster = rw.LambdaMART(**given).fit(**rows, client=client)
    assert "1800 rows are few enough for symmetric trees" in caplog.text
    caplog.clear()
    told = rw.LambdaMART(**given, grow_policy="lossguide")
    here, there = (told.fit(**rows, client=where).predict(ALL.X) for where in (None, client))
    assert not [record for record in caplog.records if record.name.startswith("rankwise")]
    assert np.allclose(here, there, atol=1e-12)
    assert np.array_equal(on_cluster.predict(ALL.X), there)


@pytest.mark.filterwarnings("ignore:Parameter n_jobs will be ignored:UserWarning")  # of DaskLGBMRanker's own default
def test_as_close_as_lightgbm_is_to_itself(client) -> None:
    """With leaves at their smallest size, which is estimated: the metric is within its interval on one machine."""
    options: dict[str, Any] = SMALL | {"n_estimators": 15, "min_child_samples": 40, "query_subsample": 0.5}
    model = rw.LambdaMART("ndcg@5", **options)
    ours = [model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, client=where).predict(VALID.X) for where in (None, client)]
    grouped = TRAIN.rows(np.argsort(TRAIN.qid, kind="stable"))
    sizes = np.full(120, 15)
    native: dict[str, Any] = {"n_estimators": 15, "num_leaves": 7, "min_child_samples": 40, "verbose": -1}
    theirs: list[Any] = [lgb.LGBMRanker(n_jobs=1, **native).fit(grouped.X, grouped.y, group=sizes).predict(VALID.X)]
    rows = (900, 900)
    spread = lgb.DaskLGBMRanker(client=client, **native)
    spread.fit(
        da.from_array(grouped.X, chunks=(rows, 6)), da.from_array(grouped.y, chunks=(rows,)),
        group=da.from_array(sizes, chunks=((60, 60),)),
    )  # fmt: skip
    theirs.append(spread.to_local().predict(VALID.X))
    evaluated = [[rw.evaluate(VALID.y, scores, VALID.qid, "ndcg@5") for scores in pair] for pair in (ours, theirs)]
    gap, their_gap = (abs(one["ndcg@5"] - two["ndcg@5"]) for one, two in evaluated)
    low, high = evaluated[0][0].interval("ndcg@5")
    assert low <= evaluated[0][1]["ndcg@5"] <= high
    assert gap <= max(their_gap, (high - low) / 4)


def test_stopping_is_over_all_parts_and_one_list_trains_too(client) -> None:
    options: dict[str, Any] = {"metric": "ndcg@1", "n_estimators": 60, "early_stopping_rounds": 2, "learning_rate": 0.5}
    model = rw.LambdaMART(**(SMALL | options))
    model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET, client=client)
    history = model.evals_result_["valid_0"]["ndcg@1"]
    assert len(history) < 60
    assert model.best_iteration_ == int(np.argmax(history)) + 1 == len(history) - 2
    few = TRAIN.X[:300], (TRAIN.y[:300] > 1).astype(float)
    judged = VALID.X, (VALID.y > 1).astype(float)  # one list too: its pairs are of all rows
    one_list = rw.LambdaMART("auc", **(SMALL | {"early_stopping_rounds": 2}))
    spread, one = (one_list.fit(*few, eval_set=judged, client=where).evals_result_ for where in (client, None))
    assert spread == one
    scores, others = (one_list.fit(*few, client=where).predict(ALL.X) for where in (client, None))
    assert np.array_equal(scores, others)


@pytest.mark.parametrize("kind", ["text", "category"])
def test_queries_by_name_and_a_partition_without_rows(client, kind) -> None:
    made = frame(TRAIN)
    made["qid"] = pd.Series([f"q{number}" for number in TRAIN.qid]).astype({"text": "str"}.get(kind, kind))
    ddf = dd.from_pandas(made, npartitions=3, sort=False)
    model = rw.LambdaMART("ndcg@5", **SMALL).fit(dd.concat([ddf[ddf["label"] > 9], ddf]), client=client)
    one = rw.LambdaMART("ndcg@5", **SMALL).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    assert np.allclose(model.predict(ALL.X), one.predict(ALL.X), atol=1e-12)


def test_files_for_training_and_arrays_to_judge_by(client, tmp_path) -> None:
    parts = write_parts(TRAIN, tmp_path, "part", 2)
    valid = dd.from_pandas(frame(VALID), npartitions=2, sort=False)
    model = rw.LambdaMART("ndcg@5", **SMALL).fit(parts, eval_set=[EVAL_SET, valid], client=client)
    one = local(metric="ndcg@5").evals_result_["valid_0"]["ndcg@5"]
    for name in ("valid_0", "valid_1"):
        assert model.evals_result_[name]["ndcg@5"] == pytest.approx(one, abs=1e-12)


def test_what_cannot_be_trained_is_one_sentence(client, tmp_path) -> None:
    with pytest.raises(DataError, match="nothing to learn"):
        rw.LambdaMART(**SMALL).fit(TRAIN.X, np.ones(1800), qid=TRAIN.qid, client=client)
    with pytest.raises(DataError, match="sample_weight must have one entry per row: got 3 for 1800"):
        rw.LambdaMART(**SMALL).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, client=client, sample_weight=[1, 2, 3])
    with pytest.raises(DataError, match="brings its labels and queries along"):
        rw.LambdaMART(**SMALL).fit(dd.from_pandas(frame(TRAIN), npartitions=2), TRAIN.y, client=client)
    table = pd.DataFrame({"a": TRAIN.X[:, 0], "b": pd.Categorical(TRAIN.y)})
    with pytest.raises(DataError, match="on a cluster categories must be numbers, got those of column 'b'"):
        rw.LambdaMART(**SMALL).fit(table, TRAIN.y, qid=TRAIN.qid, client=client)
    bad = frame(TRAIN)
    bad.loc[7, "label"] = np.nan
    with pytest.raises(DataError, match="the Dask DataFrame:8: column 'label' must be known for every row"):
        rw.LambdaMART(**SMALL).fit(dd.from_pandas(bad, npartitions=1), client=client)


@pytest.mark.parametrize("metric", ["ndcg@5", "auc"])
def test_split_noise_gives_the_model_of_one_machine(client, metric) -> None:
    """Of leaves that are never as small as allowed, since LightGBM estimates sizes on several machines."""
    options: dict[str, Any] = SMALL | {"split_noise": 1.0, "min_child_samples": 1, "min_sum_hessian_in_leaf": 20.0}
    one, all_together = (
        rw.LambdaMART(metric, **options).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET, client=where)
        for where in (None, client)
    )
    assert np.allclose(one.predict(ALL.X), all_together.predict(ALL.X), atol=1e-12)
    assert one.evals_result_["valid_0"][metric] == pytest.approx(all_together.evals_result_["valid_0"][metric])
    silent = rw.LambdaMART(metric, **(options | {"split_noise": 0.0})).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    assert not np.allclose(silent.predict(ALL.X), one.predict(ALL.X), atol=1e-6)
