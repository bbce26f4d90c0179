"""The label store: durable judgements per second by one writer, by threads and by processes; a large store and its
reads.

"bare fsync" appends a line to a file and waits for the disk, which is the least that any durable store must do.

    python benchmarks/labels.py
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import machine
from harness import write as write_results

from rankwise.data import RankingData
from rankwise.labels import LabelStore

PROCESS = """
import sys, time
from rankwise.labels import LabelStore
store = LabelStore.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for turn in range(int(sys.argv[3])):
    store.judge(turn % 1000, turn % 5, sys.argv[2])
print("done", flush=True)
"""


def pool(rows: int, features: int) -> RankingData:
    X = np.random.default_rng(0).random((rows, features), dtype=np.float32)
    return RankingData(X, np.zeros(rows), np.arange(rows) // 100)


def seconds_each(act: Callable[[int], object], count: int) -> list[float]:
    taken = []
    for turn in range(count):
        start = time.perf_counter()
        act(turn)
        taken.append(time.perf_counter() - start)
    return taken


def row(case: str, taken: list[float]) -> dict[str, Any]:
    ordered = sorted(taken)
    found = {
        "case": case,
        "per_second": round(len(taken) / sum(taken), 1),
        "median_ms": round(1000 * statistics.median(taken), 2),
        "p99_ms": round(1000 * ordered[int(0.99 * len(ordered))], 2),
    }
    print(found)
    return found


def in_turns(folder: Path, store: LabelStore, count: int) -> list[dict[str, Any]]:
    """The store and the bare disk by turns, so that a slow spell hits both."""
    judged: list[float] = []
    synced: list[float] = []
    with (folder / "bare").open("ab", buffering=0) as file:

        def bare(turn: int) -> None:
            file.write(b"item 17 grade 3 by ana\n")
            os.fdatasync(file.fileno())

        for _ in range(10):
            judged += seconds_each(lambda turn: store.judge(turn % 1000, turn % 5, "ana"), count // 10)
            synced += seconds_each(bare, count // 10)
    return [row("one writer", judged), row("bare fsync", synced)]


def by_threads(store: LabelStore, count: int, threads: int) -> dict[str, Any]:
    def work(who: str) -> None:
        for turn in range(count):
            store.judge(turn % 1000, turn % 5, who)

    workers = [threading.Thread(target=work, args=(f"thread {n}",)) for n in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return total(f"{threads} threads, one store", threads * count, start)


def by_processes(path: Path, count: int, processes: int) -> dict[str, Any]:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(path), f"process {n}", str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(processes)
    ]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    start = time.perf_counter()
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        assert worker.stdout.readline() == "done\n"
    found = total(f"{processes} processes", processes * count, start)
    for worker in workers:
        worker.communicate()
    return found


def total(case: str, count: int, start: float) -> dict[str, Any]:
    found = {"case": case, "per_second": round(count / (time.perf_counter() - start), 1)}
    print(found)
    return found


def large(folder: Path, rows: int, features: int) -> dict[str, Any]:
    """A large store: making it, reading its data, importing a label for each tenth row, the labels, the agreement."""
    data, path = pool(rows, features), folder / "large.db"
    seconds = {}

    def timed(name: str, task: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = task()
        seconds[name] = round(time.perf_counter() - start, 3)
        return result

    store = timed("create", lambda: LabelStore.create(path, data))
    timed("read data", lambda: store.data)
    lines = [f"{row // 100} 0 {row} {row % 5}\n" for row in range(0, rows, 10)]
    (folder / "in.qrels").write_text("".join(lines))
    for who in ("ana", "ben"):
        timed(f"import {len(lines)}", lambda who=who: store.import_judgements(folder / "in.qrels", who))
    timed("labels", store.labels)
    timed("agreement", store.agreement)
    timed("one judgement", lambda: store.judge(1, 2, "ana"))
    timed("check data", lambda: store.check_data(data))
    store.close()
    found = {"rows": rows, "features": features, "megabytes": round(path.stat().st_size / 1e6, 1), "seconds": seconds}
    print(found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judgements", type=int, default=2000, help="by the one writer (default: 2000)")
    parser.add_argument("--rows", type=int, default=200_000, help="of the large store (default: 200000)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = LabelStore.create(folder / "labels.db", pool(1000, 46))
        rows = in_turns(folder, store, options.judgements)
        rows.append(by_threads(store, options.judgements // 4, 4))
        store.close()
        rows += [by_processes(folder / "labels.db", options.judgements // 4, count) for count in (2, 4)]
        stores = [large(folder, options.rows, 46)]
    write_results("labels", {"rows": rows, "large": stores, "machine": machine()})


if __name__ == "__main__":
    main()
