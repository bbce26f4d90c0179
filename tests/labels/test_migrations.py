"""Versions: an older store is brought up to date, a newer one refused, and a migration is all or nothing."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from rankwise.data import RankingData
from rankwise.errors import DataError, StoreError
from rankwise.labels import LabelStore
from rankwise.labels import _database as database

NEXT = "ALTER TABLE judgements ADD COLUMN seconds REAL; CREATE TABLE extra (id INTEGER);\n"
AFTER_NEXT = """
INSERT INTO extra VALUES (1);
CREATE TRIGGER extra_stays BEFORE DELETE ON extra
BEGIN
    SELECT RAISE(ABORT, 'no; never');
END;
"""
Later = Callable[..., None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Makes the code one that knows further versions."""
    known = database.scripts()

    def add(*more: str) -> None:
        monkeypatch.setattr("rankwise.labels._database.scripts", lambda: [*known, *more])

    return add


def by_hand(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.commit()
        connection.close()


def version(path: Path) -> object:
    return by_hand(path, "PRAGMA user_version")[0][0]


def test_scripts_are_numbered_without_gaps() -> None:
    names = sorted(file.name for file in files("rankwise.labels").joinpath("migrations").iterdir())
    assert [re.fullmatch(r"(\d{4})_\w+\.sql", name)[1] for name in names] == [  # type: ignore[index]
        f"{number:04d}" for number in range(1, len(names) + 1)
    ]
    assert len(database.scripts()) == len(names)


def test_a_new_store_has_the_newest_version(path: Path, store: LabelStore) -> None:
    assert version(path) == len(database.scripts())
    assert by_hand(path, "PRAGMA application_id") == [(database.APPLICATION_ID,)]


def test_an_older_store_is_migrated_and_keeps_everything(path: Path, store: LabelStore, later: Later) -> None:
    judged = store.judge(2, 3, "ana", note="hm")
    store.close()
    later(NEXT, AFTER_NEXT)
    with LabelStore.open(path) as again:
        assert again.history(2) == [judged]
        again.judge(2, 1, "ana")
    assert version(path) == len(database.scripts())
    assert by_hand(path, "SELECT id FROM extra") == [(1,)]
    assert by_hand(path, "SELECT grade, seconds FROM judgements") == [(3, None), (1, None)]


def test_a_newer_store_is_refused_and_left_alone(path: Path, store: LabelStore) -> None:
    store.close()
    newest = len(database.scripts())
    by_hand(path, f"PRAGMA user_version = {newest + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"has version {newest + 1} and this rankwise knows versions up to {newest}"):
        LabelStore.open(path)
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_the_old_version(path: Path, store: LabelStore, later: Later) -> None:
    judged = store.judge(2, 3, "ana")
    store.close()
    later(NEXT, "INSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(StoreError, match="no such table: nowhere"):
        LabelStore.open(path)
    assert version(path) == len(database.scripts()) - 2
    assert by_hand(path, "SELECT name FROM sqlite_master WHERE name = 'extra'") == []
    later()
    with LabelStore.open(path) as again:
        assert again.history(2) == [judged]


def test_a_database_of_somebody_else_is_refused_and_left_alone(path: Path, data: RankingData) -> None:
    by_hand(path, "CREATE TABLE notes (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is a database, but not a label store"):
        LabelStore.open(path)
    with pytest.raises(StoreError, match="is a database, but not a label store"):
        LabelStore.create(path, data)
    assert path.read_bytes() == before


def test_an_empty_file_is_no_store_but_can_become_one(path: Path, data: RankingData) -> None:
    path.touch()
    with pytest.raises(DataError, match="is empty, its creation was cut off; create it again"):
        LabelStore.open(path)
    with LabelStore.create(path, data) as store:
        assert len(store.data) == 6
