"""The fits of it_pays.py, each done once: a run that was killed goes on with those that the cache does not have."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config
from numpy.typing import NDArray
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

sys.path.insert(0, str(Path(__file__).parent))
from it_pays_data import DATA, fold_of
from it_pays_models import Model, Staged, all_models, fitted_as

import rankwise as rw
from rankwise.kernels._threads import limit_threads

Line = dict[str, Any]
DIGITS = 6
"""Decimals of the values of queries that are kept."""


@dataclass(frozen=True)
class Run:
    """One fit and its judgement by all metrics of the data set."""

    data: str
    fold: int
    seed: int
    model: str
    code: str

    @property
    def key(self) -> str:
        return " | ".join(map(str, (self.data, self.fold, self.seed, self.model, self.code)))


def runs_of(data: str, models: dict[str, Model], seeds: int, shared: Path) -> Iterator[Run]:
    """All runs of a data set; a model without chance, or too slow, is fitted once per fold."""
    for fold, seed in DATA[data].runs(seeds):
        for name in dict.fromkeys(fit_of(data, model, shared) for model in models.values()):
            model = models[name]
            if seed == 0 or DATA[data].draws or (model.seeded and model.name not in DATA[data].once):
                yield Run(data, fold, seed, model.name, model.code)


def fit_of(data: str, model: Model, shared: Path) -> str:
    """The name of the model that is fitted for this one, which may be the same as for another metric."""
    if model.kind != "ours" or model.trained_on is None:
        return model.name
    n_rows = len(fold_of(data, shared, 0).part.y)
    return f"LambdaMART, {fitted_as(model.trained_on, DATA[data].metrics, n_rows)}"


def execute(run: Run, shared: Path) -> Line:
    """Fit, choose a stop for each metric on the validation part, and judge the test queries there."""
    started = time.process_time()
    metrics = DATA[run.data].metrics
    fold = fold_of(run.data, shared, run.fold)
    model = all_models(metrics, before=True)[run.model]
    clock = time.process_time()
    with limit_threads(1):
        staged = model.fit(fold.part, run.seed)
        cpu_seconds = time.process_time() - clock
        stops = best_stops(staged, fold.valid, metrics)
        values = judged_at(staged, fold.test, stops)
    return {
        "key": run.key,
        "data": run.data,
        "model": run.model,
        "cpu_seconds": cpu_seconds,
        "seconds": time.process_time() - started,
        "stops": stops,
        "values": {
            metric: [None if np.isnan(value) else round(float(value), DIGITS) for value in values[metric]]
            for metric in metrics
        },
    }


def best_stops(staged: Staged, valid: rw.RankingData, metrics: tuple[str, ...]) -> dict[str, int]:
    """By metric the number of the stop, from 0, of the highest value; the first of equals."""
    found = [rw.evaluate(valid, scores, metrics=metrics).means for scores in staged(valid.X)]
    return {metric: int(np.nanargmax([means[metric] for means in found])) for metric in metrics}


def judged_at(staged: Staged, test: rw.RankingData, stops: dict[str, int]) -> dict[str, NDArray[np.float64]]:
    """By metric the values of the test queries at its stop."""
    values = {}
    for number, scores in enumerate(staged(test.X)):
        if metrics := [metric for metric, stop in stops.items() if stop == number]:
            values |= rw.evaluate(test, scores, metrics=metrics).per_query
        if number == max(stops.values()):
            break
    return dict(values)


class Cache:
    """Lines of JSON, one per finished run; the last one may be torn by a kill and is then done again."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "it_pays.jsonl"
        self.lines: dict[str, Line] = {}
        for text in self.path.read_text().splitlines() if self.path.exists() else []:
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue
            self.lines[line["key"]] = line

    def add(self, line: Line) -> None:
        self.lines[line["key"]] = line
        with self.path.open("a") as file:
            file.write("\n" * self._is_torn() + json.dumps(line) + "\n")

    def _is_torn(self) -> bool:
        if not self.path.exists() or not self.path.stat().st_size:
            return False
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read() != b"\n"

    def expected_seconds(self, runs: list[Run]) -> tuple[float, int]:
        """What these runs will take by what the same model took on the same data, and how many are not known."""
        known: dict[tuple[str, str], list[float]] = defaultdict(list)
        for line in self.lines.values():
            known[line["data"], line["model"]].append(line["seconds"])
        told = [float(np.median(known[run.data, run.model])) for run in runs if (run.data, run.model) in known]
        return sum(told), len(runs) - len(told)


def complete(runs: list[Run], cache: Cache, shared: Path, jobs: int) -> None:
    """Execute what the cache does not have, in processes of one thread each."""
    missing = [run for run in runs if run.key not in cache.lines]
    seconds, unknown = cache.expected_seconds(missing)
    print(
        f"{len(runs) - len(missing)} of {len(runs)} runs are in {cache.path}; the others take about "
        f"{seconds / jobs / 60:.0f} minutes" + f", and {unknown} of which nothing is known yet" * bool(unknown)
    )
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns) as progress, parallel_config("loky", inner_max_num_threads=1):
        task = progress.add_task("fitting", total=len(missing))
        parallel = Parallel(jobs, return_as="generator_unordered", batch_size=1)
        for line in parallel(delayed(execute)(run, shared) for run in missing):
            cache.add(line)
            progress.update(task, advance=1, description=f"{line['data']}, {line['model']}")
