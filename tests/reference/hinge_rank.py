"""The hinge rank loss of one list by its definition, over every order of equal scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations


def orders(scores: Sequence[float]) -> list[tuple[int, ...]]:
    """Every order of the documents in which scores do not fall."""
    return [
        order for order in permutations(range(len(scores))) if all(scores[a] <= scores[b] for a, b in pairwise(order))
    ]


def loss_of_order(relevant: Sequence[bool], order: Sequence[int], below: int) -> float:
    """Donmez 2009 (1): documents in `order` have the ranks 1, 2, …, and the rank threshold is below + ½."""
    total = 0.0
    for rank, document in enumerate(order, 1):
        sign = 1 if relevant[document] else -1
        total += max(0.0, 0.5 - sign * (rank - (below + 0.5)))
    return total


def auc_of_order(relevant: Sequence[bool], order: Sequence[int]) -> float:
    """Donmez 2009 (2)."""
    rank = {document: place for place, document in enumerate(order)}
    pairs = [(i, j) for i in rank for j in rank if relevant[i] and not relevant[j]]
    return sum(rank[i] > rank[j] for i, j in pairs) / len(pairs)


def hinge_rank_loss(relevant: Sequence[bool], scores: Sequence[float], below: int) -> float:
    """The mean over all orders of equal scores."""
    losses = [loss_of_order(relevant, order, below) for order in orders(scores)]
    return sum(losses) / len(losses)


def auc(relevant: Sequence[bool], scores: Sequence[float]) -> float:
    values = [auc_of_order(relevant, order) for order in orders(scores)]
    return sum(values) / len(values)


def least_loss(relevant: Sequence[bool], below: int) -> float:
    """The constant of (3): the least loss of any order."""
    return min(loss_of_order(relevant, order, below) for order in permutations(range(len(relevant))))
