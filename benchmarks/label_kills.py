"""Writers of a label store that are killed in the middle of their work, and a look at what is left each time.

    python benchmarks/label_kills.py FOLDER KILLS SEED

Three writers at once judge, skip, note, undo, import, begin rounds and export, and write a line to their pipe after
each act that was acknowledged. SIGKILL hits them at random moments; each time the store is opened and must hold every
judgement acknowledged so far as it was acknowledged, once. Writers are forked from this process, which has no store
open then, so that hundreds take seconds.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from rankwise.data import RankingData
from rankwise.data.io._qrels import read_qrels
from rankwise.errors import DataError
from rankwise.labels import Judgement, LabelStore
from rankwise.labels import _database as database

WRITERS = 3  # at once
ITEMS = 50
IMPORTED = 5
LONGEST_LIFE = 0.08
CREATION_ROWS = 3000
KILLS_PER_STORE = 99
Line = list[Any]


def rows(n: int = ITEMS) -> RankingData:
    """Documents to judge, n of them."""
    return RankingData(np.ones((n, 2)), np.zeros(n), np.arange(n) % 5)


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
    return [json.loads(line) for line in lines]


def line_of(act: Judgement) -> Line:
    """What is to be found again of an act."""
    return ["act", act.id, act.item, act.labeller, act.grade, act.skipped, act.note and len(act.note), act.undoes]


class Writer:
    """One that writes for ever, and says what was acknowledged."""

    def __init__(self, path: Path, who: str, seed: int) -> None:
        self.path, self.who, self.draw = path, who, random.Random(seed)
        self.turn = 0

    def __call__(self, pipe: int) -> NoReturn:
        with LabelStore.open(self.path) as store:
            acts = [self.judge] * 6 + [self.skip, self.note, self.undo, self.undo, self.bring, self.begin, self.write]
            while True:
                self.turn += 1
                for line in self.draw.choice(acts)(store):
                    os.write(pipe, json.dumps(line).encode() + b"\n")

    def judge(self, store: LabelStore) -> list[Line]:
        note = self.draw.choice([None, "x" * self.draw.randrange(1, 6000)])
        return [line_of(store.judge(self.draw.randrange(ITEMS), self.draw.randrange(5), self.who, note=note))]

    def skip(self, store: LabelStore) -> list[Line]:
        return [line_of(store.skip(self.draw.randrange(ITEMS), self.who))]

    def note(self, store: LabelStore) -> list[Line]:
        return [line_of(store.note(self.draw.randrange(ITEMS), "y" * self.draw.randrange(9), self.who))]

    def undo(self, store: LabelStore) -> list[Line]:
        return [line_of(store.undo(self.who))] if store.last_act(self.who) else []

    def bring(self, store: LabelStore) -> list[Line]:
        """An import, as somebody new each time: all of the file is there then, or nothing."""
        who, path = f"{self.who} file {self.turn}", self.path.with_name(f"{self.who}.in.qrels")
        items = self.draw.sample(range(ITEMS), IMPORTED)
        path.write_text("".join(f"{item % 5} 0 {item} {self.draw.randrange(5)}\n" for item in items))
        assert store.import_judgements(path, who).recorded == IMPORTED
        return [["import", who]]

    def begin(self, store: LabelStore) -> list[Line]:
        number = store.position[0] + 1
        try:
            store.begin_round(number, [self.draw.randrange(ITEMS)], sampler=self.who, ranker="none")
        except DataError:  # another writer was faster
            return []
        return [["round", number, self.who]]

    def write(self, store: LabelStore) -> list[Line]:
        path = self.path.with_name(f"{self.who}.out.qrels")
        try:
            return [["export", path.name, store.export_judgements(path)]]
        except DataError:  # nothing is judged yet
            return []


class Acknowledged:
    """All that writers of a store were told, and the check that it is there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[str, list[Line]] = {}

    def check(self, running: bool) -> int:
        """How many judgements there are; what writers that still run did may be there or not."""
        with LabelStore.open(self.path) as store:
            assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
            assert store._database.rows("PRAGMA foreign_key_check") == []
            found = {act.id: act for act in store.acts_since(0)}
            begun = {one.number: one.sampler for one in store.rounds()}
            assert len(store.data) == ITEMS
        of_name = Counter(act.labeller for act in found.values())
        for who, lines in self.lines.items():
            for line in lines:
                if line[0] == "act":
                    assert line_of(found[line[1]]) == line, f"judgement {line[1]} is not as acknowledged"
                elif line[0] == "import":
                    assert of_name[line[1]] == IMPORTED, f"the import of {line[1]} is not there once"
                elif line[0] == "round":
                    assert begun[line[1]] == line[2], f"round {line[1]} is another's"
                elif line[0] == "export":
                    read_qrels(self.path.with_name(line[1]))
            if not running:
                acts = sum(line[0] == "act" for line in lines)
                assert of_name[who] in (acts, acts + 1), f"{who} wrote {of_name[who]}, acknowledged were {acts}"
        held: dict[tuple[int, str], int | None] = {}
        for id in sorted(found):
            act = found[id]
            assert act.previous == held.get((act.item, act.labeller)), f"judgement {id} does not follow"
            held[act.item, act.labeller] = act.grade
        assert all(count == IMPORTED for who, count in of_name.items() if " file " in who), "half an import"
        return len(found)

    def counts(self) -> Counter[str]:
        return Counter(line[0] for lines in self.lines.values() for line in lines)


