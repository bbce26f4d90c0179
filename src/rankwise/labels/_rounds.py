"""Rounds: what was chosen to be labelled, by which sampler and ranker, how good that ranker was, and its file."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.errors import DataError, StoreError
from rankwise.labels._database import Database, is_file, now


@dataclass(frozen=True)
class LabelRound:
    """A round of labelling, as it began.

    Round 0 has no sampler: it holds what was known before anything was chosen.

    Parameters
    ----------
    number : int
        Rounds are counted from 0.
    at : str
        When it began, in UTC, in ISO 8601.
    sampler : str or None
        The name of the sampler that chose the items.
    ranker : str or None
        The name of the ranker that was fitted before it.
    metrics : dict of str to float
        How good that ranker was, by metric.
    gain : float or None
        What labelling this round was estimated to add to the metric.
    labelled : int
        How many items had a label when the round began.
    items : tuple of int
        The items that were chosen, in the sampler's order.
    """

    number: int
    at: str
    sampler: str | None
    ranker: str | None
    metrics: dict[str, float]
    gain: float | None
    labelled: int
    items: tuple[int, ...]


@dataclass(frozen=True)
class StoredModel:
    """A model file of a round, and what its bytes were when it was recorded.

    Parameters
    ----------
    round : int
        The round that was open.
    at : str
        When it was recorded, in UTC, in ISO 8601.
    path : Path
        The file.
    sha256 : str
        The SHA-256 of its bytes, in hexadecimal.
    """

    round: int
    at: str
    path: Path
    sha256: str

    def check(self) -> Path:
        """Check that the file is still what it was.

        Returns
        -------
        Path
            The path of the file.

        Raises
        ------
        StoreError
            If the file is gone, or has other bytes.
        """
        if not is_file(self.path) or _digest(self.path) != self.sha256:
            raise StoreError(f"{self.path} is gone or is not the model of round {self.round} any more; fit it again")
        return self.path


OPEN_ROUND = "SELECT coalesce(max(number), -1) FROM rounds"


def open_round(connection: sqlite3.Connection) -> int:
    """The number of the last round, -1 before there is any."""
    return int(connection.execute(OPEN_ROUND).fetchone()[0])


def check_round(connection: sqlite3.Connection, round: int | None) -> int:
    """The open round, which must be the one that the caller believes in, if it says so."""
    open_number = open_round(connection)
    if round is not None and (isinstance(round, bool) or round != open_number):
        raise DataError(f"round {str(round)[:40]} is not open, round {open_number} is; load that round and judge again")
    return open_number


def add_round(
    connection: sqlite3.Connection,
    number: int,
    items: list[int],
    sampler: str | None,
    ranker: str | None,
    metrics: Mapping[str, float],
    gain: float | None,
    labelled: int,
) -> None:
    """Append a round inside the caller's transaction; it must be the one after the open round."""
    following = open_round(connection) + 1
    if isinstance(number, bool) or number != following:
        raise DataError(f"the round to begin is {following}, got {str(number)[:40]}; another may have begun it already")
    values = {str(metric): float(value) for metric, value in metrics.items()}
    bad = next((value for value in (*values.values(), gain or 0.0) if not math.isfinite(value)), None)
    if bad is not None:
        raise DataError(f"metrics and gain of a round must be finite, got {bad}; leave it out")
    row = (number, now(), sampler, ranker, json.dumps(values), gain, labelled)
    connection.execute("INSERT INTO rounds VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    connection.executemany(
        "INSERT INTO choices VALUES (?, ?, ?)", ((number, place, item) for place, item in enumerate(items))
    )


def read_rounds(database: Database) -> list[LabelRound]:
    """All rounds, the first first."""
    with database.sound_values():
        return _read_rounds(database)


def _read_rounds(database: Database) -> list[LabelRound]:
    chosen: dict[int, list[int]] = {}
    rounds = database.rows("SELECT number, at, sampler, ranker, metrics, gain, labelled FROM rounds ORDER BY number")
    ((n_items,),) = database.rows("SELECT count(*) FROM items")
    for number, item in database.rows("SELECT round, item FROM choices ORDER BY round, place"):
        if type(item) is not int or not 0 <= item < n_items:
            raise ValueError(f"item {item!r} of round {number!r}")
        chosen.setdefault(number, []).append(item)
    if [row[0] for row in rounds] != list(range(len(rounds))) or not rounds:
        raise ValueError("its rounds are not numbered from 0")
    return [_label_round(row, tuple(chosen.get(row[0], ()))) for row in rounds]


def _label_round(row: tuple[Any, ...], items: tuple[int, ...]) -> LabelRound:
    """A row of the table, whose values are such as we write: a file may come from anyone."""
    number, at, sampler, ranker, metrics, gain, labelled = row
    values = json.loads(metrics)
    if not all(isinstance(text, str) for text in (at, sampler or "", ranker or "")) or type(labelled) is not int:
        raise ValueError(f"round {number}")
    if not isinstance(values, dict) or not all(math.isfinite(value) for value in (*values.values(), gain or 0.0)):
        raise ValueError(f"metrics of round {number}")
    return LabelRound(number, at, sampler, ranker, values, gain, labelled, items)


def add_model(connection: sqlite3.Connection, path: Path, name: str | None = None) -> StoredModel:
    """Append the model file of the open round inside the caller's transaction, renamed if it is to have a name."""
    if not is_file(path):
        raise DataError(f"there is no model file {path}; save the model first")
    if name is not None:
        path = path.replace(path.with_name(name))
    model = StoredModel(open_round(connection), now(), path.resolve(), _digest(path))
    connection.execute(
        "INSERT INTO models (round, at, path, sha256) VALUES (?, ?, ?, ?)",
        (model.round, model.at, _path_value(model.path), model.sha256),
    )
    return model


def _path_value(path: Path) -> str | bytes:
    """A path as text, or as its bytes where they are no Unicode."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return str(path)


def read_models(database: Database) -> list[StoredModel]:
    """All models, the first first."""
    rows = database.rows("SELECT round, at, path, sha256 FROM models ORDER BY id")
    with database.sound_values():
        return [StoredModel(round, at, Path(os.fsdecode(path)), sha256) for round, at, path, sha256 in rows]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
