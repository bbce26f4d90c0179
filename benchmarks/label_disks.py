"""Label stores on disks that are full, may not be written, or gave back other bytes; and clocks that go back.

A full disk is a tmpfs of two megabytes, for which the process must be root.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

from benchmarks.label_kills import ITEMS, killed, line_of, rows, started
from rankwise.errors import RankwiseError, StoreError
from rankwise.labels import LabelStore
from rankwise.labels import _database as database

DISK_BYTES = 2 << 20
NOBODY = 65534


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A disk of two megabytes, None where none may be mounted."""
    place = folder / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(place: Path, left: int) -> Path:
    """A file that leaves so many bytes of the disk."""
    ballast = place / "ballast"
    free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
    ballast.write_bytes(b"\0" * max(0, free - left))
    return ballast


def full_disk(folder: Path, cycles: int, draw: random.Random) -> dict[str, object]:
    """Judge until the disk is full, look at what is there, free some space, and go on; every third time a kill."""
    with small_disk(folder) as place:
        if place is None:
            return {"skipped": "needs root, and leave to mount"}
        path, told, refused, other = place / "labels.db", {}, 0, Counter[str]()
        ballast = fill(place, 0)
        try:
            LabelStore.create(path, rows())
            other["created on a full disk"] += 1
        except StoreError:
            refused += 1
        ballast.unlink()
        LabelStore.create(path, rows()).close()
        for cycle in range(cycles):
            ballast = fill(place, draw.randrange(0, 60_000))
            work = _until_refused(path, f"w{cycle}", draw.getrandbits(32))
            if cycle % 3 == 2:
                lines = killed(*started(lambda pipe, work=work: _report(work, pipe)), draw.uniform(0, 0.2))
            else:
                lines = list(work())
            told |= {line[1]: line for line in lines if line[0] == "act"}
            refused += sum(line[0] == "refused" for line in lines)
            other.update(line[1] for line in lines if line[0] == "other")
            ballast.unlink()
            with LabelStore.open(path) as store:
                assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
                found = {act.id: line_of(act) for act in store.acts_since(0)}
                told |= {act.id: line_of(act) for act in [store.judge(0, 1, "free again")]}
            lost = sum(found.get(id, line) != line or id not in found for id, line in told.items() if id <= max(found))
            assert lost == 0, f"{lost} acknowledged judgements are lost"
            if path.stat().st_size > DISK_BYTES // 4:
                path.unlink()
                LabelStore.create(path, rows()).close()
                told = {}
        return {"cycles": cycles, "refused": refused, "other": dict(other), "lost": 0}


def _until_refused(path: Path, who: str, seed: int) -> Callable[[], Iterator[list[object]]]:
    def work() -> Iterator[list[object]]:
        draw = random.Random(seed)
        refused = 0
        try:
            store = LabelStore.open(path)
        except RankwiseError as problem:
            yield _sentence(problem)
            return
        with store:
            for _ in range(200):
                note = "x" * draw.randrange(10_000)
                try:
                    yield line_of(store.judge(draw.randrange(ITEMS), draw.randrange(5), who, note=note))
                except RankwiseError as problem:
                    yield _sentence(problem)
                    refused += 1
                try:
                    store.export_judgements(path.with_name("out.txt"))
                except RankwiseError:
                    assert not path.with_name("out.txt").exists()
                path.with_name("out.txt").unlink(missing_ok=True)
                if refused > 5:
                    return

    return work


def _sentence(problem: RankwiseError) -> list[object]:
    return ["refused"] if "free some space" in str(problem) else ["other", str(problem).partition("(")[2][:80]]


def _report(work: Callable[[], Iterator[list[object]]], pipe: int) -> None:
    import json

    for line in work():
        os.write(pipe, json.dumps(line).encode() + b"\n")
    signal.pause()


def read_only(folder: Path) -> dict[str, int]:
    """A file, its folder or both that may not be written: by somebody else than root, and on a disk mounted so."""
    outcomes = Counter[str]()
    for number, (file_mode, folder_mode) in enumerate(((0o444, 0o755), (0o666, 0o555), (0o444, 0o555), (0o000, 0o755))):
        place = folder / f"read-only{number}"
        place.mkdir()
        for acts in (
            lambda path: LabelStore.open(path).labels(),
            lambda path: LabelStore.open(path).judge(0, 1, "ana"),
            lambda path: LabelStore.create(path.with_name("new.db"), rows()),
        ):
            place.chmod(0o755)
            path = place / "labels.db"
            path.unlink(missing_ok=True)
            LabelStore.create(path, rows()).close()
            path.chmod(file_mode)
            place.chmod(folder_mode)
            outcomes[_outcome_of_nobody(lambda acts=acts, path=path: acts(path))] += 1
    return dict(outcomes)


