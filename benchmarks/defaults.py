"""How the defaults of LambdaMART that follow the data were chosen: whose λ's train which metric, and what capacity.

    python benchmarks/defaults.py surrogates [--seeds 1]
    python benchmarks/defaults.py capacity [--seeds 1]

No test query is looked at: MQ2008 and digits are judged on the validation parts of folds and draws, MSLR-sample and
LightGBM's example by four folds of their training queries, `web` on training queries that are left out. Every row of a
table is one setting, fitted to the training part of each fold; a value is the highest over rounds of the mean over all
held-out queries, the same rounds in all folds, so that a single lucky stop counts for little. The first writes
results/surrogates.json, which `Metric.for_training` follows, the second results/capacity.json, which
`rankers/trees/_capacity.py` follows.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from harness import machine, write
from it_pays_data import DATA, fold_of
from rich.console import Console
from rich.table import Table

import rankwise as rw
from rankwise.data import web

EVERY = 20  # rounds from one value to the next
Part = tuple[rw.RankingData, rw.RankingData]

LAMBDAS: dict[str, dict[str, Any]] = {
    "ndcg@30": {"metric": "ndcg@10", "surrogate": "ndcg@30"},
    "ndcg@30, no gap": {"metric": "ndcg@10", "surrogate": "ndcg@30", "norm": None},
    "ndcg": {"metric": "ndcg", "surrogate": "swap"},
    "map": {"metric": "map", "surrogate": "swap"},
    "err@10": {"metric": "err@10", "surrogate": "swap"},
    "mrr": {"metric": "mrr", "surrogate": "swap"},
    "p@5": {"metric": "p@5", "surrogate": "swap"},
    "bpref": {"metric": "bpref", "surrogate": "swap"},
    "auc": {"metric": "auc", "surrogate": "swap"},
    "pairs of relevance, counted": {"metric": "auc"},
    "pairs of grades, counted": {"metric": "pairs"},
}
SHAPES: dict[str, dict[str, Any]] = {
    f"{policy}, {leaves} leaves, noise {noise:g}": {
        "grow_policy": policy, "num_leaves": leaves, "split_noise": noise, "learning_rate": rate, "n_estimators": rounds
    }
    for policy, leaves, noise, rate, rounds in (
        ("symmetric", 64, 0.0, 0.05, 400), ("symmetric", 64, 2.0, 0.05, 400),
        ("symmetric", 64, 3.0, 0.05, 400), ("symmetric", 16, 2.0, 0.05, 400), ("lossguide", 4, 1.0, 0.1, 200),
        ("lossguide", 8, 0.0, 0.1, 200), ("lossguide", 8, 1.0, 0.1, 200), ("lossguide", 31, 0.0, 0.1, 200),
        ("lossguide", 31, 1.0, 0.1, 200),
    )
}  # fmt: skip


def folds_by_query(data: rw.RankingData, n_folds: int) -> Iterator[Part]:
    query = data.groups.query_of_row()
    fold = np.random.default_rng(0).permutation(data.groups.n_queries) % n_folds
    for number in range(n_folds):
        yield data.rows(fold[query] != number), data.rows(fold[query] == number)


def parts_of(name: str, shared: Path) -> list[Part]:
    if name.startswith("web"):
        data = web(2300, 50, seed=5)
        query = data.groups.query_of_row()
        return [(data.rows(query < int(name[3:])), data.rows(query >= 1500))]
    if name in ("mq2008", "digits"):
        folds = [fold_of(name, shared, number) for number in range(5 if name == "mq2008" else 2)]
        return [(fold.part, fold.valid) for fold in folds]
    return list(folds_by_query(fold_of(name, shared, 0).train, 4))


def values(parts: list[Part], judged: list[str], seeds: int, settings: dict[str, Any]) -> dict[str, float]:
    """By metric the highest value over rounds of the mean over held-out queries."""
    curves = {metric: [] for metric in judged}
    for seed in range(seeds):
        of_seed: dict[str, list[Any]] = {metric: [] for metric in judged}
        for train, held_out in parts:
            model = rw.LambdaMART(**settings, early_stopping_rounds=None, random_state=seed, n_jobs=1).fit(train)
            for metric, curve in staged_values(model, held_out, judged).items():
                of_seed[metric].append(curve)
        for metric, folds in of_seed.items():
            rounds = min(len(curve) for curve in folds)
            curves[metric].append(np.nanmean(np.concatenate([curve[:rounds] for curve in folds], axis=1), axis=1))
    return {metric: float(np.mean([curve.max() for curve in found])) for metric, found in curves.items()}


def staged_values(model: rw.LambdaMART, data: rw.RankingData, judged: list[str]) -> dict[str, Any]:
    """Values of each query by round and metric."""
    found: dict[str, list[Any]] = {metric: [] for metric in judged}
    for number, scores in enumerate(model.staged_predict(data), 1):
        if number % EVERY == 0 or number == model.best_iteration_:
            per_query = rw.evaluate(data, scores, metrics=judged).per_query
            for metric in judged:
                found[metric].append(per_query[metric])
    return {metric: np.array(curve) for metric, curve in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("study", choices=["surrogates", "capacity"])
    parser.add_argument("--data", type=Path, default=shared)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    is_capacity = options.study == "capacity"
    names = ["mq2008", "lightgbm", "digits", *(["web200"] if is_capacity else ["mslr", "web1500"])]
    rows: list[dict[str, Any]] = []
    for name in names:
        parts = parts_of(name, options.data)
        metrics = [m for m in DATA.get(name, DATA["web"]).metrics if m not in ("mauc", "dcg@10")]
        judged = ["ndcg@10", "map", "auc"] if is_capacity else metrics
        settings = {label: {"metric": "ndcg@10", **shape} for label, shape in SHAPES.items()}
        table = Table(title=f"{name}, {len(parts[0][0].y):,} rows to train on")
        for column in ("trained by", *judged, "CPU s"):
            table.add_column(column)
        for label, setting in (settings if is_capacity else LAMBDAS).items():
            start = time.process_time()
            found = values(parts, judged, options.seeds, setting)
            seconds = time.process_time() - start
            rows.append({"data": name, "trained_by": label, "values": found, "cpu_seconds": seconds})
            table.add_row(label, *(f"{found[metric]:.4f}" for metric in judged), f"{seconds:.0f}")
        Console(width=180).print(table)
        write(options.study, {"seeds": options.seeds, "rows": rows, "machine": machine()})


if __name__ == "__main__":
    main()
