"""What every package shares: checks of what users pass, and classes that are found by a text."""

from __future__ import annotations

import logging
import sys
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import DTypeLike

from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.types import AnyArray, FloatArray, IntArray

Class = TypeVar("Class", bound=type)

NO_ARRAY = (TypeError, ValueError, RuntimeError, OverflowError)  # what numpy and other libraries raise for one
EXACT_WHOLE = 2**53  # up to here a double holds every whole number

log = logging.getLogger(__name__)


def register(cls: Class, attribute: str, classes: dict[str, Class], key: str | None = None) -> None:
    """Enter a class by the text in its own `attribute`, or by `key`; one that only inherits the text is abstract."""
    if text := vars(cls).get(attribute):
        classes[key or text] = cls


def as_array(name: str, values: Any) -> AnyArray:
    """`values` as a plain array of its own type; what hides entries (masked, sparse) is refused, for numpy drops it."""
    if isinstance(values, np.ma.MaskedArray):
        masked = int(np.ma.getmaskarray(values).sum())
        if masked:
            raise DataError(f"{name} must be known everywhere, got {masked} masked entries; drop or fill them")
        values = np.ma.getdata(values)
    if hasattr(values, "toarray"):
        raise DataError(f"{name} must be a plain array, got a sparse {type(values).__name__}; pass its .toarray()")
    try:
        if hasattr(values, "detach"):  # a tensor of torch, whose gradients and place do not matter here
            values = values.detach().cpu()
            values = (values.float() if "bfloat16" in str(values.dtype) else values).numpy()
        return np.asarray(values)
    except NO_ARRAY:
        raise DataError(f"{name} must be an array, got {type(values).__name__} that is none; pass a list") from None


def as_numbers(name: str, values: Any, dtype: DTypeLike = np.float64) -> AnyArray:
    """`values` as an array of any shape, whose numbers `dtype` can tell apart as well as the values' own type can."""
    array = as_array(name, values)
    if array.dtype.kind in "cmMV":
        raise DataError(f"{name} must be real numbers, got {array.dtype}; pass floats")
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = np.asarray(array, dtype=dtype)
    except NO_ARRAY:
        raise DataError(f"{name} must be numbers, got {type(values).__name__} of something else") from None
    if numbers.dtype == np.float64:
        _check_exact(name, array, numbers)
    return numbers


def _check_exact(name: str, array: AnyArray, numbers: FloatArray) -> None:
    """Refuse numbers that are rounded: two that differ must not become equal."""
    if array.size == 0 or array.dtype.kind not in "iufO" or array.dtype.itemsize < 8 or array.dtype == np.float64:
        return
    if array.dtype.kind in "iu" and max(abs(int(array.min())), abs(int(array.max()))) <= EXACT_WHOLE:
        return
    with np.errstate(invalid="ignore"):
        if array.dtype.kind == "O":
            pairs = zip(array.flat, numbers.flat, strict=True)
            rounded = np.array([isinstance(value, int) and value != number for value, number in pairs])
        else:
            rounded = ((numbers.astype(array.dtype) != array) & np.isfinite(numbers)).ravel()
    if rounded.any():
        raise DataError(
            f"{name} must be exact in double precision, got {array.flat[int(np.argmax(rounded))]}; "
            "subtract an offset, or pass floats"
        )


def as_vector(name: str, values: Any, low: float | None = None, least: int = 1) -> FloatArray:
    """`values` as `least` or more finite numbers, one per row (scores may also be `low`, −inf: not retrieved)."""
    vector = as_numbers(name, values)
    if vector.ndim != 1:
        raise ShapeError(f"{name} must have one entry per row, got an array of shape {vector.shape}; flatten it")
    if vector.size < least:
        raise DataError(f"there are no rows, got no {name}; pass at least one row")
    bad = ~np.isfinite(vector) if low is None else ~(np.isfinite(vector) | (vector == low))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(f"{name} must be finite, got {vector[row]} at row {row}; drop or repair that row")
    return np.ascontiguousarray(vector)


def as_ids(name: str, values: Any) -> AnyArray:
    """`values` as ids, one per row, of any type that numpy can compare; none may be missing."""
    ids = as_array(name, values)
    if ids.ndim != 1:
        raise ShapeError(f"{name} must have one entry per row, got an array of shape {ids.shape}; pass {name}[:, 0]")
    if ids.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in ids], dtype=bool)
    elif ids.dtype.kind in "fcmM":
        missing = np.isnan(ids)
    else:
        return ids
    if missing.any():
        row = int(np.argmax(missing))
        got = "NaN" if ids.dtype.kind in "fc" else str(ids[row])
        raise DataError(f"{name} must be known for every row, got {got} at row {row}; drop or fill that row")
    return ids


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT, or pandas' NA, of which not even that is known whether it equals itself."""
    try:
        return value is None or bool(value != value)
    except NO_ARRAY:
        return True


def check_aligned(**rows: Any) -> None:
    """Refuse pandas objects with the same labels of rows in another order: rows are matched by place, never by label.

    Where one has the labels 0, 1, …, which pandas makes by itself, or labels differ, that is logged only.
    """
    named = [(name, values.index) for name, values in rows.items() if hasattr(values, "iloc")]
    is_told = False
    for name, index in named[1:]:
        first_name, first = named[0]
        if len(index) != len(first) or index.equals(first):
            continue
        is_made = any(type(of).__name__ == "RangeIndex" and (of.start, of.step) == (0, 1) for of in (first, index))
        same = index.is_unique and first.is_unique and set(index) == set(first)
        if same and not is_made:
            raise DataError(
                f"{name} has the rows of {first_name} in another order, by their indexes; pass "
                f"{name}.loc[{first_name}.index], or both without their indexes (.to_numpy())"
            )
        if (same or not is_made) and not is_told:
            is_told = True
            log.warning(
                "%s and %s have different indexes, and rows are matched by place; check that they belong together",
                first_name,
                name,
            )


def as_places(name: str, values: Any) -> IntArray:
    """`values` as whole numbers that count rows, lists or places."""
    numbers = as_numbers(name, values)
    if not (np.isfinite(numbers).all() and (numbers % 1 == 0).all()):
        raise DataError(f"{name} must be whole numbers, got {numbers[~(numbers % 1 == 0)].flat[0]}; round them")
    return numbers.astype(np.int64)


def check_choice(name: str, value: object, choices: object) -> Any:
    """`value` as one of the words of a Literal type."""
    if str(value) not in get_args(choices):
        raise MetricError(f"{name} must be one of {', '.join(get_args(choices))}, got {str(value)!r}")
    return str(value)


def check_whole(name: str, value: object, low: int, high: int) -> int:
    """`value` as a whole number from `low` to `high`; a bool is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise DataError(f"{name} must be a whole number from {low} to {high}, got {value!r:.100}; pass one of these")
    return int(value)


def check_real(name: str, value: object, low: float, high: float) -> float:
    """`value` as a number from `low` to `high`."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:  # type: ignore[operator]
        raise DataError(f"{name} must be a number from {low:g} to {high:g}, got {value!r:.100}; pass one of these")
    return float(value)  # type: ignore[arg-type]


def is_finite_number(value: object) -> bool:
    """Whether a value is a finite number that a float can hold, which a whole number of JSON need not be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
