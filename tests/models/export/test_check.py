"""The check notices whatever is changed in a file, and its probes are where mistakes show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
import pytest
import scipy.sparse as sp
from onnx import numpy_helper

from rankwise.data import RankingData
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ExportError
from rankwise.models.export import check, export
from rankwise.models.export._compare import orders_changed
from rankwise.models.export._exporting import score_function
from rankwise.models.export._probes import probe_rows
from rankwise.models.export._ranklib import RankLib
from rankwise.rankers import LambdaMART, MarginRanker
from rankwise.rankers._score_functions._floats import above, below, single
from rankwise.rankers._score_functions._functions import NetFunction
from tests.models.export.factories import CATEGORIES, PAIRS, TREES, data_for, file_name, made, with_gaps
from tests.rankers.factories import TRAIN, VALID


def next_float(text: str) -> str:
    return repr(above(float(text)))


def other_digit(text: str) -> str:
    """A number of the same length: LightGBM's text has the lengths of its trees in it."""
    return text[:6] + str(9 - int(text[6])) + text[7:]


def in_json(path: Path, change: Any) -> None:
    told = json.loads(path.read_text())
    change(told)
    path.write_text(json.dumps(told))


def in_text(path: Path, pattern: str, change: Any) -> None:
    text, count = re.subn(pattern, lambda m: m[1] + change(m[2]) + m[3], path.read_text(), count=1, flags=re.M)
    assert count == 1
    path.write_text(text)


def in_graph(path: Path, name: str, change: Any) -> None:
    graph = onnx.load(path)
    (tree,) = [node for node in graph.graph.node if node.op_type == "TreeEnsemble"]
    (found,) = [attribute for attribute in tree.attribute if attribute.name == name]
    if found.HasField("t"):
        found.t.CopyFrom(numpy_helper.from_array(change(numpy_helper.to_array(found.t).copy()), found.t.name))
    else:
        changed = change(np.array(found.ints))
        del found.ints[:]
        found.ints.extend(changed.tolist())
    onnx.save(graph, path)


def first(values: np.ndarray, change: Any) -> np.ndarray:
    values[0] = change(values[0])
    return values


def flip(tree: dict[str, Any]) -> None:
    tree["missing"] = tree["yes"] + tree["no"] - tree["missing"]


def larger(text: str) -> str:
    return repr(float(text) * 1.001)


def at_next_float(values: np.ndarray) -> np.ndarray:
    return first(values, lambda limit: above(single(limit)))


def swapped(trees: list[dict[str, Any]]) -> None:
    trees[0].update(yes=trees[0]["no"], no=trees[0]["yes"])


TRACKS, LIMIT = "nodes_missing_value_tracks_true", r'("threshold": ")([^"]+)(")'
CHANGES = {
    ("lambdamart", "onnx", "threshold"): lambda p: in_graph(p, "nodes_splits", at_next_float),
    ("lambdamart", "onnx", "leaf"): lambda p: in_graph(p, "leaf_weights", lambda v: first(v, lambda x: x * (1 + 1e-9))),
    ("lambdamart-missing", "onnx", "missing"): lambda p: in_graph(p, TRACKS, lambda v: 1 - v),
    ("lambdamart", "xgboost-json", "threshold"): lambda p: in_text(p, r'("split_condition": )([^,]+)(,)', next_float),
    ("lambdamart", "xgboost-json", "sides"): lambda p: in_json(p, swapped),
    ("lambdamart-missing", "xgboost-json", "missing"): lambda p: in_json(p, lambda t: [flip(tree) for tree in t]),  # type: ignore[func-returns-value]
    ("lambdamart", "solr", "threshold"): lambda p: in_text(p, LIMIT, next_float),
    ("lambdamart", "solr", "leaf"): lambda p: in_text(p, r'("value": ")([^"]+)(")', larger),
    ("lambdamart", "solr", "tree left out"): lambda p: in_json(p, lambda t: t["params"]["trees"].pop()),
    ("lambdamart", "ranklib", "threshold"): lambda p: in_text(p, r"(<threshold> )(\S+)( )", next_float),
    ("lambdamart", "ranklib", "feature"): lambda p: in_text(p, r"(<feature> )(\S+)( )", lambda k: str(int(k) % 6 + 1)),
    ("lambdamart", "vespa", "threshold"): lambda p: in_text(p, r'("threshold": )([^,]+)(,)', next_float),
    ("lambdamart-categories", "vespa", "category"): lambda p: in_text(p, LIMIT, lambda x: x.partition("||")[0]),
    ("lambdamart", "lightgbm", "threshold"): lambda p: in_text(p, r"(^threshold=)(\S+)( )", other_digit),
    ("ranksvm", "solr", "weight"): lambda p: in_text(p, r'("feature_1": )([^,\s]+)(,)', larger),
    ("ranksvm", "ranklib", "weight"): lambda p: in_text(p, r"(1:)(\S+)( )", larger),
}


