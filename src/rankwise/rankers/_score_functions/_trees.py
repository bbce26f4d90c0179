"""Sums of trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from rankwise.rankers._score_functions._base import DOUBLE, ScoreFunction
from rankwise.types import AnyArray, FloatArray

# Where a row goes whose value is missing: to a side that was learnt, to the side of 0, where 0 goes too (LightGBM's
# zero_as_missing), or nowhere: a stump adds nothing then.
Missing = Literal["learnt left", "learnt right", "as zero", "zero too", "nowhere"]


@dataclass(frozen=True, eq=False)
class Leaf:
    """A number to add."""

    value: float


@dataclass(frozen=True, eq=False)
class TreeSplit:
    """Left if the value is at or below the threshold, or if it is one of the categories where there are such."""

    feature: int
    threshold: float
    left: Node
    right: Node
    missing: Missing
    categories: frozenset[int] | None = None

    @property
    def missing_left(self) -> bool:
        """Whether a row without the value goes left."""
        if self.categories is not None:
            return False
        return self.missing == "learnt left" or (self.missing == "as zero" and self.threshold >= 0.0)


Node = Leaf | TreeSplit


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree; `text` is what LightGBM calls it, if it is LightGBM's, with leaves that are to be multiplied by scale."""

    root: Node
    text: str | None = None
    scale: float = 1.0

    @property
    def splits(self) -> Iterator[TreeSplit]:
        """All splits, those above before those below."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, TreeSplit):
                yield node
                waiting += [node.right, node.left]

    @property
    def leaves(self) -> Iterator[float]:
        """The values of all leaves."""
        if isinstance(self.root, Leaf):
            yield self.root.value
        for split in self.splits:
            yield from (side.value for side in (split.left, split.right) if isinstance(side, Leaf))


@dataclass(frozen=True, eq=False)
class TreeSum(ScoreFunction):
    """Σ of trees + a constant."""

    noun: ClassVar[str] = "trees"
    trees: list[Tree]
    constant: float = 0.0

    @property
    def rounding(self) -> float:
        """Trees add up in double precision."""
        return DOUBLE

    @property
    def splits(self) -> Iterator[TreeSplit]:
        """The splits of all trees."""
        for tree in self.trees:
            yield from tree.splits

    @property
    def roots(self) -> list[Node]:
        """All trees, the constant being one of a single leaf; there is at least one."""
        roots = [tree.root for tree in self.trees]
        return [*roots, Leaf(self.constant)] if self.constant or not roots else roots

    @property
    def terms(self) -> int:
        """Numbers that a score is the sum of."""
        return 2 * len(self.trees) + 1

    @cached_property
    def largest(self) -> float:
        """No score, and no part of its sum, is larger."""
        return sum(max(map(abs, tree.leaves)) for tree in self.trees) + abs(self.constant)

    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of."""
        return np.full(len(X), self.largest)

    def two_sided(self) -> TreeSum:
        """The same with missing values on one of two sides: a stump that goes nowhere is half left and half right."""
        trees: list[Tree] = []
        for tree in self.trees:
            root = tree.root
            if isinstance(root, TreeSplit) and root.missing == "nowhere":
                assert isinstance(root.left, Leaf)
                assert isinstance(root.right, Leaf)
                half = replace(root, left=Leaf(root.left.value / 2.0), right=Leaf(root.right.value / 2.0))
                trees += [Tree(replace(half, missing="learnt left")), Tree(replace(half, missing="learnt right"))]
            else:
                trees.append(tree)
        return replace(self, trees=trees)
