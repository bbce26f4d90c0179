"""The λ-gradient alone: ours against LightGBM's lambdarank and XGBoost's rank:ndcg, sort included, interleaved.

    python benchmarks/lambdas.py [--quick]

Ours is NDCG over all pairs, plain and with gap normalization: the call that a round of boosting makes. The peers do
not offer their gradient, so they are made to do nothing else: scores enter as initial scores, and `update` is called
on data with one constant feature, where no tree can split.

- LightGBM then computes gradients and gives up. (Checked: its time grows with the truncation level, and a
  squared-error objective takes microseconds in the same setting.)
- XGBoost grows a tree of one leaf. The time of the same with a squared-error objective is taken off.

LightGBM refuses lists of more than 10,000 documents. XGBoost is measured if it is installed (pip install xgboost-cpu).
One thread is timed in CPU seconds, so that what else runs on the machine counts little; two threads by the clock, with
OpenMP's threads waiting passively, which spares the peers from spinning on a machine that is shared.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when the libraries are loaded

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import lightgbm as lgb
import numpy as np
from harness import Row, least_seconds, machine, show, write
from numpy.typing import NDArray

from rankwise.objectives import LambdaObjective

Task = Callable[[], object]

GRADES = [0.5, 0.25, 0.15, 0.07, 0.03]  # shares of the labels 0 to 4
ALL_PAIRS_OF_LIGHTGBM = 10_000  # the longest list that it takes
OURS, GAP = "rankwise", "rankwise, gap norm"
LIGHTGBM_DEFAULT, LIGHTGBM_ALL = "LightGBM, top 30", "LightGBM, all pairs"
XGBOOST_DEFAULT, XGBOOST_ALL, XGBOOST_IDLE = "XGBoost, top 32", "XGBoost, all pairs", "XGBoost, squared error"
ARGSORT = "np.argsort"
BARS = {
    ("6,000 × 120", LIGHTGBM_DEFAULT): 2.0,
    ("6,000 × 120", LIGHTGBM_ALL): 5.0,
    ("10 × 10,000", LIGHTGBM_ALL): 300.0,
    ("1 × 1,000,000", ARGSORT): 1 / 1.2,
}


@dataclass(frozen=True)
class Lists:
    """Queries of equal length, with five grades, and scores that know something of them."""

    queries: int
    documents: int

    @property
    def name(self) -> str:
        return f"{self.queries:,} × {self.documents:,}"

    def data(self) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]:
        rng = np.random.default_rng(0)
        n = self.queries * self.documents
        y = rng.choice(len(GRADES), n, p=GRADES)
        return y, rng.normal(size=n) + 0.3 * y, np.repeat(np.arange(self.queries), self.documents)


def ours(lists: Lists) -> dict[str, Task]:
    y, scores, qid = lists.data()
    plain, gap = (LambdaObjective("ndcg", y, qid, norm=norm) for norm in (None, "gap"))
    return {OURS: lambda: plain.gradients(scores), GAP: lambda: gap.gradients(scores)}


def lightgbm(lists: Lists, threads: int) -> dict[str, Task]:
    if lists.documents > ALL_PAIRS_OF_LIGHTGBM:
        return {}
    y, scores, _ = lists.data()
    tasks: dict[str, Task] = {}
    for name, level in ((LIGHTGBM_DEFAULT, 30), (LIGHTGBM_ALL, lists.documents)):
        settings = {
            "objective": "lambdarank",
            "lambdarank_truncation_level": level,
            "num_threads": threads,
            "verbose": -1,
        }
        data = lgb.Dataset(
            np.zeros((y.size, 1)), y, group=np.full(lists.queries, lists.documents), init_score=scores, params=settings
        )
        tasks[name] = lgb.Booster(settings, data).update
    return tasks


def xgboost(lists: Lists, threads: int) -> dict[str, Task]:
    try:
        import xgboost as xgb
    except ImportError:
        return {}
    y, scores, qid = lists.data()
    data = xgb.QuantileDMatrix(np.zeros((y.size, 1)), y, qid=qid, base_margin=scores, nthread=threads)
    pairs = {XGBOOST_DEFAULT: 32, XGBOOST_ALL: lists.documents}
    if lists.documents > ALL_PAIRS_OF_LIGHTGBM:
        del pairs[XGBOOST_ALL]  # hours
    shared = {"nthread": threads, "max_depth": 1, "tree_method": "hist", "base_score": 0}
    boosters = {
        name: xgb.Booster({**shared, "objective": "rank:ndcg", "lambdarank_num_pair_per_sample": number}, [data])
        for name, number in pairs.items()
    }
    boosters[XGBOOST_IDLE] = xgb.Booster({**shared, "objective": "reg:squarederror"}, [data])
    return {name: lambda booster=booster: booster.update(data, 0) for name, booster in boosters.items()}  # type: ignore[misc]


def measured(lists: Lists, threads: int) -> list[Row]:
    """One case; each task is called once before the clock runs, to compile or to sort out its data."""
    os.environ["RANKWISE_NUM_THREADS"] = str(threads)
    tasks = {**ours(lists), **lightgbm(lists, threads), **xgboost(lists, threads)}
    if threads == 1 and lists.queries == 1:
        scores = lists.data()[1]
        tasks[ARGSORT] = lambda: np.argsort(scores)
    slow = lists.documents > 1000
    for name, task in tasks.items():
        if not (slow and name in (LIGHTGBM_ALL, XGBOOST_ALL)):
            task()
    repeats = {name: 2 if slow and name in (LIGHTGBM_ALL, XGBOOST_ALL) else 12 for name in tasks}
    times = least_seconds(tasks, repeats, time.process_time if threads == 1 else time.perf_counter)
    idle = times.pop(XGBOOST_IDLE, 0.0)
    for name in (XGBOOST_DEFAULT, XGBOOST_ALL):
        if name in times:
            times[name] -= idle
    case = f"{lists.name}, {threads} thread{'s' * (threads > 1)}"
    return [
        Row(case, name, seconds, seconds / times[OURS], BARS.get((lists.name, name))) for name, seconds in times.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the size, to see that it runs")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")  # LightGBM and XGBoost say that no tree can split
    short, long, longest = Lists(300, 120), Lists(2, 3000), Lists(1, 50_000)
    if not quick:
        short, long, longest = Lists(6000, 120), Lists(10, 10_000), Lists(1, 1_000_000)
    rows = [row for threads in (1, 2) for lists in (short, long, longest) for row in measured(lists, threads)]
    show(rows, "λ-gradients of NDCG, sort included")
    engine = "not measured: not installed"
    if find_spec("xgboost"):
        import xgboost

        engine = xgboost.__version__
    if not quick:
        write("lambdas", {"rows": [row.to_dict() for row in rows], "xgboost": engine, "machine": machine()})


if __name__ == "__main__":
    main()
