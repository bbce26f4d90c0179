"""Rank fusion by its definitions, one query at a time, from dictionaries; importing nothing from rankwise."""

from __future__ import annotations

import statistics
from itertools import permutations, product

Run = dict[str, float]  # of one query


def rankings(run: Run) -> list[list[str]]:
    """Every order that breaks ties of a run."""
    groups: dict[float, list[str]] = {}
    for document in run:
        groups.setdefault(run[document], []).append(document)
    pieces = [permutations(groups[score]) for score in sorted(groups, reverse=True)]
    return [[document for piece in order for document in piece] for order in product(*pieces)]


def mean_worth(run: Run, worth: list[float]) -> Run:
    """What places are worth, as the mean over every order of equal scores."""
    orders = rankings(run)
    return {d: sum(worth[order.index(d)] for order in orders) / len(orders) for d in run}


def rrf(runs: list[Run], k: float) -> Run:
    parts = [mean_worth(run, [1 / (k + rank) for rank in range(1, len(run) + 1)]) for run in runs]
    return {d: sum(part.get(d, 0.0) for part in parts) for part in parts for d in part}


def borda(runs: list[Run]) -> Run:
    """Each run deals out 1 to c points over the c candidates; those that it lacks share what is left."""
    candidates = {d for run in runs for d in run}
    c, points = len(candidates), dict.fromkeys(candidates, 0.0)
    for run in runs:
        for d, worth in mean_worth(run, [float(c - place) for place in range(len(run))]).items():
            points[d] += worth
        left = [float(p) for p in range(1, c - len(run) + 1)]
        for d in candidates - set(run):
            points[d] += sum(left) / len(left)
    return points


def normalized(run: Run, how: str) -> Run:
    low, high, n = min(run.values()), max(run.values()), len(run)
    if how == "min-max":
        return {d: (s - low) / (high - low) if high > low else 1.0 for d, s in run.items()}
    if how == "z-score":
        mean, deviation = statistics.fmean(run.values()), statistics.pstdev(run.values())
        return {d: (s - mean) / deviation if high > low else 0.0 for d, s in run.items()}
    if how == "rank":
        return mean_worth(run, [1 - place / n for place in range(n)])
    return run


def comb(runs: list[Run], method: str, how: str) -> Run:
    parts = [normalized(run, how) for run in runs]
    fused = {}
    for d in {d for run in runs for d in run}:
        own = [part[d] for part in parts if d in part]
        absent = [min(0.0, *part.values()) for part in parts if d not in part]
        fused[d] = {
            "combsum": sum(own) + sum(absent),
            "combmnz": sum(own) * len(own),
            "combanz": sum(own) / len(own),
            "combmax": max(own),
            "combmin": min(own),
            "combmed": statistics.median(own),
        }[method]
    return fused
