"""LETOR text: what is accepted, and what comes out."""

from __future__ import annotations

import bz2
import gzip
import lzma
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_svmlight_file

from rankwise.data import read
from rankwise.data.io import _letor as letor
from rankwise.data.io._letor import LetorFile, read_letor
from rankwise.errors import DataError

SMALL = "2 qid:1 1:0.5 3:1e-3 # d1\n0 qid:1 2:-0.25 # d2\n1 qid:2 1:1\n"
PACKERS: dict[str, Any] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
}


def assert_same(a, b) -> None:
    np.testing.assert_array_equal(a.X, b.X)
    np.testing.assert_array_equal(a.y, b.y)
    np.testing.assert_array_equal(a.qid, b.qid)
    assert (a.doc_ids is None) == (b.doc_ids is None)
    assert a.doc_ids is None or a.doc_ids.tolist() == b.doc_ids.tolist()


def test_a_small_file(text_file) -> None:
    data = read(text_file(SMALL))
    assert data.X.tolist() == [[0.5, 0, np.float32(1e-3)], [0, -0.25, 0], [1, 0, 0]]
    assert data.X.dtype == np.float32
    assert data.y.tolist() == [2, 0, 1]
    assert data.qid.tolist() == [1, 1, 2]
    assert data.doc_ids.tolist() == ["d1", "d2", ""]  # type: ignore[union-attr]
    assert (data.doc_ids == "d2").tolist() == [False, True, False]  # type: ignore[union-attr]
    assert data.notes == ()


@pytest.mark.parametrize(
    "variant",
    [
        SMALL.replace("\n", "\r\n"),
        SMALL.rstrip("\n"),
        "\n\n# a comment\n   \n" + SMALL.replace("\n", "\n\n#\n"),
        SMALL.replace(" ", "  ").replace("qid", "\tqid"),
        "\ufeff" + SMALL,
        SMALL.replace("2 qid", "+2 qid").replace("0.5", "5e-1").replace("1e-3", "+.001"),
        SMALL.replace("# d1", "#docid = d1 inc = 1 prob = 0.08").replace("# d2", "#d2"),
    ],
    ids=["windows", "no final newline", "blank and comment lines", "blanks", "BOM", "spellings", "doc ids"],
)
def test_variants_that_mean_the_same(text_file, variant) -> None:
    assert_same(read(text_file(variant)), read(text_file(SMALL, "plain.txt")))


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("named", [True, False], ids=["by name", "by content"])
def test_packed_files(text_file, kind, named) -> None:
    packed = text_file(PACKERS[kind](SMALL.encode()), f"packed.txt.{kind}" if named else "packed")
    assert_same(read(packed), read(text_file(SMALL)))


def test_without_any_qid_it_is_one_list(text_file) -> None:
    data = read(text_file("1 1:2\n0 2:3\n"))
    assert data.groups.n_queries == 1


def test_labels_and_features_of_all_kinds(text_file) -> None:
    data = read(text_file("-1.5 qid:1 1:nan 2:-3\n2.25 qid:-7\n"))
    assert data.y.tolist() == [-1.5, 2.25]
    assert data.qid.tolist() == [1, -7]
    assert np.isnan(data.X[0, 0])
    assert data.X[0, 1] == -3
    assert data.X[1].tolist() == [0, 0]


def test_a_comment_of_several_words_is_no_doc_id(text_file) -> None:
    assert read(text_file("1 qid:1 1:1 # seen by hand\n")).doc_ids is None


def test_rows_of_one_query_may_lie_apart_and_stay_in_order(text_file) -> None:
    data = read(text_file("0 qid:5 1:1\n1 qid:3 1:2\n2 qid:5 1:3\n"))
    assert data.y.tolist() == [0, 1, 2]
    assert data.groups.sizes.tolist() == [2, 1]


def test_several_files_are_one_data_set(text_file) -> None:
    one = text_file("0 qid:1 1:1\n1 qid:2 1:2 # a\n", "one.txt")
    two = text_file("2 qid:2 3:5\n", "two.txt")
    data = read(one, two)
    assert data.X.tolist() == [[1, 0, 0], [2, 0, 0], [0, 0, 5]]
    assert data.groups.sizes.tolist() == [1, 2]
    assert data.doc_ids.tolist() == ["", "a", ""]  # type: ignore[union-attr]


def test_wide_data_becomes_sparse(text_file) -> None:
    data = read(text_file("1 qid:1 2:0.5 2000000000:3\n0 qid:1\n2 qid:1 1:4\n"))
    assert data.is_sparse
    assert data.X.shape == (3, 2_000_000_000)
    assert data.X.data.tolist() == [0.5, 3, 4]
    assert data.X.indices.tolist() == [1, 1_999_999_999, 0]
    assert data.X.indptr.tolist() == [0, 2, 2, 3]


