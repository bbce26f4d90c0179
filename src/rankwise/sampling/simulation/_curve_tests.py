"""Paired t-tests of learning curves: over the rounds of the operating range (Donmez 2009), and over runs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

from rankwise.metrics.comparison._statistics import paired_t
from rankwise.types import FloatArray


@dataclass(frozen=True)
class CurveTest:
    """Sampler `a` against sampler `b` by one metric; p-values are those of two-sided paired t-tests.

    `mean_a` and `mean_b` are means over the operating range (rounds 1, 2, …) and all runs. The pairs of `p_rounds` are
    the rounds of the mean curves, as in Donmez 2009: rounds of one curve are not independent, so that it is soon small.
    The pairs of `p_runs` are the runs, each with its mean over the range; it is NaN for a single run.
    """

    metric: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    p_rounds: float
    p_runs: float


def curve_tests(metric: str, curves: dict[str, FloatArray]) -> list[CurveTest]:
    """Every pair of samplers, from curves of shape (runs, rounds of the operating range)."""
    tests = []
    for a, b in combinations(curves, 2):
        mean_a, mean_b = float(curves[a].mean()), float(curves[b].mean())
        p_rounds = paired_t(curves[a].mean(axis=0), curves[b].mean(axis=0))
        p_runs = paired_t(curves[a].mean(axis=1), curves[b].mean(axis=1))
        tests.append(CurveTest(metric, a, b, mean_a, mean_b, mean_a - mean_b, p_rounds, p_runs))
    return tests


def relation(means: dict[str, float], tests: list[CurveTest]) -> str:
    """Samplers from best to worst as in Donmez 2009's table 1: ≫ p < .01, > p < .05, ≈ else, between neighbours, by
    p_rounds."""
    p = {frozenset((test.a, test.b)): test.p_rounds for test in tests}
    ordered = sorted(means, key=lambda name: -means[name])
    words = ordered[:1]
    for better, worse in pairwise(ordered):
        p_value = p[frozenset((better, worse))]
        words += ["≫" if p_value < 0.01 else ">" if p_value < 0.05 else "≈", worse]
    return " ".join(words)
