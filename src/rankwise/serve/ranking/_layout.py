"""What the columns of an Arrow stream are: features by name, or one column of lists; and ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from rankwise.errors import DataError
from rankwise.serve.ranking._documents import shown
from rankwise.serve.ranking._schemas import ModelFeatures
from rankwise.types import FloatArray

ID = "id"


@dataclass(frozen=True)
class ColumnLayout:
    """Where the model's features stand in a batch without its ids."""

    has_ids: bool
    width: int
    places: list[int] | None  # of the columns among the features; None if there is one column of lists
    in_order: bool  # all features, in the model's order

    def numbers(self, batch: pa.RecordBatch) -> FloatArray:
        """A row per document, NaN where something is missing; a copy, because Arrow's memory is not ours."""
        if self.places is None:
            lists: Any = batch.column(0)
            flat = lists.flatten().to_numpy(zero_copy_only=False)
            return np.array(flat, dtype=np.float64).reshape(-1, self.width)
        try:
            values = batch.to_tensor(null_to_nan=True).to_numpy()
        except (pa.ArrowNotImplementedError, pa.ArrowTypeError):  # half precision among others, or no column at all
            values = np.array([column.to_numpy(zero_copy_only=False) for column in batch.columns]).T
        if self.in_order:
            return np.array(values, dtype=np.float64, order="C")
        X = np.full((batch.num_rows, self.width), np.nan)
        if self.places:
            X[:, self.places] = values
        return X


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def layout_of(schema: pa.Schema, features: ModelFeatures) -> ColumnLayout:
    """Columns that the model knows, of numbers, each once; or one column of lists as long as its features are many."""
    columns: dict[str, pa.DataType] = dict(zip(schema.names, schema.types, strict=True))
    if len(columns) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise DataError(f"the column {shown(twice)} is there more than once; send each once")
    has_ids = ID in columns and ID not in features.place  # unless that is what a feature is called
    if has_ids:
        kind = columns.pop(ID)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
            raise DataError(f"the column id must be of texts or whole numbers, got {kind}; convert it")
    if len(columns) == 1 and pa.types.is_fixed_size_list(lists := next(iter(columns.values()))):
        if lists.list_size != features.count or not _is_number(lists.value_type):
            raise DataError(
                f"lists of features must be of {features.count} numbers each, got {shown(str(lists))}; send them all"
            )
        return ColumnLayout(has_ids, features.count, None, in_order=True)
    if features.names is None:
        raise DataError(
            "the model's features have no names; send one column of fixed-size lists of "
            f"{features.count} numbers, got {len(columns)} columns"
        )
    for name, kind in columns.items():
        if name not in features.place:
            raise DataError(
                f"every document has the feature {shown(name)}, which the model does not know; leave it out"
            )
        if not _is_number(kind):
            raise DataError(f"feature {shown(name)} must be a column of numbers, got {shown(str(kind))}; convert it")
    if not features.takes_missing and (lacks := [name for name in features.names if name not in columns]):
        raise DataError(
            f"feature {shown(lacks[0])} of every document is missing, and the model ({features.kind}) needs it; "
            "add the column"
        )
    places = [features.place[name] for name in columns]
    return ColumnLayout(has_ids, features.count, places, in_order=places == list(range(features.count)))
