"""Cross-validation as Suehiro 2011 has it, and honestly; results of data sets and methods, kept in one file and
printed.

For each method and data set two figures:

- "best": the mean over five test folds, for the candidate (ε, C, rounds) whose mean is highest. Suehiro 2011 names no
other way
  in which its ε was chosen. It sees the test rows and so flatters.
- "chosen": in each fold the candidate that ranks a quarter of the training rows best, after training on the others, is
  trained on all training rows. Its error is the standard error over folds and seeds.

Where labels have noise, both are given on the noisy test labels and on those before noise; "true function" is what the
labels before noise have on the noisy ones, about the most that can be had.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers.eban_data import Binary
from papers.suehiro_data import Noisy, folds
from papers.suehiro_methods import Method

import rankwise as rw

Row = dict[str, Any]
Loader = Callable[[int], Binary]  # the data set for a seed


def auc(y: Any, scores: Any) -> float:
    return float(rw.evaluate(y, scores, metrics="auc")["auc"])


def cross_validate(method: Method, data: Binary, seed: int) -> list[Row]:
    """A row for each fold and candidate; `inner` is its AUC on a quarter of the training rows."""
    rows = []
    for number, (train, test) in enumerate(folds(data, seed)):
        part, held = next(folds(train, seed, number=4))
        inner = {candidate: auc(held.y, scores) for candidate, scores, _ in method.scores(part, held.X)}
        for candidate, scores, seconds in method.scores(train, test.X):
            row = {"fold": (seed, number), "candidate": candidate, "inner": inner[candidate], "seconds": seconds}
            row["auc"] = auc(test.y, scores)
            if isinstance(test, Noisy):
                row |= {"without noise": auc(test.clean, scores), "true function": auc(test.y, test.clean)}
            rows.append(row)
    return rows


def summary(rows: list[Row]) -> Row:
    """What is kept of a method on a data set: see the file's head."""
    by_fold: dict[Any, list[Row]] = {}
    for row in rows:
        by_fold.setdefault(row["fold"], []).append(row)
    chosen = [max(mine, key=lambda row: row["inner"]) for mine in by_fold.values()]
    made: Row = {"chosen candidates": [row["candidate"] for row in chosen]}
    for measure in ("auc", "without noise"):
        if measure in rows[0]:
            values = [row[measure] for row in chosen]
            means = {
                candidate: float(np.mean([row[measure] for row in rows if row["candidate"] == candidate]))
                for candidate in dict.fromkeys(row["candidate"] for row in rows)
            }
            best = max(means, key=lambda candidate: means[candidate])
            made[measure] = {"by candidate": {f"{key:g}": value for key, value in means.items()}}
            made[measure] |= {"best candidate": best, "best": means[best], "chosen": float(np.mean(values))}
            made[measure] |= {"error": float(np.std(values, ddof=1) / np.sqrt(len(values))), "folds": values}
    for mean in ("seconds", "true function"):
        if mean in rows[0]:
            made[mean] = float(np.mean([row[mean] for row in rows]))
    return made


def run(name: str, data: dict[str, Loader], methods: Iterable[Method], seeds: int, published: Row, keep: bool) -> None:
    """Every method on every data set; with `keep`, written after each, in place of what the file had of the two."""
    rows: list[Row] = []
    for title, load in data.items():
        for method in methods:
            start = time.process_time()
            found = [row for seed in range(seeds) for row in cross_validate(method, load(seed), seed)]
            row = {"data": title, "method": method.name, "seeds": seeds, **summary(found)}
            rows.append({**row, "published": published.get(title, {}).get(method.name), "date": today()})
            print(title, method.name, f"{row['auc']['chosen']:.4f}", f"{time.process_time() - start:.0f} s", flush=True)
            if keep:
                merge(name, rows, ("data", "method"))
    show(name, rows)


def merge(name: str, rows: list[Row], keys: tuple[str, ...]) -> None:
    """Rows take the place of those in the file of that name that agree with them in `keys`; others stay."""
    path = harness.RESULTS / f"suehiro-{name}.json"
    old = json.loads(path.read_text())["rows"] if path.exists() else []
    new = {tuple(row[key] for key in keys) for row in rows}
    kept = [row for row in old if tuple(row[key] for key in keys) not in new]
    harness.write(f"suehiro-{name}", {"rows": kept + rows, "machine": harness.machine()})


def picked(wanted: str | None, known: Any) -> list[Any]:
    """The names asked for, in the order they are known in; all when nothing was asked."""
    names = [str(name) for name in known] if wanted is None else wanted.split(",")
    unknown = set(names) - {str(name) for name in known}
    if unknown:
        raise SystemExit(f"no {', '.join(sorted(unknown))}; there are {', '.join(str(name) for name in known)}")
    return [name for name in known if str(name) in names]


def today() -> str:
    """Rows of one file may be measured on several days."""
    return time.strftime("%Y-%m-%d")


def show(name: str, rows: list[Row]) -> None:
    noisy = any("without noise" in row for row in rows)
    table = Table(title=f"Suehiro 2011, {name}: AUC, five folds; a list of published figures goes by candidate")
    more = ("without noise: best, chosen", "true function") if noisy else ()
    for column in ("data", "method", "published", "best", "of", "chosen", *more, "CPU s a fit"):
        table.add_column(column)
    for row in rows:
        told, mine = row["published"], row["auc"]
        cells = ["" if told is None else str(told), f"{mine['best']:.4f}", f"{mine['best candidate']:g}"]
        cells.append(f"{mine['chosen']:.4f} ± {mine['error']:.4f}")
        if noisy:
            clean = row["without noise"]
            cells += [f"{clean['best']:.4f}, {clean['chosen']:.4f}", f"{row['true function']:.4f}"]
        table.add_row(row["data"], row["method"], *cells, f"{row['seconds']:.2f}")
    Console(width=150).print(table)
