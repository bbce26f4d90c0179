"""Scores of trees: our tables (kernels/_tree_scoring.py) against LightGBM's predict, one thread, bit-equal.

Models of 136 features on 1 to 10,000 rows, and the first of them on 1,000,000, in processor seconds, in turns.
`first_seconds` is what a process pays before: to compile the kernel where there is no cache, to load it where there is
one, and to make the table of a model.

    python benchmarks/tree_scoring.py
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import lightgbm as lgb
import numpy as np
from harness import least_seconds, machine, write

import rankwise as rw
from rankwise.data import web
from rankwise.rankers._score_functions._tree_table import TreeTable
from rankwise.rankers.trees._predict import MIN_TABLE_ROWS, make_booster_table

FEATURES, THREADS = 136, 1
ROWS = (1, 100, 10_000, 1_000_000)
CALLS = {1: 2000, 100: 200, 10_000: 2}  # of a turn, so that it is longer than a tick of the clock
TURNS = {1_000_000: 2}
BARS = {("100 × 31 leaves", 100): 1.0, ("100 × 31 leaves", 1_000_000): 3.0}
MODELS: dict[str, dict[str, Any]] = {
    "100 × 31 leaves": {"n_estimators": 100, "num_leaves": 31},
    "500 × 31 leaves": {"n_estimators": 500, "num_leaves": 31},
    "100 × 255 leaves": {"n_estimators": 100, "num_leaves": 255, "min_child_samples": 5},
    "100 × 32 leaves, symmetric": {"n_estimators": 100, "num_leaves": 32, "grow_policy": "symmetric"},
}
FIRST = """
import time, numpy as np
from rankwise.rankers._score_functions._functions import Leaf
from rankwise.rankers._score_functions._tree_table import make_table
table = make_table([Leaf(1.0)])
began = time.process_time()
table.scores(np.zeros((8, 1)), 1)
print(time.process_time() - began)
"""


def fitted(**settings: Any) -> lgb.Booster:
    model = rw.LambdaMART("ndcg@10", n_jobs=1, random_state=0, **settings)
    return model.fit(web(queries=300, documents=100, features=FEATURES, seed=0)).boosters_[0]


def compare(name: str, booster: lgb.Booster, table: TreeTable, X: np.ndarray) -> list[dict[str, Any]]:
    found = []
    for count in (n for n in ROWS if n <= len(X)):
        # Other rows in each call: branches that are always the same would be foreseen by the processor.
        calls = CALLS.get(count, 1)
        parts = [X[start : start + count] for start in range(0, min(len(X) - count, 64 * count) + 1, count)]

        def by_engine(parts: list[np.ndarray] = parts, calls: int = calls) -> None:
            for call in range(calls):
                booster.predict(parts[call % len(parts)], raw_score=True, num_threads=THREADS)

        def by_table(parts: list[np.ndarray] = parts, calls: int = calls) -> None:
            for call in range(calls):
                table.scores(parts[call % len(parts)], THREADS)

        same = np.array_equal(
            table.scores(parts[-1], THREADS), booster.predict(parts[-1], raw_score=True, num_threads=THREADS)
        )
        turns = TURNS.get(count, 5)
        seconds = least_seconds({"engine": by_engine, "ours": by_table}, {"engine": turns, "ours": turns})
        ratio, bar = seconds["engine"] / seconds["ours"], BARS.get((name, count))
        row = {
            "model": name,
            "rows": count,
            "lightgbm_us": round(1e6 * seconds["engine"] / calls, 1),
            "rankwise_us": round(1e6 * seconds["ours"] / calls, 1),
            "ratio": round(ratio, 2),
            "bit_equal": same,
            "used": count >= MIN_TABLE_ROWS,
            "bar": bar,
            "reached": same and (bar is None or ratio >= bar),
        }
        found.append(row)
        print(row, flush=True)
    return found


def first_seconds() -> dict[str, float]:
    """Processor seconds of the first score in a process, without and with a cache of compiled code."""
    with tempfile.TemporaryDirectory() as cache:
        found = {}
        for name in ("compiled", "cached"):
            said = subprocess.run(
                [sys.executable, "-c", FIRST],
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
            found[name] = round(float(said.stdout), 3)
    return found


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    first: dict[str, Any] = first_seconds()
    print(first, flush=True)
    made = web(queries=1000, documents=100, features=FEATURES, seed=9).X
    rows: list[dict[str, Any]] = []
    for name, settings in MODELS.items():
        X = made if rows else np.resize(made, (ROWS[-1], FEATURES))
        booster = fitted(**settings)
        began = time.process_time()
        table = make_booster_table(booster)
        assert table is not None
        first[f"table of {name}"] = round(time.process_time() - began, 3)
        rows += compare(name, booster, table, X)
    write(
        "tree_scoring",
        {
            "features": FEATURES,
            "threads": THREADS,
            "dtype": str(made.dtype),
            "first_seconds": first,
            "rows": rows,
            "machine": machine(),
        },
    )


if __name__ == "__main__":
    main()
