"""Do the intervals of one list cover what they say, and do its tests err as often as they say?

    python benchmarks/one_list.py

Scores of positives and negatives are normal, 1.5 deviations apart. Of each size, DATA_SETS lists are drawn. An interval
is to cover the mean value over such lists; a list without one (all samples alike) counts as not covered. A metric that
takes the best threshold in hindsight is above that of the population, and so is its interval: "population" says how
often it covers that. Two systems see the positives through noise of their own, equally strong: a test at 5% should
call 5% of them different.
"""

from __future__ import annotations

import time

import numpy as np
from harness import machine, write

import rankwise as rw

DATA_SETS = 300
SIZES = ((30, 150), (100, 900))
METRICS = ("auc", "r@p=0.7", "tpr@fpr=0.05", "map", "ndcg@10")
MEAN_LISTS = 3000
POPULATION = 1_000_000
ALPHA = 0.05


def one_system(rng: np.random.Generator, positives: int, negatives: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat([1.0, 0.0], [positives, negatives])
    return y, rng.normal(size=y.size) + 1.5 * y


def two_systems(rng: np.random.Generator, positives: int, negatives: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    y, shared = one_system(rng, positives, negatives)
    return y, {name: shared + 0.7 * rng.normal(size=y.size) for name in "ab"}


def means(positives: int, negatives: int) -> dict[str, float]:
    """Over lists of this size, which are the queries of one evaluation."""
    rng = np.random.default_rng(10)
    lists = [one_system(rng, positives, negatives) for _ in range(MEAN_LISTS)]
    y, scores = (np.concatenate(part) for part in zip(*lists, strict=True))
    return rw.evaluate(y, scores, np.repeat(np.arange(MEAN_LISTS), positives + negatives), METRICS).means


def coverage(positives: int, negatives: int) -> list[dict[str, object]]:
    share = positives / (positives + negatives)
    y, scores = one_system(np.random.default_rng(11), round(POPULATION * share), round(POPULATION * (1 - share)))
    population, mean = rw.evaluate(y, scores, metrics=METRICS).means, means(positives, negatives)
    covered: dict[str, list[tuple[bool, bool, float]]] = {metric: [] for metric in METRICS}
    how: dict[str, str] = {}
    rng = np.random.default_rng(12)
    for _ in range(DATA_SETS):
        result = rw.evaluate(*one_system(rng, positives, negatives), metrics=METRICS)
        for metric in METRICS:
            low, high = result.interval(metric)
            covered[metric].append((low <= mean[metric] <= high, low <= population[metric] <= high, high - low))
            how[metric] = result.interval_method(metric)
    rows = []
    for metric, found in covered.items():
        of_mean, of_population, _ = np.mean(found, axis=0)
        widths = np.array([width for _, _, width in found])
        at_k = "@" in metric and "=" not in metric  # a list has no top 10 but for its size
        rows.append(
            {
                "positives": positives, "negatives": negatives, "metric": metric, "method": how[metric],
                "coverage": float(of_mean), "population": None if at_k else float(of_population),
                "width": float(np.nanmean(widths)), "without": int(np.isnan(widths).sum()),
            }
        )  # fmt: skip
    return rows


def false_alarms(positives: int, negatives: int) -> dict[str, float]:
    rng = np.random.default_rng(13)
    called: dict[str, list[bool]] = {metric: [] for metric in METRICS}
    for _ in range(DATA_SETS):
        y, systems = two_systems(rng, positives, negatives)
        for test in rw.compare(y, systems, metrics=METRICS).row_tests:
            called[test.metric].append(test.p < ALPHA)
    return {metric: float(np.mean(found)) for metric, found in called.items()}


def seconds() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for n in (1000, 10_000, 100_000, 1_000_000):
        y, scores = one_system(np.random.default_rng(14), n // 10, n - n // 10)
        for metric in ("auc", "r@p=0.7"):
            result = rw.evaluate(y, scores, metrics=metric)
            start = time.process_time()
            result.interval(metric)
            rows.append({"rows": n, "metric": metric, "cpu_seconds": time.process_time() - start})
    return rows


def main() -> None:
    rows = []
    for size in SIZES:
        alarms = false_alarms(*size)
        rows += [row | {"false_alarms": alarms[str(row["metric"])]} for row in coverage(*size)]
        for row in rows[-len(METRICS) :]:
            print(row, flush=True)
    write("one_list", {"machine": machine(), "data_sets": DATA_SETS, "rows": rows, "seconds": seconds()})


if __name__ == "__main__":
    main()
