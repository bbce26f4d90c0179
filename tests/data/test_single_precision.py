"""Features are kept in single precision: where that makes different values equal, it is said once, by name."""

from __future__ import annotations

import logging

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from pyarrow import parquet

from rankwise.data import RankingData, read
from rankwise.errors import DataError, ShapeError

ROWS = np.arange(200)
LOSING = {
    "timestamps": 1.7e9 + ROWS,
    "timestamps with fractions": 1.7e9 + ROWS + 0.25,
    "ids": 2**53 + ROWS.astype(np.int64),
    "the last digits": 1 + ROWS * 1e-9,
    "below the least": ROWS * 1e-50,
}
HELD = {
    "fractions": ROWS / 7,
    "large but apart": ROWS * 1e30 / 7,
    "one large value": np.full(200, 1.7e9 + 1),
    "whole": ROWS.astype(np.int64) * 1024 + 2**30,
    "missing": np.full(200, np.nan),
    "zeros": np.zeros(200),
}


def messages(caplog) -> list[str]:
    return [record.getMessage() for record in caplog.records if "single precision" in record.getMessage()]


@pytest.mark.parametrize("case", LOSING)
def test_lost_values_are_told_of_once(caplog, case) -> None:
    X = np.column_stack([ROWS / 3, LOSING[case]]) if case != "ids" else np.column_stack([ROWS, LOSING[case]])
    with caplog.at_level(logging.WARNING):
        RankingData(X, ROWS % 2, None, feature_names=["a", "seen"])
    assert len(messages(caplog)) == 1
    assert "'seen'" in messages(caplog)[0]
    assert "'a'" not in messages(caplog)[0]


@pytest.mark.parametrize("case", HELD)
def test_other_values_are_not(caplog, case) -> None:
    with caplog.at_level(logging.WARNING):
        RankingData(np.column_stack([ROWS / 3, HELD[case]]), ROWS % 2, None)
        RankingData(LOSING["timestamps"][:, None].astype(np.float32), ROWS % 2, None)
    assert messages(caplog) == []


def test_sparse_features(caplog) -> None:
    X = sp.csr_array(np.column_stack([ROWS / 3, LOSING["timestamps"]]))
    with caplog.at_level(logging.WARNING):
        RankingData(X, ROWS % 2, None)
    assert len(messages(caplog)) == 1
    assert "feature 1" in messages(caplog)[0]


def test_many_sparse_features(caplog) -> None:
    dense = np.zeros((200, 60))
    dense[:, ::2], dense[:, 1::3] = LOSING["timestamps"][:, None], 2.0**30
    with caplog.at_level(logging.WARNING):
        RankingData(sp.csr_array(dense), ROWS % 2, None)
    assert "feature 0, feature 2, feature 6, …" in messages(caplog)[0]


@pytest.mark.parametrize("names", [["a"], "ab", []])
def test_names_that_are_not_those_of_the_columns_are_no_traceback(caplog, names) -> None:
    for column in (LOSING["timestamps"], 10.0 ** (ROWS / 4)):
        with pytest.raises((DataError, ShapeError), match="; "):
            RankingData(np.column_stack([ROWS, column]), ROWS % 2, None, feature_names=names)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_tables(caplog, tmp_path, name) -> None:
    columns = {"label": ROWS % 2, "a": ROWS / 3, "seen": LOSING["timestamps"].astype(np.int64)}
    path = tmp_path / name
    if name.endswith("csv"):
        np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    else:
        parquet.write_table(pa.table(columns), path)
    with caplog.at_level(logging.WARNING):
        read(path)
    assert len(messages(caplog)) == 1
    assert "'seen'" in messages(caplog)[0]


def test_numbers_that_are_too_large_are_refused_by_name() -> None:
    with pytest.raises(DataError, match=r"got 1e\+39 in feature 'big'; scale that feature"):
        RankingData([[1.0, 2.0], [3.0, 1e39]], [0, 1], None, feature_names=["a", "big"])
    with pytest.raises(DataError, match=r"got 1e\+39; scale"):
        RankingData(sp.csr_array([[1.0, 2.0], [3.0, 1e39]]), [0, 1], None)
