"""A data frame of no library that is installed."""

from __future__ import annotations

import pyarrow as pa


class ArrowStream:
    """A frame that shares its columns by the Arrow PyCapsule interface alone, as polars does."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)
