"""Judgements: acts of labellers, one row each, only ever added.

The state of a labeller and an item (grade, skipped or not, note) is that of their last row. Undoing adds a row that
brings back the state before the act undone, so that history shows both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rankwise.errors import DataError
from rankwise.labels._database import Database, SqlValue, now
from rankwise.labels._rounds import open_round

COLUMNS = "id, item, who, at, act, grade, previous, skipped, note, round, undoes"
LAST_ROWS = "id IN (SELECT max(id) FROM judgements GROUP BY item, who)"
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
    row = (item, labeller, now(), act, after.grade, previous, after.skipped, after.note, round, undoes)
    cursor = connection.execute(
        "INSERT INTO judgements (item, who, at, act, grade, previous, skipped, note, round, undoes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    return Judgement(cursor.lastrowid or 0, *row)


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
    rows = database.rows(f"SELECT {COLUMNS} FROM judgements WHERE {where} ORDER BY id", parameters)
    acts = [Judgement(*row) for row in rows]
    return [replace(act, skipped=bool(act.skipped)) for act in acts]


def in_force(database: Database, labeller: str | None) -> list[tuple[int, str, int]]:
    """Item, labeller and grade, where a labeller now holds a grade."""
    return database.rows(
        f"SELECT item, who, grade FROM judgements WHERE {LAST_ROWS} AND grade IS NOT NULL AND (? IS NULL OR who = ?) "
        "ORDER BY item, who",
        (labeller, labeller),
    )


def labelled_items(connection: sqlite3.Connection) -> int:
    """How many items have a grade from anybody."""
    sql = f"SELECT count(DISTINCT item) FROM judgements WHERE {LAST_ROWS} AND grade IS NOT NULL"
    return int(connection.execute(sql).fetchone()[0])
