"""The loop of active labelling on data whose labels are known: choose, label, fit, judge (Donmez 2009 figure 1)."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from rankwise.errors import DataError
from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.sampling.simulation._experiment import Trial
from rankwise.sampling.simulation._start import first_labels
from rankwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class Run:
    """One sampler's way from the first labels of one seed: an entry per round, that of the start first.

    `fit` and `choose` are seconds: the fit on the labels of the round, and scoring and choosing what it added.
    """

    sampler: str
    seed: int
    values: dict[str, list[float]]
    labelled: list[int]
    fit: list[float]
    choose: list[float]


def run_loop(trial: Trial, name: str, sampler: Sampler, seed: int) -> Run:
    """Donmez 2009 figure 1, with L = rows whose label is known, U = the others, T = trial.rounds, and the first L by
    seed."""
    labels = first_labels(trial.truth, trial.data.groups, trial.start, np.random.default_rng([seed, 0]))
    began = perf_counter()
    ranker = trial.fitted(labels, _number(seed, 0))
    fit, choose = [perf_counter() - began], [0.0]
    judged = [trial.judged(ranker)]
    labelled = [int(np.count_nonzero(labels >= 0))]
    for t in range(1, trial.rounds + 1):  # Donmez 2009 figure 1: for t = 1 … T
        began = perf_counter()
        chosen = _chosen(trial, name, sampler, labels, ranker, _number(seed, t))  # Donmez 2009 figure 1, steps 2 to 4
        if chosen.size == 0:
            break
        labels[chosen] = trial.truth[chosen]  # Donmez 2009 figure 1, step 6: the label that a person would give
        chosen_at = perf_counter()
        ranker = trial.fitted(labels, _number(seed, t))  # Donmez 2009 figure 1, step 1 of the next round
        fit.append(perf_counter() - chosen_at)
        choose.append(chosen_at - began)
        judged.append(trial.judged(ranker))
        labelled.append(labelled[-1] + chosen.size)
    # Where all documents have a label before the last round, the curve holds its last value at no cost.
    left = trial.rounds + 1 - len(judged)
    judged += [judged[-1]] * left
    values = {str(metric): [one[str(metric)] for one in judged] for metric in trial.metrics}
    return Run(name, seed, values, labelled + [labelled[-1]] * left, fit + [0.0] * left, choose + [0.0] * left)


def _chosen(trial: Trial, name: str, sampler: Sampler, labels: FloatArray, ranker: Any, seed: int) -> IntArray:
    pool = Pool(trial.data, labels.copy(), ranker)
    if pool.candidates.size == 0:
        return pool.candidates
    chosen = np.asarray(sampler.select(pool, trial.per_query, seed), dtype=np.int64)
    if np.unique(chosen).size < chosen.size or not (labels[chosen] < 0).all():
        raise DataError(f"sampler {name} chose a row twice or one that has a label; choose from pool.candidates")
    return chosen


def _number(seed: int, t: int) -> int:
    """The seed of one round, within what scikit-learn takes."""
    return int(np.random.SeedSequence([seed, t]).generate_state(1, np.uint32)[0] >> 1)
