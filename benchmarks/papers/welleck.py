"""Welleck 2016, tables 1 to 3 and figure 2, on MQ2008: LambdaMART by the paper's λ's beside SVMs for AUC.

    python benchmarks/papers/welleck.py [--data ../shared/data/MQ2008]

Five folds as published; every test query is judged once, so that the 784 values of two systems are paired. Systems are
in welleck_systems.py; `letor.py` runs the same on data that users own, such as Yahoo's. Results go to
results/welleck.json by data set.
"""

from __future__ import annotations

import os

os.environ.setdefault("RANKWISE_NUM_THREADS", "1")

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers.letor_data import LETOR, Fold, folds
from papers.welleck_published import TABLE_1, TABLE_2, TABLE_3
from papers.welleck_systems import RAW, STANDARDIZED, Scores, defaults_name, published_name, score, systems

import rankwise as rw

PRECISIONS = tuple(f"p-micro@{k}" for k in range(1, 11))  # on rankings, macro precision is the same number
# LETOR's own script, and so very likely Welleck 2016, counts a query without a relevant document as 0.
ZERO = ("map", *PRECISIONS)


def measure(data: Iterable[Fold], metric: str, quick: bool = False) -> dict[str, Any]:
    """Means and intervals of every system, and paired tests, for data that is judged by `metric`, auc or mauc."""
    found = score(data, systems(metric, quick))
    grades = [f"auc[{grade:g}]" for grade in np.unique(found.y[found.y > 0])] if metric == "mauc" else []
    judged = tuple(dict.fromkeys((metric, *grades, "auc", "ndcg@10", "map")))
    return {
        "metric": metric,
        "queries": int(found.qid[-1]) + 1,
        "rows": int(found.y.size),
        "folds": int(found.fold[-1]) + 1,
        "systems": {name: means(found, name, judged) for name in found.scores},
        "tests": paired_tests(found, metric, judged),
        "picked on validation": {name: of for name, of in found.picked.items() if of[0] is not None},
        "left out": int(rw.evaluate(found.y, found.y, found.qid, metric).left_out[metric].count),
        "cpu seconds": {name: round(seconds, 1) for name, seconds in found.cpu_seconds.items()},
        "machine": harness.machine(),
    }


def means(found: Scores, name: str, judged: tuple[str, ...]) -> dict[str, Any]:
    """By metric: the mean over queries with its interval, and the mean of the folds' means, as published."""
    rows = {}
    for metrics, empty in ((judged, "skip"), (ZERO, "0")):
        result = rw.evaluate(found.y, found.scores[name], found.qid, list(metrics), empty=empty)
        _, first = np.unique(found.qid, return_index=True)
        of_query = found.fold[first]
        for metric in metrics:
            values = result.per_query[metric] if empty == "skip" else np.nan_to_num(result.per_query[metric])
            by_fold = [float(np.nanmean(values[of_query == fold])) for fold in np.unique(of_query)]
            row = {
                "mean": result[metric],
                "interval": result.interval(metric),
                "mean of folds": float(np.mean(by_fold)),
            }
            rows[metric if empty == "skip" else f"{metric}, empty=0"] = row
    return rows


def paired_tests(found: Scores, metric: str, judged: tuple[str, ...]) -> list[dict[str, Any]]:
    """Trees against SVMs, and trees trained on `metric` against those trained on others."""
    ours = published_name(metric)
    trees = [name for name in found.scores if name.startswith("LambdaMART-") and name != ours]
    pairs = [(name, svm) for name in (ours, defaults_name(metric)) for svm in (RAW, STANDARDIZED)]
    rows = []
    for a, b in (*pairs, *((ours, name) for name in (*trees, defaults_name(metric)))):
        both = {name: found.scores[name] for name in (a, b)}
        for metrics, empty in ((judged, "skip"), (ZERO, "0")):
            for test in rw.compare(found.y, both, found.qid, list(metrics), empty=empty).tests:
                row = {"metric": test.metric if empty == "skip" else f"{test.metric}, empty=0", "a": a, "b": b}
                row |= {key: getattr(test, key) for key in ("difference", "interval", "fisher_p", "t_p")}
                rows.append(row | {key: getattr(test, key) for key in ("wins", "ties", "losses")})
    return rows


def show(name: str, found: dict[str, Any]) -> None:
    published = published_figures(name)
    title = f"{name}, {found['folds']} folds, {found['queries']:,} queries: mean over queries, 95% interval"
    table = Table(title=title)
    for column in ("judged by", *found["systems"], "published, trees / SVM-Perf"):
        table.add_column(column)
    for metric in next(iter(found["systems"].values())):
        rows = (of[metric] for of in found["systems"].values())
        cells = [f"{row['mean']:.4f} {row['interval'][0]:.4f}–{row['interval'][1]:.4f}" for row in rows]
        table.add_row(metric, *cells, published.get(metric, ""))
    Console(width=190).print(table)
    spent = (f"{system} {seconds:.0f}" for system, seconds in found["cpu seconds"].items())
    print(f"CPU seconds of all fits: {', '.join(spent)}")
    for test in found["tests"]:
        if test["metric"] in (found["metric"], "map, empty=0"):
            low, high = test["interval"]
            print(
                f"{test['metric']}: {test['a']} − {test['b']}: {test['difference']:+.4f} ({low:+.4f} to {high:+.4f}), "
                f"Fisher p {test['fisher_p']:.4f}, won {test['wins']} tied {test['ties']} lost {test['losses']}"
            )


def published_figures(name: str) -> dict[str, str]:
    """Published figures of a data set, by metric."""
    figures = {"mauc": TABLE_1.get(name), "map, empty=0": TABLE_2.get(name)} | (TABLE_3 if name == "Yahoo V1" else {})
    return {metric: f"{pair[0]:.3f} / {pair[1]:.3f}" for metric, pair in figures.items() if pair}


def keep(name: str, found: dict[str, Any]) -> None:
    """Write the results of a data set beside those of others."""
    path = harness.RESULTS / "welleck.json"
    before = json.loads(path.read_text())["data"] if path.exists() else {}
    harness.write("welleck", {"data": before | {name: found}})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(shared) / "MQ2008", help="folder with S1.txt to S5.txt")
    found = measure(folds(parser.parse_args().data, LETOR[-1]), "mauc")
    show("MQ2008", found)
    keep("MQ2008", found)


if __name__ == "__main__":
    main()
