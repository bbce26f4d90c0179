"""What every package shares: checks of what users pass, and classes that are found by a text."""

from __future__ import annotations

import sys
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.types import FloatArray

Class = TypeVar("Class", bound=type)


def register(cls: Class, attribute: str, classes: dict[str, Class], key: str | None = None) -> None:
    """Enter a class by the text in its own `attribute`, or by `key`; one that only inherits the text is abstract."""
    if text := vars(cls).get(attribute):
        classes[key or text] = cls


def as_vector(name: str, values: ArrayLike, low: float | None = None) -> FloatArray:
    """`values` as one finite number per row (scores may also be `low`, −inf: not retrieved)."""
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, got {type(values).__name__} of something else") from None
    if vector.ndim != 1:
        raise ShapeError(f"{name} must have one entry per row, got an array of shape {vector.shape}; flatten it")
    if vector.size == 0:
        raise DataError(f"there are no rows, got no {name}; pass at least one row")
    bad = ~np.isfinite(vector) if low is None else ~(np.isfinite(vector) | (vector == low))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(f"{name} must be finite, got {vector[row]} at row {row}; drop or repair that row")
    return np.ascontiguousarray(vector)


def check_choice(name: str, value: object, choices: object) -> Any:
    """`value` as one of the words of a Literal type."""
    if str(value) not in get_args(choices):
        raise MetricError(f"{name} must be one of {', '.join(get_args(choices))}, got {str(value)!r}")
    return str(value)


def is_finite_number(value: object) -> bool:
    """Whether a value is a finite number that a float can hold, which a whole number of JSON need not be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
