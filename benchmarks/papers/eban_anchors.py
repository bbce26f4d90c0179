"""Eban 2017 section 7.1: are K = 5, 10 and 20 anchors of the area under the precision-recall curve alike?

    python benchmarks/papers/eban_anchors.py

Linear models by `RateClassifier("aucpr", anchors=K)`, tables, splits and start as in `eban.py`; average precision on
the rows held out, minus that of cross entropy.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import machine, write
from papers.eban import FIRST_SEED, FOLDS, MOST, timed
from papers.eban_data import split, table

import rankwise as rw
from rankwise.objectives import rate_objective
from rankwise.rankers.rates._one_vs_rest import fit_from_baselines
from rankwise.rankers.rates._rows import Rows, folds
from rankwise.rankers.rates.families._linear import LinearFamily

TABLES = ("mammography", "oil-spill", "adult", "spambase", "hypothyroid")
ANCHORS, SEEDS = (5, 10, 20), 5


def one_split(name: str, data: Any, seed: int) -> list[dict[str, Any]]:
    parts = split(data, seed, shares=(0.75, 0.0), most=MOST)
    positive = parts.train.y == 1
    rows, splits = Rows(parts.train.X, positive, np.ones(positive.size)), folds(positive, FOLDS, seed)
    family = LinearFamily()
    plain = family.fit_baselines(rows, splits, refit=True)
    before = rw.evaluate(parts.test.y, plain[-1].scores(parts.test.X), metrics="aucpr")["aucpr"]
    found = []
    for anchors in ANCHORS:
        objective = rate_objective("aucpr", anchors=anchors)
        given = (family, objective, rows, splits, plain, "isotonic", seed)
        model, seconds = timed(lambda given=given: fit_from_baselines(*given))  # type: ignore[misc]
        value = rw.evaluate(parts.test.y, model.scorer.scores(parts.test.X), metrics="aucpr")["aucpr"]
        row = {"table": name, "seed": seed, "anchors": anchors, "gain": value - before, "seconds": seconds}
        found.append({**row, "chosen": model.history["chosen"]})
    return found


def main() -> None:
    folder = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data")))
    found = []
    for name in TABLES:
        data = table(name, folder)
        for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
            found += one_split(name, data, seed)
    shown = Table(title="Average precision minus that of cross entropy, ± standard error over seeds")
    for column in ("table", *(f"K = {anchors}" for anchors in ANCHORS)):
        shown.add_column(column)
    summary = []
    for name in TABLES:
        cells = []
        for anchors in ANCHORS:
            mine = [row for row in found if row["table"] == name and row["anchors"] == anchors]
            gains = np.array([row["gain"] for row in mine])
            error = float(gains.std(ddof=1) / np.sqrt(gains.size))
            summary.append({"table": name, "anchors": anchors, "gain": float(gains.mean()), "error": error})
            cells.append(f"{gains.mean():+.4f}±{error:.4f}")
        shown.add_row(name, *cells)
    Console(width=110).print(shown)
    write("eban-anchors", {"rows": found, "summary": summary, "machine": machine()})


if __name__ == "__main__":
    main()
