"""Writing, and that reading gives the same back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankwise.data import RankingData, atomic_path, read, write
from rankwise.errors import DataError

float32s = st.floats(width=32, allow_infinity=False)


@st.composite
def ranking_data(draw):
    rows, features = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    ids = st.text("abcXYZ019-_.:#", min_size=1, max_size=20)
    return RankingData(
        draw(arrays(np.float32, (rows, features), elements=float32s)),
        draw(arrays(np.float64, rows, elements=st.floats(-1e200, 1e200))),
        draw(arrays(np.int64, rows, elements=st.integers(-(10**17), 10**17))),
        draw(st.one_of(st.none(), st.lists(ids, min_size=rows, max_size=rows))),
    )


def assert_same(a, b) -> None:
    assert a.X.shape == b.X.shape
    dense = (X.toarray() if sp.issparse(X) else X for X in (a.X, b.X))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(a.y, b.y)
    np.testing.assert_array_equal(a.qid, b.qid)
    assert (a.doc_ids is None) == (b.doc_ids is None)
    assert a.doc_ids is None or a.doc_ids.tolist() == b.doc_ids.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "parquet"])
def test_round_trip_of_anything(tmp_path, ending) -> None:
    @given(ranking_data())
    @settings(max_examples=60)
    def check(data) -> None:
        path = tmp_path / f"data.{ending}"
        write(data, path)
        assert_same(read(path), data)

    check()


@pytest.mark.parametrize("ending", ["txt.gz", "txt.bz2", "txt.xz", "txt.zst", "csv.gz", "tsv.zst", "pq"])
def test_round_trip_packed(tmp_path, ending) -> None:
    generator = np.random.default_rng(0)
    data = RankingData(generator.normal(size=(5000, 20)), np.arange(5000) % 3, np.arange(5000) // 9)
    write(data, tmp_path / f"data.{ending}")
    assert_same(read(tmp_path / f"data.{ending}"), data)


def test_round_trip_of_sparse_data(tmp_path) -> None:
    X = sp.random_array((300, 5000), density=0.01, rng=0, format="csr", dtype=np.float32)
    data = RankingData(X, np.arange(300) % 2, np.arange(300) // 10)
    write(data, tmp_path / "data.txt")
    again = read(tmp_path / "data.txt")
    assert again.is_sparse
    assert_same(again, data)


def test_the_last_feature_is_kept_though_no_row_has_it(tmp_path) -> None:
    data = RankingData(sp.csr_array((2, 9000), dtype=np.float32), [0, 1], [1, 1])
    write(data, tmp_path / "data.txt")
    assert read(tmp_path / "data.txt").X.shape == (2, 9000)


def test_what_cannot_be_written(tmp_path) -> None:
    data = RankingData([[1.0], [2.0]], [0, 1], ["a", "b"])
    numbered = replace(data, qid=np.array([1, 2]))
    with pytest.raises(DataError, match="whole numbers as qid, got 'a'"):
        write(data, tmp_path / "a.txt")
    with pytest.raises(DataError, match="document ids without blanks"):
        write(replace(numbered, doc_ids=np.array(["x y", "z"])), tmp_path / "a.txt")
    with pytest.raises(DataError, match="scores cannot be written"):
        write(replace(data, scores=np.array([1.0, 2.0])), tmp_path / "a.parquet")
    with pytest.raises(DataError, match="finite or NaN"):
        write(RankingData([[np.inf]], [1], [1]), tmp_path / "a.txt")
    with pytest.raises(DataError, match=r"packed already, got a.parquet.gz; leave out .gz"):
        write(data, tmp_path / "a.parquet.gz")
    with pytest.raises(DataError, match="sparse features"):
        write(RankingData(sp.csr_array([[1.0, 0]]), [1], [1]), tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path) -> None:
    target = tmp_path / "model.txt"
    target.write_text("old")

    def fail() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("model.txt", "old")]


def test_atomic_path_keeps_links_and_usual_permissions(tmp_path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with atomic_path(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "real").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_atomic_path_needs_a_folder(tmp_path) -> None:
    with pytest.raises(DataError, match="there is no folder"), atomic_path(tmp_path / "absent" / "a.txt"):
        pass
    with pytest.raises(DataError, match="it is a folder"), atomic_path(tmp_path):
        pass
