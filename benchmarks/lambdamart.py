"""LambdaMART against the engines that people use: quality, CPU time and memory with one budget of trees, in turns.

    python benchmarks/lambdamart.py [--seeds 5] [--rows 200000] [--only web [--engines rankwise,LightGBM]]

LightGBM lambdarank and rank_xendcg, and, where they are installed, XGBoost rank:ndcg and rank:map and CatBoost
YetiRank; on MQ2008 (five folds), MSLR-sample, and web-search-like data from `rankwise.data.web`. Every engine grows the
same number of trees of the same size, without early stopping, on two threads. The learning rate of each is chosen
from `RATES` on validation data by the metric that it is trained on (MQ2008 has such a part in every fold; elsewhere it
is a fifth of the training queries, which are then trained on with the rest); all else is left at each library's
defaults but for a share of 0.9 of the columns in each tree. CPU seconds and memory (above what was held before) are
those of the training call alone; NDCG@10, MAP and AUC are those of `rw.evaluate`, with Fisher's randomization over test
queries (values of a query averaged over seeds) against ours.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
from harness import RESULTS, machine, write
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import rankwise as rw
from rankwise.data import web
from rankwise.metrics.comparison._statistics import fisher_randomization

ROUNDS, LEAVES = 100, 31
RATES = (0.05, 0.1, 0.2)
JUDGED = ("ndcg@10", "map", "auc")
Fit = Callable[[rw.RankingData, float, int], Callable[[Any], NDArray[np.float64]]]


def ours(metric: str) -> Fit:
    def fit(train: rw.RankingData, rate: float, seed: int) -> Callable[[Any], NDArray[np.float64]]:
        model = rw.LambdaMART(
            metric, n_estimators=ROUNDS, num_leaves=LEAVES, learning_rate=rate, colsample_bytree=0.9, random_state=seed
        )
        return model.fit(train.X, train.y, qid=train.qid).predict

    return fit


def lightgbm(objective: str) -> Fit:
    def fit(train: rw.RankingData, rate: float, seed: int) -> Callable[[Any], NDArray[np.float64]]:
        data = lgb.Dataset(train.X, train.y, group=train.groups.sizes)
        params = {"objective": objective, "num_leaves": LEAVES, "learning_rate": rate, "num_threads": 2, "seed": seed}
        return lgb.train({**params, "feature_fraction": 0.9, "verbose": -1}, data, ROUNDS).predict

    return fit


def xgboost(objective: str) -> Fit:
    def fit(train: rw.RankingData, rate: float, seed: int) -> Callable[[Any], NDArray[np.float64]]:
        import xgboost as xgb

        y = np.minimum(train.y, 1) if objective == "rank:map" else train.y
        data = xgb.DMatrix(train.X, label=y, group=train.groups.sizes)
        params = {"objective": objective, "max_leaves": LEAVES, "grow_policy": "lossguide", "eta": rate, "max_depth": 0}
        model = xgb.train({**params, "nthread": 2, "seed": seed, "colsample_bytree": 0.9}, data, ROUNDS)
        return lambda X: model.predict(xgb.DMatrix(X))

    return fit


def catboost(train: rw.RankingData, rate: float, seed: int) -> Callable[[Any], NDArray[np.float64]]:
    import catboost as cb

    settings = {"iterations": ROUNDS, "learning_rate": rate, "max_leaves": LEAVES, "grow_policy": "Lossguide"}
    model = cb.CatBoost(
        {
            **settings,
            "loss_function": "YetiRank",
            "thread_count": 2,
            "random_seed": seed,
            "verbose": 0,
            "allow_writing_files": False,
        }
    )
    model.fit(cb.Pool(train.X, train.y, group_id=train.qid))
    return model.predict


def engines() -> dict[str, Fit]:
    found: dict[str, Fit] = {
        "rankwise ndcg@10": ours("ndcg@10"),
        "rankwise auc": ours("auc"),
        "LightGBM lambdarank": lightgbm("lambdarank"),
        "LightGBM rank_xendcg": lightgbm("rank_xendcg"),
    }
    if importlib.util.find_spec("xgboost"):
        found |= {"XGBoost rank:ndcg": xgboost("rank:ndcg"), "XGBoost rank:map": xgboost("rank:map")}
    if importlib.util.find_spec("catboost"):
        found["CatBoost YetiRank"] = catboost
    return found


@dataclass(frozen=True)
class Fold:
    """What to train on, what to judge by, and a part of either kind to choose the learning rate with."""

    train: rw.RankingData
    test: rw.RankingData
    part: rw.RankingData
    valid: rw.RankingData

    @classmethod
    def split(cls, train: rw.RankingData, test: rw.RankingData) -> Fold:
        held_out = train.groups.query_of_row() % 5 == 0
        return cls(train, test, train.rows(~held_out), train.rows(held_out))


def folds_of_mq2008(folder: Path) -> list[Fold]:
    parts = [folder / f"S{part}.txt" for part in range(1, 6)]
    folds = []
    for f in range(5):
        train, valid, test = rw.read(*(parts[(f + s) % 5] for s in range(3))), parts[(f + 3) % 5], parts[(f + 4) % 5]
        folds.append(Fold(train, rw.read(test), train, rw.read(valid)))
    return folds


def best_rate(name: str, fit: Fit, fold: Fold) -> float:
    """The learning rate of the highest value on the validation data."""
    metric = "auc" if name == "rankwise auc" else "map" if name == "XGBoost rank:map" else "ndcg@10"
    valid = fold.valid
    return max(
        RATES, key=lambda rate: rw.evaluate(valid.y, fit(fold.part, rate, 0)(valid.X), valid.qid, metric)[metric]
    )


def memory(line: str) -> float:
    """A line of this process's status, in MB: VmRSS is what it holds, VmHWM the most that it held."""
    status = Path("/proc/self/status").read_text()
    return float(status.split(f"{line}:")[1].split()[0]) / 1024


