"""Donmez 2009's table 2, the seconds of a round (fit, score, choose) by sampler, and choosing from a large pool.

"entropy, all pairs" is Entropy as published, a sum over all pairs of documents in compiled loops; ours sums over the
sorted list; "scores alone" only scores all documents, which most samplers begin with. Ratios are to LossMin's round.
The large pool has 1,000 queries of 1,000 documents, with labels of the start and of 1, 5, 10 and 20 rounds; choosing is
compared with refitting RankSVM on the labels so far.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness

import rankwise as rw
from rankwise.data.make._synthetic import topics
from rankwise.sampling import Pool, RankingEntropy, Sampler, sampler_kinds
from rankwise.sampling.simulation._experiment import first_labels
from rankwise.sampling.strategies._lossmin import relevance_chances

REPEATS = 7


@numba.njit  # type: ignore[misc]
def wrong_pairs(p: Any, scores: Any, query: Any, out: Any) -> None:
    """Expected wrong pairs of each document, pair by pair."""
    start = 0
    while start < p.size:
        stop = start
        while stop < p.size and query[stop] == query[start]:
            stop += 1
        for i in range(start, stop):
            total = 0.0
            for j in range(start, stop):
                if scores[j] > scores[i]:
                    total += p[i] * (1 - p[j])
                elif scores[j] < scores[i]:
                    total += (1 - p[i]) * p[j]
                elif j != i:
                    total += 0.5 * (p[i] * (1 - p[j]) + (1 - p[i]) * p[j])
            out[i] = total
        start = stop


@dataclass(frozen=True)
class AllPairs(Sampler):
    """Entropy as published."""

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        order = pool.ascending
        out = np.empty(order.scores.size)
        wrong_pairs(relevance_chances(order), order.scores, order.query, out)
        return order.by_candidate(out)


def labels_after(data: rw.RankingData, rounds: int, per_query: int = 5) -> Any:
    """Labels of the start (1 and 10), and of as many drawn documents as that many rounds label."""
    return first_labels(data.y, data.groups, (1, 10 + per_query * rounds), np.random.default_rng(0))


def seconds(data: rw.RankingData, labels: Any, names: dict[str, Sampler], repeats: int) -> dict[str, dict[str, float]]:
    """Least seconds to fit and to choose; choosing includes scoring all candidates."""
    rows = np.flatnonzero(labels >= 0)
    X, y, qid = data.X[rows], labels[rows], data.qid[rows]
    ranker = rw.RankSVM().fit(X, y, qid=qid)
    tasks: dict[str, Any] = {"fit": lambda: rw.RankSVM().fit(X, y, qid=qid)}
    tasks |= {
        name: lambda sampler=sampler: sampler.select(Pool(data, labels, ranker), 5) for name, sampler in names.items()
    }
    tasks["scores alone"] = lambda: ranker.checked_scores(data.X)
    for task in tasks.values():
        task()  # compiled, and in the caches
    least = harness.least_seconds(tasks, dict.fromkeys(tasks, repeats))
    fit = least.pop("fit")
    return {name: {"fit": fit, "choose": least[name]} for name in least}


def run(quick: bool = False) -> None:
    names: dict[str, Sampler] = {kind: cls() for kind, cls in sampler_kinds().items() if kind != "entropy"}
    names |= {"entropy": RankingEntropy(), "entropy, all pairs": AllPairs()}
    found: dict[str, Any] = {"machine": harness.machine(), "cases": {}}
    found["settings"] = {name: repr(sampler) for name, sampler in names.items()}
    made = {queries: topics(queries, 1000, seed=1) for queries in ((30,) if quick else (30, 1000))}
    for queries, rounds in [(30, 1)] if quick else [(30, 1), (1000, 1), (1000, 5), (1000, 10), (1000, 20)]:
        case, data = f"{queries} × 1000, round {rounds}", made[queries]
        times = seconds(data, labels_after(data, rounds), names, 1 if quick else REPEATS)
        first = sum(times["lossmin"].values())
        for name, one in times.items():
            one["round"] = one["fit"] + one["choose"]
            one["of lossmin"] = one["round"] / first
            one["choose of fit"] = one["choose"] / one["fit"]
            print(
                f"{case} {name:20s} fit {one['fit']:.4f} s, choose {one['choose']:.4f} s "
                f"({one['choose of fit']:.2f} of a fit); round {one['of lossmin']:.2f} of LossMin's",
                flush=True,
            )
        found["cases"][case] = times
    if not quick:
        harness.write("donmez-times", found)
