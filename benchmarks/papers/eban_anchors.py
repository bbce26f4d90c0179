"""Eban 2017 section 7.1: are K = 5, 10 and 20 anchors of the area under the precision-recall curve alike?

    python benchmarks/papers/eban_anchors.py [--tables mammography,oil-spill]

The program (12) itself for linear models (`linear_rates`, each solved to a proved gap of 1e-3), under the hinge and
under the log loss in bits; tables and splits as in `eban.py`. The penalty of the weights is chosen once for a table,
seed and surrogate, at K = 10, by average precision on a quarter of the training rows. Figures are average precision on
the rows held out, beside cross entropy with its own penalty, and how many of the anchors' constraints can be met.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import machine, write
from papers.eban import FIRST_SEED, FOLDS, MOST, choose_penalty, fit_plain, timed
from papers.eban_data import split, table

import rankwise as rw
from rankwise.objectives import linear_rates, rate_objective
from rankwise.rankers.rates._rows import Rows, folds
from rankwise.rankers.rates.families._linear import LinearFamily

TABLES = ("mammography", "oil-spill", "adult", "spambase")
SURROGATES, ANCHORS, SEEDS = ("hinge", "log2"), (5, 10, 20), 3


def average_precision(y: Any, scores: Any) -> float:
    return float(rw.evaluate(y, scores, metrics="aucpr")["aucpr"])


def one_split(name: str, data: Any, seed: int) -> list[dict[str, Any]]:
    parts = split(data, seed, shares=(0.75, 0.0), most=MOST)
    positive = parts.train.y == 1
    rows, splits = Rows(parts.train.X, positive, np.ones(positive.size)), folds(positive, FOLDS, seed)
    plain = average_precision(parts.test.y, fit_plain(LinearFamily(), rows, splits)[-1].scores(parts.test.X))
    found = []
    for surrogate in SURROGATES:
        penalty = choose_penalty("aucpr", rows, splits[0], surrogate)
        for anchors in ANCHORS:
            objective = rate_objective("aucpr", anchors=anchors)
            given = {"surrogate": surrogate, "l2": penalty}
            model, seconds = timed(lambda o=objective, g=given: linear_rates(o, rows.X, positive, **g))  # type: ignore[misc]
            row = {"table": name, "seed": seed, "surrogate": surrogate, "anchors": anchors, "penalty": penalty}
            row |= {"value": average_precision(parts.test.y, parts.test.X @ model.weights), "plain": plain}
            met = int(np.sum(model.excesses <= 1e-9))
            found.append({**row, "gap": model.gap, "met": met, "seconds": seconds})
    return found


def summary(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By table, surrogate and K: the mean over seeds, its standard error, and cross entropy's."""
    made = []
    for name in dict.fromkeys(row["table"] for row in found):
        for surrogate in SURROGATES:
            for anchors in ANCHORS:
                key = (name, surrogate, anchors)
                mine = [row for row in found if (row["table"], row["surrogate"], row["anchors"]) == key]
                values = np.array([row["value"] for row in mine])
                row = dict(zip(("table", "surrogate", "anchors"), key, strict=True))
                row |= {"mean": float(values.mean()), "error": float(values.std(ddof=1) / np.sqrt(values.size))}
                row |= {"plain": float(np.mean([one["plain"] for one in mine]))}
                row |= {"met": float(np.mean([one["met"] / anchors for one in mine]))}
                made.append(row | {"gap": max(one["gap"] for one in mine)})
    return made


def main() -> None:
    folder = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data")))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join(TABLES), help="names with commas between")
    names = parser.parse_args().tables.split(",")
    found = []
    for name in names:
        data = table(name, folder)
        for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
            found += one_split(name, data, seed)
            print(name, seed, flush=True)
    made = summary(found)
    shown = Table(title="Average precision by the number of anchors, ± standard error over seeds")
    for column in ("table", "surrogate", *(f"K = {anchors}" for anchors in ANCHORS), "cross entropy"):
        shown.add_column(column)
    for name in names:
        for surrogate in SURROGATES:
            mine = [row for row in made if (row["table"], row["surrogate"]) == (name, surrogate)]
            cells = (f"{row['mean']:.4f} ± {row['error']:.4f}" for row in mine)
            shown.add_row(name, surrogate, *cells, f"{mine[0]['plain']:.4f}")
    Console(width=110).print(shown)
    write("eban-anchors", {"rows": found, "summary": made, "machine": machine()})


if __name__ == "__main__":
    main()
