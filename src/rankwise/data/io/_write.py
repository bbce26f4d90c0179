"""`write`: `RankingData` to LETOR text, Parquet, CSV or TSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from rankwise.data._arrow_columns import pc
from rankwise.data._atomic import atomic_path
from rankwise.data._columns import Columns
from rankwise.data._ranking_data import RankingData
from rankwise.data.io._formats import PARQUET_ENDINGS, TABLE_ENDINGS, numbered_columns
from rankwise.data.io._streams import COMPRESSIONS, opened_to_write, without_compression
from rankwise.errors import DataError
from rankwise.types import AnyArray

VALUES_AT_ONCE = 1_000_000  # bounds the memory that formatting takes


def write(data: RankingData, path: str | PathLike[str]) -> None:
    """Write data so that `read` gives it back exactly; the ending of the name chooses the format.

    `.parquet`, `.csv` and `.tsv` are tables, any other ending is LETOR text, which has no names of features; text is
    packed with a further `.gz`, `.bz2`, `.xz` or `.zst`. Categories are written as their texts. The file appears when
    it is complete, never in part.

    Parameters
    ----------
    data : RankingData
        The data.
    path : str or path
        Where to write it.

    Raises
    ------
    DataError
        If the format has no place for something in the data.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "small.txt")
    >>> write(RankingData([[0.5, 0.1]], [2], qid=[7], doc_ids=["d1"]), path)
    >>> path.read_text()
    '2 qid:7 1:0.5 2:0.1 #docid = d1\\n'
    """
    path = Path(path)
    ending = without_compression(path).suffix.lower()
    for name in ("scores", "query_weight", "position"):
        if getattr(data, name) is not None:
            raise DataError(
                f"{name} cannot be written, no format that is read has a place for it; "
                f"pass dataclasses.replace(data, {name}=None) to leave it out"
            )
    if ending in PARQUET_ENDINGS and path.suffix in COMPRESSIONS:
        raise DataError(f"Parquet is packed already, got {path.name}; leave out {path.suffix}")
    if np.isinf(data.X.data if data.is_sparse else data.X).any():
        raise DataError("features must be finite or NaN to be written, got an infinite one; replace it")
    if ending in (*PARQUET_ENDINGS, *TABLE_ENDINGS):
        _check_names(data, path)
    elif data.categories:
        raise DataError(
            f"LETOR text has numbers alone, got categories in {next(iter(data.categories))!r}; write Parquet or CSV"
        )
    with atomic_path(path) as temporary:
        if ending in PARQUET_ENDINGS:
            _write_parquet(data, temporary)
            return
        with opened_to_write(temporary, path.suffix) as file:
            if ending in TABLE_ENDINGS:
                _write_csv(data, file, TABLE_ENDINGS[ending])
            else:
                for text in _letor_text(data):
                    file.write(text)


def _letor_text(data: RankingData) -> Iterator[memoryview]:
    """The lines, many rows at a time; pyarrow gives the shortest text that reads back as the same number."""
    if data.qid.dtype.kind not in "iu":
        raise DataError(f"LETOR text has whole numbers as qid, got {str(data.qid[0])!r}; number them or use Parquet")
    if data.doc_ids is not None and any(doc_id and doc_id.split() != [doc_id] for doc_id in data.doc_ids.tolist()):
        raise DataError("LETOR text has document ids without blanks; replace the blanks or use Parquet")
    entries = data.X.nnz if data.is_sparse else data.X.size
    step = max(1, VALUES_AT_ONCE * len(data) // max(1, entries))
    for start in range(0, len(data), step):
        rows = slice(start, min(start + step, len(data)))
        columns, values, row_ends = _entries(data, rows)
        pairs = pc.binary_join_element_wise(_text(columns + 1), _text(values), ":")
        features = pc.binary_join(pa.ListArray.from_arrays(pa.array(row_ends), pairs), " ")
        head = pc.binary_join_element_wise(_text(data.y[rows]), pa.array(data.qid[rows]).cast(pa.string()), " qid:")
        line = pc.binary_join_element_wise(head, features, " ")
        if data.doc_ids is not None:
            line = pc.binary_join_element_wise(line, pa.array(data.doc_ids[rows].tolist()), " #docid = ")
        ended = pc.binary_join_element_wise(line, "\n", "")
        yield memoryview(pa.concat_arrays([ended]).buffers()[2])[: pc.sum(pc.binary_length(ended)).as_py()]


def _text(numbers: AnyArray) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def _entries(data: RankingData, rows: slice) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Columns and values of these rows, and where each row ends among them."""
    X = data.X[rows]
    if not data.is_sparse:
        n, width = X.shape
        return np.tile(np.arange(width), n), X.ravel(), np.arange(n + 1, dtype=np.int32) * np.int32(width)
    X.sum_duplicates()
    columns, values, row_ends = X.indices, X.data, X.indptr.astype(np.int32)
    last = data.n_features - 1
    if rows.start == 0 and last not in columns[: row_ends[1]]:
        # Readers count the features by the largest index, so the first line names the last one.
        columns, values = np.insert(columns, row_ends[1], last), np.insert(values, row_ends[1], 0)
        row_ends[1:] += 1
    return columns, values, row_ends


