"""Trees of LightGBM, from its own text."""

from __future__ import annotations

from typing import Any

from rankwise.models.export._floats import ZERO, below
from rankwise.models.export._scorer import Leaf, Missing, Node, Split, Tree
from rankwise.rankers.trees._model_text import split_trees

# Bits of decision_type.
CATEGORICAL, DEFAULT_LEFT = 1, 2
MISSING_NONE, MISSING_ZERO = 0, 1


def trees_of(booster: Any, scale: float) -> list[Tree]:
    """The trees of a booster, every leaf times `scale`."""
    _, texts = split_trees(booster.model_to_string())
    return [Tree(_root(text, scale), text, scale) for text in texts]


def _root(text: str, scale: float) -> Node:
    fields = dict(line.split("=", 1) for line in text.split("\n"))

    def numbers(name: str, kind: type) -> list[Any]:
        return [kind(word) for word in fields.get(name, "").split()]

    leaves = [Leaf(value * scale) for value in numbers("leaf_value", float)]
    if len(leaves) == 1:
        return leaves[0]
    features, thresholds = numbers("split_feature", int), numbers("threshold", float)
    kinds, lefts, rights = (numbers(name, int) for name in ("decision_type", "left_child", "right_child"))
    starts, words = numbers("cat_boundaries", int), numbers("cat_threshold", int)
    made: dict[int, Node] = {-place - 1: leaf for place, leaf in enumerate(leaves)}  # as LightGBM numbers them
    for node in reversed(range(len(features))):  # a split comes before those below it
        threshold, categories = thresholds[node], None
        if kinds[node] & CATEGORICAL:
            place = int(threshold)
            categories = _bits(words[starts[place] : starts[place + 1]])
        made[node] = Split(
            features[node],
            _as_it_acts(threshold),
            made[lefts[node]],
            made[rights[node]],
            _missing(kinds[node]),
            categories,
        )
    return made[0]


def _as_it_acts(threshold: float) -> float:
    """LightGBM takes numbers up to ±1e-35 for 0: they are all on the side of 0, wherever the threshold parts them."""
    if 0.0 <= threshold <= ZERO:
        return ZERO
    return below(-ZERO) if -ZERO <= threshold < 0.0 else threshold


def _missing(kind: int) -> Missing:
    if kind & CATEGORICAL:
        return "learnt right"  # what is missing is in no set of categories
    rule = kind >> 2
    if rule == MISSING_NONE:
        return "as zero"
    if rule == MISSING_ZERO:
        return "zero too"
    return "learnt left" if kind & DEFAULT_LEFT else "learnt right"


def _bits(words: list[int]) -> frozenset[int]:
    return frozenset(32 * place + bit for place, word in enumerate(words) for bit in range(32) if word >> bit & 1)