def test_wide_data_that_is_filled_stays_dense(text_file) -> None:
    line = " ".join(f"{i}:1" for i in range(1, 1202))
    assert not read(text_file(f"1 qid:1 {line}\n")).is_sparse


def many_lines(rows: int) -> str:
    generator = np.random.default_rng(0)
    lines = []
    for row in range(rows):
        columns = np.flatnonzero(generator.random(20) < 0.4) + 1
        values = " ".join(f"{c}:{generator.normal():.{generator.integers(1, 19)}f}" for c in columns)
        lines.append(f"{row % 3} qid:{row // 7} {values} # d{row}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("chunk_bytes", [1, 7, 64, 1000, 1 << 20])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_neither_chunk_borders_nor_threads_matter(text_file, chunk_bytes, threads) -> None:
    file = LetorFile(text_file(many_lines(60)), has_qid=True)
    expected = read_letor([file], chunk_bytes=1 << 22, threads=1)
    assert_same(read_letor([file, file], chunk_bytes=chunk_bytes, threads=threads).rows(slice(0, 60)), expected)


@pytest.mark.parametrize(
    "later",
    ["1 qid:1 1:1\n" * 3, "1 qid:1 1:1\n" * 300, "1 qid:1 9:1\n" * 100],
    ids=["shorter", "longer", "wider"],
)
def test_a_file_that_changes_while_it_is_read(text_file, monkeypatch, later) -> None:
    path = text_file("1 qid:1 1:1\n" * 100)

    class Meddling(letor._Target):
        def __init__(self, *arguments) -> None:
            super().__init__(*arguments)
            path.write_text(later)

    monkeypatch.setattr(letor, "_Target", Meddling)
    with pytest.raises(DataError, match="changed while it was being read"):
        read_letor([LetorFile(path, has_qid=True)], chunk_bytes=36)


def test_chunks_of_sparse_data(text_file) -> None:
    lines = "".join(f"0 qid:1 {i + 1}:{i} 5000:1\n" for i in range(200))
    file = LetorFile(text_file(lines), has_qid=True)
    X = read_letor([file], chunk_bytes=100).X
    assert X.shape == (200, 5000)
    np.testing.assert_array_equal(X.toarray()[np.arange(200), np.arange(200)], np.arange(200))
    np.testing.assert_array_equal(X.toarray()[:, 4999], 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MQ2008/S1.txt", "MSLR-sample/msn1.fold1.train.5k.txt"])
def test_real_files_as_scikit_learn_reads_them(shared_data, name) -> None:
    X, y, qid = load_svmlight_file(str(shared_data / name), query_id=True)
    data = read(shared_data / name)
    np.testing.assert_array_equal(data.X, X.toarray().astype(np.float32))
    np.testing.assert_array_equal(data.y, y)
    np.testing.assert_array_equal(data.qid, qid)


def test_the_doc_ids_of_mq2008(shared_data) -> None:
    path = shared_data / "MQ2008" / "S1.txt"
    expected = [line.split("#docid = ")[1].split()[0] for line in path.read_text().splitlines()]
    assert read(path).doc_ids.tolist() == expected  # type: ignore[union-attr]


@pytest.mark.parametrize("part", ["train", "test"])
def test_lightgbm_pairs(shared_data, part) -> None:
    path = shared_data / "lightgbm-rank" / f"rank.{part}"
    X, y = load_svmlight_file(str(path), zero_based=True)
    data = read(path)
    np.testing.assert_array_equal(data.X, X.toarray().astype(np.float32))
    np.testing.assert_array_equal(data.y, y)
    sizes = np.loadtxt(f"{path}.query", dtype=int)
    np.testing.assert_array_equal(data.groups.sizes, sizes)


def test_lightgbm_pairs_one_after_the_other(text_file) -> None:
    for name in ("a", "b"):
        text_file("1 0:5\n0 1:2\n0 0:1\n", name)
        text_file("2\n1\n", f"{name}.query")
    folder = text_file("", "unused").parent
    data = read(folder / "a", folder / "b")
    assert data.groups.sizes.tolist() == [2, 1, 2, 1]
    assert data.X[:3].tolist() == [[5, 0], [0, 2], [1, 0]]


def test_a_packed_lightgbm_file(text_file) -> None:
    text_file("1\n1\n", "rank.query")
    assert read(text_file(gzip.compress(b"1 0:5\n0 1:2\n"), "rank.gz")).groups.sizes.tolist() == [1, 1]
