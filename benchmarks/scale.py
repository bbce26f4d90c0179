"""Training from Parquet that does not fit into memory: time per row and peak memory of 10^5, 10^6 and 10^7 rows.

    python benchmarks/scale.py make --rows 1000000 --data /tmp/scale      # once for each size; 10^7 rows take 4 GB
    python benchmarks/scale.py measure --rows 1000000 --data /tmp/scale   # one size, in a process of its own
    python benchmarks/scale.py cluster --rows 1000000 --data /tmp/scale   # the same on two local workers of one thread
    python benchmarks/scale.py show                                       # the table of all that was measured

Rows are web-search-like with 136 features, written in files of 10^5 rows each. Each figure is of one thread.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from harness import RESULTS, machine, peak_from_here, peak_growth, status, write
from rich.console import Console
from rich.table import Table

import rankwise as rw
from rankwise.data import ParquetRows, web
from rankwise.data import write as write_data

FEATURES, DOCUMENTS, AT_ONCE = 136, 100, 100_000
ROUNDS = 5
NAME = "scale"
CONSTANT = 400 << 20  # bytes that the bound allows beside twice the binned size, whatever the number of rows


def make(folder: Path, rows: int) -> None:
    """Files of about 10^5 rows each; the last query of a file is cut so that the sum is exact."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(rows // AT_ONCE):
        data = web(AT_ONCE // DOCUMENTS + 100, DOCUMENTS, FEATURES, seed=number)
        kept = data.rows(np.arange(AT_ONCE))
        qid = kept.qid + number * AT_ONCE
        write_data(replace(kept, qid=qid), folder / f"part.{number}.parquet")


def measure(folder: Path, rows: int) -> dict[str, Any]:
    """Seconds of binning and of a round, and the peak of memory above what the process had before."""
    warm = web(20, 50, FEATURES, seed=0)
    model = rw.LambdaMART("ndcg@10", n_estimators=ROUNDS, num_leaves=31, random_state=0, n_jobs=1)
    small = folder.parent / "small.parquet"
    write_data(warm, small)
    model.fit(small)
    model.predict(small)
    files = ParquetRows.of(str(folder / "part.*.parquet"))
    seconds: dict[str, float] = {}

    def timed(name: str, task: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = task()
        seconds[name] = time.perf_counter() - start
        return result

    peak_predict = peak_growth(lambda: timed("predict", lambda: model.predict(files)))
    rounds: list[float] = []
    peak = peak_growth(
        lambda: timed("fit", lambda: model.fit(files, callbacks=[lambda *_: rounds.append(time.perf_counter())]))
    )
    assert model.n_rows_ == rows
    per_round = float(np.median(np.diff(rounds)))
    binned = rows * FEATURES  # a byte per value, as LightGBM keeps up to 256 bins
    return {
        "rows": rows,
        "parquet_bytes": sum(path.stat().st_size for path in files.paths),
        "binned_bytes": binned,
        "peak_bytes": peak,
        "peak_predict_bytes": peak_predict,
        "within_bound": peak <= 2 * binned + CONSTANT,
        "seconds": seconds | {"round": per_round, "before_rounds": seconds["fit"] - ROUNDS * per_round},
        "microseconds_a_row": {
            "before_rounds": 1e6 * (seconds["fit"] - ROUNDS * per_round) / rows,
            "round": 1e6 * per_round / rows,
            "predict": 1e6 * seconds["predict"] / rows,
        },
    }


def measure_cluster(folder: Path, rows: int) -> dict[str, Any]:
    """Two processes of one thread each: seconds of a round, the peak of each, and whether the trees are the same."""
    from rankwise.rankers.trees.dask import connect

    files = ParquetRows.of(str(folder / "part.*.parquet"))
    model = rw.LambdaMART("ndcg@10", n_estimators=ROUNDS, num_leaves=31, random_state=0, n_jobs=1)
    one = model.fit(files).predict(files)
    rounds: list[float] = []
    with connect("local:2") as client:
        warm = web(100, 50, FEATURES, seed=0)
        model.fit(warm.X, warm.y, qid=warm.qid, client=client)
        before = client.run(peak_from_here)
        start = time.perf_counter()
        model.fit(files, callbacks=[lambda *_: rounds.append(time.perf_counter())], client=client)
        seconds = time.perf_counter() - start
        grown = {address: at - before[address] for address, at in client.run(status, "VmHWM").items()}
        there = model.predict(files, client=client)
    per_round = float(np.median(np.diff(rounds)))
    return {
        "rows": rows,
        "workers": 2,
        "seconds": {"fit": seconds, "round": per_round, "before_rounds": seconds - ROUNDS * per_round},
        "peak_bytes_of_workers": sorted(grown.values()),
        "largest_difference_of_scores": float(np.abs(one - there).max()),
    }


def billion(results: dict[str, Any]) -> dict[str, float]:
    """What 10^9 rows need, by the cost of a row at the largest size that was measured and the slope of memory."""
    small, large = (sorted(results["sizes"].values(), key=lambda one: one["rows"])[k] for k in (0, -1))
    slope = (large["peak_bytes"] - small["peak_bytes"]) / (large["rows"] - small["rows"])
    return {
        "core_hours_before_rounds": large["microseconds_a_row"]["before_rounds"] * 1e3 / 3600,
        "core_minutes_a_round": large["microseconds_a_row"]["round"] * 1e3 / 60,
        "core_hours_100_rounds": large["microseconds_a_row"]["round"] * 1e5 / 3600,
        "core_hours_predict": large["microseconds_a_row"]["predict"] * 1e3 / 3600,
        "memory_bytes_a_row": slope,
        "memory_gigabytes": slope,  # 10^9 rows of so many bytes
        "parquet_gigabytes": large["parquet_bytes"] / large["rows"],
    }


def show(results: dict[str, Any]) -> None:
    table = Table(title="LambdaMART from Parquet, 136 features, 1 thread")
    for column in (
        "rows",
        "µs per row: binning",
        "a round",
        "predicting",
        "bytes per row at peak",
        "binned, GB",
        "peak, GB",
    ):
        table.add_column(column, justify="right")
    for one in sorted(results["sizes"].values(), key=lambda one: one["rows"]):
        cost = one["microseconds_a_row"]
        table.add_row(
            f"{one['rows']:.0e}",
            *(f"{cost[name]:.2f}" for name in ("before_rounds", "round", "predict")),
            f"{one['peak_bytes'] / one['rows']:.0f}",
            f"{one['binned_bytes'] / 1e9:.2f}",
            f"{one['peak_bytes'] / 1e9:.2f}",
        )
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "measure", "cluster", "show"])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=Path("/tmp/rankwise-scale"))
    parser.add_argument("--delete", action="store_true", help="remove the files after measuring them")
    asked = parser.parse_args()
    folder, path = asked.data / str(asked.rows), RESULTS / f"{NAME}.json"
    if asked.what == "make":
        make(folder, asked.rows)
        return
    results = json.loads(path.read_text()) if path.exists() else {"sizes": {}}
    if asked.what == "cluster":
        results["cluster"] = measure_cluster(folder, asked.rows)
        write(NAME, results)
    if asked.what == "measure":
        results |= {"machine": machine("pyarrow", "distributed"), "rounds": ROUNDS, "constant_bytes": CONSTANT}
        results["sizes"][str(asked.rows)] = measure(folder, asked.rows)
        results["billion_rows"] = billion(results) if len(results["sizes"]) > 1 else None
        write(NAME, results)
        if asked.delete:
            shutil.rmtree(folder)
    show(results)


if __name__ == "__main__":
    main()
