"""What a body brings: documents to rank, as a matrix of the model's features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.errors import DataError
from rankwise.serve.ranking._schemas import Id
from rankwise.types import FloatArray

INT64_MIN, UINT64_MAX = -(2**63), 2**64 - 1  # other parsers of JSON would read other whole numbers as fractions


@dataclass(frozen=True, eq=False)
class Documents:
    """One row of features per document, NaN where one is missing; `ids` are None where documents go by position."""

    X: FloatArray
    ids: list[Id] | None

    def names(self, order: Sequence[int]) -> list[Id]:
        """What an answer calls the documents of these rows."""
        return list(order) if self.ids is None else [self.ids[row] for row in order]


def named(row: int, ids: Sequence[object] | None) -> str:
    """A document as sentences name it: by position, counted from 0, and by id if it has one."""
    return f"document {row}" if ids is None else f"document {row} (id {shown(ids[row])})"


def shown(value: object) -> str:
    """What was got, short enough for a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_count(count: int, max_documents: int) -> None:
    """At least one document, and no more than are allowed."""
    if count == 0:
        raise DataError("there is no document to rank, got an empty list; send one or more")
    if count > max_documents:
        raise DataError(
            f"a request may have {max_documents} documents at most, got {count}; send them in several requests"
        )


def check_ids(ids: Sequence[object]) -> None:
    """Texts or whole numbers, each once."""
    if set(map(type, ids)) != {str} and not all(map(_is_id, ids)):
        row = next(row for row, id in enumerate(ids) if not _is_id(id))
        raise DataError(bad_id(row, ids[row]))
    if len(set(ids)) < len(ids):
        first: dict[object, int] = {}
        for row, id in enumerate(ids):
            if first.setdefault(id, row) != row:
                raise DataError(
                    f"document {row} has the id {shown(id)}, which document {first[id]} has as well; "
                    "give each its own, or none"
                )


def _is_id(value: object) -> bool:
    return type(value) is str or (type(value) is int and INT64_MIN <= value <= UINT64_MAX)


def bad_id(row: int, id: object) -> str:
    """The sentence for an id of another type."""
    return f"document {row} has the id {shown(id)}; an id must be a text or a whole number of 64 bits"
