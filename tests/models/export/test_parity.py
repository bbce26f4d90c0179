"""Every kind of model in every format that can take it: read by a second interpreter, the scores are the model's."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankwise.models.export import FORMATS, export
from rankwise.models.export._compare import compare_rows
from rankwise.models.export._exporting import score_function
from rankwise.models.export._probes import probe_rows
from tests.models.export.factories import IS_TREES, PAIRS, TAKES, data_for, file_name, made
from tests.reference import export_interpreters as interpreters

ROWS = 40  # that the slow interpreters score
IN_DOUBLES = ("onnx", "vespa", "lightgbm")
NETS = ("lambdarank", "ranknet", "rate-net")


@cache
def written(kind: str, to: str) -> tuple[Path, Any]:
    """The file, and what checking it said."""
    path = Path(mkdtemp()) / file_name(kind, to)
    return path, export(made(kind), path, to=to, check=data_for(kind))


@cache
def second_reader(kind: str, to: str) -> Any:
    path, names = written(kind, to)[0], score_function(made(kind)).names
    if path.suffix == ".onnx":
        return interpreters.onnx_graph(path)
    if to == "vespa":
        return interpreters.vespa_json(path)
    if to in ("xgboost-json", "solr"):
        return {"xgboost-json": interpreters.xgboost_json, "solr": interpreters.solr}[to](path)
    return {"ranklib": interpreters.ranklib, "lightgbm": interpreters.lightgbm_text}[to](path, names)


def by_second_reader(kind: str, to: str, X: np.ndarray) -> np.ndarray:
    names, score = score_function(made(kind)).names, second_reader(kind, to)
    if written(kind, to)[0].suffix == ".onnx":
        return score(X.astype(np.float32))
    return np.array([score(dict(zip(names, row, strict=True))) for row in X.astype(np.float32)])


def some_probes(kind: str, to: str) -> np.ndarray:
    function = score_function(made(kind))
    rows = probe_rows(function, missing=FORMATS[to].missing and IS_TREES[kind])
    return rows[np.random.default_rng(0).choice(len(rows), min(ROWS, len(rows)), replace=False)]


@pytest.mark.parametrize(("kind", "to"), PAIRS)
def test_the_check_agrees(kind: str, to: str) -> None:
    found = written(kind, to)[1]
    assert found.agrees
    assert (found.data.rows, found.data.queries, found.data.left_out) == (400, 20, 0)
    # What was measured, with some room: sums in double precision to the last digits, others to 6 of them.
    assert found.data.largest <= (1e-14 if to in IN_DOUBLES and kind not in NETS else 5e-6)
    assert found.data.orders_changed == 0
    if IS_TREES[kind]:
        assert found.probes.largest <= (1e-14 if to in IN_DOUBLES else 5e-6)
        assert found.probes.left_out == 0


@pytest.mark.parametrize(("kind", "to"), PAIRS)
def test_a_second_reader_of_the_file_gives_the_scores_of_the_model(kind: str, to: str) -> None:
    model, function = made(kind), score_function(made(kind))
    for X in (data_for(kind).X[:ROWS], some_probes(kind, to)):
        with np.errstate(all="ignore"):
            found = compare_rows(model, function, FORMATS[to], lambda rows: by_second_reader(kind, to, rows), X, None)
        assert found.beyond == 0, found


@pytest.mark.parametrize(("kind", "to"), [pair for pair in PAIRS if pair[1] in ("xgboost-json", "solr", "ranklib")])
def test_both_readers_add_up_the_same_floats(kind: str, to: str) -> None:
    X = data_for(kind).X[:ROWS]
    ours = FORMATS[to].predict(written(kind, to)[0], score_function(made(kind)).names)(X)
    theirs = by_second_reader(kind, to, X)
    if to == "ranklib" and not IS_TREES[kind]:  # sums of doubles, in another order
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    else:
        np.testing.assert_array_equal(ours, theirs)


TREES = [kind for kind in TAKES if IS_TREES[kind]]


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.parametrize("kind", TREES)
def test_any_row_of_floats_gets_the_score_of_the_model(kind: str, data: st.DataObject) -> None:
    function: Any = score_function(made(kind))
    splits = list(function.splits)
    categories = {split.feature for split in splits if split.categories is not None}
    limits = [split.threshold for split in splits if split.categories is None and abs(split.threshold) < 1e38]
    limits = limits or [0.0]
    at = st.integers(0, len(limits) - 1).map(lambda k: float(np.float32(limits[k])))
    anything = st.floats(width=32, allow_infinity=False, allow_nan=False)
    for to in TAKES[kind]:
        if to == "onnx":
            continue  # whose second reader is too slow for this
        value = st.one_of(at, anything, st.just(np.nan)) if FORMATS[to].missing else st.one_of(at, anything)
        columns = [
            st.integers(-3, 60).map(float) if k in categories else value for k in range(len(function.names))
        ]  # fmt: skip
        X = np.array(data.draw(st.lists(st.tuples(*columns), min_size=1, max_size=4)), dtype=np.float32)
        with np.errstate(all="ignore"):
            ours = made(kind).scores(X)
        theirs = by_second_reader(kind, to, X)
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-13 if to in IN_DOUBLES else 2e-5)
        if to == "lightgbm":  # the same rows, by ONNX Runtime
            theirs = FORMATS["onnx"].predict(written(kind, "onnx")[0], function.names)(X)
            np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-13)


def test_models_were_made_to_meet_every_rule() -> None:
    def rules(kind: str) -> set[str]:
        return {split.missing for split in score_function(made(kind)).splits}  # type: ignore[attr-defined]

    assert {"learnt left", "learnt right"} <= rules("lambdamart-missing")
    assert rules("lambdamart") == {"as zero"}
    assert any(split.threshold == np.inf for split in score_function(made("lambdamart-gaps-only")).splits)  # type: ignore[attr-defined]
    assert rules("rankboost") == {"nowhere"}
    assert any(split.categories for split in score_function(made("lambdamart-categories")).splits)  # type: ignore[attr-defined]
    assert any(0 < split.threshold < 1e-30 for split in score_function(made("lambdamart-zeros")).splits)  # type: ignore[attr-defined]
    assert any(-1e-30 < split.threshold < 0 for split in score_function(made("lambdamart-zeros")).splits)  # type: ignore[attr-defined]
    assert len(made("lambdamart-bags").boosters_) == 3


def test_xgboosts_own_dump_is_read_as_xgboost_reads_it(tmp_path: Path) -> None:
    """What we take the format to mean is what it means: a dump that XGBoost wrote, with what XGBoost computed."""
    golden = json.loads((Path(__file__).parents[2] / "golden" / "xgboost_dump.json").read_text())
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(golden["trees"]))
    X = np.array(golden["rows"], dtype=np.float32)  # null is NaN
    score = interpreters.xgboost_json(path)
    second = [score(dict(zip(golden["names"], row, strict=True))) for row in X]
    assert second == golden["margins"]
    assert FORMATS["xgboost-json"].predict(path, golden["names"])(X).tolist() == golden["margins"]