def measure(folds: list[Fold], seeds: int, libraries: list[str]) -> dict[str, dict[str, Any]]:
    """Per engine: CPU seconds (the best over seeds, summed over folds), memory, and values of each query."""
    tested = {name: fit for name, fit in engines().items() if name.split()[0] in libraries}
    rates = {name: [best_rate(name, fit, fold) for fold in folds] for name, fit in tested.items()}
    cpu: dict[str, list[list[float]]] = {name: [[] for _ in folds] for name in tested}
    held: dict[str, list[float]] = {name: [] for name in tested}
    values: dict[str, dict[str, list[Any]]] = {name: {m: [] for m in JUDGED} for name in tested}
    for seed in range(seeds):
        per_seed: dict[str, dict[str, list[Any]]] = {name: {m: [] for m in JUDGED} for name in tested}
        for number, fold in enumerate(folds):
            for name, fit in tested.items():  # in turns, so that a slow spell of the machine hits all of them
                gc.collect()
                before = memory("VmRSS")
                Path("/proc/self/clear_refs").write_text("5")  # forgets the most that was held
                start = time.process_time()
                predict = fit(fold.train, rates[name][number], seed)
                cpu[name][number].append(time.process_time() - start)
                held[name].append(memory("VmHWM") - before)
                judged = rw.evaluate(fold.test.y, predict(fold.test.X), fold.test.qid, JUDGED)
                for metric in JUDGED:
                    per_seed[name][metric].append(judged.per_query[metric])
        for name in tested:
            for metric in JUDGED:
                values[name][metric].append(np.concatenate(per_seed[name][metric]))
    return {
        name: {
            "rates": rates[name],
            "cpu_seconds": sum(min(fold) for fold in cpu[name]),
            "peak_mb": max(held[name]),
            "values": {metric: np.nanmean(values[name][metric], axis=0) for metric in JUDGED},
        }
        for name in tested
    }


def report(case: str, found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    reference = {metric: found["rankwise auc" if metric == "auc" else "rankwise ndcg@10"] for metric in JUDGED}
    table = Table(title=f"{case}: mean over queries; in brackets the difference to ours (for AUC: on auc) and its p")
    for column in ("engine", "rates", "CPU s", "ours / its CPU", "MB", *JUDGED):
        table.add_column(column)
    rows = []
    for name, result in found.items():
        ratio = found["rankwise ndcg@10"]["cpu_seconds"] / result["cpu_seconds"]
        row = {"case": case, "engine": name, "cpu_seconds": result["cpu_seconds"], "ours over its cpu": ratio}
        row |= {"rates": result["rates"], "peak_mb": result["peak_mb"]}
        cells = []
        for metric in JUDGED:
            mine, its = reference[metric]["values"][metric], result["values"][metric]
            judged = ~np.isnan(mine) & ~np.isnan(its)
            difference = float(np.mean(its[judged] - mine[judged]))
            p = fisher_randomization(its[judged], mine[judged], random_state=0)
            row[metric] = {"mean": float(np.nanmean(its)), "difference": difference, "fisher_p": p}
            same = reference[metric] is result
            cells.append(f"{np.nanmean(its):.4f}" + ("" if same else f" ({difference:+.4f}, {p:.3f})"))
        rows.append(row)
        rates = " ".join(f"{rate:g}" for rate in sorted(set(result["rates"])))
        table.add_row(name, rates, f"{result['cpu_seconds']:.1f}", f"{ratio:.2f}", f"{result['peak_mb']:.0f}", *cells)
    Console(width=150).print(table)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("--data", type=Path, default=shared, help="folder with MQ2008 and MSLR-sample")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the web data (half as many to test on)")
    parser.add_argument("--only", choices=["mq2008", "mslr", "web"], help="one case instead of all three")
    parser.add_argument("--engines", default="rankwise,LightGBM,XGBoost,CatBoost", help="libraries, ours among them")
    options = parser.parse_args()
    rows, libraries = [], options.engines.split(",")
    if options.only in (None, "mq2008"):
        rows += report("MQ2008, 5 folds", measure(folds_of_mq2008(options.data / "MQ2008"), options.seeds, libraries))
    if options.only in (None, "mslr"):
        files = [options.data / "MSLR-sample" / f"msn1.fold1.{part}.5k.txt" for part in ("train", "test")]
        rows += report(
            "MSLR sample", measure([Fold.split(rw.read(files[0]), rw.read(files[1]))], options.seeds, libraries)
        )
    if options.only in (None, "web"):
        data = web(options.rows * 3 // 200, 100, seed=0)
        is_train = data.groups.query_of_row() < options.rows // 100
        case = f"web, {int(is_train.sum()):,} rows × {data.n_features}"
        rows += report(case, measure([Fold.split(data.rows(is_train), data.rows(~is_train))], options.seeds, libraries))
    for row in rows:
        row |= {"seeds": options.seeds, "rates tried": RATES, "date": time.strftime("%Y-%m-%d")}
    if options.only:  # the other cases and engines stay as they were measured
        kept = json.loads((RESULTS / "lambdamart.json").read_text())["rows"]
        measured = {(row["case"], row["engine"]) for row in rows}
        rows = sorted(
            [row for row in kept if (row["case"], row["engine"]) not in measured] + rows,
            key=lambda row: (row["case"], list(engines()).index(row["engine"])),
        )
    write("lambdamart", {"rounds": ROUNDS, "leaves": LEAVES, "rows": rows, "machine": machine()})


if __name__ == "__main__":
    main()
