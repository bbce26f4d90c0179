"""Parquet files as a stream of rows: read again in each pass, never held."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import ClassVar, Self, TypeGuard

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rankwise.data._arrow_columns import Categories, is_category
from rankwise.data._columns import Columns, TableOptions, match_columns
from rankwise.data._frames import column_codes
from rankwise.data.io._formats import detect, numbered_columns
from rankwise.data.io._parquet_table import ParquetTable, row_groups_of, rows_in
from rankwise.data.io._tables import (
    CategoryEncoder,
    TableRows,
    category_encoders,
    rows_of_batch,
)
from rankwise.errors import DataError, FormatError

VALUES_AT_ONCE = 1 << 22  # 16 MB of features


@dataclass(frozen=True, kw_only=True)
class RowSource:
    """Rows that are read when they are needed; `features` are the columns of X, in their order."""

    features: tuple[str, ...]
    has_qid: bool
    categories: Categories = field(default_factory=dict)
    can_widen: ClassVar[bool] = False  # whether a numbered feature that is not there can be read as zeros
    can_encode: ClassVar[bool] = False  # whether texts can be read as codes of categories

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the features; None where they are numbers, as `read` has it."""
        names = list(self.features)
        return None if names == numbered_columns(len(names)) and not self.categories else names

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    def with_features(self, names: Sequence[str] | None, count: int, categories: Categories | None = None) -> Self:
        """With the columns of other data: found by name where both have names, else by place.

        Texts become codes of these categories; without names there are codes already.
        """
        if categories and not self.can_encode:
            raise DataError(
                f"{self} cannot be read for a model of categories, got those of {next(iter(categories))!r}; read it "
                "first (rankwise.read) and pass the data"
            )
        columns = match_columns(
            self.feature_names, self.n_features, names, count, source=str(self), widen=self.can_widen
        )
        by_name = names is not None and self.feature_names is not None
        features = self.features
        if columns is not None:
            features = tuple(numbered_columns(count) if -1 in columns else names or ())
        return replace(self, features=features, categories=(categories or {}) if by_name else {})

    def with_found_categories(self) -> Self:
        """With the values of the columns that are categories."""
        return self


