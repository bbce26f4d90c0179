"""What a `RateClassifier` costs and what it is worth, beside a plain fit of the same family and size.

    python benchmarks/rates_cost.py [--quick] [--draws 5] [--tables mammography,oil-spill]

Plain is one fit by cross entropy with the same parameters and no more, by the library that one would use:
`LGBMClassifier`, with an `eval_set` stopped by its log loss as `RateClassifier` stops; scikit-learn's
`LogisticRegression`, its penalty chosen from our list by the `eval_set`, or without one by a quarter of the rows, then
fitted to all, each from the weights of the one before; a net of 16 hidden nodes, with an `eval_set` its best epoch,
without one all epochs. Ours is the whole of `fit`: checks, choice, threshold, calibration. For linear models
`own ratio` is to a plain fit by our solver, which is faster than scikit-learn's.

For each table and draw half of the rows train, a quarter is the `eval_set` (without one, it trains too), a quarter
tests. CPU seconds of one thread, the least of three fits in turns (600 trees: one fit; nets: one of the first draw);
the ratio of a table is that of the sums over draws and objectives. Quality is the metric on the test rows, less that of
the plain model: mean over tables and draws, p by a paired t-test over tables.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
from harness import least_seconds, machine, write
from papers.eban_data import UCI, Binary, split, table
from rich.console import Console
from rich.table import Table
from scipy.stats import ttest_1samp
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

import rankwise as rw
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import Rows, concatenate, folds
from rankwise.rankers.rates.families._base import log_losses
from rankwise.rankers.rates.families._linear import PENALTIES, LinearFamily
from rankwise.rankers.rates.families._trees import EARLY_STOPPING_ROUNDS

OBJECTIVES = ("r@p=0.8", "tpr@fpr=0.01", "aucpr")
FIRST_SEED, MOST = 2000, 12_000
BARS = {"eval_set": 1.5, "folds": 6.0}
LONG = ("trees, 600 × 15", "net")  # cases of which each fit is made once
RATIOS = ("ratio", "own_ratio", "median_ratio", "worst_ratio")
SMALL = {"n_estimators": 30, "num_leaves": 8, "learning_rate": 0.1}
TINY = {"n_estimators": 10, "num_leaves": 4, "learning_rate": 0.3}
CASES: dict[str, dict[str, Any]] = {
    "trees, 600 × 15": {"model": "trees"},
    "trees, 30 × 8": {"model": "trees", **SMALL},
    "trees, 10 × 4": {"model": "trees", **TINY},
    "linear": {"model": "linear"},
    "net": {"model": "net"},
}


def plain_trees(options: dict[str, Any], train: Binary, valid: Binary | None) -> Callable[[Any], Any]:
    size = {"n_estimators": 600, "num_leaves": 15, "learning_rate": 0.05} | options
    model = lgb.LGBMClassifier(**size, min_child_samples=10, n_jobs=1, verbosity=-1, deterministic=True)
    stopping = lgb.early_stopping(EARLY_STOPPING_ROUNDS, verbose=False)
    by = {} if valid is None else {"eval_set": [(valid.X, valid.y)], "callbacks": [stopping]}
    model.fit(train.X, train.y, **by)
    return lambda X: model.predict(X, raw_score=True)


def plain_linear(train: Binary, valid: Binary | None) -> Callable[[Any], Any]:
    scaler = StandardScaler().fit(train.X)
    X, model = scaler.transform(train.X), LogisticRegression(max_iter=1000, warm_start=True)
    learned, judged = (X, train.y), (None if valid is None else (scaler.transform(valid.X), valid.y))
    if judged is None:
        rows, others = folds(train.y == 1, 4, 0)[0]
        learned, judged = (X[rows], train.y[rows]), (X[others], train.y[others])
    lowest, best = np.inf, {}
    for penalty in PENALTIES:
        model.set_params(C=1.0 / (penalty * learned[1].sum())).fit(*learned)
        loss = log_losses(model.decision_function(judged[0]), judged[1] == 1).sum()
        if loss > lowest:
            break
        lowest, best = loss, {"coef_": model.coef_, "intercept_": model.intercept_, "penalty": penalty}
    model.coef_, model.intercept_ = best["coef_"].copy(), best["intercept_"].copy()
    if valid is None:
        model.set_params(C=1.0 / (best["penalty"] * train.y.sum())).fit(X, train.y)
    return lambda X: model.decision_function(scaler.transform(X))


def plain_family(family: Any, dtype: Any, train: Binary, valid: Binary | None) -> Callable[[Any], Any]:
    standardizer = Standardizer.of(train.X)

    def as_rows(part: Binary) -> Rows:
        return Rows(standardizer.apply(part.X).astype(dtype), part.y == 1, np.ones(len(part.y)))

    rows, is_chosen_by_fold = as_rows(train), valid is None and dtype == np.float64
    if valid is not None:
        rows = concatenate(rows, as_rows(valid))
    splits = folds(rows.positive, 4, 0)[:1] if is_chosen_by_fold else []
    if valid is not None:
        splits = [(np.arange(len(train.y)), np.arange(len(train.y), rows.positive.size))]
    model = family.fit_baselines(rows, splits, refit=valid is None, report=Report())[-1]
    return lambda X: model.scores(standardizer.apply(X).astype(dtype))


def plain_fit(options: dict[str, Any], train: Binary, valid: Binary | None, seed: int) -> Callable[[Any], Any]:
    """The plain model's scores of any rows."""
    if options["model"] == "trees":
        return plain_trees({k: v for k, v in options.items() if k != "model"}, train, valid)
    if options["model"] == "linear":
        return plain_linear(train, valid)
    from rankwise.rankers.rates.families._net import NetFamily

    net = {"torch_module": None, "hidden": (16,), "activation": "relu", "dropout": 0.0}
    return plain_family(
        NetFamily(net, 80, 5e-3, 256, check_random_state(seed).randint(2**31 - 1)), np.float32, train, valid
    )


