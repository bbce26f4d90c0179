"""How LambdaMART's defaults were chosen: one parameter changed at a time, judged on data that no benchmark tests on.

    python benchmarks/tune_lambdamart.py [--seeds 2]

- MQ2008: trained on three parts of a fold and judged on its validation part, five folds.
- MSLR-sample: five folds of its training file.
- `rankwise.data.web`: 600 queries to train, 600 others to judge, from another seed than benchmarks/lambdamart.py has.

Trained on NDCG@10 and on AUC, 100 trees of 31 leaves at a rate of 0.1. A default is kept unless another value is better
on the three together; a difference below about 0.003 on MQ2008 or 0.0015 on web is noise. `cut-off` is how far down the
λ's of NDCG@10 reach, in cut-offs (`Metric.for_training`); `start` what is trained first (`init`).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from harness import machine, write
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import rankwise as rw
from rankwise.data import web
from rankwise.metrics.catalogue import _dcg as dcg

Folds = list[tuple[rw.RankingData, rw.RankingData]]

CHANGES: dict[str, dict[str, Any]] = {
    "the defaults": {},
    "cut-off as it is": {"reach": 1},
    "no cut-off": {"reach": 10**6},
    "min_sum_hessian_in_leaf 0.001": {"min_sum_hessian_in_leaf": 1e-3},
    "min_sum_hessian_in_leaf 5": {"min_sum_hessian_in_leaf": 5.0},
    "reg_lambda 0": {"reg_lambda": 0.0},
    "reg_lambda 1": {"reg_lambda": 1.0},
    "reg_lambda 20": {"reg_lambda": 20.0},
    "min_child_samples 50": {"min_child_samples": 50},
    "max_bin 63": {"max_bin": 63},
    "max_bin 127": {"max_bin": 127},
    "max_bin 255": {"max_bin": 255},
    "learning_rate 0.05": {"learning_rate": 0.05},
    "learning_rate 0.2": {"learning_rate": 0.2},
    "norm None": {"norm": None},
    "sigma 2": {"sigma": 2.0},
    "query_subsample 0.5": {"query_subsample": 0.5},
    "colsample_bytree 0.5": {"colsample_bytree": 0.5},
    "start logloss": {"init": "logloss"},
    "start l2": {"init": "l2"},
}


def mq2008(folder: Path) -> Folds:
    parts = [folder / "MQ2008" / f"S{part}.txt" for part in range(1, 6)]
    return [(rw.read(*(parts[(f + s) % 5] for s in range(3))), rw.read(parts[(f + 3) % 5])) for f in range(5)]


def mslr(folder: Path) -> Folds:
    data = rw.read(folder / "MSLR-sample" / "msn1.fold1.train.5k.txt")
    fold = data.groups.query_of_row() % 5
    return [(data.rows(fold != f), data.rows(fold == f)) for f in range(5)]


def generated(_: Path) -> Folds:
    data = web(1200, 100, seed=1)
    is_train = data.groups.query_of_row() < 600
    return [(data.rows(is_train), data.rows(~is_train))]


CASES: dict[str, Callable[[Path], Folds]] = {"MQ2008": mq2008, "MSLR": mslr, "web": generated}


@contextmanager
def reaching(cutoffs: int) -> Iterator[None]:
    """λ's of NDCG@k that reach this many cut-offs down."""
    before, dcg.REACH = dcg.REACH, cutoffs
    try:
        yield
    finally:
        dcg.REACH = before


def judged(folds: Folds, metric: str, change: dict[str, Any], seeds: int) -> float:
    """Mean of the metric over all queries of all folds and seeds."""
    options = {"colsample_bytree": 0.9, **change}
    values = []
    with reaching(options.pop("reach", dcg.REACH)):
        for seed in range(seeds):
            for train, valid in folds:
                model = rw.LambdaMART(metric, random_state=seed, **options).fit(train.X, train.y, qid=train.qid)
                values.append(rw.evaluate(valid.y, model.predict(valid.X), valid.qid, metric).per_query[metric])
    return float(np.nanmean(np.concatenate(values)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("--data", type=Path, default=shared, help="folder with MQ2008 and MSLR-sample")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    cases = {name: make(options.data) for name, make in CASES.items()}
    columns = [(case, metric) for case in cases for metric in ("ndcg@10", "auc")]
    rows: list[dict[str, Any]] = []
    table = Table(title="validation values, one change at a time")
    for column in ("change", *(f"{case} {metric}" for case, metric in columns)):
        table.add_column(column)
    with Progress() as progress:
        task = progress.add_task("training", total=len(CHANGES) * len(columns))
        for name, change in CHANGES.items():
            row: dict[str, Any] = {"change": name}
            for case, metric in columns:
                row[f"{case} {metric}"] = judged(cases[case], metric, change, options.seeds)
                progress.advance(task)
            rows.append(row)
            table.add_row(name, *(f"{row[f'{case} {metric}']:.4f}" for case, metric in columns))
    Console(width=140).print(table)
    write("tune_lambdamart", {"rows": rows, "seeds": options.seeds, "machine": machine()})


if __name__ == "__main__":
    main()
