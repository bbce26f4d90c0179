"""Stores with odd names and in odd places, moved while they are open, or made to do harm: a sentence, or they work."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise.data import RankingData
from rankwise.errors import DataError, RankwiseError, StoreError
from rankwise.labels import LabelStore

linux = pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")


@pytest.mark.parametrize(
    "name", ["ü ß 😀.db", "'; DROP TABLE items; --.db", "a\nb.db", "-wal", "%2e%2e", "a'b\"c`$(d).db"]
)
def test_names_that_a_store_can_have(tmp_path: Path, data: RankingData, name: str) -> None:
    with LabelStore.create(tmp_path / name, data) as store:
        store.judge(0, 1, "ana")
    with LabelStore.open(tmp_path / name) as again:
        assert again.labels()[0] == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


@linux
def test_names_that_are_no_unicode(tmp_path: Path, data: RankingData) -> None:
    model = tmp_path / os.fsdecode(b"m\xff.rw")
    model.write_bytes(b"model")
    with LabelStore.create(tmp_path / os.fsdecode(b"l\xff.db"), data) as store:
        store.record_model(model)
        assert store.models()[0].check() == model


@pytest.mark.parametrize("act", [LabelStore.open, lambda path: LabelStore.create(path, RankingData([[1.0]], [0], [1]))])
@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "loop", "folder", "x" * 300 + "/labels.db"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str, act: Callable[[Path], Any]) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    with pytest.raises(RankwiseError):
        act(tmp_path / name)


def test_links_lead_to_the_store(tmp_path: Path, data: RankingData) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    with LabelStore.create(tmp_path / "link.db", data) as store, LabelStore.open(tmp_path / "real.db") as other:
        store.judge(0, 1, "ana")
        other.judge(0, 2, "ben")
        assert store.labellers() == other.labellers() == ["ana", "ben"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.db", "real.db"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become nobody")
def test_a_folder_that_cannot_be_written(tmp_path: Path, data: RankingData) -> None:
    tmp_path.chmod(0o555)
    os.seteuid(65534)
    try:
        with pytest.raises(RankwiseError, match="cannot create"):
            LabelStore.create(tmp_path / "labels.db", data)
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("which", ["", "-wal", "-shm"])
@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_nothing_is_acknowledged_that_nobody_would_find(
    path: Path, store: LabelStore, data: RankingData, which: str, how: str
) -> None:
    """SQLite goes on writing to a file without a name."""
    store.judge(0, 1, "ana")
    file = Path(f"{path}{which}")
    if how == "deleted":
        file.unlink()
    else:
        file.rename(f"{file}.moved")
        if how == "replaced":
            file.write_bytes(b"")
    with pytest.raises(StoreError, match="was moved, deleted or replaced while it was open, nothing was written"):
        store.judge(0, 2, "ana")
    if how == "moved":
        Path(f"{file}.moved").rename(file)
        assert store.judge(0, 3, "ana").id == 2


HARM: dict[str, tuple[str, Any]] = {
    "an item of a round beyond all": ("UPDATE choices SET item = ? WHERE place = 0", 2**40),
    "an item of a round that is text": ("UPDATE choices SET item = ? WHERE place = 0", "x"),
    "metrics that are no numbers": ("UPDATE rounds SET metrics = ?", '{"ndcg@10": "x"}'),
    "metrics that are NaN": ("UPDATE rounds SET metrics = ?", '{"ndcg@10": NaN}'),
    "metrics that are a list": ("UPDATE rounds SET metrics = ?", "[1]"),
    "a gain without end": ("UPDATE rounds SET gain = ?", 1e999),
    "a sampler that is bytes": ("UPDATE rounds SET sampler = ?", b"\xff"),
    "rounds with a gap": ("UPDATE rounds SET number = number + ?", 5),
    "fields that are a list": ("UPDATE items SET fields = ?", "[1]"),
    "fields that are null": ("UPDATE queries SET fields = ?", "null"),
    "fields without a floor": ("UPDATE items SET fields = ?", '{"a":' + "[" * 500 + "]" * 500 + "}"),
    "an id that is bytes": ("UPDATE items SET doc_id = doc_id || ? WHERE id = 0", b"\xff\xfe"),
    "another feature": ("UPDATE items SET feature_values = ? WHERE id = 3", np.zeros(2, "<f4").tobytes()),
    "another query": ("UPDATE items SET query = 1 - query, doc_id = doc_id || ?", "x"),
    "a note that is bytes": (
        "INSERT INTO judgements VALUES (1, 0, 'z', '', 'note', NULL, NULL, 0, ?, 0, NULL, NULL)",
        b"x",
    ),
    "a time that is bytes": (
        "INSERT INTO judgements VALUES (1, 0, 'z', ?, 'grade', 1, NULL, 0, '', 0, NULL, NULL)",
        b"x",
    ),
}


CHANGES = {
    "a grade": "UPDATE judgements SET grade = 1 WHERE id = 2",
    "an item": "UPDATE judgements SET item = 3 WHERE id = 2",
    "a note": "UPDATE judgements SET note = 'hn' WHERE id = 2",
    "a labeller": "UPDATE judgements SET who = 'anb' WHERE id = 2",
    "a judgement that is gone": "DELETE FROM judgements WHERE id = 2",
    "a later judgement": "INSERT INTO judgements SELECT 9, item, who, at, act, grade, 2, 0, note, 0, NULL, checksum "
    "FROM judgements WHERE id = 2",
}


@pytest.mark.parametrize("case", CHANGES)
def test_judgements_are_as_they_were_recorded(path: Path, store: LabelStore, case: str) -> None:
    for item in range(3):
        store.judge(item, 2, "ana", note="hm")
    store.close()
    LabelStore.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER judgements_stay")
        connection.execute("DROP TRIGGER judgements_stay_as_they_are")
        connection.execute(CHANGES[case])
    connection.close()
    with pytest.raises(StoreError, match="bring back a copy of it"):
        LabelStore.open(path)


def test_any_byte_that_is_another_is_found_out_or_has_no_effect(path: Path, store: LabelStore) -> None:
    for turn in range(12):
        store.judge(turn % 6, turn % 5, f"w{turn % 2}", note="x" * 2000 * (turn % 3))
    store.close()
    whole, sound, draw = path.read_bytes(), read_all(path), random.Random(0)
    refused = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= draw.randrange(1, 256)
        path.write_bytes(damaged)
        try:
            assert read_all(path) == sound
        except StoreError:
            refused += 1
    assert refused > 3


def read_all(path: Path) -> list[Any]:
    with LabelStore.open(path) as store:
        return [store.data.X.tolist(), store.rounds(), store.item(0), store.acts_since(0), store.labels().tolist()]


@pytest.mark.parametrize("case", HARM)
def test_what_no_rankwise_wrote(path: Path, store: LabelStore, case: str) -> None:
    store.begin_round(1, [0, 1], sampler="top", ranker="ranksvm", metrics={"ndcg@10": 0.5}, gain=0.1)
    store.close()
    sql, value = HARM[case]
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(sql, (value,))
    connection.close()
    with pytest.raises(StoreError):
        read_all(path)


def test_texts_nested_without_a_floor(path: Path, data: RankingData) -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    with pytest.raises(DataError, match="nested deeper than 20"):
        LabelStore.create(path, data, {"a": {"more": deep}})
    assert not path.exists()
