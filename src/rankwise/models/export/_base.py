"""What every format can do: refuse what it cannot express, write the rest, and score rows by what was written."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.rankers._score_functions._floats import LARGEST
from rankwise.rankers._score_functions._functions import DOUBLE, SINGLE, Node, ScoreFunction, TreeSplit, TreeSum
from rankwise.types import FloatArray

Predict = Callable[[NDArray[np.float32]], FloatArray]
MAX_NESTED_DEPTH = 300  # of a tree that is written as nested text


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
    def files(self, function: ScoreFunction, path: Path) -> dict[Path, bytes]:
        """What to write; DataError for what the format cannot express."""

    @abstractmethod
    def predict(self, path: Path, names: list[str]) -> Predict:
        """Scores by the file, as the system that it is for computes them."""

    def offset(self, function: ScoreFunction) -> float:
        """What must be added to the scores of the file for those of the model."""
        return 0.0

    def refused(self, function: ScoreFunction, remedy: str) -> DataError:
        """The error for a kind of model that the format does not have."""
        return DataError(f"{self.name} cannot express {function.noun}, got a model of kind {function.kind}; {remedy}")

    def check_trees(self, function: TreeSum, *, categories: bool, nested: bool = True) -> None:
        """Refuse trees that the format has no words for, by the feature that they split by."""
        for split in function.splits:
            feature = function.names[split.feature]
            if split.categories is not None and not categories:
                raise DataError(
                    f"{self.name} cannot express categories, got a split by those of the feature {feature!r}; "
                    "export to onnx or lightgbm"
                )
            if split.missing in ("zero left", "zero right"):
                raise DataError(
                    f"{self.name} cannot express that 0 means missing, got such a split by the feature {feature!r}; "
                    "export to lightgbm"
                )
            if split.missing in ("learnt left", "learnt right") and not self.missing:
                raise DataError(
                    f"{self.name} cannot express missing values, got a split that learnt from those of the feature "
                    f"{feature!r}; train on data without them, or export to onnx or xgboost-json"
                )
            if split.categories is None and split.threshold < -LARGEST:
                raise DataError(
                    f"{self.name} cannot express a threshold below all numbers, got one of the feature {feature!r}; "
                    "export to lightgbm"
                )
        largest = max((abs(value) for tree in function.trees for value in tree.leaves), default=0.0)
        if largest > self.largest:
            raise DataError(f"{self.name} has single precision, got a leaf of {largest:g}; export to onnx")
        if nested and any(_depth(tree.root) > MAX_NESTED_DEPTH for tree in function.trees):
            raise DataError(
                f"{self.name} nests splits, which ends at {MAX_NESTED_DEPTH} levels, got a deeper tree; "
                "export to onnx or lightgbm"
            )


def json_bytes(value: object) -> bytes:
    """A file of JSON."""
    try:
        return f"{json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False)}\n".encode()
    except ValueError as problem:
        raise DataError("JSON has finite numbers alone, got one beyond them in the model; export to onnx") from problem


def _depth(root: Node) -> int:
    deepest, waiting = 0, [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        if isinstance(node, TreeSplit):
            waiting += [(node.left, level + 1), (node.right, level + 1)]
    return deepest
