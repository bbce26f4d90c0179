"""Judgements: acts of labellers, one row each, only ever added.

The state of a labeller and an item (grade, skipped or not, note) is that of their last row. Undoing adds a row that
brings back the state before the act undone, so that history shows both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rankwise.errors import DataError
from rankwise.labels._clock import now
from rankwise.labels._database import Database
from rankwise.labels._rounds import open_round

COLUMNS = "id, item, who, at, act, grade, previous, skipped, note, round, undoes"
LAST_ROWS = "id IN (SELECT max(id) FROM judgements GROUP BY item, who)"
LAST_ACT = (
    "id = (SELECT id FROM judgements AS act WHERE who = ? AND undoes IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM judgements WHERE undoes = act.id) ORDER BY id DESC LIMIT 1)"
)


class State(NamedTuple):
    """What a labeller holds of an item."""

    grade: int | None = None
    skipped: bool = False
    note: str | None = None


@dataclass(frozen=True)
class Judgement:
    """One act: `grade`, `skipped` and `note` hold after it, `previous` was the grade before it.

    `act` is grade, skip, note or undo; an undo names the judgement that it `undoes`.
    """

    id: int
    item: int
    who: str
    at: str
    act: str
    grade: int | None
    previous: int | None
    skipped: bool
    note: str | None
    round: int
    undoes: int | None


def state(connection: sqlite3.Connection, item: int, who: str, before: int | None = None) -> State:
    """The state of a labeller and an item, now or before a certain judgement."""
    row = connection.execute(
        "SELECT grade, skipped, note FROM judgements WHERE item = ? AND who = ? AND (? IS NULL OR id < ?) "
        "ORDER BY id DESC LIMIT 1",
        (item, who, before, before),
    ).fetchone()
    return State() if row is None else State(row[0], bool(row[1]), row[2])


def add(
    connection: sqlite3.Connection, item: int, who: str, act: str, after: State, round: int, undoes: int | None = None
) -> Judgement:
    """Append an act inside the caller's transaction."""
    previous = state(connection, item, who).grade
    row = (item, who, now(), act, after.grade, previous, after.skipped, after.note, round, undoes)
    cursor = connection.execute(
        "INSERT INTO judgements (item, who, at, act, grade, previous, skipped, note, round, undoes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    return Judgement(cursor.lastrowid or 0, *row)


def undo(connection: sqlite3.Connection, who: str, last: int | None) -> Judgement:
    """Take back the last act of a labeller that is not taken back yet, inside the caller's transaction."""
    row = connection.execute(f"SELECT id, item FROM judgements WHERE {LAST_ACT}", (who,)).fetchone()
    if row is None:
        raise DataError(f"{who} has nothing to undo; judge something first")
    id, item = row
    if last is not None and last != id:
        raise DataError(f"the last judgement of {who} is {id}, not {str(last)[:40]}; look again before undoing")
    return add(connection, item, who, "undo", state(connection, item, who, before=id), open_round(connection), id)


def last_act(database: Database, who: str) -> Judgement | None:
    """What `undo` would take back."""
    return next(iter(select(database, LAST_ACT, (who,))), None)


def select(database: Database, where: str, parameters: Sequence[Any] = ()) -> list[Judgement]:
    """Judgements that a condition of ours holds for, oldest first."""
    rows = database.rows(f"SELECT {COLUMNS} FROM judgements WHERE {where} ORDER BY id", parameters)
    return [
        Judgement(id, item, who, at, act, grade, previous, bool(skipped), note, round, undoes)
        for id, item, who, at, act, grade, previous, skipped, note, round, undoes in rows
    ]


def in_force(database: Database, who: str | None) -> list[tuple[int, str, int]]:
    """Item, labeller and grade, where a labeller now holds a grade."""
    rows = database.rows(
        f"SELECT item, who, grade FROM judgements WHERE {LAST_ROWS} AND grade IS NOT NULL AND (? IS NULL OR who = ?) "
        "ORDER BY item, who",
        (who, who),
    )
    return [(item, name, grade) for item, name, grade in rows]


def labelled_items(connection: sqlite3.Connection) -> int:
    """How many items have a grade from anybody."""
    sql = f"SELECT count(DISTINCT item) FROM judgements WHERE {LAST_ROWS} AND grade IS NOT NULL"
    return int(connection.execute(sql).fetchone()[0])
