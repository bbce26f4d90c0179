"""What a trained model computes, free of the library that trained it: sums of trees, a linear function, or a net.

Every format is written from one of these three, and every ranker becomes one of them in `of_models.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.types import FloatArray

SINGLE, DOUBLE = 2.0**-24, 2.0**-53  # how much one operation may be off, as a share of its result

# Where a row goes whose value is missing: to a side that was learnt, to the side of 0, where 0 goes too (LightGBM's
# zero_as_missing), or nowhere: a stump adds nothing then.
Missing = Literal["learnt left", "learnt right", "as zero", "zero too", "nowhere"]


@dataclass(frozen=True, eq=False)
class Leaf:
    """A number to add."""

    value: float


@dataclass(frozen=True, eq=False)
class Split:
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


Node = Leaf | Split


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree; `text` is what LightGBM calls it, if it is LightGBM's, with leaves that are to be multiplied by scale."""

    root: Node
    text: str | None = None
    scale: float = 1.0

    @property
    def splits(self) -> Iterator[Split]:
        """All splits, those above before those below."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Split):
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
class Scorer(ABC):
    """What all have: the names of the features, what kind of model it was, and how exact it is."""

    kind: str
    names: list[str]

    @property
    @abstractmethod
    def rounding(self) -> float:
        """How much an operation of the model itself may be off, as a share of its result."""

    @property
    @abstractmethod
    def terms(self) -> int:
        """Operations one after the other that each may round."""

    @abstractmethod
    def magnitude(self, X: NDArray[Any]) -> FloatArray:
        """What the rounding of each row's score is a share of."""


@dataclass(frozen=True, eq=False)
class Trees(Scorer):
    """Σ of trees + a constant."""

    trees: list[Tree]
    constant: float = 0.0

    @property
    def rounding(self) -> float:
        """Trees add up in double precision."""
        return DOUBLE

    @property
    def splits(self) -> Iterator[Split]:
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

    def magnitude(self, X: NDArray[Any]) -> FloatArray:
        """What the rounding of each row's score is a share of."""
        return np.full(len(X), self.largest)

    def two_sided(self) -> Trees:
        """The same with missing values on one of two sides: a stump that goes nowhere is half left and half right."""
        found: list[Tree] = []
        for tree in self.trees:
            root = tree.root
            if isinstance(root, Split) and root.missing == "nowhere":
                assert isinstance(root.left, Leaf)
                assert isinstance(root.right, Leaf)
                half = replace(root, left=Leaf(root.left.value / 2.0), right=Leaf(root.right.value / 2.0))
                found += [Tree(replace(half, missing="learnt left")), Tree(replace(half, missing="learnt right"))]
            else:
                found.append(tree)
        return replace(self, trees=found)


@dataclass(frozen=True, eq=False)
class Linear(Scorer):
    """Σ weight·(x − center)·scale + constant; in `single` precision up to the weights, if the model does so."""

    weights: FloatArray
    constant: float
    center: FloatArray
    scale: FloatArray
    single: bool = False

    @property
    def rounding(self) -> float:
        """How exact the model itself is."""
        return SINGLE if self.single else DOUBLE

    @property
    def slopes(self) -> FloatArray:
        """The weights of the features as they are."""
        return self.weights * self.scale

    @property
    def intercept(self) -> float:
        """The score where all features are 0."""
        return self.constant - float(self.slopes @ self.center)

    @property
    def terms(self) -> int:
        """Numbers that a score is the sum of."""
        return 2 * self.weights.size + 1

    def magnitude(self, X: NDArray[Any]) -> FloatArray:
        """What the rounding of each row's score is a share of."""
        return np.asarray((np.abs(X) + np.abs(self.center)) @ np.abs(self.slopes) + abs(self.constant))


@dataclass(frozen=True, eq=False)
class Net(Scorer):
    """Layers of weights and biases, in single precision, on (x − center)·scale, and a constant."""

    center: FloatArray
    scale: FloatArray
    layers: list[tuple[NDArray[np.float32], NDArray[np.float32] | None]]
    activation: Literal["relu", "tanh"]
    constant: float = 0.0

    @property
    def rounding(self) -> float:
        """Nets compute in single precision."""
        return SINGLE

    @property
    def terms(self) -> int:
        """Operations one after the other that each may round."""
        return sum(weights.shape[1] + 4 for weights, _ in self.layers)

    def magnitude(self, X: NDArray[Any]) -> FloatArray:
        """What the rounding of each row's score is a share of: neither activation makes a number larger."""
        sizes = (np.abs(X.astype(np.float64)) + np.abs(self.center)) * self.scale
        for weights, bias in self.layers:
            sizes = sizes @ np.abs(weights.T.astype(np.float64)) + (0.0 if bias is None else np.abs(bias))
        return np.asarray(sizes[:, 0] + abs(self.constant))