@pytest.mark.parametrize(("kind", "to", "what"), CHANGES)
def test_a_changed_file_is_noticed_without_any_data(kind: str, to: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / file_name(kind, to)
    export(made(kind), path, to=to)
    assert check(made(kind), path, to=to).agrees
    CHANGES[kind, to, what](path)
    found = check(made(kind), path, to=to)
    assert not found.agrees
    assert found.data is None
    assert found.probes.beyond > 0
    assert found.probes.largest > found.probes.rounding


@pytest.mark.parametrize(("kind", "to"), [("lambdarank", "onnx"), ("rate-net", "vespa"), ("margin", "onnx")])
def test_a_changed_net_or_weight_is_noticed(kind: str, to: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    export(made(kind), path, to=to)
    graph = onnx.load(path)
    largest = max(graph.graph.initializer, key=lambda one: one.raw_data and np.prod(one.dims))
    values = numpy_helper.to_array(largest).copy()
    values.flat[np.argmax(np.abs(values))] *= 1.01
    largest.CopyFrom(numpy_helper.from_array(values, largest.name))
    onnx.save(graph, path)
    assert not check(made(kind), path, to=to, data=VALID).agrees


def must_agree(model: Any, path: Path, to: str) -> None:
    if not check(model, path, to=to).agrees:
        raise AssertionError("the file does not agree")


@pytest.mark.parametrize(("kind", "to"), [pair for pair in PAIRS if pair[0] in ("lambdamart", "ranksvm")])
def test_half_a_file_is_no_file(kind: str, to: str, tmp_path: Path) -> None:
    path = tmp_path / file_name(kind, to)
    export(made(kind), path, to=to)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises((DataError, AssertionError), match=f"is no sound {to} file|does not agree") as caught:
        must_agree(made(kind), path, to)
    assert "\n" not in str(caught.value)


def test_a_file_that_disagrees_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.txt"
    path.write_text("older")
    right = RankLib.files

    def wrong(self: RankLib, function: Any, path: Path) -> dict[Path, bytes]:
        return {
            place: data.replace(b'weight="1.0"', b'weight="1.01"')
            for place, data in right(self, function, path).items()
        }

    monkeypatch.setattr(RankLib, "files", wrong)
    with pytest.raises(ExportError, match="the ranklib file does not score as the model does") as caught:
        export(made("lambdamart"), path, to="ranklib", check=VALID)
    assert caught.value.comparison.data.beyond == 400  # type: ignore[attr-defined]
    assert path.read_text() == "older"
    assert [one.name for one in tmp_path.iterdir()] == ["m.txt"]


@pytest.mark.parametrize("to", ["solr", "ranklib"])
def test_data_with_gaps_is_refused_where_there_is_no_rule_for_them(to: str, tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=rf"{to} cannot express missing values, got one at row \d+ of the feature 'feat"
    ):
        export(made("rankboost"), tmp_path / "m.json", to=to, check=with_gaps(VALID))
    assert export(made("rankboost"), tmp_path / "m.onnx", to="onnx", check=with_gaps(VALID)).agrees  # type: ignore[union-attr]


def test_sparse_rows_and_rows_of_several_queries_are_compared(tmp_path: Path) -> None:
    data = RankingData(sp.csr_array(np.where(VALID.X < 0, 0, VALID.X)), VALID.y, VALID.qid)
    for kind in ("lambdamart", "ranksvm", "rankboost"):
        found: Any = export(made(kind), tmp_path / "m.json", to="solr", check=data)
        assert (found.agrees, found.data.queries) == (True, 20)


def test_names_of_features_are_written_and_looked_up(tmp_path: Path) -> None:
    names = ["title bm25", "größe", "a,b", "price", "x y", "z"]
    frame = pd.DataFrame(TRAIN.X, columns=names)
    model = LambdaMART(**TREES).fit(frame, TRAIN.y, qid=TRAIN.qid)
    for to in ("onnx", "xgboost-json", "solr", "ranklib", "lightgbm"):
        path = tmp_path / ("m.onnx" if to == "onnx" else f"{to}.json")
        assert export(model, path, to=to, check=VALID).agrees  # type: ignore[union-attr]
    split_by = set(re.findall(r'"split": "([^"]+)"', (tmp_path / "xgboost-json.json").read_text()))
    assert split_by <= set(names)
    fields = {one["name"] for one in json.loads((tmp_path / "solr.features.json").read_text())}
    assert fields == split_by
    assert "feature_names=title_bm25 größe a_b price x_y z\n" in (tmp_path / "lightgbm.json").read_text()
    told = {prop.key: prop.value for prop in onnx.load(tmp_path / "m.onnx").metadata_props}
    assert (told["kind"], json.loads(told["features"])) == ("lambdamart", names)


def test_the_same_model_is_the_same_file(tmp_path: Path) -> None:
    for kind, to in PAIRS:
        if kind in ("lambdamart-categories", "lambdarank", "ranksvm"):
            path = tmp_path / file_name(kind, to)
            export(made(kind), path, to=to)
            before = path.read_bytes()
            export(made(kind), path, to=to)
            assert path.read_bytes() == before


def test_probes_meet_every_threshold_on_both_sides_and_every_extreme() -> None:
    function: Any = score_function(made("lambdamart-missing"))
    rows = probe_rows(function, missing=True)
    for split in function.splits:
        limit = single(split.threshold)
        seen = set(rows[:, split.feature].tolist())
        probes = {below(limit), limit, above(limit), 0.0, float(np.float32(1e30)), float(np.float32(-3e38))}
        assert {probe for probe in probes if np.isfinite(probe)} <= seen  # infinite thresholds part missing numbers
        assert np.isnan(rows[:, split.feature]).any()
        assert np.signbit(rows[:, split.feature][rows[:, split.feature] == 0.0]).any()
        tiny = rows[:, split.feature][(rows[:, split.feature] > 0) & (rows[:, split.feature] < 1e-38)]
        assert {float(np.float32(1e-40)), float(np.float32(1.5e-45))} <= set(tiny.tolist())
    assert not np.isnan(probe_rows(function, missing=False)).any()
    by_category: Any = score_function(made("lambdamart-categories"))
    categories = set(probe_rows(by_category, missing=True)[:, 4].tolist())
    for split in by_category.splits:
        if split.categories is not None:
            assert set(map(float, split.categories)) | {max(split.categories) + 1.0, -1.0} <= categories


def test_probes_come_to_every_leaf() -> None:
    model = made("lambdamart")
    rows = probe_rows(score_function(model), missing=False)
    leaves = model.boosters_[0].predict(rows, pred_leaf=True)
    for column, tree in zip(leaves.T, score_function(model).trees, strict=True):  # type: ignore[attr-defined]
        assert len(np.unique(column)) == len(list(tree.leaves))


def test_orders_changed_counts_reversed_pairs_within_queries() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 5, 300):
        qid = rng.integers(0, 2, size)
        ours, theirs = (rng.integers(0, 20, size).astype(float) for _ in range(2))
        slow = sum(
            bool(qid[i] == qid[j] and (ours[i] - ours[j]) * (theirs[i] - theirs[j]) < 0)
            for i in range(size)
            for j in range(i)
        )
        groups = QueryGroups.of_rows(qid, size)
        assert orders_changed(ours, theirs, groups) == slow


def test_fractions_of_categories_are_cut_off_as_lightgbm_does(tmp_path: Path) -> None:
    X = CATEGORIES.X[:60].copy()
    X[:, 4] = np.linspace(-3.0, 45.0, 60) + 0.37
    data = RankingData(X, CATEGORIES.y[:60], CATEGORIES.qid[:60])
    assert export(made("lambdamart-categories"), tmp_path / "m.onnx", to="onnx", check=data).data.largest == 0.0  # type: ignore[union-attr]


def test_the_bound_on_rounding_is_one() -> None:
    """The magnitude of a net is at least that of every number on the way to its score."""
    function = score_function(made("lambdarank"))
    assert isinstance(function, NetFunction)
    rows = np.abs((VALID.X - function.center) * function.scale)
    for weights, bias in function.layers:
        rows = np.maximum(rows @ np.abs(weights.T) + (0 if bias is None else np.abs(bias)), 0)
    assert (function.magnitude(VALID.X) >= rows[:, 0] * (1 - 1e-6)).all()
    assert data_for("lambdarank") is VALID


def test_features_far_from_zero_keep_their_digits_in_solr(tmp_path: Path) -> None:
    far = TRAIN.X.copy()
    far[:, 0] = np.float32(1e6) + np.round(far[:, 0] * 100.0)
    data = RankingData(far, TRAIN.y, TRAIN.qid)
    model = MarginRanker(epsilon=0.8, max_iter=20).fit(far, TRAIN.y, qid=TRAIN.qid)
    found: Any = export(model, tmp_path / "m.json", to="solr", check=data)
    assert (found.data.largest < 1e-6, found.data.orders_changed) == (True, 0)
    assert abs(found.offset) < 1e-6
