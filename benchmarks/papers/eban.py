"""Eban 2017 section 7, on tables with rare positives: does training for an operating point pay at that point?

    python benchmarks/papers/eban.py linear|trees-10x4|trees-30x8|net [--quick] [--tables mammography,oil-spill]
        [--seeds 5] [--methods "cross entropy;ours"]

For each table and seed three quarters of the rows train, a quarter is held out (share of positives kept); every choice
(penalties, numbers of trees and epochs, which of our two models) is made by the training rows alone. Trained once and
judged by every metric: cross entropy, cross entropy with both classes weighing the same, and what ranks (below).
Trained for each metric of its own: Eban 2017's bounds as printed (hinge and log loss in bits, linear models only; each
program solved to a proved gap of 1e-3 where it can be, its penalty chosen by the metric on a quarter of the training
rows), and ours, `RateClassifier`. All of one family have the same features and size. Ours starts from the very model
that cross entropy gave.

- linear: pairwise AUC is RankNet's cost of all pairs, by L-BFGS.
- trees: 10 trees of 4 leaves at a learning rate of 0.3, or 30 of 8 at 0.1. "cross entropy, best rate" has the learning
  rate, from half to three times that, whose log loss is lowest over folds: a control of the size of the steps. Larger
  trees are not trained for a point.
- net: 16 hidden nodes; pairwise AUC is `rw.RankNet`, and LibAUC's APLoss, AUCMLoss and one-way pAUC loss run in an
  environment of their own (`eban_libauc.py`) on the same net, at the better of two learning rates by average precision
  on a fifth of the training rows, with LibAUC's own optimizers and sampler.

Differences are to cross entropy on the same rows, with their standard error over seeds and a paired t-test; a star
marks p < .05. `p_holm` is Holm's over the tables of a metric. Seconds are CPU seconds of one thread; ours has 4 folds
and a model of all rows in them, and so does cross entropy. With `--methods` others are not run, and their rows in the
file of results stay.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import sys
import time
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import minimize
from scipy.stats import ttest_1samp

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import RESULTS, machine, write
from papers.eban_data import TABLES, split, table

import rankwise as rw
from rankwise.objectives import linear_rates, rate_objective
from rankwise.objectives.lambdas._costs import RankNetObjective
from rankwise.rankers.rates._one_vs_rest import fit_from_baselines
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import Rows, folds
from rankwise.rankers.rates.families._base import log_losses
from rankwise.rankers.rates.families._linear import LinearFamily, LinearScorer
from rankwise.rankers.rates.families._trees import TreeFamily

METRICS = ("r@p=0.8", "r@p=0.95", "p@r=0.7", "p@r=0.95", "tpr@fpr=0.01", "aucpr", "f1")
PLAIN, OURS = "cross entropy", "ours"
EBAN = {"Eban 2017's hinge": "hinge", "Eban 2017's log2": "log2"}  # surrogates
PENALTIES = (0.1, 0.01, 1e-3)  # of Eban 2017's programs
TREES = {"trees-10x4": (10, 4, 0.3), "trees-30x8": (30, 8, 0.1)}  # how many, leaves, learning rate
RATE_FACTORS = (0.5, 1.0, 2.0, 3.0)
FIRST_SEED = 1000
MOST = 12_000  # rows of a table that take part
FOLDS = 4
Scores = dict[str, np.ndarray]


def family_of(name: str, seed: int, rate: float | None = None) -> Any:
    if name == "linear":
        return LinearFamily()
    if name in TREES:
        trees, leaves, usual_rate = TREES[name]
        return TreeFamily(trees, leaves, rate or usual_rate, 10, threads=1, seed=seed, categorical=[])
    from rankwise.rankers.rates.families._net import NetFamily

    net = {"torch_module": None, "hidden": (16,), "activation": "relu", "dropout": 0.0}
    return NetFamily(net, 80, 5e-3, 256, seed)


def as_family(name: str, X: Any) -> Any:
    return np.ascontiguousarray(X, dtype=np.float32 if name == "net" else np.float64)


def balanced(rows: Rows) -> Rows:
    share = rows.positive.mean()
    return Rows(rows.X, rows.positive, np.where(rows.positive, 0.5 / share, 0.5 / (1.0 - share)))


def pairwise_linear(rows: Rows, penalty: float) -> LinearScorer:
    objective = RankNetObjective(rows.positive.astype(float))
    pairs = objective.pairs()

    def program(w: np.ndarray) -> tuple[float, np.ndarray]:
        gradient, costs = objective.gradient_and_costs(rows.X @ w)
        return costs.sum() / pairs + 0.5 * penalty * w @ w, rows.X.T @ gradient / pairs + penalty * w

    found = minimize(program, np.zeros(rows.X.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return LinearScorer(found.x, 0.0, penalty)


def choose_penalty(metric: str, rows: Rows, part: tuple[Any, Any], surrogate: str) -> float:
    """Of a program of Eban 2017: the penalty of the best value on rows that it was not trained on."""
    train, valid = (rows.take(some) for some in part)
    values = {}
    for penalty in PENALTIES:
        model = linear_rates(metric, train.X, train.positive, surrogate=surrogate, l2=penalty)
        values[penalty] = rw.evaluate(valid.positive, valid.X @ model.weights, metrics=metric)[metric]
    return max(PENALTIES, key=values.__getitem__)


def best_rate(name: str, rows: Rows, splits: list[Any], seed: int) -> Any:
    """Trees by cross entropy at the learning rate of the lowest log loss over folds."""
    found = []
    for factor in RATE_FACTORS:
        family = family_of(name, seed, factor * TREES[name][2])
        models = family.fit_baselines(rows, splits, refit=True, report=Report())
        parts = [(model, rows.take(others)) for model, (_, others) in zip(models, splits, strict=False)]
        loss = sum(float(log_losses(model.scores(part.X), part.positive).sum()) for model, part in parts)
        found.append((loss, factor, models[-1]))
    return min(found, key=lambda one: one[:2])[2]


def ranked(model: Any, rows: Rows, seed: int) -> Any:
    """A ranker of ours on one list, stopped by a fifth of the rows."""
    (train, valid), *_ = folds(rows.positive, 5, seed)
    y = rows.positive.astype(float)
    return model.fit(rows.X[train], y[train], eval_set=(rows.X[valid], y[valid]))


def fit_plain(family: Any, rows: Rows, splits: list[Any]) -> list[Any]:
    return list(family.fit_baselines(rows, splits, refit=True, report=Report()))


def baselines(name: str, family: Any, rows: Rows, plain: Any, test: Any, seed: int) -> dict[str, Callable[[], Any]]:
    """What is trained once, by name: each gives scores of the test rows."""
    splits = folds(rows.positive, FOLDS, seed)
    made: dict[str, Callable[[], Any]] = {
        "weighted cross entropy": lambda: fit_plain(family, balanced(rows), splits)[-1].scores(test)
    }
    if name == "linear":
        made["pairwise AUC"] = lambda: pairwise_linear(rows, plain.penalty).scores(test)
    elif name in TREES:
        made["cross entropy, best rate"] = lambda: best_rate(name, rows, splits, seed).scores(test)
    else:
        from papers.eban_libauc_nets import libauc_scores

        net = rw.RankNet("auc", hidden=(16,), epochs=300, standardize=False, random_state=seed)
        made["pairwise AUC"] = lambda: ranked(net, rows, seed).predict(test)
        for loss in ("APLoss", "AUCMLoss", "pAUCLoss"):
            made[f"LibAUC {loss}"] = lambda loss=loss: libauc_scores(loss, rows, test, seed)  # type: ignore[misc]
    return made


def cpu_seconds() -> float:
    """Of this process and of those it waited for."""
    return sum(os.times()[:4])


def timed(task: Callable[[], Any]) -> tuple[Any, float]:
    start = cpu_seconds()
    return task(), cpu_seconds() - start


def one_split(name: str, data: Any, seed: int, methods: list[str] | None) -> list[dict[str, Any]]:
    """Rows of results: method, metric, value on the held-out rows, CPU seconds."""
    parts = split(data, seed, shares=(0.75, 0.0), most=MOST)
    positive = parts.train.y == 1
    rows = Rows(as_family(name, parts.train.X), positive, np.ones(positive.size))
    test, family = as_family(name, parts.test.X), family_of(name, seed)
    found: list[dict[str, Any]] = []

    def judge(method: str, scores: Any, seconds: float, metrics: tuple[str, ...] = METRICS, chosen: str = "") -> None:
        result = rw.evaluate(parts.test.y, scores, metrics=list(metrics))
        for metric in metrics:
            row = {"method": method, "metric": metric, "value": result[metric], "seconds": seconds, "chosen": chosen}
            found.append(row)

    splits = folds(positive, FOLDS, seed)
    plain, seconds = timed(lambda: fit_plain(family, rows, splits))
    judge(PLAIN, plain[-1].scores(test), seconds)
    for method, task in baselines(name, family, rows, plain[-1], test, seed).items():
        if methods is None or method in methods:
            judge(method, *timed(task))
    for metric in METRICS:
        objective = rate_objective(metric)
        for method, surrogate in EBAN.items() if name == "linear" else ():
            if methods is None or method in methods:
                start = time.process_time()
                penalty = choose_penalty(metric, rows, splits[0], surrogate)
                model = linear_rates(objective, rows.X, positive, surrogate=surrogate, l2=penalty)
                judge(method, test @ model.weights, time.process_time() - start, (metric,), f"{penalty:g}")
        if methods is not None and OURS not in methods:
            continue
        start = time.process_time()
        model = fit_from_baselines(family, objective, rows, splits, plain, "isotonic", seed, Report())
        took = seconds + time.process_time() - start
        judge(OURS, model.scorer.scores(test), took, (metric,), model.history["chosen"])
    return found


def differences(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By table, method and metric: mean, mean difference to cross entropy, its standard error, paired p."""
    values: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in found:
        values.setdefault((row["table"], row["method"], row["metric"]), {})[row["seed"]] = row["value"]
    made = []
    for (name, method, metric), by_seed in values.items():
        plain = values[name, PLAIN, metric]
        gaps = np.array([by_seed[seed] - plain[seed] for seed in by_seed])
        error = float(gaps.std(ddof=1) / np.sqrt(gaps.size)) if gaps.size > 1 else float("nan")
        p = 1.0 if gaps.size < 2 or error < 1e-12 else float(ttest_1samp(gaps, 0.0).pvalue)
        row = {"table": name, "method": method, "metric": metric, "mean": float(np.mean(list(by_seed.values())))}
        made.append({**row, "difference": float(gaps.mean()), "error": error, "p": p, "seeds": gaps.size})
    for method, metric in {(row["method"], row["metric"]) for row in made}:
        mine = sorted((row for row in made if (row["method"], row["metric"]) == (method, metric)), key=itemgetter("p"))
        highest = 0.0
        for rank, row in enumerate(mine):
            row["p_holm"] = highest = max(highest, min(1.0, (len(mine) - rank) * row["p"]))
    return made


