"""What a document costs in the λ-gradient of NDCG, sort included, from ten thousand documents to ten million.

    python benchmarks/lambda_growth.py [--quick]

In queries of 100 and in one list, on one thread in CPU seconds, all sizes in turns, and `np.argsort` of the same scores
beside the one list. The slope is that of the logarithm of time over that of documents: 1 is linear. The bar: the
dearest document of a column costs at most twice the cheapest.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Row, least_seconds, machine, show, write
from lambdas import ARGSORT, Lists

from rankwise.objectives import LambdaObjective

QUERIES, ONE_LIST = "queries of 100", "one list"
FLAT = 2.0
MIN_REPEATS, DOCUMENTS = 5, 20_000_000  # each size is repeated until about so many documents are summed


def tasks_of(sizes: list[int]) -> dict[tuple[str, int], Callable[[], object]]:
    """What is timed, by column and number of documents."""
    tasks: dict[tuple[str, int], Callable[[], object]] = {}
    for n in sizes:
        for column, lists in ((QUERIES, Lists(n // 100, 100)), (ONE_LIST, Lists(1, n))):
            y, scores, qid = lists.data()
            objective = LambdaObjective("ndcg", y, qid)
            tasks[column, n] = lambda objective=objective, scores=scores: objective.gradients(scores)
        tasks[ARGSORT, n] = lambda scores=scores: np.argsort(scores)
    return tasks


def growth(sizes: list[int]) -> dict[str, Any]:
    """Nanoseconds per document of each column, and how they grow."""
    os.environ["RANKWISE_NUM_THREADS"] = "1"
    tasks = tasks_of(sizes)
    for task in tasks.values():
        task()  # compiles, which small sizes alone would not
    named = {f"{column}, {n:,}": task for (column, n), task in tasks.items()}
    repeats = {f"{column}, {n:,}": max(MIN_REPEATS, min(400, DOCUMENTS // n)) for column, n in tasks}
    times = least_seconds(named, repeats, time.process_time)
    found: dict[str, Any] = {"sizes": sizes, "columns": {}}
    for column in (QUERIES, ONE_LIST, ARGSORT):
        seconds = np.array([times[f"{column}, {n:,}"] for n in sizes])
        each = 1e9 * seconds / sizes
        found["columns"][column] = {
            "nanoseconds": each.round(1).tolist(),
            "slope": round(float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]), 3),
            "dearest_over_cheapest": round(float(each.max() / each.min()), 2),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="up to 100,000 documents, to see that it runs")
    quick = parser.parse_args().quick
    found = growth([10**power for power in range(4, 6 if quick else 8)])
    rows = []
    for column, costs in found["columns"].items():
        for n, cost in zip(found["sizes"], costs["nanoseconds"], strict=True):
            bar = None if column == ARGSORT else 1 / FLAT
            rows.append(Row(f"{column}, {n:,}", f"{cost} ns", 1e-9 * n * cost, min(costs["nanoseconds"]) / cost, bar))
    show(rows, "λ-gradients of NDCG, ns per document")
    if not quick:
        write("lambda_growth", found | {"machine": machine()})


if __name__ == "__main__":
    main()
