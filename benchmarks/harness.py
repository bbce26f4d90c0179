"""What every benchmark shares: the machine it ran on, a table of ratios, a JSON file of results."""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results"
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


def machine() -> dict[str, Any]:
    """Where and when a figure was measured."""
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
        "date": time.strftime("%Y-%m-%d"),
    }


def show(rows: list[Row], title: str) -> None:
    table = Table(title=title)
    for column in ("case", "library", "seconds", "times ours", "bar"):
        table.add_column(column, justify="left" if column in ("case", "library") else "right")
    for row in rows:
        bar = "" if row.bar is None else f"{row.bar:g} {'reached' if row.ratio >= row.bar else 'MISSED'}"
        table.add_row(row.case, row.name, f"{row.seconds:.3f}", f"{row.ratio:.1f}", bar)
    Console(width=110).print(table)


def write(name: str, results: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    partial = path.with_suffix(".tmp")
    partial.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    partial.replace(path)
    print(f"written to {path}")