def _table(data: RankingData, rows: slice) -> pa.Table:
    columns = {"label": pa.array(data.y[rows]), "qid": pa.array(data.qid[rows].tolist())}
    if data.doc_ids is not None:
        columns["doc_id"] = pa.array(data.doc_ids[rows].tolist(), pa.string())
    for column, name in enumerate(_feature_names(data)):
        columns[name] = _feature(data.X[rows, column], data.categories.get(name))
    return pa.table(columns)


def _feature(values: AnyArray, categories: Sequence[str] | None) -> pa.Array:
    """A column of numbers, or of the texts that codes stand for."""
    if categories is None:
        return pa.array(values)
    codes = pa.array(np.nan_to_num(values).astype(np.int32), mask=np.isnan(values))
    return pa.DictionaryArray.from_arrays(codes, pa.array(categories, pa.string()))


def _feature_names(data: RankingData) -> list[str]:
    return numbered_columns(data.n_features) if data.feature_names is None else data.feature_names


def _check_names(data: RankingData, path: Path) -> None:
    """Readers of the table must take for features what are features, and see one line of names."""
    names = _feature_names(data)
    columns = ["label", "qid", *([] if data.doc_ids is None else ["doc_id"]), *names]
    features = set(Columns.of(columns, path).features)
    bad = [name for name in names if name not in features or "\n" in name or "\r" in name]
    if bad:
        raise DataError(
            f"a table cannot have a feature named {bad[0]!r}, which is read as something else; rename it or write "
            "LETOR text (.txt), which has no names"
        )


def _tables(data: RankingData) -> Iterator[pa.Table]:
    if data.is_sparse:
        raise DataError(f"a table cannot hold {data.n_features} sparse features; write LETOR text (.txt) instead")
    step = max(1, VALUES_AT_ONCE // max(1, data.n_features))
    for start in range(0, len(data), step):
        yield _table(data, slice(start, start + step))


def _write_parquet(data: RankingData, path: Path) -> None:
    tables = _tables(data)
    first = next(tables)
    with parquet.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)


def _check_texts(data: RankingData) -> None:
    """Texts must not be such as stand for a missing value."""
    missing = set(csv.ConvertOptions().null_values) - {""}
    ids = [] if data.doc_ids is None else data.doc_ids.tolist()
    for texts in (ids, data.qid.tolist(), *data.categories.values()):
        found = next((text for text in texts if text in missing), None)
        if found is not None:
            raise DataError(f"CSV reads the text {found!r} as a missing value; rename it or use Parquet")


def _write_csv(data: RankingData, file: IO[bytes], delimiter: str) -> None:
    _check_texts(data)
    for number, table in enumerate(_tables(data)):
        csv.write_csv(table, file, csv.WriteOptions(include_header=number == 0, delimiter=delimiter))
