"""Symmetric trees: every leaf of a depth is split by the same question, which makes them hard to overfit.

As CatBoost grows them (Prokhorenkova et al. 2018). On small data they generalise better than trees that split the best
leaf first; LightGBM does not grow them, so they are grown here, on one machine, and written as LightGBM's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.kernels import _symmetric_splits as splits
from rankwise.kernels import _threads as threads
from rankwise.kernels._symmetric_splits import Codes
from rankwise.rankers.trees._streaming import Float32Array
from rankwise.types import AnyArray, FloatArray, IntArray, JsonObject

ZERO = 1e-35  # numbers up to this are 0 to LightGBM, in size
# LightGBM's decision_type of a split by "x ≤ threshold": a missing number is 0 if training met none, else it goes left.
NONE_MISSING, MISSING_LEFT = 2, 10
COLUMNS_AT_ONCE = 8  # of a thread's task


class Borders:
    """Bins of columns: a number is in the bin of the first border that it does not exceed, a missing one in the first.

    They are found from the values of some rows.
    """

    def __init__(self, X: AnyArray | sp.csr_matrix, max_bins: int) -> None:
        self.columns = [_borders(_column(X, k), max_bins) for k in range(X.shape[1])]
        self.n_bins: IntArray = np.array([borders.size + 1 for borders in self.columns])
        self.decision_types = [NONE_MISSING] * X.shape[1]

    def codes(self, blocks: Iterable[Any], n_rows: int) -> Codes:
        """The bin of each number, column by column."""
        codes = np.zeros((len(self.columns), n_rows), dtype=np.uint8 if self.n_bins.max() <= 256 else np.uint16)
        start = 0
        for block in blocks:
            rows = slice(start, start + block.shape[0])
            for k, borders in enumerate(self.columns):
                values = _column(block, k)
                is_missing = np.isnan(values)
                if is_missing.any():
                    self.decision_types[k] = MISSING_LEFT
                codes[k, rows] = np.searchsorted(borders, np.where(is_missing, -np.inf, values))
            start += block.shape[0]
        return codes


def splitting_bins(codes: Codes, n_bins: IntArray, min_rows: int) -> IntArray:
    """The bins of each column, 1 where no cut leaves so many rows on both sides."""
    usable = n_bins.copy()
    for k, column in enumerate(codes):
        below = np.cumsum(np.bincount(column, minlength=int(n_bins[k])))[:-1]
        if not ((below >= max(min_rows, 1)) & (column.size - below >= max(min_rows, 1))).any():
            usable[k] = 1
    return usable


def _column(X: AnyArray | sp.csr_matrix, k: int) -> FloatArray:
    column = X[:, [k]].toarray()[:, 0] if sp.issparse(X) else X[:, k]
    return np.asarray(column, dtype=np.float64)


def _borders(values: FloatArray, max_bins: int) -> FloatArray:
    """Between neighbouring values, or between those that part the rows into about equal bins; missing ones below."""
    is_missing = np.isnan(values)
    values = np.sort(values[~is_missing])
    if is_missing.any() and values.size:
        lowest = values[0] - max(abs(values[0]), 1.0)
        return np.append(lowest, _borders(values, max_bins - 1))
    different = np.unique(values)
    if different.size > max_bins:
        places = np.linspace(0, values.size, max_bins + 1)[1:-1].astype(np.int64)
        at = np.unique(np.searchsorted(different, values[places]))
        at = at[at > 0]
    else:
        at = np.arange(1, different.size)
    borders = (different[at - 1] + different[at]) / 2.0
    return np.unique(np.where(np.abs(borders) < ZERO, ZERO, borders))


@dataclass(frozen=True)
class SymmetricTree:
    """A tree's questions, one per depth, and the number of the right half of each leaf that a question splits."""

    columns: list[int]
    cuts: list[int]
    gains: list[float]
    right: list[NDArray[np.int32]]
    n_leaves: int

    def leaves(self, codes: Codes) -> NDArray[np.int32]:
        """The leaf of each row."""
        leaves = np.zeros(codes.shape[1], dtype=np.int32)
        for column, cut, right in zip(self.columns, self.cuts, self.right, strict=True):
            splits.follow_split(codes, column, cut, right, leaves)
        return leaves

    def to_text(self, borders: Borders, values: FloatArray, rows: FloatArray, hessians: FloatArray, rate: float) -> str:
        """The tree in LightGBM's words, with values, rows and Hessians of its leaves."""
        left: list[int] = []
        right: list[int] = []
        depths: list[int] = []
        slots: list[tuple[list[int], int] | None] = [None] * self.n_leaves  # where a leaf's number stands
        for depth, halves in enumerate(self.right):
            for leaf in np.flatnonzero(halves >= 0).tolist():
                node, half = len(left), int(halves[leaf])
                left.append(~leaf)
                right.append(~half)
                depths.append(depth)
                if (slot := slots[leaf]) is not None:
                    slot[0][slot[1]] = node
                slots[leaf], slots[half] = (left, node), (right, node)
        inner = np.zeros((3, len(left)))
        outer = np.array([rows, hessians, values * hessians])
        for node in range(len(left) - 1, -1, -1):
            for child in (left[node], right[node]):
                inner[:, node] += inner[:, child] if child >= 0 else outer[:, ~child]
        fields: dict[str, Iterable[object]] = {
            "num_leaves": [self.n_leaves],
            "num_cat": [0],
            "split_feature": [self.columns[depth] for depth in depths],
            "split_gain": [f"{self.gains[depth]:.6g}" for depth in depths],
            "threshold": [f"{borders.columns[self.columns[d]][self.cuts[d]]:.17g}" for d in depths],
            "decision_type": [borders.decision_types[self.columns[depth]] for depth in depths],
            "left_child": left,
            "right_child": right,
            "leaf_value": [f"{value:.17g}" for value in values.tolist()],
            "leaf_weight": [f"{hessian:.17g}" for hessian in hessians.tolist()],
            "leaf_count": rows.astype(np.int64).tolist(),
            "internal_value": [f"{value:.6g}" for value in (inner[2] / np.maximum(inner[1], 1e-300)).tolist()],
            "internal_weight": [f"{hessian:.6g}" for hessian in inner[1].tolist()],
            "internal_count": inner[0].astype(np.int64).tolist(),
            "is_linear": [0],
            "shrinkage": [f"{rate:g}"],
        }
        return "\n".join(f"{name}={' '.join(map(str, entries))}" for name, entries in fields.items())


