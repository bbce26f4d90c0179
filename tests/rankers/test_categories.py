"""Texts and categories: every model of trees takes them, knows them by name, and all others refuse them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rankwise as rw
from rankwise.data import RankingData
from rankwise.errors import DataError, ModelFileError
from tests.data.frames import ArrowStream
from tests.rankers.factories import TRAIN, VALID
from tests.rankers.test_one_input import RANKERS

RNG = np.random.default_rng(3)
KINDS = np.array(["book", "film", "song", "game", "play"])
SPECIAL = "a[0]"  # LightGBM refuses such names


def frame_of(rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Films and games are relevant, whatever the number beside them."""
    rng = np.random.default_rng(seed)
    kind = KINDS[rng.integers(0, 5, rows)]
    frame = pd.DataFrame({SPECIAL: rng.normal(size=rows), "kind": kind, "sold": rng.random(rows) < 0.5})
    return frame, np.isin(kind, ["film", "game"]).astype(float)


FRAME, Y = frame_of(400, 1)
OTHER, OTHER_Y = frame_of(200, 2)
FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas text": lambda frame: frame,
    "pandas category": lambda frame: frame.astype({"kind": "category"}),
    "arrow text": lambda frame: pa.Table.from_pandas(frame),
    "arrow category": lambda frame: pa.Table.from_pandas(frame.astype({"kind": "category"})),
    "arrow chunks": lambda frame: pa.concat_tables(
        [pa.Table.from_pandas(part.astype({"kind": "category"})) for part in (frame[:50], frame[50:])]
    ),
    "arrow batch": lambda frame: pa.Table.from_pandas(frame).combine_chunks().to_batches()[0],
    "arrow stream": lambda frame: ArrowStream(pa.Table.from_pandas(frame)),
    "ranking data": lambda frame: RankingData.from_frame(
        frame.assign(label=np.isin(frame["kind"], ["film", "game"]) * 1)
    ),
}
MODELS: dict[str, Callable[[], Any]] = {
    "lambdamart": lambda: rw.LambdaMART("auc", n_estimators=3, min_child_samples=5, random_state=0, n_jobs=1),
    "classifier": lambda: rw.RateClassifier("f1", n_estimators=5, folds=2, random_state=0, n_jobs=1),
}


def fit(kind: str, form: str, eval_set: Any = None) -> Any:
    X = FORMS[form](FRAME)
    return MODELS[kind]().fit(X, None if isinstance(X, RankingData) else Y, eval_set=eval_set)


@cache
def fitted(kind: str) -> Any:
    """A model of texts, not to be changed."""
    return fit(kind, "pandas text")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", MODELS)
def test_every_form_of_a_frame_is_the_same_model(kind: str, form: str) -> None:
    model = fit(kind, form)
    expected = (model if form == "ranking data" else fitted(kind)).scores(OTHER)
    assert model.categories_ == {"kind": tuple(sorted(KINDS))} or form == "arrow chunks"
    assert model.feature_names_in_.tolist() == [SPECIAL, "kind", "sold"]
    assert set(model.categories_["kind"]) == set(KINDS)
    for other in FORMS:
        scores = model.scores(FORMS[other](OTHER))
        assert np.allclose(scores, expected, atol=1e-6) or other == "ranking data"  # which has single precision
        assert scores[OTHER_Y == 1].min() > scores[OTHER_Y == 0].max()


@pytest.mark.parametrize("form", ["pandas text", "arrow category", "ranking data"])
@pytest.mark.parametrize("kind", MODELS)
def test_an_eval_set_has_the_codes_of_the_training_rows(kind: str, form: str) -> None:
    fewer = OTHER[OTHER["kind"].isin(["film", "song"])].reset_index(drop=True)  # so that its own codes are others
    X, y = FORMS[form](fewer), np.isin(fewer["kind"], ["film", "game"])
    model = fit(kind, form, eval_set=X if isinstance(X, RankingData) else (X, y))
    scores = model.scores(X)
    assert scores[y].min() > scores[~y].max()
    if kind == "lambdamart":
        assert model.best_score_ == 1.0


@pytest.mark.parametrize("kind", MODELS)
def test_what_training_never_saw_is_missing(kind: str) -> None:
    model = fitted(kind)
    known = OTHER[:4].reset_index(drop=True)
    strange, missing = known.assign(kind="opera"), known.assign(kind=pd.Series([None] * 4, dtype="str"))
    assert np.array_equal(model.scores(strange), model.scores(missing))
    data = RankingData.from_frame(strange.assign(label=0))
    assert np.allclose(model.scores(data), model.scores(missing), atol=1e-6)
    nothing = known.assign(kind=np.nan)  # a column that pandas takes for numbers
    assert np.array_equal(model.scores(nothing), model.scores(missing))


