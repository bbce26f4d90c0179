"""How far labellers agree beyond chance: Cohen's kappa of two, Fleiss' kappa of several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rankwise.errors import DataError, ShapeError
from rankwise.types import FloatArray


@dataclass(frozen=True)
class PairAgreement:
    """Two labellers on the items that both have judged: the share of equal grades, and Cohen's kappa."""

    first: str
    second: str
    items: int
    same: float
    kappa: float


@dataclass(frozen=True)
class Agreement:
    """All labellers on the items judged by more than one, pair by pair and by Fleiss' kappa.

    A kappa is 1 for full agreement, 0 for what chance gives, NaN where chance alone gives full agreement (all grades
    are equal) or where there is no such item.
    """

    items: int
    pairs: tuple[PairAgreement, ...]
    fleiss: float

    def __str__(self) -> str:
        lines = [
            f"{p.first} – {p.second}: {p.items} items, {p.same:.1%} the same, Cohen's kappa {p.kappa:.3f}"
            for p in self.pairs
        ]
        return "\n".join([*lines, f"all: {self.items} items, Fleiss' kappa {self.fleiss:.3f}"])


def cohen_kappa(first: Any, second: Any) -> float:
    """Agreement of two labellers, (p_o − p_e)/(1 − p_e): p_e is chance at each one's own frequencies of the grades.

    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim != 1 or a.shape != b.shape:
        raise ShapeError(f"two labellers must have one grade an item each, got shapes {a.shape} and {b.shape}")
    if a.size == 0:
        return float("nan")
    by_chance = sum(float((a == grade).mean() * (b == grade).mean()) for grade in np.union1d(a, b))
    return _beyond_chance(float((a == b).mean()), by_chance)


def fleiss_kappa(counts: Any) -> float:
    """Agreement of several labellers; `counts` has a row an item, a column per grade, and how many gave it.

    Observed is the mean over items of the share of pairs of labellers that agree, chance that of two draws from all
    grades given. Fleiss (1971) has as many labellers for each item; here that may differ, from two up.

    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1], [2, 1]]), 3)
    0.314
    """
    table: FloatArray = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2:
        raise ShapeError(f"counts must have a row an item and a column per grade, got shape {table.shape}")
    if table.shape[0] == 0:
        return float("nan")
    judged = table.sum(axis=1)
    if (judged < 2).any():
        row = int(np.flatnonzero(judged < 2)[0])
        raise DataError(f"an item must be judged at least twice, got {judged[row]:g} at row {row}; leave it out")
    agreeing = (table * (table - 1)).sum(axis=1) / (judged * (judged - 1))
    frequency = table.sum(axis=0) / table.sum()
    return _beyond_chance(float(agreeing.mean()), float((frequency**2).sum()))


def _beyond_chance(observed: float, by_chance: float) -> float:
    # Frequencies are sums of few fractions: only full agreement by chance comes this close to 1.
    return float("nan") if by_chance > 1 - 1e-12 else (observed - by_chance) / (1 - by_chance)


def agreement_of(judged: Iterable[tuple[int, str, int]]) -> Agreement:
    """The agreement of grades in force, given as item, labeller, grade."""
    by_labeller: dict[str, dict[int, int]] = {}
    by_item: dict[int, list[int]] = {}
    for item, who, grade in judged:
        by_labeller.setdefault(who, {})[item] = grade
        by_item.setdefault(item, []).append(grade)
    shared = [grades for grades in by_item.values() if len(grades) > 1]
    counts = np.zeros((len(shared), 1 + max((max(grades) for grades in shared), default=0)))
    for row, grades in enumerate(shared):
        np.add.at(counts[row], grades, 1)
    pairs = (_pair(a, b, by_labeller[a], by_labeller[b]) for a, b in combinations(sorted(by_labeller), 2))
    return Agreement(len(shared), tuple(pair for pair in pairs if pair.items), fleiss_kappa(counts))


def _pair(a: str, b: str, of_a: dict[int, int], of_b: dict[int, int]) -> PairAgreement:
    both = sorted(of_a.keys() & of_b.keys())
    first, second = (np.array([grades[item] for item in both]) for grades in (of_a, of_b))
    same = float((first == second).mean()) if both else float("nan")
    return PairAgreement(a, b, len(both), same, cohen_kappa(first, second))
