"""The file itself: private, private when it is made under any umask, and honest when something is wrong with it."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.data import RankingData
from rankwise.errors import DataError, StoreError
from rankwise.labels import LabelStore
from rankwise.labels import _database as database


def test_only_the_owner_can_read_the_file_and_its_log(path: Path, data: RankingData) -> None:
    old = os.umask(0)
    try:
        with LabelStore.create(path, data) as store:
            store.judge(0, 1, "ana")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(old)
    assert modes == dict.fromkeys(("labels.db", "labels.db-wal", "labels.db-shm"), 0o600)
    assert [file.name for file in path.parent.iterdir()] == ["labels.db"]  # closed, it is one file


def test_settings_that_durability_rests_on(path: Path, store: LabelStore) -> None:
    store.close()
    with LabelStore.open(path) as again:
        found = {name: again._database.rows(f"PRAGMA {name}")[0][0] for name in
                 ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema")}  # fmt: skip
    assert found == {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000, "trusted_schema": 0
    }  # fmt: skip


def test_foreign_keys_hold(store: LabelStore) -> None:
    with pytest.raises(StoreError, match="FOREIGN KEY"), store._database.transaction() as connection:
        connection.execute("INSERT INTO judgements VALUES (1, 99, 'ana', '', 'grade', 1, NULL, 0, NULL, 0, NULL, NULL)")
    assert store.labellers() == []


def test_a_store_is_created_once(path: Path, store: LabelStore, data: RankingData) -> None:
    store.judge(0, 1, "ana")
    with pytest.raises(DataError, match="is a label store already; open it, or name another file"):
        LabelStore.create(path, data)
    assert store.labels()[0] == 1


def test_where_there_is_nothing(path: Path, data: RankingData) -> None:
    with pytest.raises(DataError, match="there is no label store"):
        LabelStore.open(path)
    with pytest.raises(DataError, match="there is no folder"):
        LabelStore.create(path / "labels.db", data)
    with pytest.raises(DataError, match="something that is no file has that name"):
        LabelStore.create(path.parent, data)
    assert not path.exists()


def test_a_file_that_is_no_database(path: Path, data: RankingData) -> None:
    path.write_bytes(b"label,qid\n" * 100)
    for attempt in (lambda: LabelStore.open(path), lambda: LabelStore.create(path, data)):
        with pytest.raises(
            StoreError, match=r"cannot be read or written \(file is not a database\); name a label store"
        ):
            attempt()
    assert path.read_bytes() == b"label,qid\n" * 100


def test_names_that_mean_something_in_addresses(tmp_path: Path, data: RankingData) -> None:
    path = tmp_path / "a b?mode=memory#%41.db"
    LabelStore.create(path, data).close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    LabelStore.open(path).close()


def test_a_full_disk_is_said_and_changes_nothing(store: LabelStore) -> None:
    store.judge(0, 1, "ana")
    pages = store._database.rows("PRAGMA page_count")[0][0]
    store._database.rows(f"PRAGMA max_page_count = {pages}")
    note = "x" * 10_000  # more than two pages
    with pytest.raises(StoreError, match=r"\(database or disk is full\); free some space"):
        store.judge(0, 2, "ana", note=note)
    assert [act.grade for act in store.history(0)] == [1]
    store._database.rows("PRAGMA max_page_count = 1000000")
    store.judge(0, 3, "ana", note=note)
    assert [act.grade for act in store.history(0)] == [1, 3]


def test_a_store_that_another_program_holds(path: Path, store: LabelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with LabelStore.open(path) as waiting:
        with pytest.raises(StoreError, match=r"\(database is locked\); another program has held it"):
            waiting.judge(0, 1, "ana")
        assert waiting.labels()[0] == -1  # reading goes on
        other.execute("ROLLBACK")
        other.close()
        waiting.judge(0, 1, "ana")


def test_a_closed_store(store: LabelStore) -> None:
    store.close()
    with pytest.raises(StoreError, match="closed database"):
        store.judge(0, 1, "ana")


FORKED = """
import os, sys
from rankwise.errors import StoreError
from rankwise.labels import LabelStore
store = LabelStore.open(sys.argv[1])
child = os.fork()
if child == 0:
    try:
        store.judge(0, 1, "child")
    except StoreError as problem:
        os._exit(7 if "open it again in each process" in str(problem) else 8)
    os._exit(9)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
store.judge(0, 1, "parent")
"""


@pytest.mark.slow
def test_a_store_is_not_carried_over_a_fork(path: Path, store: LabelStore) -> None:
    subprocess.run([sys.executable, "-c", FORKED, str(path)], check=True)
    assert store.labellers() == ["parent"]


def test_a_long_log_is_moved_into_the_database(path: Path, store: LabelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "CHECKPOINT_BYTES", 100_000)
    log = path.with_name("labels.db-wal")
    sizes = []
    for turn in range(60):
        store.judge(turn % 6, turn % 5, "ana")
        sizes.append(log.stat().st_size)
    assert max(sizes) <= 100_000
    assert sizes.count(0) > 2
    assert len(store.judged_by("ana")) == 6


def test_damage_is_said(path: Path, store: LabelStore) -> None:
    for item in range(6):
        store.judge(item, 1, "ana", note="x" * 3000)
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError, match="bring back a copy of it"):
        LabelStore.open(path)
