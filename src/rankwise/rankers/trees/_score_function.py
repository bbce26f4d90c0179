"""What trees of LightGBM compute, from its own text."""

from __future__ import annotations

import math

import lightgbm as lgb

from rankwise.rankers._score_functions._floats import ZERO
from rankwise.rankers._score_functions._functions import Leaf, Missing, Node, Tree, TreeSplit
from rankwise.rankers.trees._model_text import split_trees

# Bits of decision_type.
CATEGORICAL, DEFAULT_LEFT = 1, 2
MISSING_NONE, MISSING_ZERO = 0, 1


def booster_trees(booster: lgb.Booster, scale: float) -> list[Tree]:
    """The trees of a booster, every leaf times `scale`."""
    _, texts = split_trees(booster.model_to_string())
    return trees_of(texts, scale)


def trees_of(texts: list[str], scale: float) -> list[Tree]:
    """The trees of these texts of LightGBM's, every leaf times `scale`."""
    return [Tree(_root(text, scale), text, scale) for text in texts]


def _root(text: str, scale: float) -> Node:
    fields = dict(line.split("=", 1) for line in text.split("\n"))

    def floats(name: str) -> list[float]:
        return [float(word) for word in fields.get(name, "").split()]

    def integers(name: str) -> list[int]:
        return [int(word) for word in fields.get(name, "").split()]

    leaves = [Leaf(value * scale) for value in floats("leaf_value")]
    if len(leaves) == 1:
        return leaves[0]
    features, thresholds = integers("split_feature"), floats("threshold")
    kinds, lefts, rights = (integers(name) for name in ("decision_type", "left_child", "right_child"))
    starts, words = integers("cat_boundaries"), integers("cat_threshold")
    nodes: dict[int, Node] = {-place - 1: leaf for place, leaf in enumerate(leaves)}  # as LightGBM numbers them
    for node in reversed(range(len(features))):  # a split comes before those below it
        threshold, categories = thresholds[node], None
        if kinds[node] & CATEGORICAL:
            place = int(threshold)
            categories = _bits(words[starts[place] : starts[place + 1]])
        nodes[node] = TreeSplit(
            features[node],
            _as_it_acts(threshold),
            nodes[lefts[node]],
            nodes[rights[node]],
            _missing(kinds[node]),
            categories,
        )
    return nodes[0]


def _as_it_acts(threshold: float) -> float:
    """LightGBM takes numbers up to ±1e-35 for 0: they are all on the side of 0, wherever the threshold parts them."""
    if 0.0 <= threshold <= ZERO:
        return ZERO
    return math.nextafter(-ZERO, -math.inf) if -ZERO <= threshold < 0.0 else threshold


def _missing(kind: int) -> Missing:
    if kind & CATEGORICAL:
        return "learnt right"  # what is missing is in no set of categories
    rule, is_left = kind >> 2, kind & DEFAULT_LEFT
    if rule == MISSING_NONE:
        return "as zero"
    if rule == MISSING_ZERO:
        return "zero left" if is_left else "zero right"
    return "learnt left" if is_left else "learnt right"


def _bits(words: list[int]) -> frozenset[int]:
    return frozenset(32 * place + bit for place, word in enumerate(words) for bit in range(32) if word >> bit & 1)