def _outcome_of_nobody(act: Callable[[], object]) -> str:
    def work() -> str:
        if os.geteuid() == 0:
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        return outcome(act)

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.write(writing, work().encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as file:
        return file.read() or "crash"


def outcome(act: Callable[[], object]) -> str:
    """What came of it: it worked, a sentence, or something else, which should not be."""
    try:
        act()
    except RankwiseError:
        return "refused"
    except Exception as problem:
        return f"raw exception {type(problem).__name__}"
    return "works"


def newer_versions(folder: Path) -> dict[str, int]:
    """Stores of a later rankwise, and of versions that there are not."""
    outcomes = Counter[str]()
    for number, version in enumerate((len(database.scripts()) + 1, 99, 2**31 - 1, -1, -(2**31))):
        path = folder / f"version{number}.db"
        LabelStore.create(path, rows()).close()
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
        before = path.read_bytes()
        outcomes[outcome(lambda path=path: LabelStore.open(path))] += 1
        assert path.read_bytes() == before
    return dict(outcomes)


def written(folder: Path) -> tuple[bytes, bytes, list[int]]:
    """The bytes of a store with judgements in its log, those of the log, and where the log ended after each."""
    path = folder / "written.db"
    draw = random.Random(0)
    with mock.patch.object(database, "CHECKPOINT_BYTES", 1 << 30), LabelStore.create(path, rows()) as store:
        store._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        ends = []
        for turn in range(60):
            store.judge(turn % ITEMS, turn % 5, f"w{turn % 3}", note="x" * draw.randrange(3000))
            ends.append(Path(f"{path}-wal").stat().st_size)
        # Copied while it is open: closing it would move the log into the database.
        return _bytes_of(path), _bytes_of(Path(f"{path}-wal")), ends


def _bytes_of(path: Path) -> bytes:
    """By another process: closing the file in this one would end SQLite's locks."""
    return subprocess.run(["cat", str(path)], capture_output=True, check=True).stdout


def truncated_logs(folder: Path, cuts: int, draw: random.Random) -> dict[str, int]:
    """The log cut at any byte, with or without rubbish behind: what was acknowledged before the cut is there."""
    pages, log, ends = written(folder)
    outcomes = Counter[str]()
    for _ in range(cuts):
        cut = draw.randrange(len(log) + 1)
        rubbish = draw.randbytes(draw.randrange(5000)) if draw.random() < 0.5 else b""
        found = _found(folder / "cut.db", pages, log[:cut] + rubbish)
        expected = list(range(1, 1 + sum(end <= cut for end in ends)))
        outcomes[
            "as it was at the cut" if isinstance(found, list) and [f[1] for f in found] == expected else "other"
        ] += 1
    return dict(outcomes)


def _found(path: Path, pages: bytes, log: bytes) -> list[list[object]] | str:
    """All that is in a store of these bytes, or what came of opening it."""
    path.write_bytes(pages)
    Path(f"{path}-wal").write_bytes(log)
    Path(f"{path}-shm").unlink(missing_ok=True)
    try:
        with LabelStore.open(path) as store:
            store.data  # noqa: B018
            for item in range(ITEMS):
                store.item(item)
            store.rounds()
            store.agreement()
            return [[*line_of(act), act.at, act.round, act.note] for act in store.acts_since(0)]
    except RankwiseError:
        return "refused"
    except Exception as problem:
        return f"raw exception {type(problem).__name__}"


def flipped_bytes(folder: Path, flips: int, draw: random.Random) -> dict[str, int]:
    """A byte of the file or of its log is another: found out, without effect, or other judgements without a word."""
    pages, log, _ = written(folder)
    whole = folder / "whole.db"
    shutil.copyfile(folder / "written.db", whole)
    closed = whole.read_bytes()
    sound = _found(folder / "flip.db", closed, b"")
    assert sound == _found(folder / "flip.db", pages, log)
    outcomes = Counter[str]()
    for _ in range(flips):
        parts = [bytearray(closed), bytearray()] if draw.random() < 0.7 else [bytearray(pages), bytearray(log)]
        part = parts[0] if not parts[1] or draw.random() < 0.3 else parts[1]
        at = draw.randrange(len(part))
        part[at] ^= 1 << draw.randrange(8) if draw.random() < 0.5 else draw.randrange(1, 256)
        found = _found(folder / "flip.db", bytes(parts[0]), bytes(parts[1]))
        if isinstance(found, str):
            outcomes[found] += 1
        elif found == sound:
            outcomes["no effect"] += 1
        elif (
            part is parts[1] and found == sound[: len(found)]
        ):  # SQLite drops what follows a frame with a wrong checksum
            outcomes["log ends at the damage"] += 1
        else:
            outcomes["other judgements"] += 1
    return dict(outcomes)


def clocks(folder: Path, acts: int, draw: random.Random) -> dict[str, int]:
    """A clock that jumps back and forth by years: who holds what, and what undo takes back, is by order."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> Clock:  # type: ignore[override]
            back = timedelta(seconds=draw.uniform(-3e8, 3e8))
            return cls.fromtimestamp((datetime.now(UTC) + back).timestamp(), UTC)

    wrong = back = 0
    last = ""
    with mock.patch.object(database, "datetime", Clock), LabelStore.create(folder / "clock.db", rows()) as store:
        stacks: dict[str, list[tuple[int, int | None]]] = {}  # of each labeller: item, grade before
        held: dict[tuple[str, int], int | None] = {}
        for turn in range(acts):
            who = draw.choice(("ana", "ben", "cem"))
            if draw.random() < 0.3 and stacks.get(who):
                item, before = stacks[who].pop()
                act = store.undo(who)
                held[who, item] = before
                wrong += (act.item, act.grade) != (item, before)
            else:
                item, grade = draw.randrange(ITEMS), draw.randrange(5)
                act = store.judge(item, grade, who)
                stacks.setdefault(who, []).append((item, held.get((who, item))))
                held[who, item] = grade
            wrong += act.id != turn + 1
            back += act.at < last
            last = act.at
        for name in stacks:
            labels = store.labels(name)
            wrong += sum(
                labels[item] != (-1 if held.get((name, item)) is None else held[name, item]) for item in range(ITEMS)
            )
    return {"acts": acts, "clock went back": back, "wrong": int(wrong)}