def kill_writers(folder: Path, kills: int, draw: random.Random) -> dict[str, int]:
    """Kill so many writers; a new store now and then, so that looking at it stays quick."""
    done, found, counts = 0, 0, Counter[str]()
    while done < kills:
        path = folder / f"labels{done}.db"
        LabelStore.create(path, rows()).close()
        told = Acknowledged(path)
        while len(told.lines) < min(KILLS_PER_STORE, kills - done):
            names = [f"w{len(told.lines)}-{number}" for number in range(WRITERS)]
            running = [started(Writer(path, who, draw.getrandbits(32))) for who in names]
            for who, (child, pipe) in zip(names, running, strict=True):
                # One dies at any moment, while opening the store too; the others have something to lose by then.
                told.lines[who] = killed(child, pipe, draw.uniform(0, LONGEST_LIFE), after_first_line=who != names[0])
                left = told.check(running=who != names[-1])
        found += left
        done += len(told.lines)
        counts += told.counts()
    acknowledged = counts["act"] + IMPORTED * counts["import"]
    return {
        "kills": done,
        "acknowledged": acknowledged,
        "found": found,
        "imports": counts["import"],
        "rounds": counts["round"],
        "exports": counts["export"],
    }


def kill_creators(folder: Path, kills: int, draw: random.Random) -> dict[str, int]:
    """A store whose creation is cut off is whole, or not there and can be created."""
    whole = 0
    for kill in range(kills):
        path = folder / f"created{kill}.db"

        def create(pipe: int, path: Path = path) -> None:
            LabelStore.create(path, rows(CREATION_ROWS))
            time.sleep(60)

        killed(*started(create), draw.uniform(0, 0.2))
        try:
            store = LabelStore.open(path)
            whole += 1
        except DataError:
            store = LabelStore.create(path, rows(CREATION_ROWS))
        assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
        assert len(store.data) == CREATION_ROWS
        store.close()
    return {"creations": kills, "whole": whole}


def kill_all(folder: Path, kills: int, seed: int) -> dict[str, int]:
    """Writers and creators; an assertion ends it where anything is lost, there twice or damaged."""
    database.CHECKPOINT_BYTES = 1 << 19  # often, so that kills hit it too
    draw = random.Random(seed)
    return kill_writers(folder, kills, draw) | kill_creators(folder, max(1, kills // 10), draw)


if __name__ == "__main__":
    print(json.dumps(kill_all(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
