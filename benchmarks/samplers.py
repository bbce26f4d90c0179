"""Is Contested above Top? One experiment, stated before it was run, on starts and worlds that no sampler was tried on.

Contested was chosen on `mslr` (starts 100 to 145) and `topics` (worlds 5000 to 5299). What is to be confirmed: its MAP,
the mean over the rounds, is above that of Top with p < .01 (paired t-test over runs, two-sided) on `mslr` with RankSVM
and with RankBoost, and on no data and ranker below it with p < .01.

- mslr: the sample's first file is labelled, its second tests (43 queries each), twenty rounds; starts from 1000 on.
- mslr swapped: the second file is labelled, the first tests; Contested was never tried this way round.
- topics: 40 queries of 500 documents, 1% relevant, 24 of them labelled, ten rounds; worlds from 9000 on.
- mq2008: LETOR's folds in turn, five rounds (lists are short); starts from 1000 on.

Five documents per query and round, one relevant and ten others to start with; 25 runs of each, 15 with LambdaMART,
which goes without Diverse.

    python benchmarks/samplers.py [--shared FOLDER] [--quick]
"""

from __future__ import annotations

import os

if __name__ == "__main__":
    os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import harness
from papers.donmez import RANKERS
from papers.donmez_data import of_mq2008, of_mslr

import rankwise as rw
from rankwise.data import RankingData, topics
from rankwise.metrics.comparison._statistics import paired_t
from rankwise.sampling import Simulation, get_sampler

Parts = tuple[RankingData, RankingData]
SAMPLERS = ("top", "contested", "diverse")
RUNS = 25
FIRST_START, FIRST_WORLD = 1000, 9000


@cache
def mslr_files(shared: Path) -> Parts:
    fold = of_mslr(shared, 1)[0]
    return fold.train, fold.test


def topics_world(shared: Path, run: int) -> Parts:
    data = topics(queries=40, documents=500, relevant=0.01, seed=FIRST_WORLD + run)
    is_train = data.qid % 5 < 3
    return data.rows(is_train), data.rows(~is_train)


@cache
def mq2008_folds(shared: Path) -> list[Parts]:
    return [(fold.train, fold.test) for fold in of_mq2008(shared, 1)]


def mq2008(shared: Path, run: int) -> Parts:
    return mq2008_folds(shared)[run % 5]


DATA: dict[str, tuple[Callable[[Path, int], Parts], int]] = {  # with the rounds
    "mslr": (lambda shared, run: mslr_files(shared), 20),
    "mslr swapped": (lambda shared, run: mslr_files(shared)[::-1], 20),
    "topics": (topics_world, 10),
    "mq2008": (mq2008, 5),
}


def rows_of(shared: Path, data: str, ranker: str, runs: int, rounds: int) -> list[dict[str, Any]]:
    samplers = SAMPLERS[:2] if ranker == "lambdamart" else SAMPLERS
    parts = []
    for run in range(runs):
        train, test = DATA[data][0](shared, run)
        seeds = [FIRST_START + run]
        parts.append(
            rw.simulate(train, test, samplers, RANKERS[ranker], rounds=rounds, seeds=seeds, metrics="map", n_jobs=1)
        )
    curves = {sampler: values["map"] for sampler, values in Simulation.concat(parts).values.items()}
    means = {sampler: curve[:, 1:].mean(axis=1) for sampler, curve in curves.items()}
    rows = []
    for sampler in samplers:
        row: dict[str, Any] = {"data": data, "ranker": ranker, "sampler": sampler, "runs": runs}
        row |= {"map": means[sampler].mean(), "above_top": (means[sampler] - means["top"]).mean()}
        row |= {"p": None if sampler == "top" else paired_t(means[sampler], means["top"])}
        row |= {"by_round": curves[sampler].mean(axis=0).tolist()}
        rows.append(row)
        print(
            data, ranker, sampler, f"MAP {row['map']:.4f}, above Top {row['above_top']:+.4f}, p {row['p']}", flush=True
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data"))
    parser.add_argument("--shared", type=Path, default=Path(shared), help="folder with MQ2008 and MSLR-sample")
    parser.add_argument("--quick", action="store_true", help="two runs of one round of RankSVM, nothing written")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for ranker in ["ranksvm"] if options.quick else ("ranksvm", "rankboost", "svmlight", "lambdamart"):
        runs = 2 if options.quick else 15 if ranker == "lambdamart" else RUNS
        for data, (_, rounds) in DATA.items():
            rows += rows_of(options.shared, data, ranker, runs, 1 if options.quick else rounds)
    if not options.quick:
        settings = {sampler: repr(get_sampler(sampler)) for sampler in SAMPLERS}
        rankers = {ranker: repr(RANKERS[ranker]) for ranker in RANKERS}
        harness.write(
            "samplers", {"machine": harness.machine(), "settings": settings, "rankers": rankers, "rows": rows}
        )


if __name__ == "__main__":
    main()
