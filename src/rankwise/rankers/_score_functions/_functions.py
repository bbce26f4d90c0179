"""The functions, each with what is known of its rounding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data.io._formats import numbered_columns
from rankwise.data.prepare._quantiles import Quantiles
from rankwise.rankers._features import feature_names_of
from rankwise.types import AnyArray, FloatArray

if TYPE_CHECKING:
    from rankwise.rankers._base import SavableModel

SINGLE, DOUBLE = 2.0**-24, 2.0**-53  # how much one operation may be off, as a share of its result


@dataclass(frozen=True, eq=False)
class ScoreFunction(ABC):
    """The names of the features, what kind of model it was, and how exact it is."""

    kind: str
    names: list[str]
    noun: ClassVar[str]  # what messages call it

    @property
    @abstractmethod
    def rounding(self) -> float:
        """How much an operation of the model itself may be off, as a share of its result."""

    @property
    @abstractmethod
    def terms(self) -> int:
        """Operations one after the other that each may round."""

    @abstractmethod
    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of."""


def kind_and_names(model: SavableModel) -> tuple[str, list[str]]:
    """The first two fields of the function of a fitted model; features without names are numbered from 1."""
    return model.kind, feature_names_of(model) or numbered_columns(model.n_features_in_)


# Where a row goes whose value is missing: to a side that was learnt, to the side of 0, to a side where 0 goes too
# (LightGBM's zero_as_missing), or nowhere: a stump adds nothing then.
Missing = Literal["learnt left", "learnt right", "as zero", "zero left", "zero right", "nowhere"]


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
        return self.missing in ("learnt left", "zero left") or (self.missing == "as zero" and self.threshold >= 0.0)


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


@dataclass(frozen=True, eq=False)
class LinearFunction(ScoreFunction):
    """Σ weight·(x − center)·scale + constant; in `single` precision up to the weights, if the model does so."""

    noun: ClassVar[str] = "a linear function"
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

    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of."""
        return np.asarray((np.abs(X) + np.abs(self.center)) @ np.abs(self.slopes) + abs(self.constant))


@dataclass(frozen=True, eq=False)
class QuantileFunction(ScoreFunction):
    """Σ weight·x + Σ bend·share of training rows below x."""

    noun: ClassVar[str] = "quantiles of features"
    weights: FloatArray
    bends: FloatArray
    quantiles: Quantiles

    @property
    def rounding(self) -> float:
        """All is in double precision."""
        return DOUBLE

    @property
    def terms(self) -> int:
        """Numbers that a score is the sum of."""
        return 4 * self.weights.size

    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of; no share is above 1."""
        return np.asarray(np.abs(X) @ np.abs(self.weights) + np.abs(self.bends).sum())


@dataclass(frozen=True, eq=False)
class NetFunction(ScoreFunction):
    """Layers of weights and biases, in single precision, on (x − center)·scale, and a constant."""

    noun: ClassVar[str] = "a net"
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

    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of: neither activation makes a number larger."""
        sizes = (np.abs(X.astype(np.float64)) + np.abs(self.center)) * self.scale
        for weights, bias in self.layers:
            sizes = sizes @ np.abs(weights.T.astype(np.float64)) + (0.0 if bias is None else np.abs(bias))
        return np.asarray(sizes[:, 0] + abs(self.constant))


@dataclass(frozen=True, eq=False)
class BlendFunction(ScoreFunction):
    """Σ weight·function."""

    noun: ClassVar[str] = "a blend of several models"
    parts: list[tuple[float, ScoreFunction]]

    def simplest(self) -> ScoreFunction:
        """The function of a single part of weight 1 under this name; else the blend itself."""
        (weight, function), *others = self.parts
        return self if others or weight != 1.0 else replace(function, kind=self.kind, names=self.names)

    @property
    def rounding(self) -> float:
        """That of the least exact part."""
        return max(function.rounding for _, function in self.parts)

    @property
    def terms(self) -> int:
        """Operations one after the other that each may round."""
        return max(function.terms for _, function in self.parts) + 2 * len(self.parts)

    def magnitude(self, X: AnyArray) -> FloatArray:
        """What the rounding of each row's score is a share of."""
        return np.asarray(sum(abs(weight) * function.magnitude(X) for weight, function in self.parts))