def one_draw(options: dict[str, Any], data: Binary, seed: int, repeats: int) -> list[dict[str, Any]]:
    """With an `eval_set` and without, for each objective: seconds and values of both."""
    parts, found = split(data, seed, most=MOST), []
    for way in BARS:
        train, valid = parts.train, parts.valid
        if way == "folds":
            train, valid = Binary(np.concatenate([train.X, valid.X]), np.append(train.y, valid.y)), None
        eval_set = None if valid is None else (valid.X, valid.y)
        fitted: dict[str, Any] = {}

        def plain(train: Binary = train, valid: Binary | None = valid, fitted: dict[str, Any] = fitted) -> None:
            fitted["plain"] = plain_fit(options, train, valid, seed)

        def ours(objective: str, train: Binary = train, eval_set: Any = eval_set, fitted: Any = fitted) -> None:
            model = rw.RateClassifier(objective, n_jobs=1, random_state=seed, **options)
            fitted[objective] = model.fit(train.X, train.y, eval_set=eval_set)

        def own(train: Binary = train, valid: Binary | None = valid) -> None:
            plain_family(LinearFamily(), np.float64, train, valid)

        tasks: dict[str, Callable[[], object]] = {"plain": plain}
        tasks |= {"own": own} if options["model"] == "linear" else {}
        tasks |= {name: lambda name=name, ours=ours: ours(name) for name in OBJECTIVES}  # type: ignore[misc]
        seconds = least_seconds(tasks, dict.fromkeys(tasks, repeats))
        by_plain = rw.evaluate(parts.test.y, fitted["plain"](parts.test.X), metrics=list(OBJECTIVES))
        for name in OBJECTIVES:
            model = fitted[name]
            row = {"way": way, "objective": name, "trained_for": model.trained_for_, "plain_value": by_plain[name]}
            row |= {"value": model.score(parts.test.X, parts.test.y), "seconds": seconds[name]}
            found.append(row | {f"{name}_seconds": seconds[name] for name in ("plain", "own") if name in seconds})
    return found


def summary(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By case and way: the ratio over all tables and of the worst, the difference, how many were trained for it."""
    made = []
    for case in dict.fromkeys(row["case"] for row in found):
        for way in BARS:
            mine = [row for row in found if (row["case"], row["way"]) == (case, way)]
            ratios, gaps = {}, []
            for name in dict.fromkeys(row["table"] for row in mine):
                of_table = [row for row in mine if row["table"] == name]
                ratios[name] = sum(r["seconds"] for r in of_table) / sum(r["plain_seconds"] for r in of_table)
                gaps.append(float(np.mean([row["value"] - row["plain_value"] for row in of_table])))
            total = sum(row["seconds"] for row in mine) / sum(row["plain_seconds"] for row in mine)
            row = {"case": case, "way": way, "bar": BARS[way], "ratio": total, "ratios": ratios}
            row |= {"median_ratio": float(np.median(list(ratios.values()))), "worst_ratio": max(ratios.values())}
            row |= {"plain_seconds": float(np.mean([row["plain_seconds"] for row in mine]))}
            if "own_seconds" in mine[0]:
                row["own_ratio"] = sum(row["seconds"] for row in mine) / sum(row["own_seconds"] for row in mine)
            row |= {"difference": float(np.mean(gaps)), "tables": len(gaps)}
            row["p"] = float(ttest_1samp(gaps, 0.0).pvalue) if len(gaps) > 1 and np.ptp(gaps) > 0 else 1.0
            row["trained_for"] = float(np.mean([row["trained_for"] != "cross entropy" for row in mine]))
            made.append(row)
    return made


def show(rows: list[dict[str, Any]]) -> None:
    shown = Table(title="RateClassifier beside a plain fit")
    for column in (
        "case",
        "way",
        "plain, s",
        "ratio",
        "own ratio",
        "median",
        "worst",
        "bar",
        "difference",
        "p",
        "trained for it",
    ):
        shown.add_column(column)
    for row in rows:
        bar = f"{row['bar']:g} {'reached' if row['worst_ratio'] <= row['bar'] else 'MISSED'}"
        times = (f"{row[name]:.2f}" if name in row else "" for name in RATIOS)
        quality = (f"{row['difference']:+.4f}", f"{row['p']:.2f}", f"{row['trained_for']:.0%}")
        shown.add_row(row["case"], row["way"], f"{row['plain_seconds']:.3f}", *times, bar, *quality)
    Console(width=130).print(shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(shared), help="folder with uci in it")
    parser.add_argument("--tables", default=",".join(UCI), help="names with commas between")
    parser.add_argument("--cases", default=";".join(CASES), help="names with semicolons between")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="two tables and one draw, nothing written")
    options = parser.parse_args()
    names = ["mammography", "oil-spill"] if options.quick else options.tables.split(",")
    found = []
    for name in names:
        data = table(name, options.data)
        for seed in range(FIRST_SEED, FIRST_SEED + (1 if options.quick else options.draws)):
            for case in options.cases.split(";"):
                if case == "net" and seed > FIRST_SEED:  # fits take seconds
                    continue
                rows = one_draw(CASES[case], data, seed, repeats=1 if case in LONG else 3)
                found += [{"case": case, "table": name, "seed": seed, **row} for row in rows]
        print(name, flush=True)
        made = summary(found)
        if not options.quick:  # after each table, so that a run that is stopped leaves those that are done
            write("rates_cost", {"rows": found, "summary": made, "machine": machine("torch")})
    show(made)


if __name__ == "__main__":
    main()
