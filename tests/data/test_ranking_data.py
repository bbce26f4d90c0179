"""The one validated form of data, and the names that the package gives."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import rankwise.data as package
from rankwise.data import RankingData
from rankwise.errors import DataError, ShapeError


def test_public_names_are_sorted_and_there() -> None:
    assert package.__all__ == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


def test_arrays_given_stay_writable_and_arrays_kept_do_not() -> None:
    X, y, qid = np.zeros((2, 1), dtype=np.float32), np.zeros(2), np.array([1, 1])
    data = RankingData(X, y, qid)
    for given, kept in ((X, data.X), (y, data.y), (qid, data.qid)):
        assert np.shares_memory(given, kept)
        given[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 0


def test_sparse_data_given_stays_writable() -> None:
    X = sp.csr_array([[1.0, 0], [0, 2]], dtype=np.float32)
    data = RankingData(X, [0, 1], [1, 1])
    X.data[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        data.X.data[0] = 5


def test_doc_ids_are_text() -> None:
    data = RankingData([[1.0], [2.0]], [0, 1], [1, 1], doc_ids=[17, 4])
    assert data.doc_ids.tolist() == ["17", "4"]  # type: ignore[union-attr]
    assert data.doc_ids[1] == "4"  # type: ignore[index]
    assert np.asarray(data.doc_ids)[[1, 0]].tolist() == ["4", "17"]
    again = pickle.loads(pickle.dumps(data))
    assert again.doc_ids.tolist() == ["17", "4"]


def test_rows_carry_everything_along() -> None:
    data = RankingData(
        [[1.0], [2.0], [3.0]],
        [0, 1, 2],
        ["a", "b", "a"],
        ["x", "y", "z"],
        query_weight=[5, 6],
        scores=[0.1, 0.2, 0.3],
    )
    part = data.rows(np.array([1]))
    assert (part.X.tolist(), part.y.tolist(), part.qid.tolist()) == ([[2]], [1], ["b"])
    assert (part.doc_ids.tolist(), part.query_weight.tolist(), part.scores.tolist()) == (["y"], [6], [0.2])  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([[1.0]], [], None), DataError, "no rows"),
        (([[1.0]], [1, 2], None), ShapeError, "one entry per row, got shapes"),
        (([[1.0]], [np.nan], None), DataError, "labels must be finite, got nan at row 0"),
        (([[1.0]], [1], [1, 2]), ShapeError, "qid must have one entry per row: got 2 entries for 1 rows"),
        (([[1.0]], [1], [1], ["a", "b"]), ShapeError, "doc_ids must have one entry per row"),
        (([[1.0]], [1], [1], ["\ud800"]), DataError, "doc_ids must be texts that UTF-8 can write"),
        (([[1.0]], [1], [1], None, [1, 2]), ShapeError, "query_weight must have one entry per query, got 2 for 1"),
    ],
)
def test_what_does_not_fit(arguments, error, words) -> None:
    with pytest.raises(error, match=words):
        RankingData(*arguments)
