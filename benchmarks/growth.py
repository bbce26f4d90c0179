"""How the cost of a row grows with the rows: every estimator from 10^4 to 10^7 rows, beside the peer one would pick.

    python benchmarks/growth.py [--only NAME;NAME] [--largest ROWS] [--minutes M] [--again]

`growth_models.py` has the rows and the models: few trees, one epoch, so that the cost is that of a round and of what
comes before it; solvers run until they converge. Each cell, a model at a number of rows, is a process of its own on one
thread, after `rankwise warm-up` and a fit of 2,000 rows that loads what was compiled. Times are CPU seconds, the least
of up to five calls; memory is by how much resident memory grows, at its peak during `fit`, beyond the data. A process
that takes more than 150 CPU seconds or 10 GB is stopped, and larger ones of this model are not tried.

Results are written after each cell: a run that is stopped goes on where it was. `--minutes` are CPU minutes after which
no cell is begun, `--again` measures what is there already. Peers that are not installed are left out.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import ctypes
import json
import math
import multiprocessing
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from growth_models import FAMILIES, TASKS, Task, make_rows
from harness import RESULTS, machine, peak_growth, status, write
from rich.console import Console
from rich.table import Table

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
WARM = 2_000
SECONDS, BYTES = 150, 10 * 2**30
CALLS, ENOUGH, LONG = 5, 1.0, 10.0
"""Calls at most, seconds of them that suffice, and seconds after which one call does."""
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
FORK = multiprocessing.get_context("fork")
Cell = dict[str, Any]


def measure(name: str, rows: int) -> Cell:
    """In this process: CPU seconds of fit and predict, and the peak of fit in bytes; or what was exceeded."""
    warnings.simplefilter("ignore")
    task = TASKS[name]
    run(task, WARM)
    data = make_rows(rows, separable=task.separable)
    given = task.given(data)
    held = status("VmData") + BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (held, held))
    try:
        model, seconds, grown = least(lambda: task.fit(given))
        found = {"fit_seconds": seconds, "fit_bytes": grown}
        if task.predict is not None:
            predict = task.predict
            found["predict_seconds"] = least(lambda: predict(model, data.X))[1]
    except MemoryError:
        return {"exceeded": f"{BYTES >> 30} GB"}
    return found


def run(task: Task, rows: int) -> None:
    data = make_rows(rows, separable=task.separable)
    model = task.fit(task.given(data))
    if task.predict is not None:
        task.predict(model, data.X)


def least(call: Callable[[], Any]) -> tuple[Any, float, int]:
    """What the call gives, its least CPU seconds, and the least growth of memory: the first call may compile."""
    times: list[float] = []
    grown: list[int] = []
    made: list[Any] = []

    def timed() -> None:
        start = time.process_time()
        made.append(call())
        times.append(time.process_time() - start)

    while len(times) < 2 or (len(times) < CALLS and sum(times) < ENOUGH):
        made.clear()  # the model of the call before is no part of what this one takes
        grown.append(peak_growth(timed))
        if times[-1] > LONG:
            break
    return made[0], min(times), min(grown)


def in_fresh_process(name: str, rows: int) -> Cell:
    """A fork: what is imported here need not be imported there, and nothing has been computed yet."""
    receiver, sender = FORK.Pipe(duplex=False)

    def work() -> None:
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)  # a run that is killed leaves nothing behind
        sender.send(measure(name, rows))

    process = FORK.Process(target=work)
    process.start()
    sender.close()
    found: Cell = {}
    while not receiver.poll(0.2):
        if cpu_seconds(process.pid) > SECONDS:
            process.kill()
            found = {"exceeded": f"{SECONDS} s"}
    process.join()
    if not found:
        try:
            found = receiver.recv()
        except EOFError:
            raise SystemExit(f"{name} failed at {rows:,} rows (exit code {process.exitcode})") from None
    return {"name": name, "rows": rows, **found}


def cpu_seconds(process: int | None) -> float:
    """User and system seconds that a process has used. A limit by the kernel would make its own clock coarse."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def slope(cells: list[Cell], field: str) -> float | None:
    """Of the logarithm of what a cell took on that of its rows, by least squares: 1 is a constant cost per row."""
    points = [(cell["rows"], cell[field]) for cell in cells if cell.get(field, 0) > 0]
    if len(points) < 2:
        return None
    return float(np.polyfit(*np.log(np.array(points, dtype=float).T), 1)[0])


def cells_of(cells: list[Cell], name: str) -> list[Cell]:
    return sorted((cell for cell in cells if cell["name"] == name), key=lambda cell: cell["rows"])


def to_measure(cells: list[Cell], names: Iterable[str], sizes: Iterable[int]) -> Iterator[tuple[str, int]]:
    """What is not measured yet, small sizes first; `cells` may grow meanwhile."""
    for rows in sizes:
        for name in names:
            mine = cells_of(cells, name)
            is_stopped = any("exceeded" in cell for cell in mine)
            if rows <= TASKS[name].largest and not is_stopped and rows not in [cell["rows"] for cell in mine]:
                yield name, rows


def show(cells: list[Cell]) -> None:
    for family, tasks in FAMILIES.items():
        table = Table(title=f"{family}: CPU µs per row of fit and of predict, bytes per row at the peak of fit")
        for column in ("", *(f"{rows:,}" for rows in SIZES), "slope"):
            table.add_column(column)
        for name in tasks:
            mine = cells_of(cells, name)
            texts = {cell["rows"]: cell.get("exceeded") or per_row(cell) for cell in mine}
            found = slope(mine, "fit_seconds")
            table.add_row(name, *(texts.get(rows, "") for rows in SIZES), "" if found is None else f"{found:.2f}")
        Console(width=150).print(table)


def per_row(cell: Cell) -> str:
    figures = [1e6 * cell[field] / cell["rows"] for field in ("fit_seconds", "predict_seconds") if field in cell]
    return ", ".join(f"{figure:.3g}" for figure in (*figures, cell["fit_bytes"] / cell["rows"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="names with semicolons between; all of a family by its name")
    parser.add_argument("--largest", type=int, default=SIZES[-1], metavar="ROWS")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    names = chosen(options.only)
    sizes = [rows for rows in SIZES if rows <= options.largest]
    path = RESULTS / "growth.json"
    cells: list[Cell] = json.loads(path.read_text())["cells"] if path.exists() else []
    if options.again:
        cells = [cell for cell in cells if cell["name"] not in names or cell["rows"] not in sizes]
    subprocess.run([sys.executable, "-m", "rankwise", "warm-up"], check=True)
    for package in ("lightgbm", "sklearn.svm", "torch"):
        import_module(package)
    for name, rows in to_measure(cells, names, sizes):
        if child_minutes() > options.minutes:
            break
        cells.append(in_fresh_process(name, rows))
        write("growth", {"cells": cells, "machine": machine("torch", "highspy")})
        print(cells[-1], flush=True)
    show(cells)
    from growth_picture import write_picture

    for dark in (False, True):
        write_picture(RESULTS / f"growth{'-dark' if dark else ''}.png", cells, dark=dark)


def chosen(only: str | None) -> list[str]:
    """Names that were asked for; a peer that is not installed is none."""
    asked = list(TASKS) if only is None else only.split(";")
    names = [name for one in asked for name in FAMILIES.get(one, {one: None})]
    if unknown := [name for name in names if name not in TASKS]:
        raise SystemExit(f"{unknown[0]!r} is not one of {', '.join([*FAMILIES, *TASKS])}")
    return [name for name in names if not name.startswith("CatBoost") or find_spec("catboost")]


def child_minutes() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) / 60


if __name__ == "__main__":
    main()
