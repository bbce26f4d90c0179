"""Items and queries on their way into the store, where they never change, and out of it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.data import RankingData
from rankwise.data.io._trec import UNJUDGED
from rankwise.errors import DataError
from rankwise.labels._checks import check_depth, fields_json, plain_text
from rankwise.labels._database import Database, SqlValue, now
from rankwise.types import Features, JsonObject

QID_TYPES = {"i": "int64", "u": "uint64", "f": "float64"}
ROWS_AT_ONCE = 10_000  # a read that lasts would keep the log from being moved into the database


@dataclass(frozen=True)
class StoreMetadata:
    """What holds for the whole store."""

    highest_grade: int
    n_features: int
    is_sparse: bool
    qid_type: str
    feature_names: list[str] | None
    digest: str
    n_items: int
    grade_names: list[str] | None


@dataclass(frozen=True)
class Item:
    """A document of a query, as a labeller sees it.

    Parameters
    ----------
    item : int
        The row of the document in the data that the store was made from.
    qid : str
        The id of its query.
    doc_id : str
        Its own id; documents without one are named by their row.
    fields : dict
        What is shown of the document: its text, its title and whatever else `texts` had. Escape it wherever it is
        shown.
    query_fields : dict
        What is shown of the query, likewise.
    """

    item: int
    qid: str
    doc_id: str
    fields: JsonObject
    query_fields: JsonObject


def read_metadata(database: Database) -> StoreMetadata:
    """What holds for the whole store, and how many items there are."""
    with database.sound_values():
        ((highest_grade, n_features, is_sparse, qid_type, names, digest, grades, n_items, end),) = database.rows(
            "SELECT highest_grade, n_features, is_sparse, qid_type, feature_names, digest, grade_names, "
            "(SELECT count(*) FROM items), (SELECT max(id) + 1 FROM items) FROM facts"
        )
        names = None if names is None else json.loads(names)
        if type(highest_grade) is not int or type(n_features) is not int or not 1 <= n_items == end:
            raise ValueError("its facts do not fit its items")
        if qid_type not in (*QID_TYPES.values(), "str") or not isinstance(digest, str) or not 0 <= n_features < 2**31:
            raise ValueError("its facts are none that a store has")
        grades = None if grades is None else json.loads(grades)
        if grades is not None and [type(name) for name in grades] != [str] * (highest_grade + 1):
            raise ValueError("its words for grades do not fit its grades")
        return StoreMetadata(highest_grade, n_features, bool(is_sparse), qid_type, names, digest, n_items, grades)


def read_item(database: Database, item: int) -> Item:
    """One item, which must be there."""
    with database.sound_values():
        ((qid, doc_id, fields, query_fields),) = database.rows(
            "SELECT qid, doc_id, items.fields, queries.fields FROM items JOIN queries ON queries.id = query "
            "WHERE items.id = ?",
            (item,),
        )
        shown, query_shown = (_fields(text) for text in (fields, query_fields))
        if not isinstance(qid, str) or not isinstance(doc_id, str):
            raise ValueError(f"ids of item {item}")
        return Item(item, qid, doc_id, shown, query_shown)


def _fields(text: str | None) -> JsonObject:
    """Fields as they were written, flat enough for whoever shows them."""
    fields = json.loads(text or "{}")
    if not isinstance(fields, dict):
        raise ValueError("fields that are no object")
    check_depth(fields)
    return fields


def item_named(connection: sqlite3.Connection, qid: str, doc_id: str) -> int | None:
    """The item of this query and document, if there is one."""
    row = connection.execute(
        "SELECT items.id FROM items JOIN queries ON queries.id = query WHERE qid = ? AND doc_id = ?", (qid, doc_id)
    ).fetchone()
    return None if row is None else int(row[0])


def read_data(database: Database, metadata: StoreMetadata) -> RankingData:
    """The data that the store was made from, every row unjudged."""
    with database.sound_values():
        return _read_data(database, metadata)


def _read_data(database: Database, metadata: StoreMetadata) -> RankingData:
    data = _data_of_rows(database, metadata)
    if NewItems(data, {}, {}).digest != metadata.digest:
        raise ValueError("other ids or features than it was made with")
    return data


def _data_of_rows(database: Database, metadata: StoreMetadata) -> RankingData:
    queries = database.rows("SELECT qid, weight FROM queries ORDER BY id")
    sql = "SELECT query, doc_id, feature_columns, feature_values FROM items WHERE id >= ? AND id < ? ORDER BY id"
    starts = range(0, metadata.n_items, ROWS_AT_ONCE)
    rows = [row for start in starts for row in database.rows(sql, (start, start + ROWS_AT_ONCE))]
    query_of_row, doc_ids, columns, values = map(list, zip(*rows, strict=True))
    qids = np.array([qid for qid, _ in queries], dtype=np.dtype(metadata.qid_type))
    return RankingData(
        _features(metadata, columns, values),
        np.full(metadata.n_items, UNJUDGED),
        qids[query_of_row],
        np.array(doc_ids, dtype=object),
        None if queries[0][1] is None else np.array([weight for _, weight in queries]),
        feature_names=metadata.feature_names,
    )


def _features(metadata: StoreMetadata, columns: list[bytes], values: list[bytes]) -> Features:
    shape = (metadata.n_items, metadata.n_features)
    entries: NDArray[np.float32] = np.frombuffer(b"".join(values), dtype="<f4")
    if not metadata.is_sparse:
        return entries.reshape(shape)
    row_ends = np.concatenate(([0], np.cumsum([len(value) // entries.itemsize for value in values])))
    features = sp.csr_array((entries, np.frombuffer(b"".join(columns), dtype="<i4"), row_ends), shape=shape)
    features.check_format(full_check=True)  # compiled loops trust the columns
    return features


class NewItems:
    """A `RankingData`, checked, as the rows that the tables hold. Documents without ids are named by their row."""

    def __init__(self, data: RankingData, texts: Mapping[str, object], query_texts: Mapping[Any, object]) -> None:
        if data.scores is not None:
            raise DataError("a label store has no place for scores; pass dataclasses.replace(data, scores=None)")
        self._data = data
        self._X: Any = sp.csr_array(data.X, copy=True) if data.is_sparse else data.X
        if data.is_sparse:
            self._X.sum_duplicates()
        self._qids = [plain_text(str(qid), "a qid") for qid in data.groups.qids.tolist()]
        self._query_of_row = data.groups.query_of_row().tolist()
        self._doc_ids: list[str] = list(map(str, range(len(data)))) if data.doc_ids is None else data.doc_ids.tolist()
        self._check_doc_ids()
        self._texts = {doc: fields_json(texts[doc], f"document {doc!r}") for doc in self._doc_ids if doc in texts}
        by_qid = {str(qid): fields for qid, fields in query_texts.items()}
        self._query_texts = {qid: fields_json(by_qid[qid], f"query {qid!r}") for qid in self._qids if qid in by_qid}

    def _check_doc_ids(self) -> None:
        earlier = set()
        for row, (query, doc_id) in enumerate(zip(self._query_of_row, self._doc_ids, strict=True)):
            if not doc_id:
                raise DataError(f"every document must have an id, or none, got no id at row {row}; name that row")
            if (query, doc_id) in earlier:
                raise DataError(
                    f"a document may stand once in a query, got {doc_id!r} twice in query "
                    f"{self._qids[query]!r}, again at row {row}; drop that row"
                )
            earlier.add((query, doc_id))

    @property
    def digest(self) -> str:
        """A fingerprint of ids and features, the same for the same data however it was read."""
        X, digest = self._X, hashlib.sha256()
        names = [self._data.n_features, self._data.feature_names, self._qids, self._query_of_row, self._doc_ids]
        digest.update(json.dumps(names).encode())
        arrays = (X.indptr.astype("<i8"), X.indices.astype("<i8"), X.data) if self._data.is_sparse else (X,)
        for array in arrays:
            digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).data)
        return digest.hexdigest()

    def insert(self, connection: sqlite3.Connection, highest_grade: int, grade_names: list[str] | None) -> None:
        """Write all of it into empty tables."""
        data, weight = self._data, self._data.query_weight
        names = None if data.feature_names is None else json.dumps(data.feature_names)
        qid_type = QID_TYPES.get(data.qid.dtype.kind, "str")
        grades = None if grade_names is None else json.dumps(grade_names)
        metadata = (now(), highest_grade, data.n_features, data.is_sparse, qid_type, names, self.digest, grades)
        connection.execute("INSERT INTO facts VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)", metadata)
        weights = [None] * len(self._qids) if weight is None else weight.tolist()
        connection.executemany(
            "INSERT INTO queries VALUES (?, ?, ?, ?)",
            ((n, qid, weights[n], self._query_texts.get(qid)) for n, qid in enumerate(self._qids)),
        )
        connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)", self._rows())

    def _rows(self) -> Iterator[tuple[SqlValue, ...]]:
        for row, (query, doc_id) in enumerate(zip(self._query_of_row, self._doc_ids, strict=True)):
            yield row, query, doc_id, self._texts.get(doc_id), *self._features(row)

    def _features(self, row: int) -> tuple[bytes | None, bytes]:
        X = self._X
        if not self._data.is_sparse:
            return None, X[row].astype("<f4", copy=False).tobytes()
        entries = slice(X.indptr[row], X.indptr[row + 1])
        return X.indices[entries].astype("<i4").tobytes(), X.data[entries].astype("<f4", copy=False).tobytes()
