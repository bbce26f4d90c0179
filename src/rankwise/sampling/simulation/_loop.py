"""The loop of active labelling on data whose labels are known: choose, label, fit, evaluate (Donmez 2009 figure 1)."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from sklearn.base import BaseEstimator

from rankwise.errors import DataError
from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.sampling.simulation._answers import Answers
from rankwise.sampling.simulation._experiment import Experiment
from rankwise.types import IntArray


@dataclass(frozen=True)
class Run:
    """The rounds of one sampler from the first labels of one seed: an entry per round, that of the start first.

    `fit` and `choose` are seconds: the fit on the labels of the round, and scoring and choosing what it added.
    """

    sampler: str
    seed: int
    values: dict[str, list[float]]
    labelled: list[int]
    fit: list[float]
    choose: list[float]


def run_loop(experiment: Experiment, name: str, sampler: Sampler, seed: int) -> Run:
    """Donmez 2009 figure 1, with L = rows with a label, U = the others, T = experiment.rounds, and the first L by
    seed."""
    answers = experiment.first_answers(np.random.default_rng([seed, 0]))
    started = perf_counter()
    ranker = experiment.fit(answers, _round_seed(seed, 0))
    fit, choose = [perf_counter() - started], [0.0]
    values = [experiment.evaluate(ranker)]
    labelled = [int(np.count_nonzero(answers.labels >= 0))]
    for t in range(1, experiment.rounds + 1):  # Donmez 2009 figure 1: for t = 1 … T
        started = perf_counter()
        random_state = _round_seed(seed, t)
        rows = _choose(experiment, name, sampler, answers, ranker, random_state)  # Donmez 2009 figure 1, steps 2 to 4
        if rows.size == 0:
            break
        answers.give(rows)  # Donmez 2009 figure 1, step 6: what a person would say
        chosen = perf_counter()
        ranker = experiment.fit(answers, random_state)  # Donmez 2009 figure 1, step 1 of the next round
        fit.append(perf_counter() - chosen)
        choose.append(chosen - started)
        values.append(experiment.evaluate(ranker))
        labelled.append(labelled[-1] + rows.size)
    # Where all documents have a label before the last round, the curve holds its last value at no cost.
    left = experiment.rounds + 1 - len(values)
    values += values[-1:] * left
    curves = {str(metric): [means[str(metric)] for means in values] for metric in experiment.metrics}
    return Run(name, seed, curves, labelled + labelled[-1:] * left, fit + [0.0] * left, choose + [0.0] * left)


def _choose(
    experiment: Experiment, name: str, sampler: Sampler, answers: Answers, ranker: BaseEstimator, random_state: int
) -> IntArray:
    answer = None if answers.answer is None else answers.answer.copy()
    pool = Pool(experiment.data, answers.labels.copy(), ranker, answer=answer)
    if pool.candidates.size == 0:
        return pool.candidates
    rows = np.asarray(sampler.select(pool, experiment.per_query, random_state), dtype=np.int64)
    if np.unique(rows).size < rows.size or not (answers.labels[rows] < 0).all():
        raise DataError(f"sampler {name} chose a row twice or one that has a label; choose from pool.candidates")
    return rows


def _round_seed(seed: int, t: int) -> int:
    """The seed of one round, within what scikit-learn takes."""
    return int(np.random.SeedSequence([seed, t]).generate_state(1, np.uint32)[0] >> 1)
