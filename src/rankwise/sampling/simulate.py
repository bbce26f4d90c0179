"""What a sampler is worth: labelling simulated on data whose labels are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import clone

from rankwise.data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric
from rankwise.metrics.names import parse_all
from rankwise.rankers import RankSVM
from rankwise.sampling.base import Sampler, sampler_named
from rankwise.sampling.loop import Trial, full_values
from rankwise.sampling.run_file import RunFile
from rankwise.sampling.runs import finished_runs, process_count
from rankwise.sampling.simulation import Simulation
from rankwise.sampling.start import checked_start, short_queries

__all__ = ["simulate"]

METRICS = ("auc", "map", "ndcg@10")  # those of P4


def simulate(
    data: RankingData,
    test: RankingData,
    sampler: str | Sampler | Sequence[str | Sampler] | Mapping[str, str | Sampler] = ("lossmin", "random"),
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
    """Learning curves of samplers: what `ranker` is worth on `test` while `data` is labelled round by round, as in P4.

    A run begins with `start` labels (relevant, others) of each query, drawn by seed and the same for all samplers; in
    each of `rounds` its sampler chooses `per_query` documents of each query, which are given their labels from `data`,
    and the ranker (`RankSVM()` unless given) is fitted anew on the labels so far. A ranker whose `random_state` is None
    gets one by seed and round. Rows of `data` without a label are left out.

    `sampler` is a name, a sampler, several of these, or `{name: sampler}`; `seeds` a number of runs or their seeds.
    `n_jobs` runs at a time have a process each (None: one a core); the result is the same for any number but for the
    seconds. Finished runs are kept in the file `checkpoint`, and a call that names it again goes on from there, also
    with more samplers or seeds. Ctrl-C gives the seeds that all samplers have finished. `callbacks` are told the number
    of finished runs, with an empty dict.

    >>> from rankwise.data import web
    >>> data, test = (web(queries=10, documents=30, features=4, seed=seed) for seed in (1, 2))
    >>> found = simulate(data, test, ["top", "random"], rounds=3, seeds=2, n_jobs=1)
    >>> found.values["top"]["map"].shape, found.labelled["top"][0].tolist()
    ((2, 4), [...])
    """
    samplers = _named(sampler)
    trial, notes = _trial(data, test, ranker, rounds, per_query, start, metrics)
    numbers = _seeds(seeds)
    processes = process_count(n_jobs)
    kept = RunFile.open(checkpoint, trial, samplers)
    if kept.full is None:
        kept.full = full_values(trial)
        kept.write()
    wanted = [(name, seed) for seed in numbers for name in samplers]
    tasks = [(name, samplers[name], seed) for name, seed in wanted if (name, seed) not in kept.runs]
    finished = list(numbers)
    interrupted = False
    try:
        for done, run in enumerate(finished_runs(trial, tasks, processes), len(wanted) - len(tasks) + 1):
            kept.add(run)
            for callback in callbacks:
                callback(done, {})
    except KeyboardInterrupt:
        finished = [seed for seed in numbers if all((name, seed) in kept.runs for name in samplers)]
        if not finished:
            raise
        interrupted = True
        notes.append(f"stopped by Ctrl-C: all samplers have finished {len(finished)} of {len(numbers)} seeds")
    runs = {name: [kept.runs[name, seed] for seed in finished] for name in samplers}
    ends = [int(np.count_nonzero(np.diff(run.labelled))) for of_name in runs.values() for run in of_name]
    if min(ends) < rounds:
        notes.append(
            f"after round {min(ends)} of {rounds} there was nothing left to label: curves hold their last values, "
            "and tests end with the last round that labelled anything"
        )
    return Simulation.of(
        runs, kept.full, per_query=per_query, queries=trial.data.groups.n_queries, notes=notes, interrupted=interrupted
    )


def _trial(
    data: RankingData,
    test: RankingData,
    ranker: Any,
    rounds: int,
    per_query: int,
    start: tuple[int, int],
    metrics: str | Metric | Iterable[str | Metric],
) -> tuple[Trial, list[str]]:
    """What was given, checked and grouped once for all runs, and notes on it."""
    for name, given in (("data", data), ("test", test)):
        if not isinstance(given, RankingData):
            raise DataError(f"{name} must be a RankingData, got {type(given).__name__}; make one or use rankwise.read")
    if data.n_features != test.n_features:
        raise ShapeError(f"data and test must have the same features, got {data.n_features} and {test.n_features}")
    for name, count in (("rounds", rounds), ("per_query", per_query)):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise DataError(f"{name} must be a whole number from 1, got {count!r}; pass for example 5")
    start, notes = checked_start(start), []
    judged = data.y >= 0
    if not judged.all():
        notes.append(f"{np.count_nonzero(~judged)} of {len(data)} rows have no label and were left out")
        if not judged.any():
            raise DataError("no row of the data has a label, so there are none to give; pass labelled data")
        data = data.rows(judged)
    hidden = RankingData(data.X, np.full(len(data), -1.0), data.groups.query_of_row())
    short = short_queries(data.y, hidden.groups, start)
    if short:
        notes.append(
            f"{short} of {hidden.groups.n_queries} queries have fewer than {start[0]} relevant or {start[1]} other "
            "documents, and start with those they have"
        )
    test = RankingData(test.X, test.y, test.groups.query_of_row())
    asked = tuple(parse_all(metrics).values())
    return Trial(hidden, data.y, test, _unfitted(ranker), asked, int(rounds), int(per_query), start), notes


def _unfitted(ranker: Any) -> Any:
    try:
        found = clone(RankSVM() if ranker is None else ranker)
    except TypeError:
        found = None
    if not (hasattr(found, "fit") and hasattr(found, "predict")):
        raise DataError(
            f"ranker must be a scikit-learn estimator that predicts, got {ranker!r}; pass one like RankSVM()"
        )
    return found


def _named(sampler: Any) -> dict[str, Sampler]:
    """Samplers by name; one without a name of its own is called as its class."""
    if isinstance(sampler, Mapping):
        found = [(str(name), sampler_named(one)) for name, one in sampler.items()]
    else:
        several = [sampler] if isinstance(sampler, str | Sampler) else list(sampler)
        found = [(one.kind or type(one).__name__, one) for one in map(sampler_named, several)]
    for name, one in found:
        if not isinstance(one, Sampler):
            raise DataError(
                f"sampler {name} must be a Sampler or the name of one, got {one!r}; pass for example 'lossmin'"
            )
    names = [name for name, _ in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(f"samplers must differ in name, got {twice[0]} twice; name them: {{'one': …, 'other': …}}")
    if not names:
        raise DataError("no sampler was named; name at least one, such as lossmin")
    return dict(found)


def _seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """Seeds from their number or as they are."""
    is_number = isinstance(seeds, int | np.integer) and not isinstance(seeds, bool)
    try:
        found = tuple(range(seeds)) if is_number else tuple(int(seed) for seed in seeds)  # type: ignore[arg-type,union-attr]
    except (TypeError, ValueError):
        found = ()
    if not found or min(found) < 0 or len(set(found)) < len(found):
        raise DataError(f"seeds must be a number from 1, or different whole numbers from 0, got {seeds!r}; pass 5")
    return found
