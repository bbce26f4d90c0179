"""What bags cost: LambdaMART in several bags against one, on the first fold of MQ2008.

    python benchmarks/bags.py [--bags 8] [--repeats 3] [--json]

Bins are found once, a bag has about two thirds of the rows, and bags are trained at once in threads: all three make
several bags cheaper than so many models. Both models have the default parameters and as many rounds as those have,
without early stopping. Seconds are those of `fit` alone, of CPU (all threads) and by the clock on the wall, the least
of several runs in turns, on one thread and on all cores; those by the clock need a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from harness import machine, write
from lambdamart import folds_of_mq2008
from rich.console import Console
from rich.table import Table

import rankwise as rw


def seconds(train: rw.RankingData, bags: int, threads: int) -> tuple[float, float]:
    """Of CPU and by the clock on the wall, of one fit."""
    model = rw.LambdaMART("ndcg@10", bags=bags, random_state=0, n_jobs=threads)
    cpu, wall = time.process_time(), time.perf_counter()
    model.fit(train)
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=shared / "MQ2008", help="folder with S1.txt to S5.txt")
    parser.add_argument("--bags", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="write benchmarks/results/bags.json")
    options = parser.parse_args()
    train = folds_of_mq2008(options.data)[0].train
    cores = len(os.sched_getaffinity(0))
    seconds(train, 2, cores)  # what is compiled once per machine does not count
    rows = []
    for threads in dict.fromkeys((1, cores)):
        pairs = [[seconds(train, bags, threads) for bags in (1, options.bags)] for _ in range(options.repeats)]
        for place, clock in enumerate(("CPU", "wall")):
            one, several = (min(pair[which][place] for pair in pairs) for which in (0, 1))
            rows.append({"threads": threads, "clock": clock, "one": one, "several": several, "ratio": several / one})
    table = Table(title=f"LambdaMART on MQ2008, {len(train)} rows: {options.bags} bags against one")
    for column in rows[0]:
        table.add_column(column)
    for row in rows:
        table.add_row(*(f"{value:.2f}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=100).print(table)
    if options.json:
        write("bags", {"bags": options.bags, "n_rows": len(train), "rows": rows, "machine": machine()})


if __name__ == "__main__":
    main()
