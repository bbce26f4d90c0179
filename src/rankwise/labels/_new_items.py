"""A `RankingData` on its way into the store: checked first, then written as rows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels._checked import fields_json, plain_text
from rankwise.labels._clock import now

QID_TYPES = {"i": "int64", "u": "uint64", "f": "float64"}


class NewItems:
    """A `RankingData`, checked, as the rows that the tables hold. Documents without ids are named by their row."""

    def __init__(self, data: RankingData, texts: Mapping[str, Any], query_texts: Mapping[str, Any]) -> None:
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
        told = {str(qid): fields for qid, fields in query_texts.items()}
        self._query_texts = {qid: fields_json(told[qid], f"query {qid!r}") for qid in self._qids if qid in told}

    def _check_doc_ids(self) -> None:
        seen = set()
        for row, named in enumerate(zip(self._query_of_row, self._doc_ids, strict=True)):
            if not named[1]:
                raise DataError(f"every document must have an id, or none, got no id at row {row}; name that row")
            if named in seen:
                raise DataError(
                    f"a document may stand once in a query, got {named[1]!r} twice in query "
                    f"{self._qids[named[0]]!r}, again at row {row}; drop that row"
                )
            seen.add(named)

    @property
    def digest(self) -> str:
        """A fingerprint of ids and features, the same for the same data however it was read."""
        X, found = self._X, hashlib.sha256()
        named = [self._data.n_features, self._data.feature_names, self._qids, self._query_of_row, self._doc_ids]
        found.update(json.dumps(named).encode())
        parts = (X.indptr.astype("<i8"), X.indices.astype("<i8"), X.data) if self._data.is_sparse else (X,)
        for part in parts:
            found.update(np.ascontiguousarray(part).astype(part.dtype.newbyteorder("<"), copy=False).data)
        return found.hexdigest()

    def insert(self, connection: sqlite3.Connection, highest_grade: int) -> None:
        """Write all of it into empty tables."""
        data, weight = self._data, self._data.query_weight
        names = None if data.feature_names is None else json.dumps(data.feature_names)
        qid_type = QID_TYPES.get(data.qid.dtype.kind, "str")
        facts = (now(), highest_grade, data.n_features, data.is_sparse, qid_type, names, self.digest)
        connection.execute("INSERT INTO facts VALUES (1, ?, ?, ?, ?, ?, ?, ?)", facts)
        weights = [None] * len(self._qids) if weight is None else weight.tolist()
        connection.executemany(
            "INSERT INTO queries VALUES (?, ?, ?, ?)",
            ((n, qid, weights[n], self._query_texts.get(qid)) for n, qid in enumerate(self._qids)),
        )
        connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)", self._rows())

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for row, (query, doc_id) in enumerate(zip(self._query_of_row, self._doc_ids, strict=True)):
            yield row, query, doc_id, self._texts.get(doc_id), *self._features(row)

    def _features(self, row: int) -> tuple[bytes | None, bytes]:
        X = self._X
        if not self._data.is_sparse:
            return None, X[row].astype("<f4", copy=False).tobytes()
        entries = slice(X.indptr[row], X.indptr[row + 1])
        return X.indices[entries].astype("<i4").tobytes(), X.data[entries].astype("<f4", copy=False).tobytes()
