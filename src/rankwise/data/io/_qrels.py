"""TREC judgements on their own: labels by query and document id, without features."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from rankwise.data._atomic import atomic_path
from rankwise.data._ranking_data import RankingData
from rankwise.data.io._streams import opened_to_write
from rankwise.data.io._trec import GRADE_AT, QRELS_COLUMNS, read_by_query
from rankwise.errors import DataError


def read_qrels(path: str | PathLike[str]) -> RankingData:
    """The judged documents, in the order of the file; there are no features and no scores."""
    judged = read_by_query(Path(path), QRELS_COLUMNS, GRADE_AT, False, [])
    rows = [(query, document, grade) for query, of_query in judged.items() for document, grade in of_query.items()]
    qids, documents, grades = zip(*rows, strict=True)
    return RankingData(np.zeros((len(rows), 0)), np.array(grades), np.array(qids), np.array(documents))


def write_qrels(data: RankingData, path: str | PathLike[str]) -> None:
    """Write the labels as lines `qid 0 document label`; packed where a further `.gz`, `.bz2`, `.xz` or `.zst` says so.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "judged.qrels")
    >>> write_qrels(RankingData([[0.5], [0.1]], [2, -1], qid=[7, 7], doc_ids=["d1", "d2"]), path)
    >>> path.read_text()
    '7 0 d1 2\\n7 0 d2 -1\\n'
    """
    if data.doc_ids is None:
        raise DataError("TREC judgements name documents by id, but the data has no ids; pass RankingData with doc_ids")
    lines = []
    for query, document, grade in zip(data.qid.tolist(), data.doc_ids.tolist(), data.y.tolist(), strict=True):
        for name in (str(query), document):
            if name.split() != [name]:
                raise DataError(f"TREC judgements have ids without blanks, got {name!r}; rename it or use Parquet")
        lines.append(f"{query} 0 {document} {repr(grade).removesuffix('.0')}\n")
    with atomic_path(path) as temporary, opened_to_write(temporary, Path(path).suffix) as file:
        file.write("".join(lines).encode())
