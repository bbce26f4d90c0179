"""Does training end at a local optimum of the metric? The test of Donmez, Svore & Burges (2009) on MQ2008, fold 1.

    python benchmarks/local_optimum.py [--directions 459] [--data ../shared/data/MQ2008]

LambdaMART with its defaults, stopped on the validation part, and RankSVM, each tried on its own training queries by the
metric it was trained for (RankSVM by both). 459 directions without an improvement would prove with confidence 99% that
fewer than 1% of all directions improve. "moved": a control, each model after what it learned was moved by half the
spread of its scores in a random direction, so that there is something to find. Seconds are CPU time of the test.
"""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path
from typing import Any

import numpy as np
from harness import machine, write
from rich.console import Console

import rankwise as rw

CONFIDENCE = 0.99
MOVED = 0.5  # of the spread of scores


def moved_linear(model: Any, data: rw.RankingData) -> Any:
    """The weights of a linear model, moved in units of its features' deviations."""
    X = np.asarray(data.X, dtype=np.float64)
    deviation = X.std(axis=0)
    step = np.random.default_rng(1).normal(size=X.shape[1]) / np.where(deviation > 0, deviation, np.inf)
    return with_change(model, data, X @ step, lambda moved, size: setattr(moved, "coef_", moved.coef_ + size * step))


def moved_trees(model: Any, data: rw.RankingData) -> Any:
    """The leaf values of all trees, moved."""
    rng, change, moves = np.random.default_rng(1), np.zeros(len(data)), []
    for number, booster in enumerate(model.boosters_):
        for tree, leaves in enumerate(np.asarray(booster.predict(data.X, pred_leaf=True)).T):
            found, at = np.unique(leaves, return_inverse=True)
            step = rng.normal(size=found.size)
            change += step[at] / len(model.boosters_)
            moves += [(number, tree, int(leaf), by) for leaf, by in zip(found, step.tolist(), strict=True)]

    def move(moved: Any, size: float) -> None:
        for number, tree, leaf, by in moves:
            booster = moved.boosters_[number]
            booster.set_leaf_output(tree, leaf, booster.get_leaf_output(tree, leaf) + size * by)

    return with_change(model, data, change, move)


def with_change(model: Any, data: rw.RankingData, change: Any, move: Any) -> Any:
    moved = copy.deepcopy(model)
    move(moved, MOVED * spread(data, model.predict(data)) / spread(data, change))
    return moved


def spread(data: rw.RankingData, scores: Any) -> float:
    query = data.groups.query_of_row()
    means = np.bincount(query, scores) / np.bincount(query)
    return float(np.sqrt(np.mean((scores - means[query]) ** 2)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directions", type=int, default=459)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data" / "MQ2008")
    given = parser.parse_args()
    train = rw.read(*(given.data / f"S{part}.txt" for part in (1, 2, 3)))
    valid = rw.read(given.data / "S4.txt")
    svm = rw.RankSVM().fit(train)
    trees = {
        metric: rw.LambdaMART(metric, random_state=0, n_jobs=1).fit(train, eval_set=valid)
        for metric in ("ndcg@10", "auc")
    }
    cases: list[tuple[str, Any, str]] = []
    for metric, model in trees.items():
        cases += [("LambdaMART", model, metric), ("LambdaMART, moved", moved_trees(model, train), metric)]
    for metric in trees:
        cases += [("RankSVM", svm, metric), ("RankSVM, moved", moved_linear(svm, train), metric)]
    rows = []
    for name, model, metric in cases:
        began = time.process_time()
        found = rw.local_optimum(model, train, metric, directions=given.directions, confidence=CONFIDENCE)
        told = {key: value for key, value in found.to_dict().items() if key != "values"}
        rows.append({"model": name, **told, "seconds": time.process_time() - began})
        Console().print(f"[bold]{name}, {metric}[/bold]\n{found}\n")
    write("local_optimum", {"machine": machine(), "rows": rows})


if __name__ == "__main__":
    main()
