"""Cross-validation as Suehiro 2011 has it, over several draws; what was measured is kept in one file per table.

A *unit* is a data set, a method and a draw: the seed of the artificial data and of the folds. Of each, the file has the
AUC of every candidate (ε, C, rounds) on the five test folds and on their training rows. `summary` makes two figures:

- "best": for each draw the mean over the test folds of the candidate whose mean is highest. Suehiro 2011 names no other
  way in which its ε was chosen. It sees the test rows and so flatters.
- "chosen": for each draw the candidate that is best in the mean of all *other* draws. Artificial data only: draws of a
  real data set share their rows. There, in each fold, the candidate that ranks a quarter of the training rows best,
  after training on the others.

Where labels have noise, AUCs on the test labels before noise are kept too, and "true function", the AUC that the labels
before noise have on the noisy ones: about the most that can be had.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t as student

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers.eban_data import Binary
from papers.suehiro_data import Noisy, folds
from papers.suehiro_methods import Method

import rankwise as rw

Row = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """`load` returns the data of a seed; `nested`, whether candidates are compared on a part of the training rows."""

    table: str
    data: str
    method: str
    draw: int
    load: Callable[[int], Binary]
    make: Callable[[], dict[str, Method]]
    nested: bool


def auc(y: Any, scores: Any) -> float:
    return float(rw.evaluate(y, scores, metrics="auc")["auc"])


def measure(unit: Unit) -> Row:
    """What is kept of a unit: lists have an entry per fold, `candidates` one per candidate."""
    method, data = unit.make()[unit.method], unit.load(unit.draw)
    candidates: dict[str, Row] = {}
    row: Row = {"draw": unit.draw, "candidates": candidates, "true function": []}
    for train, test in folds(data, unit.draw):
        inner: dict[float, float] = {}
        if unit.nested:
            part, rest = next(folds(train, unit.draw, number=4))
            inner = {fit.candidate: auc(rest.y, fit.test) for fit in method.fits(part, rest)}
        for fit in method.fits(train, test):
            values = {"auc": auc(test.y, fit.test), "train auc": auc(train.y, fit.train), "seconds": fit.seconds}
            if isinstance(test, Noisy):
                values["without noise"] = auc(test.clean, fit.test)
            if inner:
                values["inner"] = inner[fit.candidate]
            if fit.certificate is not None:
                values |= {"value": fit.certificate.value, "gap": fit.certificate.gap}
            lists = candidates.setdefault(f"{fit.candidate:g}", {})
            for name, value in values.items():
                lists.setdefault(name, []).append(round(value, 8))
        if isinstance(test, Noisy):
            row["true function"].append(auc(test.y, test.clean))
    return row | {"date": time.strftime("%Y-%m-%d")}


def run(units: Iterable[Unit], jobs: int, minutes: float, again: bool) -> None:
    """Measure what the files lack, draw by draw, and write each unit as it ends; none is started after `minutes`."""
    start, todo = time.monotonic(), [unit for unit in units if again or not is_done(unit)]
    print(f"{len(todo)} units to do", flush=True)
    with ProcessPoolExecutor(jobs) as pool:
        while todo and time.monotonic() - start < 60.0 * minutes:
            batch = {pool.submit(measure, unit): unit for unit in todo[: 4 * jobs]}
            todo = todo[4 * jobs :]
            for future in as_completed(batch):
                keep(batch[future], future.result())
    print(f"{len(todo)} units left", flush=True)


def path_of(table: str) -> Path:
    return harness.RESULTS / f"suehiro-{table}.json"


def rows_of(table: str) -> list[Row]:
    path = path_of(table)
    return json.loads(path.read_text())["rows"] if path.exists() else []


def is_done(unit: Unit) -> bool:
    draws = [row["draws"] for row in rows_of(unit.table) if (row["data"], row["method"]) == (unit.data, unit.method)]
    return any(draw["draw"] == unit.draw for draw in (draws[0] if draws else ()))


def keep(unit: Unit, measured: Row) -> None:
    """Put a draw into the file of its table, in place of what that had of it; other runs may write there too."""
    folder = os.open(harness.RESULTS, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        _keep(unit, measured)
    finally:
        os.close(folder)


def _keep(unit: Unit, measured: Row) -> None:
    rows = rows_of(unit.table)
    row = next((row for row in rows if (row["data"], row["method"]) == (unit.data, unit.method)), None)
    if row is None:
        row = {"data": unit.data, "method": unit.method, "draws": []}
        rows.append(row)
    row["draws"] = [draw for draw in row["draws"] if draw["draw"] != unit.draw] + [measured]
    row["draws"].sort(key=lambda draw: draw["draw"])
    row["summary"] = summary(row["draws"])
    found = row["summary"]["auc"]
    harness.write(f"suehiro-{unit.table}", {"rows": rows, "machine": harness.machine("highspy")})
    print(unit.data, unit.method, f"draw {unit.draw}", f"best {found['best']['mean']:.4f}", flush=True)


def summary(draws: list[Row]) -> Row:
    """See the head of the file; an interval is Student's, of the mean over draws, and missing for a single draw."""
    names = list(draws[0]["candidates"])
    made: Row = {"draws": len(draws)}
    for measured in ("auc", "without noise"):
        if measured not in draws[0]["candidates"][names[0]]:
            continue
        means = np.array([[np.mean(draw["candidates"][name][measured]) for name in names] for draw in draws])
        made[measured] = {
            "by candidate": dict(zip(names, means.mean(axis=0).tolist(), strict=True)),
            "best": interval(means.max(axis=1)),
            "best candidates": [names[k] for k in means.argmax(axis=1)],
        }
        nested = "inner" in draws[0]["candidates"][names[0]]
        if nested:
            made[measured]["chosen"] = interval([_nested(draw, names, measured) for draw in draws])
        elif len(draws) > 1:
            others = [np.delete(means, k, axis=0).mean(axis=0).argmax() for k in range(len(draws))]
            made[measured]["chosen"] = interval(means[np.arange(len(draws)), others])
    for measured in ("train auc", "value", "seconds"):
        if measured in draws[0]["candidates"][names[0]]:
            made[measured] = {
                name: float(np.mean([draw["candidates"][name][measured] for draw in draws])) for name in names
            }
    if "gap" in draws[0]["candidates"][names[0]]:
        made["largest gap"] = max(max(one["gap"]) for draw in draws for one in draw["candidates"].values())
    if draws[0]["true function"]:
        made["true function"] = interval([np.mean(draw["true function"]) for draw in draws])
    return made


def _nested(draw: Row, names: list[str], measured: str) -> float:
    inner = np.array([draw["candidates"][name]["inner"] for name in names])
    values = np.array([draw["candidates"][name][measured] for name in names])
    return float(values[inner.argmax(axis=0), np.arange(values.shape[1])].mean())


def interval(values: Any) -> Row:
    """The mean, and the half width of its 95% interval."""
    values = np.asarray(values, dtype=np.float64)
    half = None
    if values.size > 1:
        half = float(student.ppf(0.975, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size))
    return {"mean": float(values.mean()), "half": half}


def picked(wanted: str | None, known: Any) -> list[Any]:
    """The names asked for, in the order they are known in; all when nothing was asked."""
    names = [str(name) for name in known] if wanted is None else wanted.split(",")
    unknown = set(names) - {str(name) for name in known}
    if unknown:
        raise SystemExit(f"no {', '.join(sorted(unknown))}; there are {', '.join(str(name) for name in known)}")
    return [name for name in known if str(name) in names]