@pytest.mark.parametrize("kind", MODELS)
def test_categories_are_kept_in_the_file(kind: str, tmp_path: Path) -> None:
    model = fit(kind, "pandas category")
    rw.save(model, tmp_path / "model.rw")
    loaded = rw.load(tmp_path / "model.rw")
    assert loaded.categories_ == model.categories_
    turned = OTHER.astype({"kind": pd.CategoricalDtype(KINDS[::-1])})
    assert np.array_equal(loaded.scores(turned), model.scores(OTHER))


@pytest.mark.parametrize(
    "categories",
    [
        {"other": ["a"]},
        {"kind": []},
        {"kind": ["a", "a"]},
        {"kind": ["a", 3]},
        {"kind": "ab"},
        {"kind": None},
        {"kind": [str(number) for number in range(65_537)]},
    ],
)
def test_damaged_categories_are_refused(categories: dict[str, Any], tmp_path: Path) -> None:
    model = fit("lambdamart", "pandas text")
    saved = replace(model.to_saved(), categories=categories)
    model.to_saved = lambda: saved
    rw.save(model, tmp_path / "model.rw")
    with pytest.raises(ModelFileError, match="must be different texts of one of its features; save it again"):
        rw.load(tmp_path / "model.rw")


@pytest.mark.parametrize("name", [SPECIAL, "größe: [x], {y}"])
@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("form", ["pandas", "arrow", "data"])
def test_names_that_lightgbm_refuses(name: str, judged: bool, form: str) -> None:
    names = [name, *"bcdef"]
    if form == "data":
        train, valid = replace(TRAIN, feature_names=names), replace(VALID, feature_names=names)
        model = RANKERS["lambdamart"]().fit(train, eval_set=valid if judged else None)
        assert np.array_equal(model.predict(valid), RANKERS["lambdamart"]().fit(TRAIN).predict(VALID.X)) or judged
    else:
        make = pd.DataFrame if form == "pandas" else lambda X, columns: pa.table(dict(zip(columns, X.T, strict=True)))
        judge = (make(VALID.X, columns=names), VALID.y, VALID.qid) if judged else None
        model = RANKERS["lambdamart"]().fit(make(TRAIN.X, columns=names), TRAIN.y, qid=TRAIN.qid, eval_set=judge)
    assert model.feature_names_in_.tolist() == names


def test_an_explanation_names_the_categories() -> None:
    model = fitted("lambdamart")
    film, song = (int(np.flatnonzero(FRAME["kind"] == kind)[0]) for kind in ("film", "song"))
    why = model.explain(FRAME, film, song)
    first = why.parts(why.features)[0]
    assert (first.feature, first.above, first.below) == ("kind", "film", "song")
    assert "film" in str(why)


def test_numbers_are_categories_that_say_the_same_number() -> None:
    frame = pd.DataFrame({"zip": pd.Categorical(np.arange(300) % 7 * 1000)})
    y = np.isin(frame["zip"], [1000, 4000])
    model = rw.LambdaMART("auc", n_estimators=2, min_child_samples=5, n_jobs=1).fit(frame, y)
    assert model.categories_ == {"zip": ("0", "1000", "2000", "3000", "4000", "5000", "6000")}
    for kind in (np.int64, np.float64, np.float32, str):
        assert np.array_equal(model.predict(frame.astype({"zip": kind})), model.predict(frame))
    texts = frame.astype({"zip": str})
    texts["zip"] = "0" + texts["zip"]  # as zip codes are written, and as a file may be taken for numbers
    again = rw.LambdaMART("auc", n_estimators=2, min_child_samples=5, n_jobs=1).fit(texts, y)
    assert np.array_equal(again.predict(frame.astype({"zip": float})), again.predict(texts))
    numbers = RankingData(frame.astype(float).to_numpy(), y * 1, qid=None, feature_names=["zip"])
    assert np.array_equal(model.predict(numbers), model.predict(frame))


