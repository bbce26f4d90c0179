"""Welleck 2016's baseline on MQ2008: SVMs for the area under the ROC curve, published as SVM-Perf (MAUC .737, MAP
.458).

Welleck 2016 trains a binary model for each relevance class c against all others, by pairs of the whole training set
(SVM-Perf's ROCArea loss knows no queries), and scores by Σ c f_c(d); C in {.1, 1, 10, 100} by the validation part.
Beside it the same within queries, and SVMs that take the grades at once. Folds and metrics as in welleck.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from papers.suehiro_run import Row, merge, today

import rankwise as rw

PENALTIES = (0.1, 1.0, 10.0, 100.0)  # Welleck 2016 section 5
JUDGED = ("mauc", "auc[1]", "auc[2]", "auc", "map", "ndcg@10")
PUBLISHED = {"mauc": 0.737, "map, empty=0": 0.458}
Scorer = Callable[[Any], Any]
Fit = Callable[[Any, Any, Any, float], Scorer]  # X, y, qid, C


def by_class(X: Any, y: Any, qid: Any, C: float) -> Scorer:
    models = {grade: rw.AUCSVM("auc", C=C).fit(X, y == grade, qid=qid) for grade in np.unique(y) if grade > 0}
    return lambda X: sum(grade * model.predict(X) for grade, model in models.items())


METHODS: dict[str, Fit] = {
    "AUCSVM by class (Welleck 2016)": lambda X, y, qid, C: by_class(X, y, None, C),
    "AUCSVM by class within queries": by_class,
    "AUCSVM mauc": lambda X, y, qid, C: rw.AUCSVM("mauc", C=C).fit(X, y, qid=qid).predict,
    "RankSVM mauc": lambda X, y, qid, C: rw.RankSVM("mauc", C=C).fit(X, y, qid=qid).predict,
}


def scores_of(parts: list[Any], fit: Fit) -> tuple[Any, list[float]]:
    """Scores for all parts, each by the model of the fold in which it is the test part; and the C's picked."""
    scores, picked = [np.empty(0)] * 5, []
    for fold in range(5):
        train = [parts[(fold + step) % 5] for step in (0, 1, 2)]
        valid, test = parts[(fold + 3) % 5], (fold + 4) % 5
        X, y, qid = (np.concatenate([getattr(part, field) for part in train]) for field in ("X", "y", "qid"))
        models = {C: fit(X, y, qid, C) for C in PENALTIES}
        best = max(PENALTIES, key=lambda C: rw.evaluate(valid.y, models[C](valid.X), valid.qid, "mauc")["mauc"])
        picked.append(best)
        scores[test] = models[best](parts[test].X)
        print(f"fold {fold + 1}: C = {best:g}", flush=True)
    return np.concatenate(scores), picked


def run(folder: Path, methods: dict[str, Fit], keep: bool) -> None:
    parts = [rw.read(folder / f"S{part}.txt") for part in range(1, 6)]
    y, qid = (np.concatenate([getattr(part, field) for part in parts]) for field in ("y", "qid"))
    rows: list[Row] = []
    for name, fit in methods.items():
        print(name, flush=True)
        scores, picked = scores_of(parts, fit)
        judged = rw.evaluate(y, scores, qid, list(JUDGED))
        # LETOR's own script, and so very likely Welleck 2016, counts per query without a relevant document as 0.
        zero = rw.evaluate(y, scores, qid, "map", empty="0")["map"]
        means = {**{metric: judged[metric] for metric in JUDGED}, "map, empty=0": zero}
        intervals = {metric: judged.interval(metric) for metric in JUDGED}
        rows.append({"method": name, "means": means, "intervals": intervals, "C": picked, "date": today()})
        if keep:
            merge("mq2008", rows, ("method",))
    table = Table(title=f"MQ2008, 5 folds, 784 queries; published for SVM-Perf: {PUBLISHED}")
    for column in ("method", *JUDGED, "map, empty=0"):
        table.add_column(column)
    for row in rows:
        table.add_row(row["method"], *(f"{value:.4f}" for value in row["means"].values()))
    Console(width=130).print(table)
