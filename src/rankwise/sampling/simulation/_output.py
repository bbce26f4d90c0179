"""A simulation as tables for people, and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np

from rankwise.metrics._evaluation import finite_or_none, format_table
from rankwise.metrics.comparison._statistics import format_p_value
from rankwise.sampling.simulation._result import TABLE_SHARE, Simulation
from rankwise.types import JsonObject

LEGEND = (
    "≫ p < .01, > p < .05, ≈ else, of neighbours by p rounds: paired t over the rounds of the mean curves, as in "
    "Donmez 2009;\n"
    "p runs: paired t over runs, each with its mean of rounds (stricter: rounds of one run hang together)"
)

Row = tuple[str, ...]


def curve_table(simulation: Simulation) -> tuple[Row, list[Row]]:
    """Header and lines: one per metric and sampler, and one per metric for all labels."""
    rounds = sorted({0, simulation.rounds // 2, simulation.rounds})
    columns = ["start" if t == 0 else f"round {t}" for t in rounds]
    rows = []
    for metric in simulation.metrics:
        for name in simulation.samplers:
            mean, (low, high) = simulation.mean(name, metric), simulation.interval(name, metric)
            points = [_with_half(mean[t], (high[t] - low[t]) / 2) for t in rounds]
            needed = simulation.labels_needed(name, metric)
            cells = (f"{simulation.over_range(name, metric).mean():.4f}", "–" if needed is None else str(needed))
            rows.append((metric, name, *points, *cells, f"{sum(simulation.seconds_per_round(name).values()):.3f}"))
        rows.append((metric, "all labels", *[""] * (len(rounds) - 1), f"{simulation.full[metric]:.4f}", "", "", ""))
    return ("metric", "sampler", *columns, "mean of rounds", f"labels to {TABLE_SHARE:.0%}", "s/round"), rows


def test_table(simulation: Simulation) -> tuple[Row, list[Row]]:
    """Header and lines: one per metric and pair of samplers."""
    return ("metric", "pair", "difference", "p rounds", "p runs"), [
        (
            test.metric,
            f"{test.a} − {test.b}",
            f"{test.difference:+.4f}",
            format_p_value(test.p_rounds),
            format_p_value(test.p_runs),
        )
        for test in simulation.tests
    ]


def relations(simulation: Simulation) -> str:
    """A line per metric, as in Donmez 2009's table 1."""
    return "\n".join(f"{metric}: {simulation.relation(metric)}" for metric in simulation.metrics)


def to_text(simulation: Simulation) -> str:
    """All of it."""
    header, rows = curve_table(simulation)
    sections = [format_table([header, *rows])]
    if simulation.tests:
        header, rows = test_table(simulation)
        sections += [relations(simulation), format_table([header, *rows]) + "\n" + LEGEND]
    return "\n\n".join(sections + [f"note: {note}" for note in simulation.notes])


def to_dict(simulation: Simulation) -> JsonObject:
    """All of it in plain Python types; a value that is not defined is None."""
    return {
        "rounds": simulation.rounds,
        "last_round": simulation.last_round,
        "per_query": simulation.per_query,
        "queries": simulation.queries,
        "seeds": list(simulation.seeds),
        "interrupted": simulation.interrupted,
        "full": simulation.full,
        "samplers": {name: _summary(simulation, name) for name in simulation.samplers},
        "tests": [
            {key: finite_or_none(value) if isinstance(value, float) else value for key, value in asdict(test).items()}
            for test in simulation.tests
        ],
        "relations": {metric: simulation.relation(metric) for metric in simulation.metrics},
        "notes": list(simulation.notes),
    }


def _summary(simulation: Simulation, name: str) -> JsonObject:
    metrics = {}
    for metric in simulation.metrics:
        low, high = ([finite_or_none(end) for end in ends.tolist()] for ends in simulation.interval(name, metric))
        metrics[metric] = {
            "mean": simulation.mean(name, metric).tolist(),
            "low": low,
            "high": high,
            "over_range": float(simulation.over_range(name, metric).mean()),
            "labels_needed": simulation.labels_needed(name, metric),
            "runs": simulation.values[name][metric].tolist(),
        }
    return {
        "labelled": simulation.labelled[name].mean(axis=0).tolist(),
        "metrics": metrics,
        "seconds": {step: np.median(values, axis=0).tolist() for step, values in simulation.seconds[name].items()},
        "seconds_per_round": simulation.seconds_per_round(name),
    }


def _with_half(mean: float, half: float) -> str:
    return f"{mean:.4f}" if math.isnan(half) else f"{mean:.4f} ±{half:.4f}"