def grow_symmetric_tree(
    codes: Codes,
    n_bins: IntArray,
    columns: IntArray,
    gradient: Float32Array,
    hessian: Float32Array,
    parameters: JsonObject,
) -> tuple[SymmetricTree, NDArray[np.int32]]:
    """A tree of these columns, and the leaf of each row; `parameters` are LightGBM's."""
    depth = int(parameters["num_leaves"]).bit_length() - 1
    limits = (int(parameters["min_data_in_leaf"]), float(parameters["min_sum_hessian_in_leaf"]))
    terms = np.zeros((gradient.size, 4))
    terms[:, 0], terms[:, 1], terms[:, 2] = gradient, hessian, 1.0
    leaves = np.zeros(gradient.size, dtype=np.int32)
    tree = SymmetricTree([], [], [], [], 1)
    for _ in range(depth):
        gains, cuts = np.zeros(columns.size), np.zeros(columns.size, dtype=np.int64)
        tasks = [
            partial(
                splits.best_cuts, codes, n_bins, columns[some], terms, leaves, tree.n_leaves, *limits,
                parameters["lambda_l2"], gains[some], cuts[some],
            )
            for some in _slices(columns.size)
        ]  # fmt: skip
        threads.run(tasks)
        best = int(np.argmax(gains))
        if not gains[best] > 0.0:
            break
        column, cut, right = int(columns[best]), int(cuts[best]), np.empty(tree.n_leaves, dtype=np.int32)
        n_leaves = splits.split_leaves(codes, column, cut, hessian, leaves, tree.n_leaves, *limits, right)
        tree = SymmetricTree(
            [*tree.columns, column],
            [*tree.cuts, cut],
            [*tree.gains, float(gains[best])],
            [*tree.right, right],
            n_leaves,
        )
    return tree, leaves


def _slices(n_columns: int) -> Sequence[slice]:
    return [slice(start, start + COLUMNS_AT_ONCE) for start in range(0, n_columns, COLUMNS_AT_ONCE)]


def tree_header(n_features: int) -> list[str]:
    """What opens the text of a model of such trees."""
    numbers = range(n_features)
    return [
        "tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0",
        f"max_feature_idx={n_features - 1}", f"feature_names={' '.join(f'f{k}' for k in numbers)}",
        f"feature_infos={' '.join('[-1e+308:1e+308]' for _ in numbers)}",
    ]  # fmt: skip
