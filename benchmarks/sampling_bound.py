"""How far above Top a sampler could be: Top and Lookahead beside samplers that know every label.

"relevant first" labels the relevant documents of each query before all others, the best ranked first. "best batch" fits
the ranker on each of four batches (Top's, Lookahead's, Random's, and relevant documents first) with their true labels,
and takes the batch whose ranker has the highest MAP on the test queries themselves: no choice between these samplers,
round by round, can see more. Worlds are drawn anew (40 queries of 500 documents, 1% relevant, 24 of them labelled), and
tests are paired over worlds, each by its mean over the rounds.

    python benchmarks/sampling_bound.py [--worlds 8] [--rounds 6] [--quick]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import harness
import numpy as np

import rankwise as rw
from rankwise.data import topics
from rankwise.metrics.comparison._statistics import paired_t
from rankwise.sampling import Lookahead, Pool, RandomSampler, Sampler, Simulation, TopRanked

RANKERS = {"RankSVM": rw.RankSVM(), "RankBoost": rw.RankBoost("map", n_estimators=50)}
FIRST_WORLD = 7000  # samplers were tried on worlds from 5000 on
PER_QUERY = 5


@dataclass(frozen=True, eq=False)
class RelevantFirst(Sampler):
    """Relevant documents first, then the best ranked."""

    truth: Any = None

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        scores = pool.scores - pool.scores.max(initial=-np.inf)
        return np.where(self.truth[pool.candidates] > 0, scores - scores.min(initial=0.0) + 1, scores)

    def __repr__(self) -> str:
        return "RelevantFirst()"


@dataclass(frozen=True, eq=False)
class BestBatch(Sampler):
    """The batch whose ranker has the highest MAP on the test queries."""

    truth: Any = None
    test: Any = None

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        samplers = (TopRanked(), Lookahead(), RandomSampler(), RelevantFirst(truth=self.truth))
        batches = [sampler.select(pool, PER_QUERY, int(rng.integers(2**31))) for sampler in samplers]
        best = max(batches, key=lambda rows: self._map(pool, np.concatenate([pool.labelled, rows])))
        return np.isin(pool.candidates, best).astype(float)

    def _map(self, pool: Pool, rows: Any) -> float:
        ranker = pool.refit(rows, self.truth[rows])
        return rw.evaluate(self.test.y, ranker.predict(self.test.X), self.test.qid, "map").means["map"]

    def __repr__(self) -> str:
        return "BestBatch()"


def simulated(ranker: str, world: int, rounds: int) -> Simulation:
    data = topics(queries=40, documents=500, relevant=0.01, seed=world)
    is_train = data.qid % 5 < 3
    train, test = data.rows(is_train), data.rows(~is_train)
    samplers = {
        "top": TopRanked(),
        "lookahead": Lookahead(),
        "relevant first": RelevantFirst(truth=train.y),
        "best batch": BestBatch(truth=train.y, test=test),
    }
    return rw.simulate(
        train,
        test,
        samplers,
        RANKERS[ranker],
        rounds=rounds,
        per_query=PER_QUERY,
        seeds=[world],
        metrics="map",
        n_jobs=1,
    )


def rows_of(ranker: str, simulation: Simulation) -> list[dict[str, Any]]:
    curves = {name: simulation.values[name]["map"] for name in simulation.samplers}
    top = curves["top"][:, 1:].mean(axis=1)
    rows = []
    for name, curve in curves.items():
        means = curve[:, 1:].mean(axis=1)
        row: dict[str, Any] = {"ranker": ranker, "sampler": name, "worlds": len(top), "map": means.mean()}
        row |= {"above_top": (means - top).mean(), "p": None if name == "top" else paired_t(means, top)}
        row |= {"by_round": curve.mean(axis=0).tolist(), "all_labels": simulation.full["map"]}
        rows.append(row)
        print(ranker, f"{name:15s} MAP {row['map']:.4f}, above Top {row['above_top']:+.4f}, p {row['p']}", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=8, help="draws of the data (default: 8)")
    parser.add_argument("--rounds", type=int, default=6, help="of labelling (default: 6)")
    parser.add_argument("--quick", action="store_true", help="two worlds and rounds, nothing written")
    options = parser.parse_args()
    worlds, rounds = (2, 2) if options.quick else (options.worlds, options.rounds)
    parts: dict[str, list[Simulation]] = {ranker: [] for ranker in RANKERS}
    found: list[dict[str, Any]] = []
    for world in range(FIRST_WORLD, FIRST_WORLD + worlds):
        for ranker, simulations in parts.items():
            simulations.append(simulated(ranker, world, rounds))
        if world > FIRST_WORLD:
            found = [row for ranker, done in parts.items() for row in rows_of(ranker, Simulation.concat(done))]
    if not options.quick:
        settings = {"rounds": rounds, "per_query": PER_QUERY, "rankers": {name: repr(r) for name, r in RANKERS.items()}}
        harness.write("sampling-bound", {"machine": harness.machine(), "settings": settings, "rows": found})


if __name__ == "__main__":
    main()
