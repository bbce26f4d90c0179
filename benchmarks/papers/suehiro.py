"""Suehiro 2011 section 5: margins over pairs, exactly and in linear size, against RankBoost.

    python benchmarks/papers/suehiro.py [all|balanced|skewed|uci|reuters|times] [--draws 10] [--jobs 2] [--minutes M]

- balanced, skewed: tables 1 and 2, r-of-k threshold functions with noisy labels (suehiro_data.py).
- uci, reuters: tables 3 and 4 (suehiro_reuters.py); methods in suehiro_methods.py, cross-validation in suehiro_run.py.
- times: table 5 (suehiro_times.py).

What is measured is written to results/suehiro-<table>.json at once; a run goes on with what the files lack, so that it
may be stopped at any time. `--again` measures anew. Welleck 2016's SVMs on MQ2008 are in suehiro_mq2008.py.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from papers import suehiro_run, suehiro_times
from papers.eban_data import Binary, table
from papers.suehiro_data import UCI, r_of_k
from papers.suehiro_methods import HEURISTIC, LOGISTIC, LONG_RANKBOOST, LP_PAIR, RANKBOOST, WIDE_LP_PAIR, methods
from papers.suehiro_reuters import TOPICS, reuters
from papers.suehiro_run import Unit, picked

TABLES = ("balanced", "skewed", "uci", "reuters")
RATIOS = {"balanced": ("5:5",), "skewed": ("7:3", "9:1")}
# Table 2 has one figure for the three noises, which by its size is that of 5% (suehiro_published.py).
NOISES = {"balanced": (0.05, 0.1, 0.15), "skewed": (0.05,)}
RS = (1, 8, 15)
DRAWS = {"uci": 3, "reuters": 1}  # of folds; other tables have as many draws of data as are asked for
LONG_RANKBOOST_DRAWS = 1  # in which RankBoost has 10,000 rounds, not only 500 or 1,000


def uci(name: str, folder: Path, seed: int) -> Binary:
    return table(name, folder)


def topic(name: str, folder: Path, seed: int) -> Binary:
    return reuters(folder).about(name)


def data_sets(name: str, folder: Path) -> dict[str, Any]:
    """Functions of a seed, by the name of what they return."""
    if name == "uci":
        return {data: partial(uci, data, folder) for data in UCI}
    if name == "reuters":
        return {data: partial(topic, data, folder) for data in TOPICS}
    return {
        f"{ratio} r={r} noise={noise:g}": partial(r_of_k, 1000, ratio, r, noise)
        for ratio in RATIOS[name]
        for noise in NOISES[name]
        for r in RS
    }


def units(name: str, options: argparse.Namespace) -> list[Unit]:
    """All of a table, the first draw first; the margin methods before the others."""
    known, artificial = data_sets(name, options.data), name in RATIOS
    names = [LP_PAIR, HEURISTIC, LOGISTIC, RANKBOOST, LONG_RANKBOOST]
    names += [WIDE_LP_PAIR] if artificial else ["LP-Pair on stumps"] if name == "uci" else []
    # 5.1: "As hypotheses, we use N Boolean variables themselves"; words of 5.3 have no negatives either
    rounds = (500 if artificial else 1000, 5000, 10_000)
    make = partial(methods, rounds, negatives=name == "uci", stumps=name == "uci")
    made = []
    for draw in range(min(options.draws, DRAWS.get(name, options.draws))):
        for data in picked(options.only, known):
            for method in picked(options.methods, names):
                if method == LONG_RANKBOOST and draw >= LONG_RANKBOOST_DRAWS:
                    continue
                made.append(Unit(name, data, method, draw, known[data], make, nested=not artificial))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("table", nargs="?", default="all", choices=["all", *TABLES, "times"])
    parser.add_argument("--data", type=Path, default=Path(shared), help="folder with uci and reuters21578.tar.xz")
    parser.add_argument("--only", help="data sets (or numbers of rows, for times) with commas between")
    parser.add_argument("--methods", help="names with commas between")
    parser.add_argument("--draws", type=int, default=10, help="draws of artificial data")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="after which nothing more is started")
    parser.add_argument("--again", action="store_true", help="measure anew what the files have")
    options = parser.parse_args()
    chosen = TABLES if options.table == "all" else (options.table,) if options.table in TABLES else ()
    todo = [unit for name in chosen for unit in units(name, options)]
    todo.sort(key=lambda unit: (unit.table in DRAWS, unit.draw, unit.method == LONG_RANKBOOST))
    if todo:
        suehiro_run.run(todo, options.jobs, options.minutes, options.again)
    if options.table in ("all", "times"):
        times = options.table == "times"
        sizes = picked(options.only if times else None, suehiro_times.SIZES)
        suehiro_times.run(sizes, picked(options.methods if times else None, suehiro_times.METHODS))


if __name__ == "__main__":
    main()
