"""Parquet files as a stream of rows: read again in each pass, never held."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rankwise.data._arrow_columns import Categories
from rankwise.data._columns import Columns, match_columns
from rankwise.data.io._formats import detect, numbered_columns
from rankwise.data.io._table_batch import TableBatch
from rankwise.data.io._tables import TableRows, open_parquet, row_groups_of, rows_in, rows_of_batch
from rankwise.errors import DataError, FormatError

VALUES_AT_ONCE = 1 << 22  # 16 MB of features


@dataclass(frozen=True, kw_only=True)
class RowSource:
    """Rows that are read when they are needed; `features` are the columns of X, in their order."""

    features: tuple[str, ...]
    has_qid: bool
    can_widen: ClassVar[bool] = False  # whether a numbered feature that is not there can be read as zeros

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the features; None where they are numbers, as `read` has it."""
        names = list(self.features)
        return None if names == numbered_columns(len(names)) else names

    @property
    def n_features(self) -> int:
        """How many features per row has."""
        return len(self.features)

    def with_features(self, names: Sequence[str] | None, count: int, categories: Categories | None = None) -> Self:
        """With the columns of other data: found by name where both have names, else by place."""
        if categories:
            raise DataError(
                f"{self} is read in passes, which a model of categories cannot, got those of "
                f"{next(iter(categories))!r}; read it first (rankwise.read)"
            )
        columns = match_columns(
            self.feature_names, self.n_features, names, count, source=str(self), widen=self.can_widen
        )
        if columns is None:
            return self
        return replace(self, features=tuple(numbered_columns(count) if -1 in columns else names or ()))


@dataclass(frozen=True, kw_only=True)
class ParquetRows(RowSource):
    """Rows of one or several Parquet files, in the order of the files; columns have the names that `read` knows.

    `row_groups` are those of each file that are read; None is all.
    """

    paths: tuple[Path, ...]
    skip_bad: bool = False
    can_widen: ClassVar[bool] = True
    row_groups: tuple[tuple[int, ...], ...] | None = None

    @classmethod
    def of(cls, given: Any, *, skip_bad: bool = False) -> ParquetRows:
        """From a path, a pattern of paths (`parts/*.parquet`) or a list of these."""
        paths = expand_paths([given] if isinstance(given, str | PathLike) else given)
        first: Columns | None = None
        for path in paths:
            if detect(path).format != "parquet":
                raise FormatError("rows are streamed from Parquet only; convert this file or read it", path=path)
            columns = Columns.of(open_parquet(path)[0], path)
            first = first or columns
            columns.check_alike(first, path)
        assert first is not None
        return cls(paths=tuple(paths), features=first.features, has_qid=first.qid is not None, skip_bad=skip_bad)

    def rows_at_most(self) -> int:
        """Rows of all files, malformed ones included."""
        return sum(map(rows_in, self.paths))

    def pieces(self) -> list[ParquetRows]:
        """Each row group by itself."""
        return [
            replace(self, paths=(path,), row_groups=((group,),))
            for path in self.paths
            for group in range(row_groups_of(path))
        ]

    def batches(self) -> Iterator[TableRows]:
        """All rows, some at a time; document ids are left where they are."""
        at_once = max(1, VALUES_AT_ONCE // max(1, len(self.features)))
        try:
            for number, path in enumerate(self.paths):
                found = Columns.of(open_parquet(path)[0], path)
                wanted = set(self.features)
                columns = replace(found, doc_id=None, features=tuple(name for name in found.features if name in wanted))
                groups = None if self.row_groups is None else list(self.row_groups[number])
                row = 1
                for batch in open_parquet(path, at_once, groups, columns.all)[1]:
                    yield rows_of_batch(TableBatch(batch, path, row, self.skip_bad), columns, self.features)
                    row += batch.num_rows
        finally:
            pa.default_memory_pool().release_unused()  # else Arrow would keep it for the next reading

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """The features, some rows at a time."""
        return (rows.X for rows in self.batches())

    def __str__(self) -> str:
        return ", ".join(map(str, self.paths[:3])) + (", …" if len(self.paths) > 3 else "")


def is_paths(given: Any) -> bool:
    """Whether this names files: a path, a pattern or a list of them."""
    if isinstance(given, str | PathLike):
        return True
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, str | PathLike) for one in given)


def expand_paths(given: Sequence[str | PathLike[str]]) -> list[Path]:
    """Paths with patterns replaced by the files that they match, part.2 before part.10."""
    paths: list[Path] = []
    for path in given:
        one = fspath(path)
        if Path(one).exists() or not glob.has_magic(one):
            paths.append(Path(one))
            continue
        found = sorted(glob.glob(one, recursive=True), key=_by_number)  # noqa: PTH207 (absolute patterns too)
        if not found:
            raise DataError(f"no file matches {one}; check the pattern and the folder you are in")
        paths += map(Path, found)
    return paths


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in re.split(r"(\d+)", name)]
