"""What a sampler is worth: labelling simulated on data whose labels are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from os import PathLike

import numpy as np
from sklearn.base import BaseEstimator

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.sampling._base import Sampler, get_sampler
from rankwise.sampling.simulation._checkpoint import RunFile
from rankwise.sampling.simulation._experiment import Answer, make_experiment
from rankwise.sampling.simulation._parallel import finished_runs, process_count
from rankwise.sampling.simulation._result import Simulation

Samplers = str | Sampler | Sequence[str | Sampler] | Mapping[str, str | Sampler]


def simulate(
    data: RankingData,
    test: RankingData,
    sampler: Samplers = ("lookahead", "random"),
    ranker: BaseEstimator | None = None,
    rounds: int = 20,
    per_query: int = 5,
    seeds: int | Sequence[int] = 5,
    *,
    start: tuple[int, int] = (1, 10),
    metrics: str | Metric | Iterable[str | Metric] = ("auc", "map", "ndcg@10"),
    answer: Answer = "grades",
    n_jobs: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    callbacks: Sequence[Callable[[int, dict[str, float]], None]] = (),
) -> Simulation:
    """Learning curves of samplers: how good a ranker is on `test` while `data` is labelled round by round.

    The protocol is that of Donmez (2009), figure 1. A run begins with the first labels of each query, drawn by seed and
    the same for all samplers; in each round its sampler chooses documents of each query, which get their labels from
    `data`, and the ranker is fitted anew on the labels so far. Rows of `data` without a label are left out. Ctrl-C
    returns the seeds that all samplers have finished.

    Parameters
    ----------
    data : RankingData
        Documents to be labelled, with the labels that a person would give.
    test : RankingData
        Documents that the ranker is evaluated on.
    sampler : str, Sampler, sequence of these, or dict of str to these, default=("lookahead", "random")
        What chooses the documents: the name of a sampler, a sampler, several of these, or `{name: sampler}`.
    ranker : estimator, default=None
        An unfitted ranker; None for `RankSVM()`. One whose `random_state` is None gets one by seed and round.
    rounds : int, default=20
        How often documents are labelled and the ranker is fitted.
    per_query : int, default=5
        Documents per query and round.
    seeds : int or sequence of int, default=5
        How many runs there are per sampler, or the seed of each: a list of seeds, not a single `random_state`.
    start : tuple of two int, default=(1, 10)
        How many relevant and how many other documents per query have a label before the first round.
    metrics : str, Metric or iterable of these, default=("auc", "map", "ndcg@10")
        What the ranker is evaluated by; the default is that of Donmez (2009).
    answer : {"grades", "order"}, default="grades"
        What labelling gives: the grade of each document, or only the order (ties as equal) of the documents of a query
        that were chosen together, those of the start included. The ranker then learns from each answer as a query of
        its own: documents of one answer can be compared among themselves only.
    n_jobs : int, default=None
        Runs at a time, in a process each; None for one per core. The result does not depend on it, but for the seconds.
    checkpoint : path-like, default=None
        File of the finished runs. A call that names it again continues from there, also with more samplers or seeds.
    callbacks : sequence of callable, default=()
        Called with the number of finished runs and an empty dict after each run.

    Returns
    -------
    Simulation
        The learning curves of all samplers.

    References
    ----------
    Donmez & Carbonell (2009). Active sampling for rank learning via optimizing the area under the ROC curve. ECIR.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.data import web
    >>> data, test = web(queries=10, documents=30, features=4, seed=1), web(queries=5, documents=30, features=4, seed=2)
    >>> simulation = rw.simulate(data, test, ["top", "random"], rounds=3, seeds=2, n_jobs=1)
    >>> simulation.values["top"]["map"].shape
    (2, 4)
    """
    samplers = _samplers_by_name(sampler)
    experiment, notes = make_experiment(data, test, ranker, rounds, per_query, start, metrics, answer)
    finished = _seed_list(seeds)
    n_seeds = len(finished)
    processes = process_count(n_jobs)
    file = RunFile.open(checkpoint, experiment, samplers)
    if file.full is None:
        file.full = experiment.evaluate_full()
        file.write()
    keys = [(name, seed) for seed in finished for name in samplers]
    tasks = [(name, samplers[name], seed) for name, seed in keys if (name, seed) not in file.runs]
    interrupted = False
    try:
        with closing(finished_runs(experiment, tasks, processes)) as runs:
            for n_finished, run in enumerate(runs, len(keys) - len(tasks) + 1):
                file.add(run)
                for callback in callbacks:
                    callback(n_finished, {})
    except KeyboardInterrupt:
        finished = [seed for seed in finished if all((name, seed) in file.runs for name in samplers)]
        if not finished:
            raise
        interrupted = True
        notes.append(f"stopped by Ctrl-C: all samplers have finished {len(finished)} of {n_seeds} seeds")
    by_sampler = {name: [file.runs[name, seed] for seed in finished] for name in samplers}
    last_round = min(int(np.count_nonzero(np.diff(run.labelled))) for runs in by_sampler.values() for run in runs)
    if last_round < rounds:
        notes.append(
            f"after round {last_round} of {rounds} there was nothing left to label: curves hold their last values, "
            "and tests end with the last round that labelled anything"
        )
    return Simulation(
        values={
            name: {metric: np.array([run.values[metric] for run in runs]) for metric in file.full}
            for name, runs in by_sampler.items()
        },
        labelled={
            name: np.array([run.labelled for run in runs], dtype=np.float64) for name, runs in by_sampler.items()
        },
        seconds={
            name: {step: np.array([getattr(run, step) for run in runs]) for step in ("fit", "choose")}
            for name, runs in by_sampler.items()
        },
        full=dict(file.full),
        seeds=tuple(finished),
        per_query=per_query,
        queries=experiment.data.groups.n_queries,
        notes=tuple(notes),
        interrupted=interrupted,
    )


def _samplers_by_name(sampler: Samplers) -> dict[str, Sampler]:
    """Samplers by name; one without a name is called as its class."""
    if isinstance(sampler, Mapping):
        pairs = [(str(name), get_sampler(value)) for name, value in sampler.items()]
    else:
        several = sampler if isinstance(sampler, Sequence) and not isinstance(sampler, str) else [sampler]
        pairs = [(value.kind or type(value).__name__, value) for value in map(get_sampler, several)]
    samplers = dict(pairs)
    if not samplers:
        raise DataError("no sampler was named; name at least one, such as lossmin")
    names = [name for name, _ in pairs]
    if len(samplers) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"samplers must differ in name, got {twice} twice; name them: {{'one': …, 'other': …}}")
    return samplers


def _seed_list(seeds: int | Sequence[int]) -> list[int]:
    """Seeds from their number or as they are."""
    try:
        is_count = isinstance(seeds, int | np.integer) and not isinstance(seeds, bool)
        numbers = [int(seed) for seed in (range(seeds) if is_count else seeds)]  # type: ignore[arg-type,union-attr]
    except (TypeError, ValueError):
        numbers = []
    if not numbers or min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise DataError(f"seeds must be a number from 1, or different whole numbers from 0, got {seeds!r}; pass 5")
    return numbers
