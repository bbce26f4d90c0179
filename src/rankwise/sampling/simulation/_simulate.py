"""What a sampler is worth: labelling simulated on data whose labels are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from os import PathLike
from typing import Any

import numpy as np

from rankwise.data import RankingData
from rankwise.metrics import Metric
from rankwise.sampling._base import Sampler
from rankwise.sampling.simulation._checkpoint import RunFile
from rankwise.sampling.simulation._experiment import make_trial
from rankwise.sampling.simulation._inputs import named_samplers, seed_numbers
from rankwise.sampling.simulation._parallel import finished_runs, process_count
from rankwise.sampling.simulation._result import Simulation

METRICS = ("auc", "map", "ndcg@10")  # those of Donmez 2009


def simulate(
    data: RankingData,
    test: RankingData,
    sampler: str | Sampler | Sequence[str | Sampler] | Mapping[str, str | Sampler] = ("lookahead", "random"),
    ranker: Any = None,
    rounds: int = 20,
    per_query: int = 5,
    seeds: int | Sequence[int] = 5,
    *,
    start: tuple[int, int] = (1, 10),
    metrics: str | Metric | Iterable[str | Metric] = METRICS,
    n_jobs: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    callbacks: Sequence[Callable[[int, dict[str, float]], None]] = (),
) -> Simulation:
    """Learning curves of samplers: what `ranker` is worth on `test` while `data` is labelled round by round, as in
    Donmez 2009.

    A run begins with `start` labels (relevant, others) of each query, drawn by seed and the same for all samplers; in
    each of `rounds` its sampler chooses `per_query` documents of each query, which are given their labels from `data`,
    and the ranker (`RankSVM()` unless given) is fitted anew on the labels so far. A ranker whose `random_state` is None
    gets one by seed and round. Rows of `data` without a label are left out.

    `sampler` is a name, a sampler, several of these, or `{name: sampler}`; `seeds` a number of runs or their seeds.
    `n_jobs` runs at a time have a process each (None: one per core); the result is the same for any number but for the
    seconds. Finished runs are kept in the file `checkpoint`, and a call that names it again goes on from there, also
    with more samplers or seeds. Ctrl-C gives the seeds that all samplers have finished. `callbacks` are told the number
    of finished runs, with an empty dict.

    >>> from rankwise.data import web
    >>> data, test = (web(queries=10, documents=30, features=4, seed=seed) for seed in (1, 2))
    >>> found = simulate(data, test, ["top", "random"], rounds=3, seeds=2, n_jobs=1)
    >>> found.values["top"]["map"].shape, found.labelled["top"][0].tolist()
    ((2, 4), [...])
    """
    samplers = named_samplers(sampler)
    trial, notes = make_trial(data, test, ranker, rounds, per_query, start, metrics)
    numbers = seed_numbers(seeds)
    processes = process_count(n_jobs)
    kept = RunFile.open(checkpoint, trial, samplers)
    if kept.full is None:
        kept.full = trial.full()
        kept.write()
    wanted = [(name, seed) for seed in numbers for name in samplers]
    tasks = [(name, samplers[name], seed) for name, seed in wanted if (name, seed) not in kept.runs]
    finished = list(numbers)
    interrupted = False
    try:
        with closing(finished_runs(trial, tasks, processes)) as runs:
            for done, run in enumerate(runs, len(wanted) - len(tasks) + 1):
                kept.add(run)
                for callback in callbacks:
                    callback(done, {})
    except KeyboardInterrupt:
        finished = [seed for seed in numbers if all((name, seed) in kept.runs for name in samplers)]
        if not finished:
            raise
        interrupted = True
        notes.append(f"stopped by Ctrl-C: all samplers have finished {len(finished)} of {len(numbers)} seeds")
    by_sampler = {name: [kept.runs[name, seed] for seed in finished] for name in samplers}
    ends = [int(np.count_nonzero(np.diff(run.labelled))) for found in by_sampler.values() for run in found]
    if min(ends) < rounds:
        notes.append(
            f"after round {min(ends)} of {rounds} there was nothing left to label: curves hold their last values, "
            "and tests end with the last round that labelled anything"
        )
    return Simulation.of(
        by_sampler,
        kept.full,
        per_query=per_query,
        queries=trial.data.groups.n_queries,
        notes=notes,
        interrupted=interrupted,
    )
