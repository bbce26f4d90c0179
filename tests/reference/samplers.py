"""What samplers say of one query's candidates, read off their definitions: loops over documents and pairs, no sorting.

Scores come in any order and utilities go out in the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def rank(scores: Sequence[float], k: int) -> float:
    """Rank from 1 at the lowest score: one more than the lower ones, and half of the others that are equal."""
    lower = sum(other < scores[k] for other in scores)
    equal = sum(other == scores[k] for other in scores) - 1
    return 1 + lower + equal / 2


def threshold(scores: Sequence[float]) -> int:
    """Donmez 2009 figure 2: the i from 1 with the largest gap between x_i and x_{i+1} by rising score, the first of
    several."""
    rising = sorted(scores)
    best = 1
    for i in range(1, len(rising)):
        if abs(rising[i - 1] - rising[i]) > abs(rising[best - 1] - rising[min(best, len(rising) - 1)]):
            best = i
    return best


def chances(scores: Sequence[float]) -> list[float]:
    """Donmez 2009 (8), calibrated: P(relevant) of each document."""
    at = sorted(scores)[threshold(scores) - 1]
    return [sigmoid(score - at) for score in scores]


def thresholds(scores: Sequence[float], count: int) -> list[int]:
    """The places of the largest gaps, the lowest first of equal ones; one even where there is no gap."""
    rising = sorted(scores)
    gaps = [(rising[i - 1] - rising[i], i) for i in range(1, len(rising))]
    return [i for _, i in sorted(gaps)][:count] or [1]


def loss_min(scores: Sequence[float], weight: float, count: int = 1) -> list[float]:
    """Donmez 2009 (7), added up over so many thresholds."""
    found = [0.0] * len(scores)
    for place in thresholds(scores, count):
        middle, at = place + 0.5, sorted(scores)[place - 1]
        for k, score in enumerate(scores):
            positive, distance = sigmoid(score - at), rank(scores, k) - middle
            too_low = max(0.5 - distance, 0) / abs(1 - middle)
            too_high = max(0.5 + distance, 0) / abs(len(scores) - middle)
            found[k] += positive * too_low * (1 - weight) + (1 - positive) * too_high * weight
    return found


def ambiguity(scores: Sequence[float]) -> float:
    """The sum of score differences over all pairs of a set."""
    return sum(abs(a - b) for a, b in combinations(scores, 2))


def ambiguous_sets(scores: Sequence[float], size: int) -> list[tuple[int, ...]]:
    """Every set of so many documents whose sum of score differences is least, by trying all."""
    sums = {chosen: ambiguity([scores[k] for k in chosen]) for chosen in combinations(range(len(scores)), size)}
    least = min(sums.values(), default=0.0)
    return [chosen for chosen, value in sums.items() if value <= least + 1e-9 * (1 + least)]


def entropy(scores: Sequence[float]) -> list[float]:
    """Over all other documents, the chance that the two are in the wrong order; of equal scores, half of it."""
    p = chances(scores)
    found = [0.0] * len(scores)
    for i in range(len(scores)):
        for j in range(len(scores)):
            if i == j:
                continue
            relevant_below, irrelevant_above = p[i] * (1 - p[j]), (1 - p[i]) * p[j]
            if scores[i] < scores[j]:
                found[i] += relevant_below
            elif scores[i] > scores[j]:
                found[i] += irrelevant_above
            else:
                found[i] += (relevant_below + irrelevant_above) / 2
    return found


def rank_differences(scores: Sequence[float], others: Sequence[Sequence[float]]) -> list[float]:
    """How far each document's rank is from its ranks by other scores, in all."""
    return [sum(abs(rank(scores, k) - rank(other, k)) for other in others) for k in range(len(scores))]


def contested(scores: Sequence[float], others: Sequence[Sequence[float]], n_relevant: int, depth: int) -> list[float]:
    """How far the logarithm of each document's place from the best, `depth` further down for each relevant one, is from
    those by other scores, in all."""

    def place(values: Sequence[float], k: int) -> float:
        return math.log(1 + len(values) - rank(values, k) + depth * n_relevant)

    return [sum(abs(place(scores, k) - place(other, k)) for other in others) for k in range(len(scores))]


def kept_apart(order: Sequence[int], features: Sequence[Sequence[float]], count: int, apart: float) -> list[int]:
    """The first `count` of the order that are no nearer than `apart` to one before; then the others, as they come."""
    chosen: list[int] = []
    for row in order:
        near = False
        for other in chosen:
            squares = [(a - b) ** 2 for a, b in zip(features[row], features[other], strict=True)]
            near = near or math.sqrt(sum(squares) / len(squares)) <= apart
        if not near and len(chosen) < count:
            chosen.append(row)
    return (chosen + [row for row in order if row not in chosen])[:count]
