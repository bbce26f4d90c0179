"""Rows on which a model that was written wrong would show it: on both sides of each threshold, and at every extreme."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.models.export._floats import LARGEST, ZERO, above, below, single
from rankwise.models.export._scorer import Leaf, Linear, Net, Scorer, Split, Trees

Rows = NDArray[np.float32]
WHOLE = [0.0, -0.0, 1.0, -1.0, 1e30, -1e30, 3e38, -3e38, LARGEST, -LARGEST]
NEAR_ZERO = [size * sign for size in (1e-30, above(ZERO), ZERO, below(ZERO), 1e-40, 1.5e-45) for sign in (1, -1)]
EXTREMES = [*WHOLE, *NEAR_ZERO]
MOST_CELLS, MOST_ROWS = 2**23, 50_000
MOST_FEATURES = 200  # that extremes are tried on, one at a time
DRAWN = 256


def probe_rows(scorer: Scorer, *, missing: bool) -> Rows:
    """The rows; with missing values if those are allowed. The same model has the same."""
    draw = np.random.default_rng(0)
    most = max(min(MOST_CELLS // len(scorer.names), MOST_ROWS), 64)
    if isinstance(scorer, Trees):
        values = _values(scorer, missing)
        made = [_drawn(values, len(scorer.names), draw), *_at_thresholds(scorer, missing, values, draw, most)]
    else:
        assert isinstance(scorer, Linear | Net)
        near = np.where(scorer.scale > 0.0, 1.0 / np.where(scorer.scale > 0.0, scorer.scale, 1.0), 1.0)
        usual = scorer.center + near * draw.standard_normal((DRAWN, len(scorer.names)))
        made = [np.clip(usual, -LARGEST, LARGEST).astype(np.float32)]
        values = dict.fromkeys(range(len(scorer.names)), EXTREMES)
    made.append(_one_at_a_time(values, made[0][0], draw))
    rows = np.concatenate(made)
    return rows if len(rows) <= most else rows[np.sort(draw.choice(len(rows), most, replace=False))]


def _values(scorer: Trees, missing: bool) -> dict[int, list[float]]:
    """What to try for each feature that counts; categories are whole numbers."""
    found: dict[int, set[float]] = {}
    of_categories = {split.feature for split in scorer.splits if split.categories is not None}
    for split in scorer.splits:
        mine = found.setdefault(split.feature, set())
        if split.categories is not None:
            mine |= {float(one) for one in split.categories} | {max(split.categories) + 1.0, -1.0, 1e6}
        else:
            mine.update(_around(split.threshold))
    extra = [np.nan] if missing else []
    return {
        feature: [*sorted(mine), *(WHOLE if feature in of_categories else EXTREMES), *extra]
        for feature, mine in sorted(found.items())
    }


def _around(threshold: float) -> list[float]:
    limit = single(threshold)
    return [one for one in (below(limit), limit, above(limit)) if abs(one) <= LARGEST]


def _drawn(values: dict[int, list[float]], width: int, draw: np.random.Generator) -> Rows:
    rows = np.zeros((DRAWN, width), dtype=np.float32)
    for feature, mine in values.items():
        rows[:, feature] = draw.choice(np.array(mine), DRAWN)
    return rows


def _one_at_a_time(values: dict[int, list[float]], base: Rows, draw: np.random.Generator) -> Rows:
    """A usual row with one value changed."""
    some = sorted(draw.choice(sorted(values), min(MOST_FEATURES, len(values)), replace=False)) if values else []
    rows = [np.zeros_like(base)]
    for feature in some:
        for value in values[feature]:
            row = np.zeros_like(base)
            row[feature] = value
            rows.append(row)
    return np.array(rows, dtype=np.float32)


def _at_thresholds(
    scorer: Trees, missing: bool, values: dict[int, list[float]], draw: np.random.Generator, most: int
) -> list[Rows]:
    """For each split rows that come to it, with the value at the threshold, next to it on both sides, and missing."""
    rows: list[Any] = []
    share = most / (4.0 * sum(1 for _ in scorer.splits) + 1.0)  # of the splits of a very large model
    for tree in scorer.trees:
        waiting: list[tuple[Any, dict[int, tuple[float, float]], dict[int, float]]] = [(tree.root, {}, {})]
        while waiting:
            node, limits, fixed = waiting.pop()
            if isinstance(node, Leaf):
                continue
            waiting += _below_split(node, limits, fixed)
            if draw.random() > share:
                continue
            row = np.zeros(len(scorer.names), dtype=np.float32)
            for feature, (low, high) in limits.items():
                row[feature] = _between(low, high, draw)
            for feature, category in fixed.items():
                row[feature] = category
            tried = _tried(node, limits, fixed, values)
            rows += [_with(row, node.feature, value) for value in [*tried, *([np.nan] if missing else [])]]
    return [np.array(rows, dtype=np.float32)] if rows else []


def _tried(node: Split, limits: Any, fixed: dict[int, float], values: dict[int, list[float]]) -> list[float]:
    if node.categories is not None:
        return [fixed[node.feature]] if node.feature in fixed else values[node.feature]
    low, high = limits.get(node.feature, (-LARGEST, LARGEST))
    return [value for value in _around(node.threshold) if low <= value <= high]


def _below_split(node: Split, limits: Any, fixed: dict[int, float]) -> list[Any]:
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


def _between(low: float, high: float, draw: np.random.Generator) -> float:
    """One end or the middle."""
    return float([low, high, 0.5 * low + 0.5 * high][draw.integers(3)])


def _with(row: Rows, feature: int, value: float) -> Rows:
    changed = row.copy()
    changed[feature] = value
    return changed
