"""What a parameter of an estimator may be: constraints, which each class lists by name in `_parameter_constraints`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from rankwise.errors import DataError
from rankwise.metrics import Metric


class Constraint(Protocol):
    """Values that a parameter may have; `str` describes them, as in "a whole number from 1 to 10"."""

    def accepts(self, value: object) -> bool:
        """Whether the value is one of them."""


class Constrained(Protocol):
    """An estimator whose class says what its parameters may be."""

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]]


@dataclass(frozen=True)
class Integer:
    """Whole numbers from `low` to `high`; a bool is none, unless `allow_bool`."""

    low: int
    high: int
    allow_bool: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is one of them."""
        is_number = isinstance(value, int | np.integer) and (self.allow_bool or not isinstance(value, bool))
        return is_number and bool(self.low <= value <= self.high)  # type: ignore[operator]

    def __str__(self) -> str:
        return f"a whole number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Real:
    """Numbers from `low` to `high`; `low` itself is none if `open_low`."""

    low: float
    high: float
    open_low: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is one of them."""
        if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
            return False
        return bool(self.low < value <= self.high if self.open_low else self.low <= value <= self.high)

    def __str__(self) -> str:
        if self.open_low:
            return f"a number above {self.low:g} and at most {self.high:g}"
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class OneOrMore:
    """A value of another constraint, or a list of them."""

    element: Constraint

    def accepts(self, value: object) -> bool:
        """Whether the value, or each of a list, is accepted."""
        if isinstance(value, list | tuple):
            return 0 < len(value) <= MAX_CANDIDATES and all(map(self.element.accepts, value))
        return self.element.accepts(value)

    def __str__(self) -> str:
        return str(self.element)


class OneOf:
    """One of some texts."""

    def __init__(self, *texts: str) -> None:
        self.texts, self.quoted = texts, [f'"{text}"' for text in texts]

    def accepts(self, value: object) -> bool:
        """Whether the value is one of the texts."""
        return isinstance(value, str) and value in self.texts


@dataclass(frozen=True)
class Condition:
    """Values for which a test holds."""

    description: str
    test: Callable[[object], bool]

    def accepts(self, value: object) -> bool:
        """Whether the test holds."""
        return self.test(value)

    def __str__(self) -> str:
        return self.description


def _are_widths(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) <= MAX_LAYERS and all(map(WIDTH.accepts, value))


def _is_sequence(value: object) -> bool:
    return (isinstance(value, Sequence) and not isinstance(value, str | bytes)) or (
        isinstance(value, np.ndarray) and value.ndim == 1
    )


def _is_module(value: object) -> bool:
    torch = sys.modules.get("torch")  # without which there is no module
    return torch is not None and isinstance(value, torch.nn.Module)


MAX_CANDIDATES = 1_000  # values of one parameter to choose from
MAX_LAYERS, WIDTH = 100, Integer(1, 10**6)
NONE = Condition("None", lambda value: value is None)
BOOLEAN = Condition("True or False", lambda value: isinstance(value, bool | np.bool_))
METRIC = Condition("a metric", lambda value: isinstance(value, Metric))
TEXT = Condition("a text", lambda value: isinstance(value, str))
SEQUENCE = Condition("a list", _is_sequence)
MAPPING = Condition("a mapping", lambda value: isinstance(value, Mapping))
VERBOSE = Integer(0, 10**6, allow_bool=True)
MAX_THREADS = 1024
N_JOBS = Condition(
    f"a number of threads up to {MAX_THREADS}, or None for all cores",
    lambda value: value is None or Integer(-MAX_THREADS, MAX_THREADS, allow_bool=True).accepts(value),
)
HIDDEN = Condition(
    f"the widths of at most {MAX_LAYERS} layers, whole numbers from 1 to {WIDTH.high}, or () for a linear model",
    _are_widths,
)
MODULE = Condition("a torch.nn.Module", _is_module)
SEED = Condition(
    f"a whole number from 0 to {2**32 - 1}, a numpy.random.RandomState or None",
    lambda value: value is None or isinstance(value, np.random.RandomState) or Integer(0, 2**32 - 1).accepts(value),
)
SHARED: dict[str, list[Constraint]] = {"metric": [METRIC, TEXT], "random_state": [SEED]}
"""Of parameters that mean the same in every class."""


def check_parameters(estimator: Constrained) -> None:
    """Raise DataError on the first parameter that the constraints of its class do not accept."""
    shared = {name: constraints for name, constraints in SHARED.items() if hasattr(estimator, name)}
    for name, constraints in (shared | estimator._parameter_constraints).items():
        value = getattr(estimator, name)
        if not any(constraint.accepts(value) for constraint in constraints):
            if isinstance(value, list | tuple) and isinstance(
                constraints[0], OneOrMore
            ):  # name the entry that is wrong
                value = next((entry for entry in value if not constraints[0].element.accepts(entry)), value)
            raise DataError(f"{name} must be {_described(constraints)}, got {value!r:.200}")


def _described(constraints: Sequence[Constraint]) -> str:
    """The constraints as `a, b or c`."""
    *others, last = [
        text for constraint in constraints for text in getattr(constraint, "quoted", None) or [str(constraint)]
    ]
    return f"{', '.join(others)} or {last}" if others else last
