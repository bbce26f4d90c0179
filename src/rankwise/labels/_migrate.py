"""Schemas of the store: one SQL file a version, applied in order, and `user_version` says how far."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from rankwise.errors import StoreError

APPLICATION = 0x72776C62  # "rwlb", as the first script sets it


def scripts() -> list[str]:
    """The scripts by version: number k leads from version k to k + 1."""
    found = [file for file in files("rankwise.labels").joinpath("migrations").iterdir() if file.name.endswith(".sql")]
    return [file.read_text(encoding="utf-8") for file in sorted(found, key=lambda file: file.name)]


def store_version(connection: sqlite3.Connection, path: object) -> int:
    """The version of a store, 0 for an empty file; refuses files that are not ours or that a later rankwise made."""
    version, application, tables = (
        connection.execute(sql).fetchone()[0]
        for sql in ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
    )
    if version == application == tables == 0:
        return 0
    if application != APPLICATION:
        raise StoreError(f"{path} is a database, but not a label store of rankwise; name another file")
    newest = len(scripts())
    if version > newest:
        raise StoreError(
            f"{path} has version {version} and this rankwise knows versions up to {newest}; get a newer rankwise"
        )
    return int(version)


def apply_scripts(connection: sqlite3.Connection, version: int) -> None:
    """Bring a store of this version to the newest; the caller holds the transaction, so it is all or nothing."""
    for number, script in enumerate(scripts()[version:], start=version + 1):
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number:d}")  # a pragma takes no parameters


def _statements(script: str) -> Iterator[str]:
    """Statements one by one: `executescript` would commit the transaction first."""
    statement = ""
    for piece in script.split(";")[:-1]:
        statement += piece + ";"
        if sqlite3.complete_statement(statement):  # and not amid a comment, a text or a trigger
            yield statement
            statement = ""
