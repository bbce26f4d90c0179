"""Rows on which a model that was written wrong would show it: on both sides of each threshold, and at every extreme."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers._score_functions._floats import LARGEST, ZERO, above, below, single
from rankwise.rankers._score_functions._functions import (
    BlendFunction,
    Leaf,
    LinearFunction,
    NetFunction,
    Node,
    QuantileFunction,
    ScoreFunction,
    TreeSplit,
    TreeSum,
)

Rows = NDArray[np.float32]
WHOLE = [0.0, -0.0, 1.0, -1.0, 1e30, -1e30, 3e38, -3e38, LARGEST, -LARGEST]
NEAR_ZERO = [size * sign for size in (1e-30, above(ZERO), ZERO, below(ZERO), 1e-40, 1.5e-45) for sign in (1, -1)]
EXTREMES = [*WHOLE, *NEAR_ZERO]
MAX_CELLS, MAX_ROWS = 2**23, 50_000
MAX_FEATURES = 200  # that extremes are tried on, one at a time
RANDOM_ROWS = 256
Limits = dict[int, tuple[float, float]]  # of the values of features


def probe_rows(function: ScoreFunction, *, missing: bool) -> Rows:
    """The rows; with missing values if those are allowed. The same model has the same."""
    if isinstance(function, BlendFunction):
        return np.concatenate([probe_rows(part, missing=missing) for _, part in function.parts])
    rng = np.random.default_rng(0)
    max_rows = max(min(MAX_CELLS // len(function.names), MAX_ROWS), 64)
    if isinstance(function, TreeSum):
        values = _values(function, missing)
        blocks = [
            _random_rows(values, len(function.names), rng),
            *_at_thresholds(function, missing, values, rng, max_rows),
        ]
    elif isinstance(function, QuantileFunction):
        knots = enumerate(function.quantiles.knots)
        values = {column: [*np.concatenate([_around(v) for v in of_column]), *EXTREMES] for column, of_column in knots}
        blocks = [_random_rows(values, len(function.names), rng)]
    else:
        assert isinstance(function, LinearFunction | NetFunction)
        near = np.where(function.scale > 0.0, 1.0 / np.where(function.scale > 0.0, function.scale, 1.0), 1.0)
        usual = function.center + near * rng.standard_normal((RANDOM_ROWS, len(function.names)))
        blocks = [np.clip(usual, -LARGEST, LARGEST).astype(np.float32)]
        values = dict.fromkeys(range(len(function.names)), EXTREMES)
    blocks.append(_one_at_a_time(values, blocks[0][0], rng))
    rows = np.concatenate(blocks)
    return rows if len(rows) <= max_rows else rows[np.sort(rng.choice(len(rows), max_rows, replace=False))]


def _values(function: TreeSum, missing: bool) -> dict[int, list[float]]:
    """What to try for each feature that counts; categories are whole numbers."""
    values: dict[int, set[float]] = {}
    of_categories = {split.feature for split in function.splits if split.categories is not None}
    for split in function.splits:
        of_feature = values.setdefault(split.feature, set())
        if split.categories is not None:
            of_feature |= {float(category) for category in split.categories} | {max(split.categories) + 1.0, -1.0, 1e6}
        else:
            of_feature.update(_around(split.threshold))
    extra = [np.nan] if missing else []
    return {
        feature: [*sorted(of_feature), *(WHOLE if feature in of_categories else EXTREMES), *extra]
        for feature, of_feature in sorted(values.items())
    }


def _around(threshold: float) -> list[float]:
    limit = single(threshold)
    return [value for value in (below(limit), limit, above(limit)) if abs(value) <= LARGEST]


def _random_rows(values: dict[int, list[float]], width: int, rng: np.random.Generator) -> Rows:
    rows = np.zeros((RANDOM_ROWS, width), dtype=np.float32)
    for feature, of_feature in values.items():
        rows[:, feature] = rng.choice(np.array(of_feature), RANDOM_ROWS)
    return rows


def _one_at_a_time(values: dict[int, list[float]], base: Rows, rng: np.random.Generator) -> Rows:
    """A usual row with one value changed."""
    some = sorted(rng.choice(sorted(values), min(MAX_FEATURES, len(values)), replace=False)) if values else []
    columns = [(feature, value) for feature in some for value in values[feature]]
    rows = np.zeros((len(columns) + 1, base.size), dtype=np.float32)
    for row, (feature, value) in enumerate(columns, start=1):
        rows[row, feature] = value
    return rows


def _at_thresholds(
    function: TreeSum, missing: bool, values: dict[int, list[float]], rng: np.random.Generator, max_rows: int
) -> list[Rows]:
    """For each split rows that come to it, with the value at the threshold, next to it on both sides, and missing."""
    rows: list[Rows] = []
    share = max_rows / (4.0 * sum(1 for _ in function.splits) + 1.0)  # of the splits of a very large model
    for tree in function.trees:
        waiting: list[tuple[Node, Limits, dict[int, float]]] = [(tree.root, {}, {})]
        while waiting:
            node, limits, fixed = waiting.pop()
            if isinstance(node, Leaf):
                continue
            waiting += _below_split(node, limits, fixed)
            if rng.random() > share:
                continue
            row = np.zeros(len(function.names), dtype=np.float32)
            for feature, (low, high) in limits.items():
                row[feature] = _between(low, high, rng)
            for feature, category in fixed.items():
                row[feature] = category
            tried = _tried(node, limits, fixed, values)
            block = np.tile(row, (len(tried) + missing, 1))
            block[:, node.feature] = [*tried, *([np.nan] if missing else [])]
            rows.append(block)
    return rows


def _tried(node: TreeSplit, limits: Limits, fixed: dict[int, float], values: dict[int, list[float]]) -> list[float]:
    if node.categories is not None:
        return [fixed[node.feature]] if node.feature in fixed else values[node.feature]
    low, high = limits.get(node.feature, (-LARGEST, LARGEST))
    return [value for value in _around(node.threshold) if low <= value <= high]


def _below_split(
    node: TreeSplit, limits: Limits, fixed: dict[int, float]
) -> list[tuple[Node, Limits, dict[int, float]]]:
    """Both sides, and what a row must be like to come there."""
    if node.categories is not None:
        outside = float(max(node.categories) + 1)
        sides = [float(min(node.categories)), outside]
        return [
            (side, limits, fixed | {node.feature: value})
            for side, value in zip((node.left, node.right), sides, strict=True)
        ]
    low, high = limits.get(node.feature, (-LARGEST, LARGEST))
    limit = single(node.threshold)
    return [
        (node.left, limits | {node.feature: (low, max(min(high, limit), low))}, fixed),
        (node.right, limits | {node.feature: (min(max(low, above(limit)), high), high)}, fixed),
    ]


def _between(low: float, high: float, rng: np.random.Generator) -> float:
    """One end or the middle."""
    return float([low, high, 0.5 * low + 0.5 * high][rng.integers(3)])
