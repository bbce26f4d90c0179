"""Judgements into files and back, in every format, whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.data import RankingData, read, write
from rankwise.data.io._qrels import read_qrels
from rankwise.errors import DataError, FormatError
from rankwise.labels import ImportResult, LabelStore

NAMES = ("out.txt", "out.qrels", "out.csv", "out.tsv", "out.parquet", "out.txt.gz", "out.qrels.zst", "out.csv.xz")
GRADES = {0: 3, 2: 0, 3: 4, 5: 1}


def judged(store: LabelStore, who: str = "ana") -> LabelStore:
    for item, grade in GRADES.items():
        store.judge(item, grade, who)
    store.skip(1, who)
    return store


@pytest.mark.parametrize("name", NAMES)
def test_judgements_survive_a_file(store: LabelStore, data: RankingData, tmp_path: Path, name: str) -> None:
    assert judged(store).export_judgements(tmp_path / name) == 4
    with LabelStore.create(tmp_path / "other.db", data) as other:
        assert other.import_judgements(tmp_path / name, "ana") == ImportResult(recorded=4, unchanged=0, unknown=0)
        assert other.labels().tolist() == store.labels().tolist() == [3, -1, 0, 4, -1, 1]
        # Once more is no news; a grade that differs is.
        other.judge(0, 1, "ana", note="sure?")
        assert other.import_judgements(tmp_path / name, "ana") == ImportResult(recorded=1, unchanged=3, unknown=0)
        last = other.history(0)[-1]
        assert (last.grade, last.previous, last.note) == (3, 1, "sure?")


@pytest.mark.parametrize("name", ["out.txt", "out.csv", "out.parquet"])
def test_files_but_for_qrels_have_the_features(store: LabelStore, data: RankingData, tmp_path: Path, name: str) -> None:
    judged(store).export_judgements(tmp_path / name)
    found = read(tmp_path / name)
    rows = list(GRADES)
    assert found.X.tobytes() == data.X[rows].tobytes()
    assert found.y.tolist() == list(GRADES.values())
    assert found.qid.tolist() == data.qid[rows].tolist()
    assert found.doc_ids.tolist() == data.doc_ids[rows].tolist()  # type: ignore[index, union-attr]


def test_qrels_are_trecs(store: LabelStore, tmp_path: Path) -> None:
    judged(store).export_judgements(tmp_path / "out.qrels")
    assert (tmp_path / "out.qrels").read_text() == "7 0 a 3\n7 0 b 0\n3 0 c 4\n3 0 e 1\n"


def test_one_labeller_or_the_majority(store: LabelStore, tmp_path: Path) -> None:
    judged(store)
    store.judge(0, 1, "ben")
    store.judge(4, 2, "ben")
    for who, grades in ((None, [1, 0, 4, 2, 1]), ("ana", [3, 0, 4, 1]), ("ben", [1, 2])):
        assert store.export_judgements(tmp_path / "out.qrels", who) == len(grades)
        qrels = (tmp_path / "out.qrels").read_text().splitlines()
        assert sorted(int(line.split()[3]) for line in qrels) == sorted(grades)


def test_labels_of_the_data_are_imported_from_its_file(store: LabelStore, data: RankingData, tmp_path: Path) -> None:
    write(data, tmp_path / "data.txt")
    assert store.import_judgements(tmp_path / "data.txt", "editor").recorded == 5
    assert store.labels().tolist() == data.y.tolist()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("7 0 a 1\n7 0 zzz 1\n", "judges document 'zzz' of query '7', which is not in the store"),
        ("7 0 a 1\n8 0 a 1\n", "judges document 'a' of query '8'"),
        ("7 0 a 1\n7 0 b 5\n", "the grade of 'b' must be a whole number from 0 to 4, got '5'"),
        ("7 0 a 1\n7 0 b 1e300\n", "the grade of 'b' must be"),
        ("7 0 a 1\n7 0 b 1.5\n", "the grade of 'b' must be"),
        ("7 0 a 1\n7 0 b\n", ":2: a line must be qid iteration document grade"),
    ],
)
def test_a_file_that_does_not_fit_changes_nothing(store: LabelStore, tmp_path: Path, lines: str, words: str) -> None:
    (tmp_path / "in.qrels").write_text(lines)
    with pytest.raises(DataError, match=words):
        store.import_judgements(tmp_path / "in.qrels", "ana")
    assert store.labellers() == []


def test_unknown_documents_can_be_skipped_and_unjudged_ones_always_are(store: LabelStore, tmp_path: Path) -> None:
    (tmp_path / "in.qrels").write_text("7 0 a 1\n7 0 zzz 1\n7 0 b -2\n9 0 a 0\n")
    found = store.import_judgements(tmp_path / "in.qrels", "nist", skip_unknown=True)
    assert found == ImportResult(recorded=1, unchanged=0, unknown=2)
    assert store.labels().tolist() == [1, -1, -1, -1, -1, -1]


def test_files_that_cannot_be_matched(store: LabelStore, data: RankingData, tmp_path: Path) -> None:
    write(replace(data, doc_ids=None), tmp_path / "in.txt")
    with pytest.raises(DataError, match="has no document ids"):
        store.import_judgements(tmp_path / "in.txt", "ana")
    with pytest.raises(DataError, match="does not exist"):
        store.import_judgements(tmp_path / "none.txt", "ana")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(FormatError, match="empty"):
        store.import_judgements(tmp_path / "empty.csv", "ana")


SPARSE: Any = sp.random_array((3, 1500), density=0.01, rng=0, format="csr")


@pytest.mark.parametrize("name", ["out.txt", "out.qrels"])
def test_sparse_data_weights_and_documents_without_ids(tmp_path: Path, name: str) -> None:
    data = RankingData(SPARSE, np.zeros(3), qid=[1, 1, 2], query_weight=[1.0, 2.0])
    with LabelStore.create(tmp_path / "labels.db", data) as store:
        store.judge(0, 1, "ana")
        store.judge(2, 2, "ana")
        store.export_judgements(tmp_path / name)
        assert store.import_judgements(tmp_path / name, "ben") == ImportResult(recorded=2, unchanged=0, unknown=0)
        assert store.labels("ben").tolist() == [1, -1, 2]


@pytest.mark.parametrize(
    ("name", "words"),
    [("out.txt", "LETOR text has whole numbers as qid"), ("out.qrels", "ids without blanks, got 'a b'")],
)
def test_what_a_format_cannot_say_is_refused(tmp_path: Path, name: str, words: str) -> None:
    data = RankingData([[1.0]], [0], qid=["q"], doc_ids=["a b"])
    with LabelStore.create(tmp_path / "labels.db", data) as store:
        store.judge(0, 1, "ana")
        with pytest.raises(DataError, match=words):
            store.export_judgements(tmp_path / name)
        assert not (tmp_path / name).exists()
        store.export_judgements(tmp_path / "out.parquet")
        assert store.import_judgements(tmp_path / "out.parquet", "ben").recorded == 1


def test_qrels_alone(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q1 0 b 1\nq2 0 a 0.5\nq1 0 a -1\n")
    found = read_qrels(tmp_path / "q")
    assert found.qid.tolist() == ["q1", "q1", "q2"]
    assert found.doc_ids.tolist() == ["b", "a", "a"]  # type: ignore[union-attr]
    assert found.y.tolist() == [1, -1, 0.5]


def test_the_store_is_not_its_own_export(path: Path, store: LabelStore, tmp_path: Path) -> None:
    judged(store)
    (tmp_path / "link.txt").symlink_to(path)
    for name in (path, str(tmp_path / "link.txt")):
        with pytest.raises(DataError, match="is the label store itself"):
            store.export_judgements(name)
        with pytest.raises(DataError, match="is the label store itself"):
            store.import_judgements(name, "ana")
    store.close()
    with LabelStore.open(path) as again:
        assert again.labels().tolist() == [3, -1, 0, 4, -1, 1]


HOSTILE_IDS = [
    "=cmd|'/Ccalc'!A0", "+1+1", "-2+3", "@SUM(A1)", "a,b", 'a"b', "a\nb", "a\rb", "a\r\nb", "a\tb", " a ", "#",
    "a\0b", "NULL", "nan", "1e5", "007", "é", "😀", "\u2028", "\x1a", "'", "a # b", "docid = x", "<script>",
    "x" * 10_000,
]  # fmt: skip


@pytest.mark.parametrize("name", ["out.txt", "out.qrels", "out.csv", "out.tsv", "out.parquet"])
def test_hostile_ids_come_back_or_are_refused(tmp_path: Path, name: str) -> None:
    """Ids are written as they are, formulas for spreadsheets too: another id would be another document."""
    n, out = len(HOSTILE_IDS), tmp_path / name
    written = []
    with LabelStore.create(
        tmp_path / "labels.db", RankingData(np.ones((n, 1)), np.zeros(n), [1] * n, HOSTILE_IDS)
    ) as store:
        for item, doc_id in enumerate(HOSTILE_IDS):
            store.judge(item, 3, f"ana {item}")
            out.unlink(missing_ok=True)
            try:
                store.export_judgements(out, f"ana {item}")
            except DataError:
                assert not out.exists()
                continue
            written.append(doc_id)
            assert store.import_judgements(out, "ben") == ImportResult(1, 0, 0), doc_id[:20]
            assert store.import_judgements(out, "ben") == ImportResult(0, 1, 0), doc_id[:20]
            assert store.labels("ben")[item] == 3
    assert "=cmd|'/Ccalc'!A0" in written
    assert len(written) == n or name != "out.parquet"


def test_a_file_that_contradicts_itself_changes_nothing(store: LabelStore, data: RankingData, tmp_path: Path) -> None:
    twice = data.rows(np.array([0, 2, 0]))
    for labels, words in (([1, 2, 1], None), ([1, 2, 3], "'a' of query '7' twice, as 1 and as 3")):
        write(replace(twice, y=np.array(labels)), tmp_path / "in.parquet")
        if words is None:
            found = store.import_judgements(tmp_path / "in.parquet", "ana")
            assert found == ImportResult(recorded=2, unchanged=1, unknown=0)
        else:
            with pytest.raises(DataError, match=words):
                store.import_judgements(tmp_path / "in.parquet", "ana")
    assert [act.grade for act in store.history(0)] == [1]
