"""One list with binary labels: is it better to train on the metric from the start, or to start from the log loss?

    python benchmarks/warm_start.py [--splits 8]

Six UCI sets, split at random into 60% to train, 20% to stop on and 20% to judge; trained for AUC and for average
precision (`map` of one list). The baseline is LightGBM's log loss stopped on the same metric; against it, `LambdaMART`
from zero and with `init="logloss"`, after which the λ's take steps of 0.1, 0.2 or 0.5 times the learning rate. Shown
are the mean difference to the baseline and its standard error over splits: `init` and its step come from this table.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import pandas as pd
from harness import machine, write
from rich.console import Console
from rich.table import Table

import rankwise as rw
from rankwise.rankers.trees import _plan as planning

# file, column of the label, value of the positive class
SETS: dict[str, tuple[str, int, str]] = {
    "mammography": ("mammography.csv", -1, "'1'"),
    "oil-spill": ("oil-spill.csv", -1, "1"),
    "hypothyroid": ("hypothyroid.data", 0, "hypothyroid"),
    "sick-euthyroid": ("sick-euthyroid.data", 0, "sick-euthyroid"),
    "spambase": ("spambase.data", -1, "1"),
    "adult": ("adult-train.csv", -1, ">50K"),
}
STARTS: dict[str, tuple[str | None, float]] = {
    "from zero": (None, 0.2),
    "logloss, then 0.1": ("logloss", 0.1),
    "logloss, then 0.2": ("logloss", 0.2),
    "logloss, then 0.5": ("logloss", 0.5),
}
ROUNDS, PATIENCE, RATE = 500, 50, 0.05
Part = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def load(folder: Path, name: str) -> Part:
    """Features as numbers, categories as codes, '?' as missing; labels 0 and 1."""
    file, column, positive = SETS[name]
    table = pd.read_csv(folder / file, header=None, na_values=["?", " ?"], skipinitialspace=True)
    label = table.columns[column]
    y = (table[label].astype(str) == positive).to_numpy(dtype=float)
    codes = [
        part if pd.api.types.is_numeric_dtype(part) else part.astype("category").cat.codes.where(part.notna())
        for _, part in table.drop(columns=label).items()
    ]
    return np.column_stack([np.asarray(code, dtype=np.float64) for code in codes]), y


def log_loss(metric: str, train: Part, valid: Part, seed: int) -> Callable[[Any], Any]:
    name = {"auc": "auc", "map": "average_precision"}[metric]
    model = lgb.LGBMClassifier(n_estimators=ROUNDS, learning_rate=RATE, random_state=seed, verbose=-1)
    model.fit(*train, eval_set=[valid], eval_metric=name, callbacks=[lgb.early_stopping(PATIENCE, True, verbose=False)])
    return lambda X: model.predict_proba(X)[:, 1]


def on_metric(metric: str, start: str, train: Part, valid: Part, seed: int) -> Callable[[Any], Any]:
    init, planning.REFINE_LEARNING_RATE_FACTOR = STARTS[start]
    model = rw.LambdaMART(
        metric,
        n_estimators=ROUNDS,
        learning_rate=RATE,
        early_stopping_rounds=PATIENCE,
        init=init,
        random_state=seed,
    )
    return model.fit(*train, eval_set=valid).predict


def one_split(X: Any, y: Any, metric: str, seed: int) -> dict[str, float]:
    """The metric on the test part, for the baseline and for every start."""
    part = np.random.default_rng(seed).permutation(np.arange(y.size) % 5)
    train, valid, test = ((X[rows], y[rows]) for rows in (part < 3, part == 3, part == 4))
    models = {"log loss": log_loss(metric, train, valid, seed)}
    models |= {start: on_metric(metric, start, train, valid, seed) for start in STARTS}
    return {name: rw.evaluate(test[1], predict(test[0]), None, metric)[metric] for name, predict in models.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("--data", type=Path, default=shared, help="folder with uci/")
    parser.add_argument("--splits", type=int, default=8)
    options = parser.parse_args()
    table = Table(title="difference to LightGBM's log loss stopped on the same metric, ± standard error over splits")
    for column in ("data", "metric", "log loss", *STARTS):
        table.add_column(column)
    rows: list[dict[str, Any]] = []
    for name in SETS:
        X, y = load(options.data / "uci", name)
        for metric in ("auc", "map"):
            values = pd.DataFrame([one_split(X, y, metric, seed) for seed in range(options.splits)])
            gains = values[list(STARTS)].sub(values["log loss"], axis=0)
            mean, error = gains.mean(), gains.std(ddof=1) / np.sqrt(options.splits)
            table.add_row(
                name,
                metric,
                f"{values['log loss'].mean():.4f}",
                *(f"{mean[start]:+.4f} ± {error[start]:.4f}" for start in STARTS),
            )
            differences = {start: {"mean": mean[start], "standard_error": error[start]} for start in STARTS}
            rows.append({"data": name, "metric": metric, "log loss": values["log loss"].mean(), **differences})
    Console(width=140).print(table)
    for start in STARTS:
        print(f"{start}: mean over sets and metrics {np.mean([row[start]['mean'] for row in rows]):+.4f}")
    write("warm_start", {"rows": rows, "splits": options.splits, "machine": machine()})


if __name__ == "__main__":
    main()
