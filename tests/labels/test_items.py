"""The data come out as they went in; texts belong to their documents."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.data import RankingData
from rankwise.errors import DataError, FormatError
from rankwise.labels import LabelStore, read_texts
from rankwise.labels._items import ROWS_AT_ONCE

DENSE = np.array([[0.1, np.nan], [-0.0, 3e38], [1e-45, 2]], dtype=np.float32)
MADE = {
    "dense": RankingData(DENSE, [0, 1, -1], qid=[2, 1, 2], doc_ids=["x", "x", "y"]),
    "sparse": RankingData(sp.random_array((9, 2000), density=0.01, rng=0, format="csr"), np.zeros(9), qid=[5] * 9),
    "no features": RankingData(np.zeros((2, 0)), [0, 0], qid=["a b", "c"], doc_ids=["1", "2"]),
    "text queries, weights and names": RankingData(
        DENSE, [0, 0, 0], qid=["é", "", "é"], query_weight=[2.0, 0.5], doc_ids=["1", "2", "3"], feature_names=["f", "ä"]
    ),
    "queries by fractions": RankingData(DENSE, [0, 0, 0], qid=[0.5, 0.25, 0.5]),
    "one list": RankingData(DENSE, [0, 0, 0], qid=None),
}


def bits(X: Any) -> bytes:
    return (X.toarray() if sp.issparse(X) else X).tobytes()  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", MADE)
def test_data_come_out_as_they_went_in(path: Path, case: str) -> None:
    data = MADE[case]
    LabelStore.create(path, data).close()
    with LabelStore.open(path) as store:
        out = store.data
        store.check_data(data)
    assert bits(out.X) == bits(data.X)
    assert out.is_sparse == data.is_sparse
    assert out.y.tolist() == [-1] * len(data)
    assert out.qid.tolist() == data.qid.tolist()
    assert out.doc_ids.tolist() == (list(map(str, range(len(data)))) if data.doc_ids is None else data.doc_ids.tolist())  # type: ignore[union-attr]
    assert (out.query_weight is None) == (data.query_weight is None)
    assert out.query_weight is None or out.query_weight.tolist() == data.query_weight.tolist()  # type: ignore[union-attr]
    assert out.feature_names == data.feature_names


def test_many_rows(path: Path) -> None:
    rows = 2 * ROWS_AT_ONCE + 1
    data = RankingData(np.random.default_rng(0).random((rows, 3)), np.zeros(rows), np.arange(rows) % 7)
    with LabelStore.create(path, data) as store:
        assert bits(store.data.X) == bits(data.X)
        assert (store.data.qid == data.qid).all()


@pytest.mark.parametrize(
    "change",
    [
        {"X": np.ones((6, 2))},
        {"qid": [7, 3, 7, 3, 7, 7]},
        {"doc_ids": ["a", "b", "b", "c", "d", "f"]},
        {"doc_ids": None},
        {"feature_names": ["f", "g"]},
    ],
)
def test_other_data_are_refused(store: LabelStore, data: RankingData, change: dict[str, Any]) -> None:
    store.check_data(replace(data, y=np.zeros(6)))  # labels are not what makes the data
    with pytest.raises(DataError, match="was made from other data than these 6 rows"):
        store.check_data(replace(data, **change))


def test_texts(path: Path, data: RankingData) -> None:
    texts = {"b": "<b>rain</b>", "a": {"title": "A\ud800", "n": [1]}, "elsewhere": "not in the data"}
    with LabelStore.create(path, data, texts, {7: "weather", "3": {"text": "x"}}) as store:
        shown = [store.item(item) for item in (0, 1, 2, 3)]
    assert [(item.item, item.qid, item.doc_id) for item in shown] == [
        (0, "7", "a"), (1, "3", "b"), (2, "7", "b"), (3, "3", "c")
    ]  # fmt: skip
    assert [item.fields for item in shown] == [{"title": "A?", "n": [1]}, *[{"text": "<b>rain</b>"}] * 2, {}]
    assert [item.query_fields for item in shown] == [
        {"text": "weather"},
        {"text": "x"},
        {"text": "weather"},
        {"text": "x"},
    ]


def test_texts_of_a_file(tmp_path: Path, data: RankingData) -> None:
    lines = [
        {"doc_id": "a", "text": "A \u2028", "qid": 7},
        {"docid": "zzz", "text": "not in the data"},
        {"qid": 7, "text": "weather"},
        {"query": "3", "title": "t"},
        {"qid": 99},
    ]
    path = tmp_path / "texts.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n\n".join(json.dumps(line).encode() for line in lines)))
    texts, queries = read_texts(path, data)
    assert texts == {"a": {"text": "A \u2028", "qid": 7}}
    assert queries == {"7": {"text": "weather"}, "3": {"title": "t"}}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", ":2: a line must be JSON"),
        ('{"doc_id": "a", "x": NaN}', ":2: a line must be JSON .NaN is not JSON"),
        ("[" * 100_000, ":2: a line must be JSON"),
        ("[1]", ":2: a line must be a JSON object"),
        ('{"text": "x"}', ":2: a line must have a doc_id or a qid"),
        ('{"doc_id": 1.5}', ":2: doc_id must be text or a whole number, got 1.5"),
        ('{"doc_id": "q"}', ":2: document 'q' stands twice"),
        (b'{"doc_id": "\xff"}', ":2: this line is not UTF-8 text"),
    ],
)
def test_texts_that_cannot_be_read(tmp_path: Path, line: str | bytes, words: str) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_bytes(b'{"doc_id": "q"}\n' + (line if isinstance(line, bytes) else line.encode()))
    with pytest.raises(FormatError, match=words):
        read_texts(path, RankingData([[1.0]], [0], qid=[1], doc_ids=["q"]))
