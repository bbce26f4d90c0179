"""What all functions of scores have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.data.io._formats import numbered_columns
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
