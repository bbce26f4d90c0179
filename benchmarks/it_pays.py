"""What training on the metric buys: trained on × judged by, over metrics, data sets, peers and seeds.

    python benchmarks/it_pays.py [--seeds 5] [--jobs 2] [--before] [--cache FOLDER]
    python benchmarks/it_pays.py --only mq2008 --metrics "ndcg@10 auc map" --seeds 2

Each model has its library's default parameters: `rw.LambdaMART(metric)` for every metric of `it_pays_data.METRICS`,
LightGBM, XGBoost and CatBoost (those that are installed) with their own losses, and `rw.RankSVM`. No fit stops early:
after it, each judged metric chooses its own number of rounds on the validation part, from 50 evenly spaced ones (of
RankSVM, from four values of C), and the test queries are judged there. Seeds are those of the models, for digits draws
of the data. A run (data, fold, seed, model) is one line of the cache and is not done again unless the code of the
model changes; peers are done again when their version changes. One thread per fit; `--jobs` fits at a time.

`--confirm` fits the models of CONFIRMED anew and, if their figures are those of results/it_pays.json, notes there that
the code of today gives them. `--before` adds LambdaMART as it was (`it_pays_models.AS_IT_WAS`). The matrix goes to
results/it_pays.json and two pictures; a part (`--only`, `--metrics`) is printed alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from harness import RESULTS, machine, write
from it_pays_analysis import bars, matrix, mean_over_seeds
from it_pays_data import DATA, METRICS, WEB_ROWS, fold_of
from it_pays_models import AS_IT_WAS, Model, all_models
from it_pays_picture import write_picture
from it_pays_runs import Cache, Run, complete, fit_of, runs_of
from rich.console import Console
from rich.table import Table
from sources import confirm

from rankwise.metrics._names import parse_all

CONFIRMED = ("mq2008", "digits", "web")
"""Data sets whose first model stands for all when figures are confirmed."""


def main() -> None:
    options = parse_options()
    if options.confirm:
        confirm_figures(options)
        return
    wanted = list(parse_all(options.metrics))
    runs, models = {}, {}
    for data in options.only:
        metrics = [metric for metric in wanted if metric in DATA[data].metrics]
        models[data] = all_models(metrics, options.before)
        runs[data] = list(runs_of(data, models[data], options.seeds, options.data))
    cache = Cache(options.cache)
    complete([run for part in runs.values() for run in part], cache, options.data, options.jobs)
    found = [analyse(data, models[data], runs[data], cache, wanted, options) for data in options.only]
    for result in found:
        show(result)
    show_bars([bar for result in found for bar in result["bars"]])
    if options.only == list(DATA) and wanted == list(METRICS):
        packages = ("xgboost", "catboost")
        settings = {"seeds": options.seeds, "web_rows": WEB_ROWS, "as_it_was": AS_IT_WAS}
        write("it_pays", {**settings, "rows": found, "machine": machine(*packages)})
        for dark in (False, True):
            write_picture(RESULTS / f"it_pays{'-dark' * dark}.png", found, dark=dark)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("--data", type=Path, default=shared, help="folder with MQ2008, MSLR-sample and lightgbm-rank")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "it_pays", help="finished runs")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    parser.add_argument("--only", nargs="+", choices=list(DATA), default=list(DATA), help="some of the data sets")
    parser.add_argument("--metrics", default=" ".join(METRICS), help="some of the metrics, to train on and judge by")
    parser.add_argument(
        "--confirm", action="store_true", help="repeat a part, for results that are older than the code"
    )
    parser.add_argument("--before", action="store_true", help="LambdaMART as it was, too")
    return parser.parse_args()


def confirm_figures(options: argparse.Namespace) -> None:
    """Fit the models of CONFIRMED; refuse if any metric has another value than in the results."""
    results = json.loads((RESULTS / "it_pays.json").read_text())
    options.seeds, cache = results["seeds"], Cache(options.cache)
    written = {row["data"]: row for row in results["rows"]}
    for data in CONFIRMED:
        metrics = list(DATA[data].metrics)
        name = f"LambdaMART, {metrics[0]}"
        models = {name: all_models(metrics)[name]}
        runs = list(runs_of(data, models, options.seeds, options.data))
        complete(runs, cache, options.data, options.jobs)
        (remade,) = analyse(data, models, runs, cache, metrics, options)["models"]
        expected = next(row for row in written[DATA[data].name]["models"] if row["model"] == name)
        for metric in metrics:
            figures = [row["judged"][metric]["mean"] for row in (expected, remade)]
            if not math.isclose(*figures, abs_tol=1e-9):
                raise SystemExit(
                    f"{name} on {data} has a {metric} of {figures[1]:.6f}, and of {figures[0]:.6f} in "
                    "results/it_pays.json: run it_pays.py anew"
                )
    confirm("it_pays")
    print("the code of today gives the same figures")


def analyse(
    data: str, models: dict[str, Model], runs: list[Run], cache: Cache, wanted: list[str], options: argparse.Namespace
) -> dict[str, Any]:
    """The matrix of a data set, from the runs that the cache has."""
    metrics = [metric for metric in wanted if metric in DATA[data].metrics]
    values: dict[str, dict[str, Any]] = defaultdict(dict)
    seconds: dict[str, list[float]] = defaultdict(list)
    for name, model in models.items():
        fitted = fit_of(data, model, options.data)
        lines = [(run.fold, cache.lines[run.key]) for run in runs if run.model == fitted]
        seconds[name] = [line["cpu_seconds"] for _, line in lines]
        for metric in metrics:
            folds = defaultdict(list)
            for fold, line in lines:
                folds[fold].append(line["values"][metric])
            values[name][metric] = mean_over_seeds(folds)
    fold = fold_of(data, options.data, 0)
    rows = matrix(models.values(), metrics, values)
    for row in rows:
        row["cpu_seconds"] = median(seconds[row["model"]])  # the first fit of all compiles
    return {
        "data": DATA[data].name,
        "rows_trained_on": len(fold.part.y),
        "test_queries": len(next(iter(values.values()))[metrics[0]]),
        "runs": len(DATA[data].runs(options.seeds)),
        "metrics": metrics,
        "models": rows,
        "bars": bars(DATA[data].name, rows),
    }


def show(result: dict[str, Any]) -> None:
    """The matrix; * is p < .05 after Holm, against ours trained on the judged metric."""
    size = f"{result['rows_trained_on']:,} rows to train on, {result['test_queries']:,} test queries"
    table = Table(title=f"{result['data']}: {size}, {result['runs']} runs; * differs from the diagonal, p < .05")
    for column in ("model", "CPU s", *result["metrics"]):
        table.add_column(column)
    for row in result["models"]:
        cells = []
        for metric, judged in row["judged"].items():
            star = "*" * (judged.get("p_holm", 1.0) < 0.05)
            cells.append(
                f"[b]{judged['mean']:.4f}[/b]" if row["trained_on"] == metric else f"{judged['mean']:.4f}{star}"
            )
        table.add_row(row["model"], f"{row['cpu_seconds']:.2f}", *cells)
    Console(width=45 + 13 * len(result["metrics"])).print(table)


def show_bars(found: list[dict[str, Any]]) -> None:
    table = Table(title="bars: the difference of the other to ours trained on the judged metric")
    for column in ("data", "judged by", "against", "difference", "p", "kept"):
        table.add_column(column)
    for bar in found:
        kept = "yes" if bar["kept"] else "NO"
        cells = (bar["data"], bar["metric"], bar["against"], f"{bar['difference']:+.4f}", f"{bar['p']:.4f}", kept)
        table.add_row(*cells)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
