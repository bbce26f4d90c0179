"""What every benchmark shares: the machine it ran on, timing in turns, peak memory, a table, a JSON file of results."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))
from sources import RESULTS, stamp

PACKAGES = ("numpy", "numba", "scikit-learn", "scipy", "lightgbm", "ranx", "pytrec-eval-terrier")


@dataclass(frozen=True)
class Row:
    """One measurement: `ratio` is its time over ours, `bar` the ratio we set out to reach."""

    case: str
    name: str
    seconds: float
    ratio: float
    bar: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def machine(*more: str) -> dict[str, Any]:
    """Where and when a figure was measured; `more` are packages whose versions matter to it alone."""
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in (*PACKAGES, *more)},
        "date": time.strftime("%Y-%m-%d"),
    }


def least_seconds(
    tasks: dict[str, Callable[[], object]], repeats: dict[str, int], clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """The least time of each task; rounds go over all tasks in turn, so that a slow spell hits every one."""
    times = dict.fromkeys(tasks, float("inf"))
    for number in range(max(repeats.values())):
        for name, task in tasks.items():
            if number < repeats[name]:
                start = clock()
                task()
                times[name] = min(times[name], clock() - start)
    return times


def peak_growth(task: Callable[[], object]) -> int:
    """Bytes by which resident memory passes, at its peak during `task`, what the process held before."""
    before = peak_from_here()
    task()
    return status("VmHWM") - before


def peak_from_here() -> int:
    """Let the peak of resident memory start anew; what is held now."""
    ctypes.CDLL(None).malloc_trim(0)  # what was freed before must not be at hand, or it would not be counted
    Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def status(field: str) -> int:
    """A number of bytes from what the kernel says of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024


def show(rows: list[Row], title: str) -> None:
    table = Table(title=title)
    for column in ("case", "library", "seconds", "times ours", "bar"):
        table.add_column(column, justify="left" if column in ("case", "library") else "right")
    for row in rows:
        bar = "" if row.bar is None else f"{row.bar:g} {'reached' if row.ratio >= row.bar else 'MISSED'}"
        table.add_row(row.case, row.name, f"{row.seconds:.3f}", f"{row.ratio:.1f}", bar)
    Console(width=110).print(table)


def write(name: str, results: dict[str, Any]) -> None:
    """Write the results beside the commit and a hash of the code that they depend on."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    partial = path.with_suffix(".tmp")
    partial.write_text(json.dumps(results | {"source": stamp(name)}, indent=1, ensure_ascii=False) + "\n")
    partial.replace(path)
    print(f"written to {path}")
