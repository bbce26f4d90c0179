"""Scores over HTTP are those of `predict`, bit for bit, whatever the form of the body and the kind of the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rankwise as rw
from rankwise.rankers._base import model_kinds
from rankwise.selection.peers import LightGBMRanker, LogisticRanker
from rankwise.serve.ranking._app import THREAD_MIN_BYTES
from tests.selection.factories import small_auto
from tests.serve.ranking.factories import ARROW, DATA, IDS, NAMES, SMALL, Client, X, fitted, serving, stream, trees

NET: dict[str, Any] = {"hidden": (4,), "epochs": 1, "random_state": 0}
NETS = ("lambdarank", "ranknet")
KINDS = {
    "lambdamart": lambda: rw.LambdaMART("ndcg@10", **SMALL, bags=2),
    "lambdarank": lambda: rw.LambdaRank("ndcg@10", **NET),
    "ranknet": lambda: rw.RankNet("ndcg@10", **NET),
    "margin": lambda: rw.MarginRanker(epsilon=0.9),
    "rankboost": lambda: rw.RankBoost(n_estimators=5),
    "smoothrankboost": lambda: rw.SmoothRankBoost(n_estimators=3),
    "ranksvm": lambda: rw.RankSVM("ndcg@10"),
    "aucsvm": lambda: rw.AUCSVM(),
    "auto": lambda: small_auto("ndcg@10"),
    "lightgbm": lambda: LightGBMRanker("ndcg@10", n_estimators=6, num_leaves=4, min_child_samples=5, n_jobs=1),
    "logistic": lambda: LogisticRanker("ndcg@10"),
}


def rows_by_name() -> list[dict[str, float]]:
    return [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]


def table() -> pa.Table:
    return pa.table({name: X[:, column] for column, name in enumerate(NAMES)})


def lists(values: np.ndarray) -> pa.Table:
    return pa.table({"f": pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])})


BODIES: dict[str, tuple[Any, str | None]] = {
    "compact": ({"features": X.tolist()}, None),
    "lists": ({"documents": [{"features": row} for row in X.tolist()]}, None),
    "names": ({"documents": [{"features": row} for row in rows_by_name()]}, None),
    "names reversed": ({"features": [dict(reversed(row.items())) for row in rows_by_name()]}, None),
    "mixed": ({"features": [X[0].tolist(), *rows_by_name()[1:]]}, None),
    "arrow columns": (stream(table()), ARROW),
    "arrow columns reversed": (stream(table().select(NAMES[::-1])), ARROW),
    "arrow lists": (stream(lists(X)), ARROW),
    "arrow batches": (stream(pa.concat_tables([table().slice(0, 4), table().slice(4)])), f"{ARROW}; x=y"),
}


@pytest.mark.parametrize("form", BODIES)
def test_every_form_of_body_gives_the_scores_of_predict(client: Client, form: str) -> None:
    status, said = client.rank(*BODIES[form])
    expected = trees(named=False).predict(X)
    assert (status, said["scores"]) == (200, expected.tolist())
    assert said["order"] == np.argsort(-expected, kind="stable").tolist()
    assert said["model"] == {"version": client.service.model.now.info.version, "kind": "lambdamart", "features": 4}


def test_every_shipped_ranker_is_among_the_kinds() -> None:
    shipped = {kind for kind, cls in model_kinds().items() if cls.__module__.startswith("rankwise.")}
    assert shipped == {*KINDS, "rate"}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind in NETS)) for kind in KINDS])
def test_every_kind_of_ranker_gives_the_scores_of_predict(kind: str, tmp_path: Path) -> None:
    if kind in NETS:
        pytest.importorskip("torch")
    model = fitted(KINDS[kind]())
    rw.save(model, tmp_path / "m.rw")
    with serving(tmp_path / "m.rw") as client:
        for body, content in (BODIES["names"], BODIES["arrow lists"]):
            status, said = client.rank(body, content)
            assert (status, said["scores"]) == (200, model.predict(pd.DataFrame(X, columns=NAMES)).tolist())
        status, said = client.send("POST", "/explain", {"features": X.tolist(), "pair": [3, 8]})
    why = model.explain(pd.DataFrame(X, columns=NAMES), 3, 8)
    assert status == 200
    assert said["reasons"][0]["difference"] == pytest.approx(why.difference)
    adds = {part["feature"]: part["adds"] for part in said["reasons"][0]["parts"]}
    assert adds == pytest.approx({n: v for n, v in zip(NAMES, why.contributions, strict=True) if v != 0.0})


@pytest.mark.slow
def test_a_classifier_ranks_by_its_decision_function_and_does_not_explain(tmp_path: Path) -> None:
    model = rw.RateClassifier("r@p=0.5", model="linear", random_state=0).fit(DATA.X, (DATA.y > 0).astype(int))
    rw.save(model, tmp_path / "m.rw")
    with serving(tmp_path / "m.rw") as client:
        assert client.rank({"features": X.tolist()})[1]["scores"] == model.decision_function(X).tolist()
        status, said = client.send("POST", "/explain", {"features": X.tolist()})
    assert (status, "does not explain" in said["error"]) == (422, True)


def test_ids_are_given_back_and_equal_scores_stay_in_order(client: Client) -> None:
    same = [X[0].tolist()] * 4
    assert client.rank({"features": same, "ids": ["b", "a", 7, "c"]})[1]["order"] == ["b", "a", 7, "c"]
    given = [{"id": one, "features": row} for one, row in zip(IDS, X.tolist(), strict=True)]
    by_id = client.rank({"documents": given})[1]["order"]
    assert by_id == [IDS[row] for row in client.rank({"features": X.tolist()})[1]["order"]]
    with_ids = table().append_column("id", pa.array(IDS))
    assert client.rank(stream(with_ids), ARROW)[1]["order"] == by_id


def test_what_is_missing_is_nan_where_the_model_takes_it(client: Client) -> None:
    gaps = X.copy()
    gaps[2, 1] = gaps[5, 3] = np.nan
    expected = trees(named=False).predict(gaps).tolist()
    by_name = rows_by_name()
    del by_name[2]["age"]
    by_name[5]["länge"] = None  # type: ignore[assignment]
    assert client.rank({"documents": [{"features": row} for row in by_name]})[1]["scores"] == expected
    by_place = [[None if value != value else value for value in row] for row in gaps.tolist()]
    assert client.rank({"features": by_place})[1]["scores"] == expected
    columns = {name: pa.array(gaps[:, k], from_pandas=True) for k, name in enumerate(NAMES)}
    assert columns["age"].null_count == 1
    assert client.rank(stream(pa.table(columns)), ARROW)[1]["scores"] == expected
    assert client.rank(stream(lists(gaps)), ARROW)[1]["scores"] == expected
    gaps[:, 2] = np.nan
    assert client.rank(stream(table().drop_columns(["clicks"])), ARROW)[0] == 200


def test_whole_numbers_and_other_types_of_numbers(client: Client) -> None:
    expected = client.rank({"features": [[1.0, 2.0, 3.0, 4.0]]})[1]["scores"]
    assert client.rank({"features": [[1, 2, 3e0, 4]]})[1]["scores"] == expected
    for kind in (pa.int8(), pa.uint64(), pa.float16(), pa.float32()):
        columns = {name: pa.array([k + 1.0]).cast(kind) for k, name in enumerate(NAMES)}
        assert client.rank(stream(pa.table(columns)), ARROW)[1]["scores"] == expected


def test_a_long_body_is_scored_as_a_short_one(linear_client: Client, tmp_path: Path, linear_file: Path) -> None:
    many = np.random.default_rng(0).normal(size=(9_000, 4))
    status, said = linear_client.rank({"features": many.tolist()})
    assert len(str(many.tolist())) > THREAD_MIN_BYTES
    assert (status, said["scores"]) == (200, rw.load(linear_file).predict(pd.DataFrame(many, columns=NAMES)).tolist())


def test_explain_names_each_of_the_best_against_the_next(client: Client) -> None:
    status, said = client.send("POST", "/explain", {"features": X.tolist(), "ids": IDS, "top": 3})
    scores = dict(zip(IDS, trees(named=False).predict(X), strict=True))
    assert (status, len(said["reasons"])) == (200, 2)
    for reason, above, below in zip(said["reasons"], said["order"][:2], said["order"][1:3], strict=True):
        assert (reason["above"], reason["below"]) == (above, below)
        assert reason["difference"] == pytest.approx(scores[above] - scores[below])
        assert sum(part["adds"] for part in reason["parts"]) == pytest.approx(reason["difference"])
        assert {part["feature"] for part in reason["parts"]} <= set(NAMES)


@pytest.mark.slow
def test_features_without_names_go_by_position(nameless_client: Client) -> None:
    assert nameless_client.rank({"features": X.tolist()})[1]["scores"] == trees(named=False).predict(X).tolist()
    said = nameless_client.send("POST", "/explain", {"features": X.tolist(), "top": 2})[1]
    assert {part["feature"] for part in said["reasons"][0]["parts"]} <= {0, 1, 2, 3}
