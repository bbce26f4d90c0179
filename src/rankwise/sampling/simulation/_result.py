"""The result of a simulation: learning curves, their tests, and what labels and time they took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.metrics import Metric
from rankwise.metrics.comparison._statistics import VALUE_ROUNDING, t_interval
from rankwise.sampling.simulation._curve_tests import CurveTest, curve_tests, relation
from rankwise.types import FloatArray, JsonObject

TABLE_SHARE = 0.95  # of the metric with all labels, in tables


@dataclass(frozen=True, eq=False)
class Simulation:
    """Learning curves of samplers side by side, as `simulate` returns them.

    Arrays have a row per run and a column per round, that of the start first.

    Parameters
    ----------
    values : dict of str to dict of str to ndarray
        The learning curves: `values[sampler][metric]`.
    labelled : dict of str to ndarray
        The number of labels so far: `labelled[sampler]`.
    seconds : dict of str to dict of str to ndarray
        The seconds of a round: `seconds[sampler]["fit"]` to fit the ranker on its labels, `["choose"]` to choose what
        to label in it, scoring included.
    full : dict of str to float
        The metrics with all labels, the mean over runs.
    seeds : tuple of int
        One seed per run.
    per_query : int
        Documents per query and round.
    queries : float
        How many queries there are to label.
    notes : tuple of str
        What the user should know.
    interrupted : bool
        Whether Ctrl-C ended it early.

    Attributes
    ----------
    last_round : int
        The last round that labelled anything: the operating range is rounds 1 to here.
    tests : list of CurveTest
        Every pair of samplers by every metric.
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
    def concat(cls, simulations: Sequence[Simulation]) -> Simulation:
        """Simulations of different folds as one, their runs side by side.

        Parameters
        ----------
        simulations : sequence of Simulation
            Simulations of the same samplers, metrics, rounds and documents per query.

        Returns
        -------
        Simulation
            All runs.

        Raises
        ------
        DataError
            If there is no simulation.
        ShapeError
            If simulations differ in samplers, metrics, rounds or documents per query.
        """
        if not simulations:
            raise DataError("there is nothing to join, got no simulation; pass at least one")
        first = simulations[0]
        if any(simulation._settings != first._settings for simulation in simulations):
            raise ShapeError(
                "simulations to join must have the same samplers, metrics, rounds and per_query; run them alike"
            )
        n_runs = [len(simulation.seeds) for simulation in simulations]
        notes = [
            note if all(note in other.notes for other in simulations) else f"part {number}: {note}"
            for number, simulation in enumerate(simulations, 1)
            for note in simulation.notes
        ]
        return cls(
            {name: _concat([simulation.values[name] for simulation in simulations]) for name in first.samplers},
            _concat([simulation.labelled for simulation in simulations]),
            {name: _concat([simulation.seconds[name] for simulation in simulations]) for name in first.samplers},
            {
                name: float(np.average([simulation.full[name] for simulation in simulations], weights=n_runs))
                for name in first.full
            },
            tuple(seed for simulation in simulations for seed in simulation.seeds),
            first.per_query,
            float(np.average([simulation.queries for simulation in simulations], weights=n_runs)),
            tuple(dict.fromkeys(notes)),
            any(simulation.interrupted for simulation in simulations),
        )

    @property
    def samplers(self) -> list[str]:
        """The samplers, named as in the call."""
        return list(self.values)

    @property
    def metrics(self) -> list[str]:
        """The metrics, spelled as in the call."""
        return list(self.full)

    @property
    def rounds(self) -> int:
        """The rounds after the start."""
        return int(next(iter(self.labelled.values())).shape[1]) - 1

    @property
    def _settings(self) -> tuple[list[str], list[str], int, int]:
        return self.samplers, self.metrics, self.rounds, self.per_query

    @cached_property
    def last_round(self) -> int:
        """The last round that labelled anything: the operating range is rounds 1 to here."""
        grew = np.any([np.diff(counts, axis=1) > 0 for counts in self.labelled.values()], axis=(0, 1))
        return int(np.flatnonzero(grew)[-1]) + 1 if grew.any() else self.rounds

    def mean(self, sampler: str, metric: str | Metric) -> FloatArray:
        """The mean learning curve over runs.

        Parameters
        ----------
        sampler : str
            Name of a sampler.
        metric : str or Metric
            One of the metrics.

        Returns
        -------
        ndarray of float64, shape (n_rounds + 1,)
            One value per round, that of the start first.
        """
        return np.asarray(self._curves(sampler, metric).mean(axis=0))

    def interval(self, sampler: str, metric: str | Metric, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The t interval over runs of each point of the mean curve.

        Parameters
        ----------
        sampler, metric : str
            As in `mean`.
        level : float, default=0.95
            Confidence level.

        Returns
        -------
        low : ndarray of float64, shape (n_rounds + 1,)
            Lower ends; NaN for a single run.
        high : ndarray of float64, shape (n_rounds + 1,)
            Upper ends.
        """
        low, high = np.transpose([t_interval(values, level=level) for values in self._curves(sampler, metric).T])
        return low, high

    def over_range(self, sampler: str, metric: str | Metric) -> FloatArray:
        """The mean of each run over the operating range, rounds 1 to `last_round`.

        Parameters
        ----------
        sampler, metric : str
            As in `mean`.

        Returns
        -------
        ndarray of float64, shape (n_runs,)
            One mean per run.
        """
        return np.asarray(self._curves(sampler, metric)[:, 1 : self.last_round + 1].mean(axis=1))

    @cached_property
    def tests(self) -> list[CurveTest]:
        """Every pair of samplers by every metric."""
        operating = slice(1, self.last_round + 1)
        return [
            test
            for metric in self.metrics
            for test in curve_tests(metric, {name: self.values[name][metric][:, operating] for name in self.samplers})
        ]

    def relation(self, metric: str | Metric) -> str:
        """The samplers from best to worst by one metric, as in table 1 of Donmez (2009).

        Parameters
        ----------
        metric : str or Metric
            One of the metrics.

        Returns
        -------
        str
            The names, with ≫ (p < .01), > (p < .05) or ≈ between neighbours.
        """
        means = {name: float(self.over_range(name, metric).mean()) for name in self.samplers}
        return relation(means, [test for test in self.tests if test.metric == str(metric)])

    def labels_needed(self, sampler: str, metric: str | Metric, share: float = TABLE_SHARE) -> int | None:
        """Labels, with those of the start, when the mean curve first is at a share of the metric with all labels.

        Parameters
        ----------
        sampler, metric : str
            As in `mean`.
        share : float, default=0.95
            Share of the metric with all labels.

        Returns
        -------
        int or None
            The number of labels; None where no round gets there. A curve that got there may fall again.
        """
        reached = np.flatnonzero(self.mean(sampler, metric) >= share * self.full[str(metric)] - VALUE_ROUNDING)
        return round(float(self.labelled[sampler][:, reached[0]].mean())) if reached.size else None

    def seconds_per_round(self, sampler: str) -> dict[str, float]:
        """Median seconds of a round that labelled something: to fit, and to score and choose.

        Not the mean: the first round of a process also loads code.

        Parameters
        ----------
        sampler : str
            Name of a sampler.

        Returns
        -------
        dict of str to float
            The seconds by step, "fit" and "choose".
        """
        counted = np.diff(self.labelled[sampler], axis=1) > 0
        return {
            step: float(np.median(values[:, 1:][counted])) if counted.any() else 0.0
            for step, values in self.seconds[sampler].items()
        }

    def to_dict(self) -> JsonObject:
        """All of it in plain Python types.

        Returns
        -------
        dict
            What `json.dumps` takes; a value that is not defined is None.
        """
        from rankwise.sampling.simulation._output import to_dict  # not above: it imports this file

        return to_dict(self)

    def __str__(self) -> str:
        from rankwise.sampling.simulation._output import to_text

        return to_text(self)

    # A notebook shows the tables too, not arrays.
    __repr__ = __str__

    def _curves(self, sampler: str, metric: str | Metric) -> FloatArray:
        if sampler not in self.values:
            raise DataError(
                f"there are no runs of {sampler!r}, got those of {', '.join(self.values)}; name one of these"
            )
        if str(metric) not in self.full:
            raise MetricError(f"{metric} was not evaluated, got {', '.join(self.full)}; add it to metrics= of simulate")
        return self.values[sampler][str(metric)]


def _concat(arrays: Sequence[dict[str, FloatArray]]) -> dict[str, FloatArray]:
    return {key: np.concatenate([by_key[key] for by_key in arrays]) for key in arrays[0]}
