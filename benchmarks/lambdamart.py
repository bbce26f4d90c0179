"""LambdaMART against the engines that people use: quality and CPU time with one budget of trees, in one run, in turns.

    python benchmarks/lambdamart.py [--seeds 5] [--rows 200000] [--only web]

LightGBM lambdarank and rank_xendcg, and, where they are installed, XGBoost rank:ndcg and rank:map and CatBoost
YetiRank; on MQ2008 (five folds), MSLR-sample, and web-search-like data from `rankwise.data.web`. Every engine grows the
same number of trees of the same size at the same learning rate, without early stopping, on two threads. CPU seconds
are of the training call alone; NDCG@10, MAP and AUC are those of `rw.evaluate`, with Fisher's randomisation over test
queries (values of a query averaged over seeds) against ours.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
from harness import machine, write
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import rankwise as rw
from rankwise.data import web
from rankwise.metrics.statistics import fisher_randomisation

ROUNDS, LEAVES, RATE = 100, 31, 0.1
JUDGED = ("ndcg@10", "map", "auc")
Fit = Callable[[rw.RankingData, int], Callable[[Any], NDArray[np.float64]]]


def ours(metric: str) -> Fit:
    def fit(train: rw.RankingData, seed: int) -> Callable[[Any], NDArray[np.float64]]:
        model = rw.LambdaMART(
            metric, n_estimators=ROUNDS, num_leaves=LEAVES, learning_rate=RATE, colsample_bytree=0.9, random_state=seed
        )
        return model.fit(train.X, train.y, qid=train.qid).predict

    return fit


def lightgbm(objective: str) -> Fit:
    def fit(train: rw.RankingData, seed: int) -> Callable[[Any], NDArray[np.float64]]:
        data = lgb.Dataset(train.X, train.y, group=train.groups.sizes)
        params = {"objective": objective, "num_leaves": LEAVES, "learning_rate": RATE, "num_threads": 2, "seed": seed}
        return lgb.train({**params, "feature_fraction": 0.9, "verbose": -1}, data, ROUNDS).predict

    return fit


def xgboost(objective: str) -> Fit:
    def fit(train: rw.RankingData, seed: int) -> Callable[[Any], NDArray[np.float64]]:
        import xgboost as xgb

        y = np.minimum(train.y, 1) if objective == "rank:map" else train.y
        data = xgb.DMatrix(train.X, label=y, group=train.groups.sizes)
        params = {"objective": objective, "max_leaves": LEAVES, "grow_policy": "lossguide", "eta": RATE, "max_depth": 0}
        model = xgb.train({**params, "nthread": 2, "seed": seed, "colsample_bytree": 0.9}, data, ROUNDS)
        return lambda X: model.predict(xgb.DMatrix(X))

    return fit


def catboost(train: rw.RankingData, seed: int) -> Callable[[Any], NDArray[np.float64]]:
    import catboost as cb

    settings = {"iterations": ROUNDS, "learning_rate": RATE, "max_leaves": LEAVES, "grow_policy": "Lossguide"}
    model = cb.CatBoost({**settings, "loss_function": "YetiRank", "thread_count": 2, "random_seed": seed, "verbose": 0})
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


def folds_of_mq2008(folder: Path) -> list[tuple[rw.RankingData, rw.RankingData]]:
    parts = [folder / f"S{part}.txt" for part in range(1, 6)]
    return [(rw.read(*(parts[(f + s) % 5] for s in range(3))), rw.read(parts[(f + 4) % 5])) for f in range(5)]


def measure(folds: list[tuple[rw.RankingData, rw.RankingData]], seeds: int) -> dict[str, dict[str, Any]]:
    """Per engine: CPU seconds of a fit (the best over seeds, summed over folds), and values of each query."""
    tested = engines()
    cpu: dict[str, list[list[float]]] = {name: [[] for _ in folds] for name in tested}
    values: dict[str, dict[str, list[Any]]] = {name: {m: [] for m in JUDGED} for name in tested}
    for seed in range(seeds):
        per_seed: dict[str, dict[str, list[Any]]] = {name: {m: [] for m in JUDGED} for name in tested}
        for number, (train, test) in enumerate(folds):
            for name, fit in tested.items():  # in turns, so that a slow spell of the machine hits all of them
                start = time.process_time()
                predict = fit(train, seed)
                cpu[name][number].append(time.process_time() - start)
                judged = rw.evaluate(test.y, predict(test.X), test.qid, JUDGED)
                for metric in JUDGED:
                    per_seed[name][metric].append(judged.per_query[metric])
        for name in tested:
            for metric in JUDGED:
                values[name][metric].append(np.concatenate(per_seed[name][metric]))
    return {
        name: {
            "cpu_seconds": sum(min(fold) for fold in cpu[name]),
            "values": {metric: np.nanmean(values[name][metric], axis=0) for metric in JUDGED},
        }
        for name in tested
    }


def report(case: str, found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    reference = {metric: found["rankwise auc" if metric == "auc" else "rankwise ndcg@10"] for metric in JUDGED}
    table = Table(title=f"{case}: mean over queries; in brackets the difference to ours (for AUC: on auc) and its p")
    for column in ("engine", "CPU s", "ours / its CPU", *JUDGED):
        table.add_column(column)
    rows = []
    for name, result in found.items():
        ratio = found["rankwise ndcg@10"]["cpu_seconds"] / result["cpu_seconds"]
        row = {"case": case, "engine": name, "cpu_seconds": result["cpu_seconds"], "ours over its cpu": ratio}
        cells = []
        for metric in JUDGED:
            mine, its = reference[metric]["values"][metric], result["values"][metric]
            judged = ~np.isnan(mine) & ~np.isnan(its)
            difference = float(np.mean(its[judged] - mine[judged]))
            p = fisher_randomisation(its[judged], mine[judged], seed=0)
            row[metric] = {"mean": float(np.nanmean(its)), "difference": difference, "fisher_p": p}
            same = reference[metric] is result
            cells.append(f"{np.nanmean(its):.4f}" + ("" if same else f" ({difference:+.4f}, {p:.3f})"))
        rows.append(row)
        table.add_row(name, f"{result['cpu_seconds']:.1f}", f"{ratio:.2f}", *cells)
    Console(width=140).print(table)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("--data", type=Path, default=shared, help="folder with MQ2008 and MSLR-sample")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the web data (half as many to test on)")
    parser.add_argument("--only", choices=["mq2008", "mslr", "web"], help="one case instead of all three")
    options = parser.parse_args()
    rows = []
    if options.only in (None, "mq2008"):
        rows += report("MQ2008, 5 folds", measure(folds_of_mq2008(options.data / "MQ2008"), options.seeds))
    if options.only in (None, "mslr"):
        files = [options.data / "MSLR-sample" / f"msn1.fold1.{part}.5k.txt" for part in ("train", "test")]
        rows += report("MSLR sample", measure([(rw.read(files[0]), rw.read(files[1]))], options.seeds))
    if options.only in (None, "web"):
        data = web(options.rows * 3 // 200, 100, seed=0)
        is_train = data.groups.query_of_row() < options.rows // 100
        case = f"web, {int(is_train.sum()):,} rows × {data.n_features}"
        rows += report(case, measure([(data.rows(is_train), data.rows(~is_train))], options.seeds))
    budget = {"rounds": ROUNDS, "leaves": LEAVES, "learning rate": RATE, "seeds": options.seeds}
    name = "lambdamart" if options.only is None else f"lambdamart-{options.only}"
    write(name, {"budget": budget, "rows": rows, "machine": machine()})


if __name__ == "__main__":
    main()