REFUSED: dict[str, tuple[Any, str]] = {
    "numbers for texts": (
        OTHER.assign(kind=1),
        r"column 'kind' is a category in the model \('book', 'film', 'game', …\), got numbers; pass such texts",
    ),
    "texts for numbers": (OTHER.assign(sold="yes"), "column 'sold' must hold numbers as in training, got large_string"),
    "dates": (OTHER.assign(sold=pd.Timestamp("2026-01-01")), "column 'sold' must hold numbers, truth values, texts or"),
    "data with categories for numbers": (
        RankingData.from_frame(OTHER.assign(label=1, sold="yes")),
        "feature 'sold' of the frame must hold numbers as in training, got categories; pass numbers",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("kind", MODELS)
def test_other_types_than_in_training_are_refused(kind: str, case: str) -> None:
    X, words = REFUSED[case]
    with pytest.raises(DataError, match=words):
        fitted(kind).scores(X)


def test_columns_that_no_model_takes() -> None:
    lazy = type("LazyFrame", (), {"collect": None, "lazy": None})()
    many = pd.DataFrame({"id": [f"row {k}" for k in range(65_537)]})
    for X, words in (
        (pd.DataFrame({"when": pd.to_datetime(["2026"] * 3)}), "column 'when' must hold numbers, truth values, texts"),
        (pd.DataFrame({"mixed": ["a", 1, 2.0]}), "column 'mixed' must hold numbers, truth values, texts or categories"),
        (pa.table({"list": [[1], [2], [3]]}), "column 'list' must hold numbers, truth values, texts or categories"),
        (pd.DataFrame({3: ["a", "b", "c"]}), "categories must have a text as its name, got 3; rename it"),
        (lazy, r"a LazyFrame has no rows yet; pass frame.collect\(\)"),
        (many, "column 'id' must have at most 65,536 different texts to be a category, got 65,537; leave it out"),
    ):
        with pytest.raises(DataError, match=words):
            rw.LambdaMART().fit(X, [0, 1, 0])


@pytest.mark.parametrize("kind", [*(kind for kind in RANKERS if kind != "lambdamart"), "linear", "net"])
def test_models_without_trees_refuse_categories(kind: str) -> None:
    model = RANKERS[kind]() if kind in RANKERS else rw.RateClassifier("f1", model=kind, epochs=1)
    for X, y in ((FRAME, Y), (FORMS["ranking data"](FRAME), None)):
        with pytest.raises(DataError, match=r"needs numbers, got categories in column 'kind'; encode them \(sklearn"):
            model.fit(X, y)
    unknown = FRAME.assign(kind=FRAME["kind"].where(np.arange(len(FRAME)) > 3))
    with pytest.raises(DataError, match="got categories in column 'kind'"):  # which is the first to mend
        model.fit(unknown, Y)


def test_precision_is_that_of_the_frame() -> None:
    """Rows that differ in double precision alone are told apart, beside a column of texts too."""
    value = 1.0 + np.arange(200) * 1e-12
    frame, y = pd.DataFrame({"value": value, "kind": "a"}), (np.arange(200) % 2) * 1.0
    model = rw.LambdaMART(
        "auc", n_estimators=5, num_leaves=60, min_child_samples=1, min_sum_hessian_in_leaf=1e-6, n_jobs=1
    )
    assert np.unique(model.fit(frame, y).predict(frame)).size > 50


def test_polars_is_read_as_arrow() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_pandas(FRAME.reset_index(drop=True))
    expected = fitted("lambdamart").predict(FRAME)
    for table in (frame, frame.with_columns(polars.col("kind").cast(polars.Categorical))):
        assert np.array_equal(MODELS["lambdamart"]().fit(table, Y).predict(table), expected)
    with pytest.raises(DataError, match="a LazyFrame has no rows yet"):
        rw.LambdaMART().fit(frame.lazy(), Y)


def test_parquet_that_is_read_in_passes(tmp_path: Path) -> None:
    data = FORMS["ranking data"](FRAME)
    rw.write(data, tmp_path / "train.parquet")
    rw.write(FORMS["ranking data"](OTHER), tmp_path / "other.parquet")
    model = MODELS["lambdamart"]().fit(tmp_path / "train.parquet", eval_set=tmp_path / "other.parquet")
    expected = MODELS["lambdamart"]().fit(data, eval_set=FORMS["ranking data"](OTHER))
    assert model.categories_ == expected.categories_
    assert model.evals_result_ == expected.evals_result_
    scores = expected.predict(FORMS["ranking data"](OTHER))
    assert np.array_equal(model.predict(tmp_path / "other.parquet"), scores)
    few = OTHER[OTHER["kind"] == "song"]
    rw.write(FORMS["ranking data"](few), tmp_path / "few.parquet")
    assert np.array_equal(model.predict(tmp_path / "few.parquet"), scores[OTHER["kind"] == "song"])
