"""Trees of a written file, by which rows are scored: what the formats' own interpreters share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Branch:
    """`goes_left` says of values of a column which go left; a leaf is a number."""

    column: int
    goes_left: Callable[[AnyArray], BoolArray]
    left: Branch | float
    right: Branch | float


def sums_of_trees(trees: Iterable[Branch | float], X: AnyArray, precision: type[np.floating]) -> FloatArray:
    """Leaves added up tree by tree in this precision."""
    total = np.zeros(len(X), dtype=precision)
    with np.errstate(over="ignore"):
        for tree in trees:
            total += _leaves(tree, X, precision)
    return total.astype(np.float64)


def _leaves(root: Branch | float, X: AnyArray, precision: type[np.floating]) -> AnyArray:
    out = np.empty(len(X), dtype=precision)
    waiting: list[tuple[Branch | float, IntArray]] = [(root, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        if not isinstance(node, Branch):
            out[rows] = node
        elif rows.size:
            left = node.goes_left(X[rows, node.column])
            waiting += [(node.left, rows[left]), (node.right, rows[~left])]
    return out
