"""Judgements: acts of labellers, one row each, only ever added.

The state of a labeller and an item (grade, skipped or not, note) is that of their last row. Undoing adds a row that
brings back the state before the act undone, so that history shows both.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from rankwise.errors import DataError, StoreError
from rankwise.labels._database import Database, SqlValue, now
from rankwise.labels._rounds import open_round

COLUMNS = "id, item, who, at, act, grade, previous, skipped, note, round, undoes"
ROWS_AT_ONCE = 10_000
LAST_ROWS = "id IN (SELECT max(id) FROM judgements GROUP BY item, who)"
LAST_ID = "SELECT coalesce(max(id), 0) FROM judgements"
LAST_OF = "id = (SELECT max(id) FROM judgements WHERE item = ? AND who = ?)"
LAST_ACT = (
    "id = (SELECT id FROM judgements AS act WHERE who = ? AND undoes IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM judgements WHERE undoes = act.id) ORDER BY id DESC LIMIT 1)"
)


class HeldState(NamedTuple):
    """What a labeller holds of an item."""

    grade: int | None = None
    skipped: bool = False
    note: str | None = None


@dataclass(frozen=True)
class Judgement:
    """One act of a labeller on an item.

    Parameters
    ----------
    id : int
        Judgements are numbered in the order in which they were recorded.
    item : int
        The item, by its row in the data.
    labeller : str
        Who judged.
    at : str
        When, in UTC, in ISO 8601.
    act : {"grade", "skip", "note", "undo"}
        What the labeller did.
    grade : int or None
        The grade that holds after the act.
    previous : int or None
        The grade that held before it.
    skipped : bool
        Whether the labeller holds the item as skipped after the act.
    note : str or None
        The remark that holds after the act.
    round : int
        The round that was open.
    undoes : int or None
        The id of the judgement that an undo takes back.
    """

    id: int
    item: int
    labeller: str
    at: str
    act: str
    grade: int | None
    previous: int | None
    skipped: bool
    note: str | None
    round: int
    undoes: int | None


def state(connection: sqlite3.Connection, item: int, labeller: str, before: int | None = None) -> HeldState:
    """The state of a labeller and an item, now or before a certain judgement."""
    row = connection.execute(
        "SELECT grade, skipped, note FROM judgements WHERE item = ? AND who = ? AND (? IS NULL OR id < ?) "
        "ORDER BY id DESC LIMIT 1",
        (item, labeller, before, before),
    ).fetchone()
    return HeldState() if row is None else HeldState(row[0], bool(row[1]), row[2])


def last_of(database: Database, item: int, labeller: str) -> Judgement | None:
    """The last act of a labeller on an item."""
    return next(iter(select(database, LAST_OF, (item, labeller))), None)


def add(
    connection: sqlite3.Connection,
    item: int,
    labeller: str,
    act: str,
    after: HeldState,
    round: int,
    undoes: int | None = None,
) -> Judgement:
    """Append an act inside the caller's transaction."""
    previous = state(connection, item, labeller).grade
    id = int(connection.execute(LAST_ID).fetchone()[0]) + 1
    row = (id, item, labeller, now(), act, after.grade, previous, after.skipped, after.note, round, undoes)
    judgement = Judgement(*row)
    connection.execute(
        f"INSERT INTO judgements ({COLUMNS}, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, _checksum(judgement)),
    )
    return judgement


def undo(connection: sqlite3.Connection, labeller: str, last: int | None) -> Judgement:
    """Take back the last act of a labeller that is not taken back yet, inside the caller's transaction."""
    row = connection.execute(f"SELECT id, item FROM judgements WHERE {LAST_ACT}", (labeller,)).fetchone()
    if row is None:
        raise DataError(f"{labeller} has nothing to undo; judge something first")
    id, item = row
    if last is not None and last != id:
        raise DataError(f"the last judgement of {labeller} is {id}, not {str(last)[:40]}; look again before undoing")
    return add(
        connection, item, labeller, "undo", state(connection, item, labeller, before=id), open_round(connection), id
    )


def last_act(database: Database, labeller: str) -> Judgement | None:
    """What `undo` would take back."""
    return next(iter(select(database, LAST_ACT, (labeller,))), None)


def select(database: Database, where: str, parameters: Sequence[SqlValue] = ()) -> list[Judgement]:
    """Judgements for which a condition of ours holds, oldest first."""
    rows = database.rows(f"SELECT {COLUMNS}, checksum FROM judgements WHERE {where} ORDER BY id", parameters)
    with database.sound_values():
        return [_judgement(row) for row in rows]


def _judgement(row: tuple[Any, ...]) -> Judgement:
    """A row of the table, which is as we wrote it: a file may be damaged, or come from anyone."""
    *values, checksum = row
    act = Judgement(*values)
    numbers, texts = (act.id, act.item, act.round), (act.labeller, act.at, act.act)
    if not all(type(number) is int for number in numbers) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"judgement {act.id!r}")
    if any(not (number is None or type(number) is int) for number in (act.grade, act.previous, act.undoes)):
        raise ValueError(f"judgement {act.id}")
    if not (act.note is None or isinstance(act.note, str)):
        raise ValueError(f"the note of judgement {act.id}")
    act = replace(act, skipped=bool(act.skipped))
    if checksum is not None and checksum != _checksum(act):
        raise ValueError(f"judgement {act.id} is not as it was recorded")
    return act


def _checksum(act: Judgement) -> int:
    return zlib.crc32(json.dumps([getattr(act, field.name) for field in fields(act)]).encode())


def check_all(database: Database) -> None:
    """Refuse a store whose judgements are not as they were recorded, or not numbered from 1 without a gap."""
    if (problems := database.rows("PRAGMA integrity_check('judgements')")) != [("ok",)]:
        raise StoreError(f"{database.path} is damaged ({str(problems[0][0])[:100]}); bring back a copy of it")
    ((last,),) = database.rows(LAST_ID)
    with database.sound_values():
        for start in range(0, last, ROWS_AT_ONCE):
            stop = min(start + ROWS_AT_ONCE, last)
            acts = select(database, "id > ? AND id <= ?", (start, stop))
            if [act.id for act in acts] != list(range(start + 1, stop + 1)):
                raise ValueError("its judgements are not numbered from 1")


def in_force(database: Database, labeller: str | None) -> list[tuple[int, str, int]]:
    """Item, labeller and grade, where a labeller now holds a grade."""
    held = database.rows(
        f"SELECT item, who, grade FROM judgements WHERE {LAST_ROWS} AND grade IS NOT NULL AND (? IS NULL OR who = ?) "
        "ORDER BY item, who",
        (labeller, labeller),
    )
    ((n_items,),) = database.rows("SELECT count(*) FROM items")
    with database.sound_values():
        for item, who, grade in held:
            if not (0 <= item < n_items and isinstance(who, str) and 0 <= grade < 2**31):
                raise ValueError(f"a judgement of item {item!r}")
    return held


def labelled_items(connection: sqlite3.Connection) -> int:
    """How many items have a grade from anybody."""
    sql = f"SELECT count(DISTINCT item) FROM judgements WHERE {LAST_ROWS} AND grade IS NOT NULL"
    return int(connection.execute(sql).fetchone()[0])
