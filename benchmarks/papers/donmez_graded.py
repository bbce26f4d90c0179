"""Donmez 2009's future work on graded data: LossMin with a threshold per border of grades, and answers that are orders.

MQ2008 (grades 0 to 2, short lists): a query starts with one relevant document and two others, three are labelled or
ordered per query and round, six rounds, five folds. The MSLR sample (grades 0 to 4): one and four, five, ten rounds,
five starts. The ranker is RankSVM() everywhere; all runs of a data set start alike.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Literal, get_args

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers.donmez_data import DATA

import rankwise as rw
from rankwise.sampling import LossMin, Simulation, TopRanked, Uncertainty

Answer = Literal["grades", "order"]
PROTOCOLS: dict[str, dict[str, Any]] = {
    "mq2008": {"start": (1, 2), "per_query": 3, "rounds": 6},
    "mslr": {"start": (1, 4), "per_query": 5, "rounds": 10},
}


def samplers(per_query: int) -> dict[str, Any]:
    return {
        "lossmin, one threshold": LossMin(thresholds=1),
        "lossmin, by grades": LossMin(),
        "uncertain": Uncertainty(size=per_query),
        "top": TopRanked(),
        "random": "random",
    }


def run(shared: Path, quick: bool = False) -> None:
    results: dict[str, Any] = {"machine": harness.machine(), "ranker": repr(rw.RankSVM()), "data": {}}
    for name, protocol in PROTOCOLS.items():
        by_answer = {answer: simulate(name, shared, answer, protocol, quick) for answer in get_args(Answer)}
        results["data"][name] = protocol | by_answer
    if not quick:
        rounded = json.loads(json.dumps(results), parse_float=lambda text: float(f"{float(text):.6g}"))
        harness.write("donmez-graded", rounded)


def simulate(name: str, shared: Path, answer: Answer, protocol: dict[str, Any], quick: bool) -> dict[str, Any]:
    settings = protocol | ({"rounds": 2} if quick else {})
    folds = DATA[name](shared, 1)[: 1 if quick else None]
    joined = Simulation.concat(
        [
            rw.simulate(
                fold.train, fold.test, samplers(protocol["per_query"]), seeds=[fold.seed], answer=answer, n_jobs=1,
                **settings,
            )
            for fold in folds
        ]
    )  # fmt: skip
    print(name, answer, joined, sep="\n", flush=True)
    return {
        "runs": len(joined.seeds),
        "full": joined.full,
        "samplers": {
            sampler: {
                metric: {
                    "mean": joined.mean(sampler, metric).tolist(),
                    "half": ((joined.interval(sampler, metric)[1] - joined.interval(sampler, metric)[0]) / 2).tolist(),
                    "over_range": float(joined.over_range(sampler, metric).mean()),
                }
                for metric in joined.metrics
            }
            for sampler in joined.samplers
        },
        "relations": {metric: joined.relation(metric) for metric in joined.metrics},
        "tests": [
            {"metric": test.metric, "a": test.a, "b": test.b, "difference": test.difference, "p_runs": test.p_runs}
            for test in joined.tests
        ],
    }
