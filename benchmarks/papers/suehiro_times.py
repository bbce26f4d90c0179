"""Suehiro 2011 table 5: seconds of a fit on r-of-k data (N=100, k=10, r=3, 5:5, 5% noise, ε=.2), four fifths of m rows.

"LP-Pair by HiGHS" hands all pairs to a solver of linear programs, as Suehiro 2011's LP-Pair did; the others are ours.
Suehiro 2011's sizes are timed over five folds, what took more than ten seconds in the first fold, and larger sizes, on
the first alone. A method that passes LIMIT seconds is not tried on more rows. CPU seconds; HiGHS counts its limit by
the wall clock.

All have Suehiro 2011's hypotheses. At its sizes the value of program (2) is given too: the mean of the ν smallest pair
margins.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests, for the programs as printed
sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers.suehiro_data import folds, r_of_k
from papers.suehiro_run import Row, path_of

import rankwise as rw
from tests.reference.margin_programs import soft_over_pairs

EPSILON = 0.2
LIMIT = 300.0
PAPER_SIZES = (100, 500, 1000, 1500)
SIZES = (*PAPER_SIZES, 10_000, 100_000, 1_000_000)
NAIVE = "LP-Pair by HiGHS"
PUBLISHED = {
    NAIVE: {100: 0.102, 500: 24.51, 1000: 256.78, 1500: 1353.0},
    "Suehiro's method": {100: 0.11, 500: 0.514, 1000: 0.86, 1500: 1.76},
}
Fit = Callable[[Any], Any]  # training rows in, their scores out


def naive(train: Any) -> Any:
    hypotheses = np.hstack([train.X, np.ones((len(train.y), 1))])  # Suehiro 2011 has the constant among them
    plus, minus = hypotheses[train.y == 1], hypotheses[train.y == 0]
    found = soft_over_pairs(plus, minus, EPSILON * len(plus) * len(minus), time_limit=LIMIT)
    return hypotheses @ found.alpha


def ours(method: str) -> Fit:
    def fit(train: Any) -> Any:
        model = rw.MarginRanker("auc", epsilon=EPSILON, method=method, negatives=False)
        return model.fit(train.X, train.y).predict(train.X)

    return fit


METHODS: dict[str, Fit] = {
    NAIVE: naive,
    "LP-Pair": ours("pairs"),
    "reduced": ours("reduced"),
    "Suehiro's method": ours("heuristic"),
}


def pair_value(y: Any, scores: Any) -> float:
    """The largest ρ − Σ ξ/ν for these scores: the mean of the ν smallest pair margins."""
    margins = np.sort(np.subtract.outer(scores[y == 1], scores[y == 0]).ravel()) / 2
    nu = EPSILON * margins.size
    whole = int(nu)
    rest = (nu - whole) * margins[whole] if nu > whole else 0.0
    return float((margins[:whole].sum() + rest) / nu)


def times(fit: Fit, parts: list[Any], values: bool) -> Row:
    """Mean CPU seconds over the parts, None past LIMIT; the value of (2) on the first."""
    seconds: list[float] = []
    found: Row = {}
    for part in parts:
        start = time.process_time()
        try:
            scores = fit(part)
        except TimeoutError:
            return {"seconds": None, "folds": 0, "over": LIMIT}
        seconds.append(time.process_time() - start)
        if values and not found:
            found["value"] = pair_value(part.y, scores)
        if seconds[0] > 10.0:
            break
    return {"seconds": float(np.mean(seconds)), "folds": len(seconds), **found}


def run(sizes: list[int], methods: list[str]) -> None:
    """Measure these anew; the file keeps the others."""
    path = path_of("times")
    old = json.loads(path.read_text())["rows"] if path.exists() else []
    rows: list[Row] = [row for row in old if row["m"] not in sizes or row["method"] not in methods]
    for name in methods:
        METHODS[name](r_of_k(60, "5:5", 3, 0.05, seed=1, k=10))  # compiles
    slow: set[str] = set()
    for m in sizes:
        data = r_of_k(m, "5:5", 3, 0.05, seed=0, k=10)
        small = m <= max(PAPER_SIZES)
        parts = [train for train, _ in folds(data, seed=0)] if small else [next(folds(data, seed=0))[0]]
        for name in methods:
            if name in slow or (name == NAIVE and not small):
                continue
            row = {
                "m": m,
                "method": name,
                **times(METHODS[name], parts, small),
                "published": PUBLISHED.get(name, {}).get(m),
            }
            rows.append({**row, "date": time.strftime("%Y-%m-%d")})
            print(m, name, row["seconds"], row.get("value", ""), flush=True)
            if row["seconds"] is None or row["seconds"] > LIMIT:
                slow.add(name)
        rows.sort(key=lambda row: (row["m"], list(METHODS).index(row["method"])))
        harness.write("suehiro-times", {"rows": rows, "machine": harness.machine("highspy")})
    show(rows)


def show(rows: list[Row]) -> None:
    table = Table(title="Suehiro 2011 table 5: CPU seconds of a fit; ε = 0.2")
    for column in ("m", "method", "seconds", "folds", "published", "value of (2)"):
        table.add_column(column)
    for row in rows:
        seconds = f"over {row['over']:.0f}" if row["seconds"] is None else f"{row['seconds']:.3f}"
        told = "" if row["published"] is None else str(row["published"])
        value = f"{row['value']:.8f}" if "value" in row else ""
        table.add_row(f"{row['m']:,}", row["method"], seconds, str(row["folds"]), told, value)
    Console(width=110).print(table)
