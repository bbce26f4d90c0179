"""`read`: any supported file to `RankingData`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path

import numpy as np

from rankwise.data._columns import TableOptions
from rankwise.data._ranking_data import RankingData
from rankwise.data.io._formats import Detected, detect
from rankwise.data.io._letor import LetorFile, read_letor
from rankwise.data.io._streams import open_stream, without_compression
from rankwise.data.io._tables import read_tables
from rankwise.data.io._trec import read_trec
from rankwise.errors import DataError, FormatError
from rankwise.types import IntArray

MAX_SIZE_DIGITS = 18


def read(
    *files: str | PathLike[str],
    skip_bad: bool = False,
    label: str | int | None = None,
    positive: str | float | None = None,
    qid: str | int | None = None,
    drop: Sequence[str | int] = (),
    header: bool = True,
    categories: Sequence[str] = (),
) -> RankingData:
    """Read ranking data; the format follows from the name and the first line.

    Several files of one format follow each other as one data set, in which a qid means the same query in
    all files. Plain or packed (.gz, .bz2, .xz, .zst):

    - LETOR / SVM-rank text, `label qid:ID index:value ... # docid = ID`; without any qid it is one list;
    - LightGBM's pair of files: such text without qid, its indices from 0, and the sizes of the queries
      beside it in `<path>.query`;
    - Parquet, and CSV or TSV with a header: columns label (or relevance, y), qid (query_id, query), doc_id
      (docid), and features by any name (feature_1, feature_2, … are features without one);
    - TREC judgements and one run, in either order: the result has no features, but `scores`.

    In a table, columns of texts become `categories`: their column holds codes, 0 for the first of the sorted values. A
    column of a text file is one of texts if more than half of its first values are no numbers.

    Parameters
    ----------
    *files : str or path
        The files.
    skip_bad : bool, default=False
        Leave malformed lines out and count them in `notes`; else they are errors that name file, line and column.
    label : str or int, optional
        Column of the labels of a table; by default label, relevance or y, or the first of a table without a header.
    positive : str or float, optional
        The label that becomes 1; all others become 0.
    qid : str or int, optional
        Column of the query ids of a table; by default qid, query_id or query.
    drop : sequence of str or int, default=()
        Columns of a table to leave out.
    header : bool, default=True
        Whether the first line of a CSV or TSV file names the columns; else they are named by their numbers, from 1.
    categories : sequence of str, default=()
        Columns of a table that are categories even where their values are numbers.

    Returns
    -------
    RankingData
        The rows of all files, in their order.

    Raises
    ------
    DataError
        If a file is missing, damaged or malformed, or an option means nothing for it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "train.txt")
    >>> _ = path.write_text("2 qid:1 1:0.5 3:1e-3 # d1\\n0 qid:1 2:0.25 # d2\\n")
    >>> data = read(path)
    >>> data.X
    array([[0.5  , 0.   , 0.001],
           [0.   , 0.25 , 0.   ]], dtype=float32)
    >>> data.doc_ids.tolist()
    ['d1', 'd2']
    """
    if not files:
        raise DataError("there is nothing to read, got no path; name at least one file")
    options = TableOptions.of(label, positive, qid, drop, header, categories)
    detected = [detect(Path(file), options) for file in files]
    return replace(_read(detected, skip_bad, options), source=", ".join(map(str, files)))


def _read(files: list[Detected], skip_bad: bool, options: TableOptions) -> RankingData:
    formats = sorted({file.format for file in files})
    if formats in (["csv"], ["parquet"]):
        if formats == ["parquet"] and not options.header:
            raise DataError(f"Parquet has names of columns, got header=False for {files[0].path}; leave it out")
        return read_tables(files, skip_bad, options)
    for name, value in asdict(options).items():
        if value != getattr(TableOptions(), name):
            raise DataError(
                f"{name} is for tables (CSV, TSV, Parquet), got {files[0].path}, which is {files[0].format}; "
                "leave it out"
            )
    if formats == ["letor"]:
        return read_letor(_letor_files(files), skip_bad)
    if formats == ["qrels", "run"] and len(files) == 2:
        qrels, run = sorted(files, key=lambda file: file.format)
        return read_trec(qrels.path, run.path, skip_bad)
    got = ", ".join(f"{file.path} ({file.format})" for file in files)
    raise DataError(
        f"files that are read together must have one format, or be one TREC qrels and one run, got {got}; "
        "read the others separately"
    )


def _letor_files(files: list[Detected]) -> list[LetorFile]:
    letor = [LetorFile(file.path, file.has_qid, None if file.has_qid else _query_sizes(file.path)) for file in files]
    first = letor[0]
    for file in letor[1:]:
        if (file.has_qid, file.base) != (first.has_qid, first.base):
            raise DataError(
                f"all files or none must name their queries, got {_naming(first)} and {_naming(file)}; "
                "read them separately"
            )
    return letor


def _naming(file: LetorFile) -> str:
    how = "by qid" if file.has_qid else "not" if file.query_sizes is None else "by a .query file"
    return f"{file.path} ({how})"


def _query_sizes(path: Path) -> IntArray | None:
    """The group sizes in `<path>.query` (for `rank.gz` also `rank.query`), if that file exists."""
    names = (path.name, without_compression(path).name)
    sizes_path = next((p for p in (path.with_name(f"{name}.query") for name in names) if p.exists()), None)
    if sizes_path is None:
        return None
    with open_stream(sizes_path) as file:
        lines = file.read().decode(errors="replace").split("\n")
    sizes = []
    for number, line in enumerate(lines, start=1):
        word = line.strip()
        if not word:
            continue
        # Eighteen digits are more rows than there are, and a sum of several is still told from a number of rows.
        if not (word.isascii() and word.isdecimal()) or len(word) > MAX_SIZE_DIGITS or int(word) == 0:
            raise FormatError(
                f"a query size must be a positive whole number, got {word[:40]!r}; fix the line, of at most "
                f"{MAX_SIZE_DIGITS} digits",
                path=sizes_path,
                line=number,
            )
        sizes.append(int(word))
    return np.array(sizes, dtype=np.int64)
