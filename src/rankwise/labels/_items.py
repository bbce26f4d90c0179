"""Items and queries as they come out of the store; they never change, so that they can be read once and kept."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.data import RankingData
from rankwise.data.io._trec import UNJUDGED
from rankwise.labels._database import Database

ROWS_AT_ONCE = 10_000  # a read that lasts would keep the log from being moved into the database


@dataclass(frozen=True)
class Facts:
    """What holds for the whole store."""

    created: str
    highest_grade: int
    n_features: int
    is_sparse: bool
    qid_type: str
    feature_names: list[str] | None
    digest: str
    n_items: int


@dataclass(frozen=True)
class Item:
    """A document of a query, as a labeller sees it; `item` is its row in the data, fields are data to be escaped."""

    item: int
    qid: str
    doc_id: str
    fields: dict[str, Any]
    query_fields: dict[str, Any]


def read_facts(database: Database) -> Facts:
    """The facts, and how many items there are."""
    ((created, highest, n_features, is_sparse, qid_type, names, digest, n_items),) = database.rows(
        "SELECT created, highest_grade, n_features, is_sparse, qid_type, feature_names, digest, "
        "(SELECT max(id) + 1 FROM items) FROM facts"
    )
    names = None if names is None else json.loads(names)
    return Facts(created, highest, n_features, bool(is_sparse), qid_type, names, digest, n_items)


def read_item(database: Database, item: int) -> Item:
    """One item, which must be there."""
    ((qid, doc_id, fields, query_fields),) = database.rows(
        "SELECT qid, doc_id, items.fields, queries.fields FROM items JOIN queries ON queries.id = query "
        "WHERE items.id = ?",
        (item,),
    )
    return Item(item, qid, doc_id, json.loads(fields or "{}"), json.loads(query_fields or "{}"))


def item_named(connection: sqlite3.Connection, qid: str, doc_id: str) -> int | None:
    """The item of this query and document, if there is one."""
    found = connection.execute(
        "SELECT items.id FROM items JOIN queries ON queries.id = query WHERE qid = ? AND doc_id = ?", (qid, doc_id)
    ).fetchone()
    return None if found is None else int(found[0])


def read_data(database: Database, facts: Facts) -> RankingData:
    """The data that the store was made from, every row unjudged."""
    queries = database.rows("SELECT qid, weight FROM queries ORDER BY id")
    query_of_row: list[int] = []
    doc_ids: list[str] = []
    columns: list[bytes] = []
    values: list[bytes] = []
    for start in range(0, facts.n_items, ROWS_AT_ONCE):
        for query, doc_id, of_row, value in database.rows(
            "SELECT query, doc_id, feature_columns, feature_values FROM items WHERE id >= ? AND id < ? ORDER BY id",
            (start, start + ROWS_AT_ONCE),
        ):
            query_of_row.append(query)
            doc_ids.append(doc_id)
            columns.append(of_row or b"")
            values.append(value)
    qids = np.array([qid for qid, _ in queries], dtype=np.dtype(facts.qid_type))
    return RankingData(
        _features(facts, columns, values),
        np.full(facts.n_items, UNJUDGED),
        qids[query_of_row],
        np.array(doc_ids, dtype=object),
        None if queries[0][1] is None else np.array([weight for _, weight in queries]),
        feature_names=facts.feature_names,
    )


def _features(facts: Facts, columns: list[bytes], values: list[bytes]) -> Any:
    shape = (facts.n_items, facts.n_features)
    entries: NDArray[np.float32] = np.frombuffer(b"".join(values), dtype="<f4")
    if not facts.is_sparse:
        return entries.reshape(shape)
    row_ends = np.concatenate(([0], np.cumsum([len(value) // entries.itemsize for value in values])))
    return sp.csr_array((entries, np.frombuffer(b"".join(columns), dtype="<i4"), row_ends), shape=shape)
