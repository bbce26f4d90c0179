"""The types that public functions take and return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array, csr_matrix

__all__ = ["AnyArray", "BoolArray", "Features", "FloatArray", "IntArray", "JsonObject", "Table"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]  # of any dtype
JsonObject: TypeAlias = dict[str, Any]  # what json.loads gives for {…}


class Table(Protocol):
    """A data frame of any library: pandas, polars, Arrow."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any: ...


# One row per document: an array, a sparse matrix or a data frame.
Features: TypeAlias = "AnyArray | csr_array | csr_matrix | Table"
