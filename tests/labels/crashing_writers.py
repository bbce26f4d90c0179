"""Writers that are killed in the middle of their work, again and again, and a look at what is left each time.

    python tests/labels/crashing_writers.py FOLDER KILLS SEED

A writer judges, and writes a line to its pipe after each judgement that was acknowledged. SIGKILL hits it at a random
moment; then the store is opened and must hold every judgement acknowledged so far, by any writer, as it was
acknowledged. Writers are forked from this process, which has no store open then, so that hundreds take seconds.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels import Judgement, LabelStore
from rankwise.labels import _database as database

WRITERS = 3  # at once
ITEMS = 50
LONGEST_LIFE = 0.04
CREATION_ROWS = 3000
Line = tuple[int, ...]


def started(work: Callable[[int], None]) -> tuple[int, int]:
    """Fork a process that works, and does nothing else; its id and the end of its pipe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        work(writing)
    finally:
        os._exit(1)


def killed(child: int, pipe: int, life: float, after_first_line: bool = False) -> list[Line]:
    """Kill a process after a while, counted from now or from its first line; the lines that it completed."""
    if after_first_line:
        select.select([pipe], [], [])
    time.sleep(life)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "a writer failed before it was killed"
    with os.fdopen(pipe, "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    return [tuple(map(int, line.split())) for line in lines]


def line_of(act: Judgement) -> Line:
    return act.id, act.item, -1 if act.grade is None else act.grade, act.skipped, act.undoes or 0


def write_for_ever(path: Path, who: str, seed: int) -> Callable[[int], NoReturn]:
    def work(pipe: int) -> NoReturn:
        draw = random.Random(seed)
        store = LabelStore.open(path)
        while True:
            item = draw.randrange(ITEMS)
            act = store.judge(item, draw.randrange(5), who, note=draw.choice([None, "x" * draw.randrange(1, 6000)]))
            os.write(pipe, f"{' '.join(map(str, map(int, line_of(act))))}\n".encode())
            act = store.undo(who) if draw.random() < 0.3 else store.skip(draw.randrange(ITEMS), who)
            os.write(pipe, f"{' '.join(map(str, map(int, line_of(act))))}\n".encode())

    return work


def check(path: Path, acknowledged: dict[int, tuple[str, Line]], of_writer: dict[str, int]) -> int:
    """How many judgements there are; each acknowledged one is there, and of each writer at most one more."""
    with LabelStore.open(path) as store:
        assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
        assert store._database.rows("PRAGMA foreign_key_check") == []
        found = {act.id: act for item in range(ITEMS) for act in store.history(item)}
        assert len(store.data) == ITEMS
    for id, (who, line) in acknowledged.items():
        assert (found[id].labeller, line_of(found[id])) == (who, line), f"judgement {id} is not as acknowledged"
    held: dict[tuple[int, str], int | None] = {}
    written = dict.fromkeys(of_writer, 0)
    for id in sorted(found):
        act = found[id]
        assert act.previous == held.get((act.item, act.labeller)), f"judgement {id} does not follow the one before it"
        held[act.item, act.labeller] = act.grade
        written[act.labeller] += 1
    for who, count in of_writer.items():
        assert written[who] in (count, count + 1), f"{who} wrote {written[who]}, acknowledged were {count}"
    return len(found)


def kill_writers(path: Path, kills: int, draw: random.Random) -> dict[str, int]:
    LabelStore.create(path, RankingData(np.ones((ITEMS, 2)), np.zeros(ITEMS), np.arange(ITEMS) % 5)).close()
    acknowledged: dict[int, tuple[str, Line]] = {}
    of_writer: dict[str, int] = {}
    found = turn = 0
    while len(of_writer) < kills:
        names = [f"writer {turn}-{number}" for number in range(WRITERS)]
        running = [started(write_for_ever(path, who, draw.getrandbits(32))) for who in names]
        for who, (child, pipe) in zip(names, running, strict=True):
            # One dies at any moment, while opening the store too; the others have something to lose by then.
            lines = killed(child, pipe, draw.uniform(0, LONGEST_LIFE), after_first_line=who != names[0])
            acknowledged |= {line[0]: (who, line) for line in lines}
            of_writer[who] = len(lines)
        found = check(path, acknowledged, of_writer)
        turn += 1
    return {"kills": len(of_writer), "acknowledged": len(acknowledged), "found": found}


def kill_creators(folder: Path, kills: int, draw: random.Random) -> dict[str, int]:
    """A store whose creation is cut off is whole, or not there and can be created."""
    data = RankingData(np.ones((CREATION_ROWS, 2)), np.zeros(CREATION_ROWS), qid=None)
    whole = 0
    for kill in range(kills):
        path = folder / f"created{kill}.db"
        killed(*started(lambda pipe, path=path: LabelStore.create(path, data) and time.sleep(60)), draw.uniform(0, 0.1))  # type: ignore[arg-type, func-returns-value, misc]
        try:
            store = LabelStore.open(path)
            whole += 1
        except DataError:
            store = LabelStore.create(path, data)
        assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
        assert len(store.data) == CREATION_ROWS
        store.close()
    return {"creations": kills, "whole": whole}


def main(folder: Path, kills: int, seed: int) -> None:
    database.CHECKPOINT_BYTES = 1 << 19  # often, so that kills hit it too
    draw = random.Random(seed)
    print(json.dumps(kill_writers(folder / "labels.db", kills, draw) | kill_creators(folder, kills // 10, draw)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
