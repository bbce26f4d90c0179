"""Textbook versions of the metrics: slow, from labels and scores, importing nothing from rankwise.

Each takes the labels of one list and its scores and returns a float, NaN where it is not defined. Scores must
differ, except for the functions in TIE_AWARE, which follow the definition by pairs or by thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise, product

Numbers = Sequence[float]
NAN = math.nan


def down(y: Numbers, s: Numbers) -> list[float]:
    return [label for _, label in sorted(zip(s, y, strict=True), key=lambda row: -row[0])]


def dcg(ranked: Numbers, k: int, gain: Callable[[float], float]) -> float:
    return sum(gain(label) / math.log2(rank + 1) for rank, label in enumerate(ranked[:k], start=1))


def exponential(label: float) -> float:
    return 2**label - 1


def ndcg(y: Numbers, s: Numbers, k: int = 10**9, gain: Callable[[float], float] = exponential) -> float:
    best = dcg(sorted(y, reverse=True), k, gain)
    return dcg(down(y, s), k, gain) / best if best else NAN


def average_precision(y: Numbers, s: Numbers, k: int = 10**9) -> float:
    ranked = down(y, s)
    relevant = sum(label > 0 for label in y)
    precisions = [sum(x > 0 for x in ranked[:r]) / r for r in range(1, len(y) + 1) if ranked[r - 1] > 0 and r <= k]
    return sum(precisions) / relevant if relevant else NAN


def reciprocal_rank(y: Numbers, s: Numbers, k: int = 10**9) -> float:
    places = [rank for rank, label in enumerate(down(y, s), start=1) if label > 0]
    if not places:
        return NAN
    return 1 / places[0] if places[0] <= k else 0.0


def err(y: Numbers, s: Numbers, highest: float, k: int = 10**9) -> float:
    total, go_on = 0.0, 1.0
    for rank, label in enumerate(down(y, s)[:k], start=1):
        chance = (2**label - 1) / 2**highest
        total, go_on = total + go_on * chance / rank, go_on * (1 - chance)
    return total


def bpref(y: Numbers, s: Numbers) -> float:
    ranked = down(y, s)
    R, N = sum(x > 0 for x in y), sum(x == 0 for x in y)
    if not R:
        return NAN
    total = 0.0
    for rank, label in enumerate(ranked):
        if label > 0:
            above = min(sum(x == 0 for x in ranked[:rank]), R)
            total += 1 - (above / min(R, N) if above else 0)
    return total / R


def precision(y: Numbers, s: Numbers, k: int) -> float:
    return sum(label > 0 for label in down(y, s)[:k]) / k


def recall(y: Numbers, s: Numbers, k: int) -> float:
    relevant = sum(label > 0 for label in y)
    return sum(label > 0 for label in down(y, s)[:k]) / relevant if relevant else NAN


def success(y: Numbers, s: Numbers, k: int) -> float:
    return float(any(label > 0 for label in down(y, s)[:k])) if max(y) > 0 else NAN


def r_precision(y: Numbers, s: Numbers) -> float:
    relevant = sum(label > 0 for label in y)
    return precision(y, s, relevant) if relevant else NAN


def rank_biased_precision(y: Numbers, s: Numbers, p: float, k: int = 10**9) -> float:
    """The expected share of relevant documents among those that a reader sees, by when the reader stops."""
    ranked = [label > 0 for label in down(y, s)[:k]]
    hits = [sum(ranked[:last]) for last in range(1, len(ranked) + 1)]
    stops = [p ** (last - 1) * (1 - p) for last in range(1, len(ranked) + 1)]
    beyond = p ** len(ranked) * hits[-1]  # a reader who goes on past the end has seen all
    return (1 - p) * (sum(stop * seen for stop, seen in zip(stops, hits, strict=True)) + beyond)


def ordered_pairs(y: Numbers, s: Numbers, better: Callable[[float, float], bool]) -> float:
    """Share of pairs (a better than b) with the higher score at a, half for equal scores."""
    pairs = [(sa, sb) for (ya, sa), (yb, sb) in product(zip(y, s, strict=True), repeat=2) if better(ya, yb)]
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs) if pairs else NAN


def auc(y: Numbers, s: Numbers) -> float:
    return ordered_pairs(y, s, lambda a, b: a > 0 >= b)


def class_auc(y: Numbers, s: Numbers, grade: float) -> float:
    return ordered_pairs(y, s, lambda a, b: a == grade != b)


def pairwise_correct(y: Numbers, s: Numbers) -> float:
    return ordered_pairs(y, s, lambda a, b: a > b)


def mauc(y: Numbers, s: Numbers, shares: dict[float, float]) -> float:
    known = {grade: class_auc(y, s, grade) for grade in shares}
    weight = sum(shares[grade] for grade, value in known.items() if not math.isnan(value))
    return sum(shares[g] * v for g, v in known.items() if not math.isnan(v)) / weight if weight else NAN


def thresholds(y: Numbers, s: Numbers) -> list[tuple[int, int]]:
    """(true positives, false positives) of "score at least t" for every t that occurs, highest first."""
    points = []
    for t in sorted(set(s), reverse=True):
        passed = [label for label, score in zip(y, s, strict=True) if score >= t]
        points.append((sum(x > 0 for x in passed), sum(x <= 0 for x in passed)))
    return points


def recall_at_precision(y: Numbers, s: Numbers, alpha: float) -> float:
    m = sum(x > 0 for x in y)
    return max([tp / m for tp, fp in thresholds(y, s) if tp / (tp + fp) >= alpha], default=0.0) if m else NAN


def precision_at_recall(y: Numbers, s: Numbers, beta: float) -> float:
    m = sum(x > 0 for x in y)
    return max([tp / (tp + fp) for tp, fp in thresholds(y, s) if tp / m >= beta], default=0.0) if m else NAN


def tpr_at_fpr(y: Numbers, s: Numbers, rate: float) -> float:
    m = sum(x > 0 for x in y)
    n = len(y) - m
    return max([tp / m for tp, fp in thresholds(y, s) if fp / n <= rate], default=0.0) if m and n else NAN


def fbeta(y: Numbers, s: Numbers, beta: float) -> float:
    m = sum(x > 0 for x in y)
    if not m:
        return NAN
    best = 0.0
    for tp, fp in thresholds(y, s):
        p, r = tp / (tp + fp), tp / m
        if p and r:
            best = max(best, (1 + beta**2) * p * r / (beta**2 * p + r))
    return best


def step_aucpr(y: Numbers, s: Numbers) -> float:
    m = sum(x > 0 for x in y)
    if not m:
        return NAN
    area, before = 0.0, 0.0
    for tp, fp in thresholds(y, s):
        area, before = area + (tp / m - before) * tp / (tp + fp), tp / m
    return area


def partial_aucpr(y: Numbers, s: Numbers, low: float, high: float, grid: int = 20000) -> float:
    """By the midpoint rule over precisions: the mean of recall at precision."""
    m = sum(x > 0 for x in y)
    if not m:
        return NAN
    points = [(tp / (tp + fp), tp / m) for tp, fp in thresholds(y, s)]
    levels = [low + (high - low) * (i + 0.5) / grid for i in range(grid)]
    return sum(max([r for p, r in points if p >= level], default=0.0) for level in levels) / grid


def partial_auc(y: Numbers, s: Numbers, low: float, high: float, grid: int = 20000) -> float:
    """By the midpoint rule over false positive rates: the mean height of the ROC polygon."""
    m = sum(x > 0 for x in y)
    n = len(y) - m
    if not m or not n:
        return NAN
    corners = [(0.0, 0.0)] + [(fp / n, tp / m) for tp, fp in thresholds(y, s)]

    def height(x: float) -> float:
        for (x0, y0), (x1, y1) in pairwise(corners):
            if x0 <= x <= x1 and x1 > x0:
                return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        raise AssertionError(x)

    return sum(height(low + (high - low) * (i + 0.5) / grid) for i in range(grid)) / grid


DISTINCT: dict[str, Callable[[Numbers, Numbers], float]] = {
    "ndcg": ndcg,
    "ndcg@3": lambda y, s: ndcg(y, s, 3),
    "ndcg[linear]@3": lambda y, s: ndcg(y, s, 3, float),
    "dcg@4": lambda y, s: dcg(down(y, s), 4, exponential),
    "map": average_precision,
    "map@3": lambda y, s: average_precision(y, s, 3),
    "mrr": reciprocal_rank,
    "mrr@2": lambda y, s: reciprocal_rank(y, s, 2),
    "err[4]": lambda y, s: err(y, s, 4),
    "err[4]@3": lambda y, s: err(y, s, 4, 3),
    "wta": lambda y, s: (1.0 if down(y, s)[0] > 0 else 0.0) if max(y) > 0 else NAN,
    "bpref": bpref,
    "p@3": lambda y, s: precision(y, s, 3),
    "p-micro[3]@2": lambda y, s: precision(y, s, 2) / 3,
    "p-macro[3]@2": lambda y, s: sum(down(y, s)[:2].count(c) / 2 for c in (1, 2, 3)) / 3,
    "r@3": lambda y, s: recall(y, s, 3),
    "success@3": lambda y, s: success(y, s, 3),
    "r-precision": r_precision,
    "rbp": lambda y, s: rank_biased_precision(y, s, 0.8),
    "rbp[0.5]@4": lambda y, s: rank_biased_precision(y, s, 0.5, 4),
    "0.7*ndcg@3 + 0.3*auc": lambda y, s: 0.7 * ndcg(y, s, 3) + 0.3 * auc(y, s),
    "map + 2*r@3 + 0.25*f1": lambda y, s: average_precision(y, s) + 2 * recall(y, s, 3) + fbeta(y, s, 1) / 4,
}

TIE_AWARE: dict[str, Callable[[Numbers, Numbers], float]] = {
    "auc": auc,
    "auc[2]": lambda y, s: class_auc(y, s, 2),
    "mauc[1:0.5,2:0.3,3:0.2]": lambda y, s: mauc(y, s, {1: 0.5, 2: 0.3, 3: 0.2}),
    "pairs": pairwise_correct,
    "r@p=0.6": lambda y, s: recall_at_precision(y, s, 0.6),
    "p@r=0.5": lambda y, s: precision_at_recall(y, s, 0.5),
    "tpr@fpr=0.3": lambda y, s: tpr_at_fpr(y, s, 0.3),
    "f1": lambda y, s: fbeta(y, s, 1),
    "f2": lambda y, s: fbeta(y, s, 2),
    "f0.5": lambda y, s: fbeta(y, s, 0.5),
    "aucpr": step_aucpr,
    "aucpr[0,1]": lambda y, s: partial_aucpr(y, s, 0, 1),
    "aucpr[0.7,1]": lambda y, s: partial_aucpr(y, s, 0.7, 1),
    "pauc[0,1]": lambda y, s: partial_auc(y, s, 0, 1),
    "pauc[0.1,0.4]": lambda y, s: partial_auc(y, s, 0.1, 0.4),
    "0.5*auc + 3*r@p=0.6": lambda y, s: auc(y, s) / 2 + 3 * recall_at_precision(y, s, 0.6),
}
