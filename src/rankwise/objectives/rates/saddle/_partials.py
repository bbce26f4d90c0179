"""Derivatives of a rate objective by its counts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._statements import RateCounts
from rankwise.types import FloatArray

TINY = 1e-30  # a complex step this small derives exactly, as long as a statement is plain arithmetic
STEPS = 1j * TINY * np.eye(3)


@dataclass(frozen=True)
class Partials:
    """Costs and excesses of each anchor, and the derivatives of Σ_t Δ_t (cost_t + λ_t excess_t) by its counts and ψ."""

    costs: FloatArray
    excesses: FloatArray
    missed: FloatArray
    false: FloatArray
    split: FloatArray


def partials(objective: RateObjective, counts: RateCounts, multipliers: FloatArray) -> Partials:
    """By a complex step for each of L+, L− and ψ, all at once."""
    missed, false, split = (
        np.asarray(values) + step.reshape(3, *[1] * np.ndim(values))
        for values, step in zip((counts.missed, counts.false, counts.split), STEPS, strict=True)
    )
    moved = replace(counts, missed=missed, false=false, split=split)
    costs, excesses = objective.costs(moved), objective.excesses(moved)
    by = objective.shares() * (costs + multipliers * excesses).imag / TINY
    return Partials(costs[0].real, excesses[0].real, by[0], by[1], by[2])