@dataclass(frozen=True, kw_only=True)
class ParquetRows(RowSource):
    """Rows of one or several Parquet files, in the order of the files, which are read again in each pass.

    Parameters
    ----------
    features : tuple of str
        The columns that are features, in their order.
    has_qid : bool
        Whether there is a column of query ids.
    categories : dict of str to tuple of str
        The values of the features that are categories, where they are known.
    paths : tuple of Path
        The files.
    skip_bad : bool, default=False
        Whether malformed rows are left out.
    row_groups : tuple of tuple of int, optional
        The row groups of each file that are read; None is all.
    options : TableOptions
        What the columns mean.

    Examples
    --------
    >>> import tempfile
    >>> from rankwise.data import cubic, write
    >>> path = Path(tempfile.mkdtemp(), "rows.parquet")
    >>> write(cubic(queries=3, documents=4, features=2), path)
    >>> rows = ParquetRows.of(path)
    >>> rows.n_features, sum(len(batch.y) for batch in rows.batches())
    (2, 12)
    """

    paths: tuple[Path, ...]
    skip_bad: bool = False
    can_widen: ClassVar[bool] = True
    can_encode: ClassVar[bool] = True
    row_groups: tuple[tuple[int, ...], ...] | None = None
    options: TableOptions = field(default_factory=TableOptions)

    @classmethod
    def of(
        cls,
        files: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        skip_bad: bool = False,
        label: str | None = None,
        positive: str | float | None = None,
        qid: str | None = None,
        drop: Sequence[str] = (),
        categories: Sequence[str] = (),
    ) -> ParquetRows:
        """The rows of a file, of a pattern of files or of a list of these.

        Parameters
        ----------
        files : path or list of paths
            Files or patterns (`parts/*.parquet`).
        skip_bad : bool, default=False
            Leave malformed rows out.
        label : str, optional
            Column of the labels, as in `rankwise.read`.
        positive : str or float, optional
            The label that becomes 1; all others become 0.
        qid : str, optional
            Column of the query ids.
        drop : sequence of str, default=()
            Columns to leave out.
        categories : sequence of str, default=()
            Columns that are categories even where all their values are numbers.

        Returns
        -------
        ParquetRows
            The rows; only the names of the columns have been read.
        """
        paths = expand_paths([files] if isinstance(files, str | PathLike) else files)
        options = TableOptions.of(label, positive, qid, drop, categories=categories)
        first: Columns | None = None
        for path in paths:
            if detect(path).format != "parquet":
                raise FormatError("rows are streamed from Parquet only; convert this file or read it", path=path)
            columns = options.columns(ParquetTable(path).names, path)
            first = first or columns
            columns.check_alike(first, path)
        assert first is not None
        return cls(
            paths=tuple(paths),
            features=first.features,
            has_qid=first.qid is not None,
            skip_bad=skip_bad,
            options=options,
        )

    def with_found_categories(self) -> ParquetRows:
        """With the values of the columns that are texts or categories, for which these columns are read once.

        Returns
        -------
        ParquetRows
            The same rows; texts are read as codes.
        """
        encoders: dict[str, CategoryEncoder] | None = None
        for path in self.paths:
            table = ParquetTable(path, self.skip_bad)
            names = [name for name in self.features if is_category(table.schema.field(name).type)]
            names = list(dict.fromkeys([*names, *self.options.categories]))
            for batch in table.batches(names) if names else ():
                if encoders is None:
                    encoders = category_encoders(batch, tuple(names), self.options)
                for name, encoder in encoders.items():
                    batch.codes(name, encoder)
        return replace(self, categories={name: encoder.values() for name, encoder in (encoders or {}).items()})

    def rows_at_most(self) -> int:
        """Rows of all files, malformed ones included.

        Returns
        -------
        int
            Their number.
        """
        return sum(map(rows_in, self.paths))

    def pieces(self) -> list[ParquetRows]:
        """Each row group by itself.

        Returns
        -------
        list of ParquetRows
            One for each row group of each file.
        """
        return [
            replace(self, paths=(path,), row_groups=((group,),))
            for path in self.paths
            for group in range(row_groups_of(path))
        ]

    def batches(self) -> Iterator[TableRows]:
        """All rows, some at a time; document ids are left where they are.

        Yields
        ------
        TableRows
            Features, labels and query ids of some rows.
        """
        at_once = max(1, VALUES_AT_ONCE // max(1, len(self.features)))
        encoders = {name: partial(column_codes, name=name, values=values) for name, values in self.categories.items()}
        try:
            for number, path in enumerate(self.paths):
                groups = None if self.row_groups is None else list(self.row_groups[number])
                table = ParquetTable(path, self.skip_bad, rows_at_once=at_once, row_groups=groups)
                columns = self.options.columns(table.names, path)
                features = tuple(name for name in columns.features if name in self.features)
                columns = replace(columns, doc_id=None, features=features)
                for batch in table.batches(columns.all):
                    yield rows_of_batch(batch, columns, self.features, encoders, self.options.positive)
        finally:
            pa.default_memory_pool().release_unused()  # else Arrow would keep it for the next reading

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """The features, some rows at a time.

        Returns
        -------
        iterator of array
            Blocks of rows, in single precision.
        """
        return (rows.X for rows in self.batches())

    def __str__(self) -> str:
        return ", ".join(map(str, self.paths[:3])) + (", …" if len(self.paths) > 3 else "")


def is_paths(X: object) -> TypeGuard[str | PathLike[str] | Sequence[str | PathLike[str]]]:
    """Whether this names files: a path, a pattern or a list of them."""
    if isinstance(X, str | PathLike):
        return True
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(path, str | PathLike) for path in X)


def expand_paths(files: Sequence[str | PathLike[str]]) -> list[Path]:
    """Paths with patterns replaced by the files that they match, part.2 before part.10."""
    paths: list[Path] = []
    for file in files:
        pattern = fspath(file)
        if Path(pattern).exists() or not glob.has_magic(pattern):
            paths.append(Path(pattern))
            continue
        matches = sorted(glob.glob(pattern, recursive=True), key=_by_number)  # noqa: PTH207 (absolute patterns too)
        if not matches:
            raise DataError(f"no file matches {pattern}; check the pattern and the folder you are in")
        paths += map(Path, matches)
    return paths


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in re.split(r"(\d+)", name)]
