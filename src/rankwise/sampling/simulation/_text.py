"""Tables of a simulation, for people."""

from __future__ import annotations

import math

from rankwise.metrics._evaluation import aligned
from rankwise.metrics.comparison._compare import p_text
from rankwise.sampling.simulation._result import SHARE, Simulation

LEGEND = (
    "≫ p < .01, > p < .05, ≈ else, of neighbours by p rounds: paired t over the rounds of the mean curves, as in "
    "Donmez 2009;\n"
    "p runs: paired t over runs, each with its mean of rounds (stricter: rounds of one run hang together)"
)

Row = tuple[str, ...]


def curve_table(found: Simulation) -> tuple[Row, list[Row]]:
    """Header and lines: one per metric and sampler, and one per metric for all labels."""
    rounds = sorted({0, found.rounds // 2, found.rounds})
    named = ["start" if t == 0 else f"round {t}" for t in rounds]
    rows = []
    for metric in found.metrics:
        for name in found.samplers:
            mean, (low, high) = found.mean(name, metric), found.interval(name, metric)
            points = [_with_half(mean[t], (high[t] - low[t]) / 2) for t in rounds]
            needed = found.labels_needed(name, metric)
            cells = (f"{found.over_range(name, metric).mean():.4f}", "–" if needed is None else str(needed))
            rows.append((metric, name, *points, *cells, f"{sum(found.seconds_a_round(name).values()):.3f}"))
        rows.append((metric, "all labels", *[""] * (len(rounds) - 1), f"{found.full[metric]:.4f}", "", "", ""))
    return ("metric", "sampler", *named, "mean of rounds", f"labels to {SHARE:.0%}", "s/round"), rows


def test_table(found: Simulation) -> tuple[Row, list[Row]]:
    """Header and lines: one per metric and pair of samplers."""
    return ("metric", "pair", "difference", "p rounds", "p runs"), [
        (test.metric, f"{test.a} − {test.b}", f"{test.difference:+.4f}", p_text(test.p_rounds), p_text(test.p_runs))
        for test in found.tests
    ]


def relations(found: Simulation) -> str:
    """A line per metric, as in Donmez 2009's table 1."""
    return "\n".join(f"{metric}: {found.relation(metric)}" for metric in found.metrics)


def text_of(found: Simulation) -> str:
    """All of it."""
    header, rows = curve_table(found)
    parts = [aligned([header, *rows])]
    if found.tests:
        header, rows = test_table(found)
        parts += [relations(found), aligned([header, *rows]) + "\n" + LEGEND]
    return "\n\n".join(parts + [f"note: {note}" for note in found.notes])


def _with_half(mean: float, half: float) -> str:
    return f"{mean:.4f}" if math.isnan(half) else f"{mean:.4f} ±{half:.4f}"
