"""What the columns of a table mean, and which of them are the features of other data or of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import DataError, FormatError

LABEL_NAMES = ("label", "relevance", "y")
QID_NAMES = ("qid", "query_id", "query")
DOC_ID_NAMES = ("doc_id", "docid")


@dataclass(frozen=True)
class Columns:
    """The names of a table's columns by their meaning."""

    label: str
    qid: str | None
    doc_id: str | None
    features: tuple[str, ...]

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        source: str | Path,
        *,
        label: str | None = None,
        qid: str | None = None,
        doc_id: str | None = None,
        drop: Sequence[str] = (),
    ) -> Columns:
        """What the columns of these names mean: those that are named here, else those with the usual names."""
        if len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise FormatError(f"column names must differ, got {twice!r} twice; rename one", path=source)
        for name in filter(None, (label, qid, doc_id, *drop)):
            if name not in names:
                raise FormatError(f"there is no column {name!r}, got {_listed(names)}; name one of them", path=source)
        usual = {name.strip().lower(): name for name in names if name not in {label, qid, doc_id, *drop}}
        labels = [usual[known] for known in LABEL_NAMES if known in usual]
        if label is None and len(labels) > 1:  # the other would be learnt from
            raise FormatError(
                f"columns {labels[0]!r} and {labels[1]!r} could both be the label; say which by label=, and drop= the "
                "other unless it is a feature",
                path=source,
            )
        label, qid, doc_id = (
            name or next((usual[known] for known in group if known in usual), None)
            for name, group in ((label, LABEL_NAMES), (qid, QID_NAMES), (doc_id, DOC_ID_NAMES))
        )
        if label is None:
            raise FormatError(
                f"there is no label column, got {_listed(names)}; name one of them label, or say which by label=",
                path=source,
            )
        left_out = {label, qid, doc_id, *drop}
        return cls(label, qid, doc_id, tuple(name for name in names if name not in left_out))

    def check_alike(self, first: Columns, path: Path) -> None:
        """Raise FormatError unless these are the columns of the first file, in any order."""
        if set(self.features) != set(first.features) or (self.qid is None) != (first.qid is None):
            raise FormatError(
                f"files read together must have the same columns, got {_listed(self.all)} after "
                f"{_listed(first.features)}; read them separately",
                path=path,
            )

    @property
    def all(self) -> list[str]:
        """Every column that is read."""
        return [*filter(None, (self.label, self.qid, self.doc_id)), *self.features]


@dataclass(frozen=True)
class TableOptions:
    """How a table is read; see `rankwise.read`. Without a header, columns are named by their numbers, from 1."""

    label: str | None = None
    positive: str | float | None = None
    qid: str | None = None
    drop: tuple[str, ...] = ()
    header: bool = True
    categories: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        label: str | int | None = None,
        positive: str | float | None = None,
        qid: str | int | None = None,
        drop: Sequence[str | int] = (),
        header: bool = True,
        categories: Sequence[str] = (),
    ) -> TableOptions:
        """From what `read` is called with: columns may be given by number."""
        named = [None if name is None else str(name) for name in (label, qid)]
        listed = [[names] if isinstance(names, str) else names for names in (drop, categories)]
        dropped, categorical = (tuple(map(str, names)) for names in listed)
        first = "1" if named[0] is None and not header else named[0]
        return cls(first, positive, named[1], dropped, header, categorical)

    def columns(self, names: Sequence[str], source: str | Path) -> Columns:
        """What the columns of these names mean."""
        return Columns.of(names, source, label=self.label, qid=self.qid, drop=self.drop)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)[:200]


def match_columns(
    names: Sequence[str] | None,
    count: int,
    like_names: Sequence[str] | None,
    like_count: int,
    *,
    source: str = "the data",
    widen: bool = True,
) -> list[int] | None:
    """The column for each feature of the training data, or None where the columns are right as they are.

    Columns are matched by name where both sides have names, else by place. LETOR text leaves out zeros, so its last
    features may be in no line: with `widen`, −1 stands for such a column, which is all zeros.
    """
    if names is not None and like_names is not None:
        column = {name: number for number, name in enumerate(names)}
        wrong = [f"none named {name!r}" for name in like_names if name not in column]
        wrong += [f"one named {name!r}" for name in names if name not in set(like_names)]
        if wrong:
            raise DataError(
                f"{source} must have the columns of the training data, got {wrong[0]}; pass data made in the same way"
            )
        return None if list(names) == list(like_names) else [column[name] for name in like_names]
    if count == like_count:
        return None
    if widen and names is None and count < like_count:
        return [*range(count), *[-1] * (like_count - count)]
    raise DataError(
        f"{source} must have the {like_count} features of the training data, got {count}; "
        "pass data made in the same way"
    )
