"""What a body brings: documents to rank, as a matrix of the model's features."""

from __future__ import annotations

from dataclasses import dataclass, field

from rankwise.errors import DataError
from rankwise.types import FloatArray

Id = str | int


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a model of some kind, as bodies must bring them."""

    names: list[str] | None
    count: int
    takes_missing: bool
    kind: str
    place: dict[str, int] = field(init=False)  # of each feature by name

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", {name: column for column, name in enumerate(self.names or ())})

    def label(self, column: int) -> str:
        """A feature as sentences name it; positions are counted from 0, as in the lists of a body."""
        return f"feature {column}" if self.names is None else f"feature {self.names[column]!r}"


@dataclass(frozen=True, eq=False)
class Documents:
    """One row of features per document, NaN where one is missing; `ids` are None where documents go by position."""

    X: FloatArray
    ids: list[Id] | None

    def id_of(self, row: int) -> Id:
        """What an answer calls per document."""
        return row if self.ids is None else self.ids[row]


def named(row: int, ids: list[Id] | None) -> str:
    """A document as sentences name it: by position, counted from 0, and by id if it has one."""
    return f"document {row}" if ids is None else f"document {row} (id {shown(ids[row])})"


def shown(value: object) -> str:
    """What was got, short enough for a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_count(count: int, most: int) -> None:
    """At least one document, and no more than are allowed."""
    if count == 0:
        raise DataError("there is no document to rank, got an empty list; send one or more")
    if count > most:
        raise DataError(f"a request may have {most} documents at most, got {count}; send them in several requests")


def check_ids(ids: list[Id]) -> None:
    """Texts or whole numbers, each once."""
    if not set(map(type, ids)) <= {str, int}:
        row = next(row for row, one in enumerate(ids) if type(one) not in (str, int))
        raise DataError(f"document {row} has the id {shown(ids[row])}; an id must be a text or a whole number")
    if len(set(ids)) < len(ids):
        first: dict[Id, int] = {}
        for row, one in enumerate(ids):
            if first.setdefault(one, row) != row:
                raise DataError(
                    f"document {row} has the id {shown(one)}, which document {first[one]} has as well; "
                    "give each its own, or none"
                )