def summary(made: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By method and metric: mean over tables, and on how many the method is significantly better or worse."""
    rows = []
    for method in dict.fromkeys(row["method"] for row in made):
        seconds = float(np.mean([row["seconds"] for row in found if row["method"] == method]))
        for metric in METRICS:
            mine = [row for row in made if row["method"] == method and row["metric"] == metric]
            better = sum(row["p"] < 0.05 and row["difference"] > 0 for row in mine)
            worse = sum(row["p"] < 0.05 and row["difference"] < 0 for row in mine)
            row = {"method": method, "metric": metric, "mean": float(np.mean([one["mean"] for one in mine]))}
            holm = [one["difference"] for one in mine if one["p_holm"] < 0.05]
            row |= {"difference": float(np.mean([one["difference"] for one in mine])), "tables": len(mine)}
            row |= {"better": better, "worse": worse, "seeds": max(one["seeds"] for one in mine)}
            row |= {"better_holm": sum(gap > 0 for gap in holm), "worse_holm": sum(gap < 0 for gap in holm)}
            rows.append({**row, "seconds": seconds})
    return rows


def show(name: str, made: list[dict[str, Any]], totals: list[dict[str, Any]]) -> None:
    ours = Table(title=f"{name}: ours minus cross entropy, ± standard error over seeds")
    for column in ("table", *METRICS):
        ours.add_column(column)
    for one in dict.fromkeys(row["table"] for row in made):
        mine = [row for row in made if row["table"] == one and row["method"] == OURS]
        ours.add_row(one, *(f"{r['difference']:+.4f}±{r['error']:.4f}{'*' * (r['p'] < 0.05)}" for r in mine))
    Console(width=170).print(ours)
    means = Table(title=f"{name}: mean over tables minus cross entropy (significantly better / worse)")
    for column in ("trained on", *METRICS, "CPU s"):
        means.add_column(column)
    for method in dict.fromkeys(row["method"] for row in totals):
        mine = [row for row in totals if row["method"] == method]
        cells = (f"{r['difference']:+.4f} ({r['better']}/{r['worse']})" for r in mine)
        means.add_row(method, *cells, f"{mine[0]['seconds']:.1f}")
    Console(width=170).print(means)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("family", choices=["linear", *TREES, "net"])
    parser.add_argument("--data", type=Path, default=Path(shared), help="folder with uci and kdd99 in it")
    parser.add_argument("--tables", default=",".join(TABLES), help="names with commas between")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", help="names with semicolons between; no others are run")
    parser.add_argument("--quick", action="store_true", help="two tables and two seeds, nothing written")
    options = parser.parse_args()
    names = ["mammography", "oil-spill"] if options.quick else options.tables.split(",")
    seeds = 2 if options.quick else options.seeds
    methods = None if options.methods is None else options.methods.split(";")
    found = []
    for name in names:
        data = table(name, options.data)
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            start = time.process_time()
            found += [{"table": name, "seed": seed, **row} for row in one_split(options.family, data, seed, methods)]
            print(name, seed, f"{time.process_time() - start:.0f} s", flush=True)
    file = RESULTS / f"eban-{options.family}.json"
    if methods is not None and file.exists():
        ran = {row["method"] for row in found} - {PLAIN}
        plain = {(row["table"], row["seed"]) for row in found}  # of which others of the file may need more seeds
        found += [
            row
            for row in json.loads(file.read_text())["rows"]
            if row["method"] not in ran and not (row["method"] == PLAIN and (row["table"], row["seed"]) in plain)
        ]
    made = differences(found)
    totals = summary(made, found)
    show(options.family, made, totals)
    if not options.quick:
        packages = ("torch",) if options.family == "net" else ()
        results = {"rows": found, "differences": made, "summary": totals, "machine": machine(*packages)}
        write(f"eban-{options.family}", results)


if __name__ == "__main__":
    main()
