"""Features in single precision, and what is said where that is too little."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise._validation import as_array, as_numbers
from rankwise.errors import DataError
from rankwise.types import AnyArray, BoolArray

SINGLE_EXACT_WHOLE = 2.0**24  # up to here single precision holds every whole number
NARROW = 2.0**-12  # a spread over size below which a few digits of single precision are left
MAX_LOST = 0.01  # share of the different values that may become equal to another one

log = logging.getLogger(__name__)


def dense_features(X: Any, names: Sequence[str] | None) -> NDArray[np.float32]:
    """X as a matrix in single precision."""
    given = np.atleast_2d(as_array("X", X))
    single = _as_single(given, names)
    if given.ndim == 2 and given.size and _may_lose(given):
        columns = [(k, given[:, k], single[:, k]) for k in np.flatnonzero(_is_near_limit(single)).tolist()]
        warn_of_rounding([_name(k, names) for k, values, rounded in columns if loses_values(values, rounded)])
    return single


def sparse_features(X: Any, names: Sequence[str] | None) -> sp.csr_array:
    """X as CSR with one entry per place, columns rising; the caller's own arrays stay as they are."""
    given = sp.csr_array(X)
    single = _as_single(given.data, None)
    if _may_lose(given.data):
        columns = np.unique(given.indices[np.abs(single) >= SINGLE_EXACT_WHOLE])
        order = np.argsort(given.indices, kind="stable")
        bounds = np.searchsorted(given.indices, [columns, columns + 1], sorter=order).T.tolist()
        entries = {column: order[slice(*of)] for column, of in zip(columns.tolist(), bounds, strict=True)}
        lost = [column for column, of in entries.items() if loses_values(given.data[of], single[of])]
        warn_of_rounding([_name(column, names) for column in lost])
    rows = sp.csr_array((single, given.indices, given.indptr), shape=given.shape)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def loses_values(values: AnyArray, single: NDArray[np.float32]) -> bool:
    """Whether many of the different values of a feature are one and the same in single precision."""
    if (values == values[0]).all():
        return False
    different = np.unique(values).size
    return different - np.unique(single).size > MAX_LOST * different


def warn_of_rounding(names: Sequence[str]) -> None:
    """Log which features lost values."""
    if names:
        listed = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        log.warning(
            "different values of %s become equal in single precision, which features are kept in; subtract an offset, "
            "or leave the column out if it is an id",
            listed,
        )


def _as_single(given: AnyArray, names: Sequence[str] | None) -> NDArray[np.float32]:
    """The numbers in single precision; finite ones that it would take for infinite are refused."""
    single = as_numbers("X", given, np.float32)
    far = np.isinf(single)
    if far.any():
        far &= np.isfinite(np.asarray(given, dtype=np.float64))
    if far.any():
        place = np.unravel_index(int(np.argmax(far)), far.shape)
        of_column = f" in {_name(int(place[1]), names)}" if len(place) == 2 else ""
        raise DataError(
            "X is kept in single precision, which holds numbers up to 3.4e38, got "
            f"{float(given[place]):g}{of_column}; scale that feature"
        )
    return single


def _may_lose(given: AnyArray) -> bool:
    """Whether the type has numbers that single precision has not."""
    return given.dtype.kind in "iuf" and given.dtype.itemsize >= 4 and given.dtype != np.float32


def _is_near_limit(single: NDArray[np.float32]) -> BoolArray:
    """Which columns have large whole numbers, or numbers that differ in their last digits only, if at all.

    A quick look at all of X: a column that loses a part of its values beside much smaller ones is not among them.
    """
    with np.errstate(invalid="ignore"):
        high, low = np.fmax.reduce(single, axis=0), np.fmin.reduce(single, axis=0)
        size = np.maximum(np.abs(high), np.abs(low)).astype(np.float64)
        near: BoolArray = (size >= SINGLE_EXACT_WHOLE) | (high - low <= NARROW * size)
    return near


def _name(column: int, names: Sequence[str] | None) -> str:
    named = names is not None and not isinstance(names, str) and column < len(names)  # else they are refused later
    return f"feature {names[column]!r}" if named else f"feature {column}"  # type: ignore[index]
