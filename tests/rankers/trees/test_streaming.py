"""Training on Parquet files that are read in passes: the same model as of the same rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import ParquetRows, RankingData, polynomial, write
from rankwise.data import _sources as source
from rankwise.errors import DataError, FormatError
from rankwise.rankers.trees import _lightgbm

DATA = polynomial(queries=60, documents=20, features=6, seed=1)
# Rows of a query lie apart, in other files even.
ORDER = np.random.default_rng(0).permutation(len(DATA))
APART = DATA.rows(ORDER)
VALID = polynomial(queries=20, documents=20, features=6, seed=2)
SMALL: dict[str, Any] = {"n_estimators": 8, "num_leaves": 7, "random_state": 0, "n_jobs": 1}


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Twelve files, whose names sort otherwise as text than as numbers."""
    monkeypatch.setattr(source, "VALUES_AT_ONCE", 6 * 37)  # batches that fit neither files nor LightGBM's
    for number, rows in enumerate(np.array_split(np.arange(len(APART)), 12)):
        write(APART.rows(rows), tmp_path / f"part.{number}.parquet")
    write(VALID, tmp_path / "valid.parquet")
    return str(tmp_path / "part.*.parquet")


def text_of(model: rw.LambdaMART) -> list[str]:
    return [booster.model_to_string() for booster in model.boosters_]


@pytest.mark.parametrize("binned_from", [50_000, 300])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bags": 2, "query_subsample": 0.5, "colsample_bytree": 0.5},
        {"init": "l2", "metric": "mauc"},
        {"grow_policy": "symmetric"},
    ],
)
def test_the_same_model_as_in_memory(parts, tmp_path, monkeypatch, binned_from, options) -> None:
    monkeypatch.setattr(_lightgbm, "BINNING_ROWS", binned_from)
    given: dict[str, Any] = SMALL | {"metric": "ndcg@5"} | options
    streamed = rw.LambdaMART(**given).fit(parts, eval_set=tmp_path / "valid.parquet")
    held = rw.LambdaMART(**given).fit(APART.X, APART.y, qid=APART.qid, eval_set=(VALID.X, VALID.y, VALID.qid))
    assert text_of(streamed) == text_of(held)
    assert streamed.evals_result_ == held.evals_result_
    assert (streamed.best_score_, streamed.n_rows_, streamed.n_queries_) == (held.best_score_, 1200, 60)
    assert np.array_equal(streamed.predict(parts), held.predict(APART.X))


def test_files_for_training_and_arrays_to_judge_by(parts, tmp_path) -> None:
    arrays, files = (VALID.X, VALID.y, VALID.qid), tmp_path / "valid.parquet"
    model = rw.LambdaMART("ndcg@5", **SMALL).fit(parts, eval_set=[arrays, files])
    assert model.evals_result_["valid_0"] == model.evals_result_["valid_1"]


def test_weights_and_a_given_start(parts) -> None:
    rng = np.random.default_rng(0)
    weights: dict[str, Any] = {"sample_weight": rng.random(1200), "query_weight": rng.random(60)}
    start = rng.normal(size=1200)
    streamed = rw.LambdaMART("map", **SMALL).fit(parts, init_score=start, **weights)
    held = rw.LambdaMART("map", **SMALL).fit(APART.X, APART.y, qid=APART.qid, init_score=start, **weights)
    assert text_of(streamed) == text_of(held)


def test_resumed_from_a_checkpoint_of_the_same_rows_only(parts, tmp_path) -> None:
    model = rw.LambdaMART("ndcg@5", **SMALL)
    whole = text_of(model.fit(parts, checkpoint=tmp_path / "c.npz"))
    assert text_of(model.fit(parts, checkpoint=tmp_path / "c.npz", resume=True)) == whole
    write(APART.rows(np.arange(100)), tmp_path / "part.11.parquet")
    with pytest.raises(DataError, match="other data or parameters"):
        model.fit(parts, checkpoint=tmp_path / "c.npz", resume=True)


def test_columns_are_found_by_name_in_any_order(tmp_path) -> None:
    names = list("abcdef")
    named = RankingData(DATA.X, DATA.y, DATA.qid, feature_names=names)
    turned = RankingData(DATA.X[:, ::-1], DATA.y, DATA.qid, feature_names=names[::-1])
    write(named, tmp_path / "named.parquet")
    write(turned, tmp_path / "turned.parquet")
    model = rw.LambdaMART("ndcg@5", monotone_constraints={"b": 1}, **SMALL)
    model.fit([tmp_path / "named.parquet", tmp_path / "turned.parquet"], eval_set=str(tmp_path / "turned.parquet"))
    assert list(model.feature_names_in_) == names
    expected = model.predict(named)
    assert np.array_equal(model.predict(tmp_path / "turned.parquet"), expected)
    write(RankingData(DATA.X, DATA.y, DATA.qid, feature_names=list("abcdeg")), tmp_path / "other.parquet")
    with pytest.raises(DataError, match="got none named 'f'"):
        model.predict(tmp_path / "other.parquet")


def test_bad_rows_can_be_left_out_in_every_pass(tmp_path) -> None:
    y = DATA.y.copy()
    write(RankingData(DATA.X, y, DATA.qid), tmp_path / "a.parquet")
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "a.parquet")
    labels = table["label"].to_numpy().copy()
    labels[5] = np.inf
    parquet.write_table(table.set_column(0, "label", pa.array(labels)), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=r"a.parquet:6: column 'label' must hold finite numbers"):
        rw.LambdaMART(**SMALL).fit(tmp_path / "a.parquet")
    model = rw.LambdaMART(**SMALL).fit(ParquetRows.of(tmp_path / "a.parquet", skip_bad=True))
    kept = DATA.rows(np.delete(np.arange(1200), 5))
    assert text_of(model) == text_of(rw.LambdaMART(**SMALL).fit(kept.X, kept.y, qid=kept.qid))


def test_what_cannot_be_streamed_is_one_sentence(parts, tmp_path) -> None:
    write(DATA, tmp_path / "data.txt")
    write(polynomial(queries=5, documents=5, features=3), tmp_path / "narrow.parquet")
    write(polynomial(queries=5, documents=5, features=7), tmp_path / "wide.parquet")
    model = rw.LambdaMART(**SMALL)
    for given, said in (
        ((tmp_path / "data.txt",), "rows are streamed from Parquet only"),
        ((str(tmp_path / "nothing*"),), "no file matches"),
        ((parts, APART.y), "files bring their labels and queries along"),
        (([parts, tmp_path / "narrow.parquet"],), "must have the same columns"),
    ):
        with pytest.raises(DataError, match=said):
            model.fit(*given)
    with pytest.raises(DataError, match="must have the 6 features of the training data, got 7"):
        model.fit(parts, eval_set=tmp_path / "wide.parquet")
