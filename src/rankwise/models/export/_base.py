"""What every format can do: refuse what it cannot express, write the rest, and score rows by what was written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.models.export._floats import LARGEST
from rankwise.models.export._scorer import DOUBLE, SINGLE, Linear, Scorer, Trees
from rankwise.types import FloatArray

Predict = Callable[[NDArray[np.float32]], FloatArray]
DEEPEST = 300  # levels of a tree that is written as nested text


class Format(ABC):
    """A way to write a model."""

    name: ClassVar[str]
    rounding: ClassVar[float] = DOUBLE  # of the system that reads it, in every operation
    missing: ClassVar[bool] = True  # whether it has a rule for missing values

    @property
    def largest(self) -> float:
        """The largest score that the system can add up to."""
        return LARGEST if self.rounding == SINGLE else float(np.finfo(np.float64).max)

    def places(self, path: Path) -> list[Path]:
        """The files that `files` gives, before there is a model."""
        return [path]

    @abstractmethod
    def files(self, scorer: Scorer, path: Path) -> dict[Path, bytes]:
        """What to write; DataError for what the format cannot express."""

    @abstractmethod
    def predict(self, path: Path, names: list[str]) -> Predict:
        """Scores by the file, as the system that it is for computes them."""

    def offset(self, scorer: Scorer) -> float:
        """What must be added to the scores of the file for those of the model."""
        return 0.0

    def refused(self, scorer: Scorer, remedy: str) -> DataError:
        """The error for a kind of model that the format does not have."""
        what = "trees" if isinstance(scorer, Trees) else "a linear function" if isinstance(scorer, Linear) else "a net"
        return DataError(f"{self.name} cannot express {what}, got a model of kind {scorer.kind}; {remedy}")


def check_trees(to: Format, scorer: Trees, *, categories: bool, nested: bool = True) -> None:
    """Refuse trees that the format has no words for, by the feature that they split by."""
    for split in scorer.splits:
        feature = scorer.names[split.feature]
        if split.categories is not None and not categories:
            raise DataError(
                f"{to.name} cannot express categories, got a split by those of the feature {feature!r}; "
                "export to onnx or lightgbm"
            )
        if split.missing == "zero too":
            raise DataError(
                f"{to.name} cannot express that 0 means missing, got such a split by the feature {feature!r}; "
                "export to lightgbm"
            )
        if split.missing in ("learnt left", "learnt right") and not to.missing:
            raise DataError(
                f"{to.name} cannot express missing values, got a split that learnt from those of the feature "
                f"{feature!r}; train on data without them, or export to onnx or xgboost-json"
            )
        if split.categories is None and split.threshold < -LARGEST:
            raise DataError(
                f"{to.name} cannot express a threshold below all numbers, got one of the feature {feature!r}; "
                "export to lightgbm"
            )
    largest = max((abs(value) for tree in scorer.trees for value in tree.leaves), default=0.0)
    if largest > to.largest:
        raise DataError(f"{to.name} has single precision, got a leaf of {largest:g}; export to onnx")
    if nested and any(_depth(tree.root) > DEEPEST for tree in scorer.trees):
        raise DataError(
            f"{to.name} nests splits, which ends at {DEEPEST} levels, got a deeper tree; export to onnx or lightgbm"
        )


def check_single(to: Format, scorer: Linear) -> None:
    """Refuse weights that single precision does not hold."""
    for name, weight in zip(scorer.names, scorer.slopes.tolist(), strict=True):
        if abs(weight) > LARGEST:
            raise DataError(
                f"{to.name} has single precision, got the weight {weight:g} of the feature {name!r}; export to onnx"
            )


def _depth(root: Any) -> int:
    deepest, waiting = 0, [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        waiting += [(getattr(node, side), level + 1) for side in ("left", "right") if hasattr(node, side)]
    return deepest
