"""What a simulation found: learning curves, their tests, and what labels and time they took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.metrics._evaluation import finite_or_none
from rankwise.metrics.comparison._statistics import ROUNDING, t_interval
from rankwise.sampling.simulation._curve_tests import CurveTest, curve_tests, relation
from rankwise.sampling.simulation._loop import Run
from rankwise.types import FloatArray

SHARE = 0.95  # of the metric with all labels, in tables


@dataclass(frozen=True, eq=False)
class Simulation:
    """Runs of samplers side by side. Arrays have a row per run and a column per round, that of the start first.

    `values[sampler][metric]` are the learning curves, `labelled[sampler]` the labels so far, `seconds[sampler]` those
    of a round by part: "fit" the ranker on its labels, "choose" what to label in it (scoring included). `full` has the
    metrics with all labels, the mean over runs; `seeds` one seed per run; `queries` is how many there are to label.
    """

    values: dict[str, dict[str, FloatArray]]
    labelled: dict[str, FloatArray]
    seconds: dict[str, dict[str, FloatArray]]
    full: dict[str, float]
    seeds: tuple[int, ...]
    per_query: int
    queries: float
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @classmethod
    def of(
        cls,
        runs: dict[str, list[Run]],
        full: dict[str, float],
        *,
        per_query: int,
        queries: int,
        notes: Sequence[str] = (),
        interrupted: bool = False,
    ) -> Simulation:
        """The finished runs of each sampler, in the same order of seeds."""
        return cls(
            {
                name: {metric: np.array([run.values[metric] for run in found]) for metric in full}
                for name, found in runs.items()
            },
            {name: np.array([run.labelled for run in found], dtype=np.float64) for name, found in runs.items()},
            {
                name: {"fit": np.array([run.fit for run in found]), "choose": np.array([run.choose for run in found])}
                for name, found in runs.items()
            },
            dict(full),
            tuple(run.seed for run in next(iter(runs.values()))),
            per_query,
            queries,
            tuple(notes),
            interrupted,
        )

    @classmethod
    def joined(cls, parts: Sequence[Simulation]) -> Simulation:
        """Simulations of different folds as one, their runs side by side."""
        if not parts:
            raise DataError("there is nothing to join, got no simulation; pass at least one")
        first = parts[0]
        if any(part._asked != first._asked for part in parts):
            raise ShapeError(
                "simulations to join must have the same samplers, metrics, rounds and per_query; run them alike"
            )
        weight = [len(part.seeds) for part in parts]
        notes = [
            note if all(note in part.notes for part in parts) else f"part {k}: {note}"
            for k, one in enumerate(parts, 1)
            for note in one.notes
        ]
        return cls(
            {
                name: {
                    metric: np.concatenate([part.values[name][metric] for part in parts]) for metric in first.metrics
                }
                for name in first.samplers
            },
            {name: np.concatenate([part.labelled[name] for part in parts]) for name in first.samplers},
            {
                name: {kind: np.concatenate([part.seconds[name][kind] for part in parts]) for kind in ("fit", "choose")}
                for name in first.samplers
            },
            {metric: float(np.average([part.full[metric] for part in parts], weights=weight)) for metric in first.full},
            tuple(seed for part in parts for seed in part.seeds),
            first.per_query,
            float(np.average([part.queries for part in parts], weights=weight)),
            tuple(dict.fromkeys(notes)),
            any(part.interrupted for part in parts),
        )

    @property
    def samplers(self) -> list[str]:
        """The samplers, named as they were given."""
        return list(self.values)

    @property
    def metrics(self) -> list[str]:
        """The metrics, spelled as they were asked for."""
        return list(self.full)

    @property
    def rounds(self) -> int:
        """The rounds after the start."""
        return int(next(iter(self.labelled.values())).shape[1]) - 1

    @property
    def _asked(self) -> tuple[Any, ...]:
        return self.samplers, self.metrics, self.rounds, self.per_query

    @cached_property
    def last_round(self) -> int:
        """The last round that labelled anything: the operating range is rounds 1 to here."""
        grew = np.any([np.diff(counts, axis=1) > 0 for counts in self.labelled.values()], axis=(0, 1))
        return int(np.flatnonzero(grew)[-1]) + 1 if grew.any() else self.rounds

    def mean(self, sampler: str, metric: object) -> FloatArray:
        """The mean learning curve."""
        return np.asarray(self._curves(sampler, metric).mean(axis=0))

    def interval(self, sampler: str, metric: object, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Ends of the t interval over runs of each point of the mean curve; NaN for a single run."""
        low, high = np.transpose([t_interval(values, level=level) for values in self._curves(sampler, metric).T])
        return low, high

    def over_range(self, sampler: str, metric: object) -> FloatArray:
        """Mean of each run over the operating range, rounds 1 to `last_round`."""
        return np.asarray(self._curves(sampler, metric)[:, 1 : self.last_round + 1].mean(axis=1))

    @cached_property
    def tests(self) -> list[CurveTest]:
        """Every pair of samplers by every metric."""
        return [test for metric in self.metrics for test in curve_tests(metric, self._ranges(metric))]

    def relation(self, metric: object) -> str:
        """The samplers from best to worst by one metric, as in Donmez 2009's table 1."""
        means = {name: float(self.over_range(name, metric).mean()) for name in self.samplers}
        return relation(means, [test for test in self.tests if test.metric == str(metric)])

    def labels_needed(self, sampler: str, metric: object, share: float = SHARE) -> int | None:
        """Labels, with those of the start, when the mean curve first is at `share` of the metric with all labels.

        None where no round gets there; a curve that got there may fall again.
        """
        reached = np.flatnonzero(self.mean(sampler, metric) >= share * self.full[str(metric)] - ROUNDING)
        return round(float(self.labelled[sampler][:, reached[0]].mean())) if reached.size else None

    def seconds_a_round(self, sampler: str) -> dict[str, float]:
        """Median seconds of a round that labelled something: to fit, and to score and choose.

        Not the mean: the first round of a process also loads code.
        """
        counted = np.diff(self.labelled[sampler], axis=1) > 0
        return {
            kind: float(np.median(values[:, 1:][counted])) if counted.any() else 0.0
            for kind, values in self.seconds[sampler].items()
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain Python types that `json.dumps` takes; a value that is not known is None."""
        return {
            "rounds": self.rounds,
            "last_round": self.last_round,
            "per_query": self.per_query,
            "queries": self.queries,
            "seeds": list(self.seeds),
            "interrupted": self.interrupted,
            "full": self.full,
            "samplers": {name: self._summary(name) for name in self.samplers},
            "tests": [
                {
                    key: finite_or_none(value) if isinstance(value, float) else value
                    for key, value in asdict(test).items()
                }
                for test in self.tests
            ],
            "relations": {metric: self.relation(metric) for metric in self.metrics},
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from rankwise.sampling.simulation._text import text_of  # not above: it imports this file

        return text_of(self)

    # A notebook shows the tables too, not arrays.
    __repr__ = __str__

    def _summary(self, name: str) -> dict[str, Any]:
        metrics = {}
        for metric in self.metrics:
            low, high = ([finite_or_none(end) for end in ends.tolist()] for ends in self.interval(name, metric))
            metrics[metric] = {
                "mean": self.mean(name, metric).tolist(),
                "low": low,
                "high": high,
                "over_range": float(self.over_range(name, metric).mean()),
                "labels_needed": self.labels_needed(name, metric),
                "runs": self.values[name][metric].tolist(),
            }
        return {
            "labelled": self.labelled[name].mean(axis=0).tolist(),
            "metrics": metrics,
            "seconds": {kind: np.median(values, axis=0).tolist() for kind, values in self.seconds[name].items()},
            "seconds_a_round": self.seconds_a_round(name),
        }

    def _ranges(self, metric: str) -> dict[str, FloatArray]:
        return {name: self.values[name][metric][:, 1 : self.last_round + 1] for name in self.samplers}

    def _curves(self, sampler: str, metric: object) -> FloatArray:
        if sampler not in self.values:
            raise DataError(
                f"there are no runs of {sampler!r}, got those of {', '.join(self.values)}; name one of these"
            )
        found = self.values[sampler].get(str(metric))
        if found is None:
            raise MetricError(f"{metric} was not evaluated, got {', '.join(self.full)}; add it to metrics= of simulate")
        return found
