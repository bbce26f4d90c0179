"""A small pool with texts, and the command that serves it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.data import RankingData, web, write

SOURCE = Path(__file__).parents[2] / "src"
SCRIPT = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
WORDS = "ferry timetable island bicycle winter storm harbour museum ticket night bus map walk lighthouse".split()


def pool() -> RankingData:
    """Twelve queries of about a dozen documents, with features that tell which are good; all unjudged."""
    made = web(queries=12, documents=12, features=8, seed=3)
    return RankingData(made.X, np.full(len(made), -1.0), made.qid, [f"d{row}" for row in range(len(made))])


def truth() -> np.ndarray:
    """The grades that somebody who knows would give."""
    return web(queries=12, documents=12, features=8, seed=3).y


def write_pool(folder: Path) -> RankingData:
    """pool.txt, and docs.jsonl with hostile texts; every fifth document has none."""
    data = pool()
    write(data, folder / "pool.txt")
    drawn = np.random.default_rng(0)
    lines: list[dict[str, object]] = [
        {"qid": int(qid), "text": f"{WORDS[int(qid) % len(WORDS)]} near the {WORDS[-1 - int(qid) % 5]}?"}
        for qid in data.groups.qids
    ]
    for row in range(len(data)):
        if row % 5:
            words = " ".join(drawn.choice(WORDS, 40))
            text = f"{words} {SCRIPT}" if row % 2 else words
            lines.append({"doc_id": f"d{row}", "title": f"{WORDS[row % 14]} & {row} <b>", "text": text, "year": 1990 + row})
    (folder / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return data


@dataclass
class Served:
    """A command that serves, and where."""

    process: subprocess.Popen[str]
    url: str
    links: dict[str, str]


@contextmanager
def served(folder: Path, *more: str) -> Iterator[Served]:
    """`rankwise label` in a process of its own, killed at the end if it still runs."""
    command = [sys.executable, "-m", "rankwise", "label", "pool.txt", "--db", "labels.db", "--text", "docs.jsonl"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--json", "--ranker", "ranksvm", *more],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        told = json.loads(line)
        yield Served(process, told["url"], told["labellers"])
    finally:
        process.kill()
        process.communicate()
