"""α-nDCG as printed by Clarke et al. (2008), by loops; importing nothing from rankwise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import permutations, product

Document = frozenset[int]  # the subtopics that it is about


def alpha_dcg(ranked: Iterable[Document], alpha: float, k: int) -> float:
    total, shown = 0.0, dict.fromkeys(range(100), 0)
    for rank, document in enumerate(list(ranked)[:k], start=1):
        total += sum((1 - alpha) ** shown[topic] for topic in document) / math.log2(1 + rank)
        for topic in document:
            shown[topic] += 1
    return total


def greedy_order(documents: Sequence[Document], alpha: float) -> list[Document]:
    """Always the next document of the highest gain; of equals, one about the lowest subtopics."""
    left, order = list(documents), list[Document]()
    while left:
        shown = [topic for document in order for topic in document]
        gain = {d: sum((1 - alpha) ** shown.count(topic) for topic in d) for d in left}
        best = max(left, key=lambda d: (round(gain[d], 12), [topic in d for topic in range(100)]))
        order.append(best)
        left.remove(best)
    return order


def best_dcg(documents: Sequence[Document], alpha: float, k: int) -> float:
    """By trying every order."""
    return max(alpha_dcg(order, alpha, k) for order in permutations(documents))


def mean_over_orders(runs: Sequence[Sequence[Document]], alpha: float, k: int) -> float:
    """Runs of equal scores, from the top down: the mean over all of their orders."""
    orders = list(product(*map(permutations, runs)))
    return sum(alpha_dcg([d for run in order for d in run], alpha, k) for order in orders) / len(orders)
