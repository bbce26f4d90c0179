"""The file: how it is opened, locked, brought to the newest schema and kept from losing what was committed.

Write-ahead log with synchronous=FULL: a commit returns when the log is on the disk. One connection per process, used
by its threads in turn; processes wait for each other, for half a minute at most. Schemas are in `migrations`: one SQL
file per version, applied in order, and `user_version` says how far.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from rankwise.data._atomic import resolved_path
from rankwise.errors import DataError, RankwiseError, StoreError

SqlValue: TypeAlias = str | int | float | bytes | None

APPLICATION_ID = 0x72776C62  # "rwlb", as the first script sets it
BUSY_SECONDS = 30
RETRY_SECONDS = (0.0002, 0.002)  # between attempts; at random, or two processes might stay in step
CHECKPOINT_BYTES = 4 << 20

SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # on macOS fsync alone leaves data in the drive's cache
    "PRAGMA trusted_schema = OFF",  # the file may come from anyone
    "PRAGMA wal_autocheckpoint = 0",  # see Database._checkpoint
)

REMEDIES = {
    sqlite3.SQLITE_BUSY: f"another program has held it for {BUSY_SECONDS} seconds, try again when that is done",
    sqlite3.SQLITE_FULL: "free some space",
    sqlite3.SQLITE_IOERR: "look at the disk it is on, and free some space if that is full",
    sqlite3.SQLITE_READONLY: "change the permissions of the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "change the permissions of the file and its folder",
    sqlite3.SQLITE_NOTADB: "name a label store",
    sqlite3.SQLITE_CORRUPT: "bring back a copy of it",
}


class UnfinishedError(DataError):
    """A store whose creation was cut off: there is nothing in it, and it can be created again."""


class Database:
    """One connection to a store that exists; `transaction` writes, `rows` reads. Any thread may call either."""

    def __init__(self, path: Path) -> None:
        self.path = path
        file = resolved_path(path)
        if not is_file(file):
            raise DataError(f"there is no label store {path}; check the name, or create one")
        self._files = [Path(f"{file}{ending}") for ending in ("", "-wal", "-shm")]
        self._log = self._files[1]
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._pauses = random.Random(self._process)  # its own: the caller's draws stay as they are
        with self._explained():
            # mode=rw: SQLite would make a missing file, readable by everyone.
            self._connection = sqlite3.connect(
                f"{file.as_uri()}?mode=rw",
                uri=True,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            with self.closed_on_error():
                for setting in SETTINGS:
                    self._connection.execute(setting)
                self._version = store_version(self._connection, path)
                self._file_ids = self._read_file_ids()

    @classmethod
    def create(cls, path: Path) -> Database:
        """An empty file for `apply_scripts`, for the owner's eyes alone; SQLite gives the log the same."""
        file = resolved_path(path)
        try:
            if not file.parent.is_dir():
                raise DataError(f"cannot create {path}: there is no folder {path.parent}; create it first")
            with suppress(FileExistsError):
                os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                _sync_folder(file.parent)
        except OSError as problem:
            raise StoreError(f"cannot create {path} ({problem.strerror}); name another file or folder") from problem
        if not is_file(file):
            raise DataError(f"cannot create {path}: something that is no file has that name; name another file")
        database = cls(path)
        with database.closed_on_error(), database._explained():
            database.check_empty()
            database._connection.execute("PRAGMA journal_mode = WAL")
        return database

    def check_empty(self) -> None:
        """Refuse a file that somebody has filled."""
        with self._explained():
            if store_version(self._connection, self.path):
                raise DataError(f"{self.path} is a label store already; open it, or name another file")

    @classmethod
    def open(cls, path: Path) -> Database:
        """A store that was created, brought to the newest version."""
        database = cls(path)
        with database.closed_on_error():
            if database._version == 0:
                raise UnfinishedError(f"{path} is empty, its creation was cut off; create it again")
            if database._version < len(scripts()):
                with database.transaction() as connection:
                    apply_scripts(connection, store_version(connection, path))
        return database

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that the block writes, or nothing; once it is left, what was written is on the disk."""
        with self._explained(), self._lock:
            self._begin()
            try:
                self._check_files()
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._checkpoint()

    def rows(self, sql: str, parameters: Sequence[SqlValue] = ()) -> list[tuple[Any, ...]]:
        """What a SELECT finds."""
        with self._explained(), self._lock:
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def sound_values(self) -> Iterator[None]:
        """A StoreError where what the tables hold is not what we wrote, as in a file that was damaged or changed."""
        try:
            yield
        except RankwiseError:
            raise
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError) as error:
            reason = " ".join(str(error).split())[:200]
            raise StoreError(f"{self.path} holds what no rankwise wrote ({reason}); bring back a copy of it") from error

    def check_other(self, path: str | PathLike[str]) -> None:
        """Refuse a path that is this very file: writing would destroy it, and even reading would end SQLite's locks."""
        if is_file(Path(path)) and self.path.samefile(path):
            raise DataError(f"{path} is the label store itself; name another file")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Let go of the file if the block fails, which else would give it to somebody."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Start to write as soon as no other process does.

        SQLite's own way of waiting sleeps up to 100 ms between attempts, while a process that writes without pause
        would take its turn again and again: one of two could wait for seconds.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self._connection.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                        raise
                time.sleep(self._pauses.uniform(*RETRY_SECONDS))
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")

    def _check_files(self) -> None:
        """Refuse to write to files that nobody would find again: SQLite goes on after they were moved or deleted."""
        file_ids = self._read_file_ids()
        if self._file_ids is None:  # a new store has no log before its first transaction
            self._file_ids = file_ids
        if file_ids is None or file_ids != self._file_ids:
            raise StoreError(
                f"{self.path} or its -wal or -shm was moved, deleted or replaced while it was open, nothing was "
                "written; put the files back, or open the store again"
            )

    def _read_file_ids(self) -> list[tuple[int, int]] | None:
        try:
            return [(entry.st_dev, entry.st_ino) for entry in map(os.stat, self._files)]
        except OSError:
            return None

    def _checkpoint(self) -> None:
        """Move a long log into the database, with no other writer at work.

        SQLite's own checkpoints let others write meanwhile, which in versions before 3.51.3 could, very rarely,
        damage the file (the "WAL-reset bug"); TRUNCATE takes the writer's lock. What was committed is safe in the
        log already, so if this fails the next commit tries again.
        """
        with suppress(OSError, sqlite3.Error):
            if self._log.stat().st_size > CHECKPOINT_BYTES:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise StoreError(f"{self.path} was opened before this process was forked; open it again in each process")
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None) or 0
            remedy = REMEDIES.get(code & 0xFF, "check that it is open, and the disk it is on")
            raise StoreError(f"{self.path} cannot be read or written ({error}); {remedy}") from error
        except UnicodeDecodeError as error:  # in names of tables, or in what SQLite says of them
            raise StoreError(f"{self.path} is damaged (names that are no text); bring back a copy of it") from error


def is_file(path: Path) -> bool:
    """Whether a file is there; False for names that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _sync_folder(folder: Path) -> None:
    """The name of a new file reaches the disk with its folder, where the system lets folders be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def scripts() -> list[str]:
    """The scripts by version: number k leads from version k to k + 1."""
    migrations = sorted(files("rankwise.labels").joinpath("migrations").iterdir(), key=lambda file: file.name)
    return [file.read_text(encoding="utf-8") for file in migrations if file.name.endswith(".sql")]


def store_version(connection: sqlite3.Connection, path: object) -> int:
    """The version of a store, 0 for an empty file; refuses files that are not ours or that a later rankwise made."""
    version, application, tables = (
        connection.execute(sql).fetchone()[0]
        for sql in ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
    )
    if version == application == tables == 0:
        return 0
    if application != APPLICATION_ID:
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


def now() -> str:
    """This moment in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
