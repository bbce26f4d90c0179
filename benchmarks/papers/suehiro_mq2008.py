"""Welleck 2016's baseline on MQ2008: SVMs for the area under the ROC curve, published as SVM-Perf (MAUC .737).

    python benchmarks/papers/suehiro_mq2008.py [--data FOLDER]

SVM-Perf with the ROCArea loss knows no queries: a binary model for each relevance class c against all others, by pairs
of the whole training set, and the score Σ c f_c(d). AUCSVM is that by itself for more than two labels. Welleck 2016
chooses SVM-Perf's c from {.1, 1, 10, 100} on the validation part; AUCSVM's C, of a mean of hinges, is 100 c.
SVM-Perf takes features as they are. RankSVM, within queries, stands beside it. Folds and metrics as in welleck.py.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness

import rankwise as rw

SVM_PERF_PENALTIES = (0.1, 1.0, 10.0, 100.0)  # c, Welleck 2016 section 5
C_PER_SVM_PERF_C = 100.0
DEPTHS = range(1, 11)
METRICS = ("mauc", "auc[1]", "auc[2]", "auc", "map", "ndcg@10", *(f"p-micro@{k}" for k in DEPTHS))
PUBLISHED = {"mauc": 0.737, "map, empty=0": 0.458}


@dataclass(frozen=True)
class Method:
    make: Callable[[float], Any]
    penalties: tuple[float, ...]  # C


PERF = tuple(C_PER_SVM_PERF_C * c for c in SVM_PERF_PENALTIES)
METHODS = {
    "AUCSVM by class, features as they are (SVM-Perf)": Method(
        lambda C: rw.AUCSVM("mauc", C=C, standardize=False, max_iter=2000), PERF
    ),
    "AUCSVM by class": Method(lambda C: rw.AUCSVM("mauc", C=C, max_iter=2000), PERF),
    "RankSVM": Method(lambda C: rw.RankSVM("mauc", C=C), (0.1, 1.0, 10.0, 100.0)),
}


def scores_of(parts: list[Any], method: Method) -> tuple[Any, list[float]]:
    """Scores for all parts, each by the model of the fold in which it is the test part; and the C's picked."""
    scores, picked = [np.empty(0)] * 5, []
    for fold in range(5):
        train = [parts[(fold + step) % 5] for step in (0, 1, 2)]
        valid, test = parts[(fold + 3) % 5], (fold + 4) % 5
        X, y, qid = (np.concatenate([getattr(part, field) for part in train]) for field in ("X", "y", "qid"))
        models = {C: method.make(C).fit(X, y, qid=qid) for C in method.penalties}
        best = max(models, key=lambda C: rw.evaluate(valid.y, models[C].predict(valid.X), valid.qid, "mauc")["mauc"])
        picked.append(best)
        scores[test] = models[best].predict(parts[test].X)
        print(f"fold {fold + 1}: C = {best:g}", flush=True)
    return np.concatenate(scores), picked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(shared) / "MQ2008", help="folder with S1.txt to S5.txt")
    folder = parser.parse_args().data
    parts = [rw.read(folder / f"S{part}.txt") for part in range(1, 6)]
    y, qid = (np.concatenate([getattr(part, field) for part in parts]) for field in ("y", "qid"))
    rows: list[dict[str, Any]] = []
    for name, method in METHODS.items():
        print(name, flush=True)
        scores, picked = scores_of(parts, method)
        means = rw.evaluate(y, scores, qid, list(METRICS))
        # LETOR's own script, and so very likely Welleck 2016, counts a query without a relevant document as 0.
        zero = rw.evaluate(y, scores, qid, "map", empty="0")["map"]
        row = {"method": name, "means": {**{metric: means[metric] for metric in METRICS}, "map, empty=0": zero}}
        row |= {"intervals": {metric: means.interval(metric) for metric in METRICS}, "C": picked}
        rows.append(row | {"penalties": method.penalties, "date": time.strftime("%Y-%m-%d")})
    harness.write("suehiro-mq2008", {"rows": rows, "published": PUBLISHED, "machine": harness.machine()})
    table = Table(title=f"MQ2008, 5 folds, 784 queries; published for SVM-Perf: {PUBLISHED}")
    columns = ("mauc", "map, empty=0", "map", "ndcg@10", "auc")
    for column in ("method", *columns):
        table.add_column(column)
    for row in rows:
        table.add_row(row["method"], *(f"{row['means'][column]:.4f}" for column in columns))
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
