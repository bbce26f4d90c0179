"""The Entropy baseline of Donmez 2009 read in several ways, since Rajaram et al. (2007) cannot be read here.

Donmez 2009 says that it takes "the most confusing instances for the current ranker", by the bipartite ranking error.

- entropy: the documents in most expected wrong pairs (`RankingEntropy`, ours).
- pair orders: the largest sum over pairs of the entropy of their order, P = 1/(1 + exp(-(s_i - s_j))).
- labels: the largest entropy of the document's own label, by the calibrated posterior of Donmez 2009 (8).
- against labels: the expected wrong pairs with the documents that have a label, not with the other candidates.

Beside MAP: the share of what was labelled that proved relevant, which tells what each way to choose looks for.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers.donmez_data import of_topics

import rankwise as rw
from rankwise.sampling import Pool, RankingEntropy, Sampler, Simulation
from rankwise.sampling.strategies._lossmin import relevance_chances


def binary_entropy(p: Any) -> Any:
    p = np.clip(p, 1e-300, 1 - 1e-16)
    return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))


@dataclass(frozen=True)
class PairOrderEntropy(Sampler):
    """The entropy of the orders of all pairs that a document is in."""

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        out = np.empty(pool.candidates.size)
        for q in range(pool.offsets.size - 1):
            scores = pool.scores[pool.offsets[q] : pool.offsets[q + 1]]
            gaps = np.clip(scores[:, None] - scores, -500, 500)
            out[pool.offsets[q] : pool.offsets[q + 1]] = binary_entropy(1 / (1 + np.exp(-gaps))).sum(axis=1)
        return out


@dataclass(frozen=True)
class LabelEntropy(Sampler):
    """The entropy of the document's label."""

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return pool.ascending.by_candidate(binary_entropy(relevance_chances(pool.ascending)))


@dataclass(frozen=True)
class ErrorsAgainstLabels(Sampler):
    """The expected number of wrong pairs with documents whose label is known."""

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        p = pool.ascending.by_candidate(relevance_chances(pool.ascending))
        query, labels = pool.data.groups.query_of_row()[pool.labelled], pool.y[pool.labelled]
        out = np.empty(pool.candidates.size)
        for q in range(pool.offsets.size - 1):
            of_query = slice(pool.offsets[q], pool.offsets[q + 1])
            relevant, others = (
                np.sort(pool.labelled_scores[(query == q) & ((labels >= 1) == is_relevant)])
                for is_relevant in (True, False)
            )
            scores = pool.scores[of_query]
            above = others.size - np.searchsorted(others, scores)
            below = np.searchsorted(relevant, scores)
            out[of_query] = p[of_query] * above + (1 - p[of_query]) * below
        return out


READINGS: dict[str, Sampler | str] = {
    "entropy": RankingEntropy(),
    "pair orders": PairOrderEntropy(),
    "labels": LabelEntropy(),
    "against labels": ErrorsAgainstLabels(),
    "lossmin": "lossmin",
    "random": "random",
}


@dataclass(frozen=True)
class Counting(Sampler):
    """A sampler that counts how many of the documents that it chose are relevant."""

    sampler: Any = None
    truth: Any = None
    counts: Any = None

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return self.sampler.utilities(pool, rng)

    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> Any:
        rows = self.sampler.select(pool, per_query, random_state)
        self.counts.append((int((self.truth[rows] >= 1).sum()), int(rows.size)))
        return rows


def run(worlds: int, ranker: Any, quick: bool = False) -> None:
    folds = of_topics(Path(), worlds)[: 1 if quick else None]
    counts: dict[str, list[tuple[int, int]]] = {name: [] for name in READINGS}
    parts = []
    for fold in folds:
        counting = {
            name: Counting(sampler=rw.sampling.get_sampler(sampler), truth=fold.train.y, counts=counts[name])
            for name, sampler in READINGS.items()
        }
        parts.append(
            rw.simulate(fold.train, fold.test, counting, ranker, rounds=2 if quick else 20, seeds=[fold.seed], n_jobs=1)
        )
        print(f"{fold.name}: done", flush=True)
    joined = Simulation.concat(parts)
    rows = {}
    for name in READINGS:
        relevant, labelled = np.sum(counts[name], axis=0)
        rows[name] = {metric: float(joined.over_range(name, metric).mean()) for metric in joined.metrics}
        rows[name]["relevant"] = float(relevant / labelled)
        print(f"{name:16s}", rows[name])
    relations = {metric: joined.relation(metric) for metric in joined.metrics}
    print(relations)
    if not quick:
        results = {"machine": harness.machine(), "ranker": repr(ranker), "runs": len(joined.seeds), "rows": rows}
        rounded = json.loads(
            json.dumps(results | {"relations": relations}), parse_float=lambda text: float(f"{float(text):.6g}")
        )
        harness.write("donmez-entropy", rounded)
