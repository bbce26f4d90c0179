"""Judgements and runs as Python has them: dictionaries of queries and documents, or frames with a row for each pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from rankwise._validation import as_vector
from rankwise.data._arrow_columns import is_number, numbers
from rankwise.data._columns import DOC_ID_NAMES, LABEL_NAMES, QID_NAMES
from rankwise.data._frames import NamedColumn, as_arrow, as_table, is_frame, table_columns
from rankwise.data.io._trec import ByQuery
from rankwise.errors import DataError

DocumentNumbers: TypeAlias = Mapping[Any, Mapping[Any, float]]  # by query and document: grades, or scores
Number = Literal["grade", "score"]

QUERY_COLUMNS = ("q_id", *QID_NAMES, "topic", "topic_id")
DOCUMENT_COLUMNS = (*DOC_ID_NAMES, "docno", "document_id", "document", "doc")
NUMBER_COLUMNS = {"grade": ("grade", *LABEL_NAMES, "rel", "score"), "score": ("score",)}  # ranx has scores in both


def names_documents(value: object) -> bool:
    """Whether this is a dictionary or a frame, rather than an array that stands beside rows."""
    return isinstance(value, Mapping) or (is_frame(value) and hasattr(value, "columns"))


def by_query(what: str, value: Any, number: Number) -> ByQuery:
    """The numbers by query and document, ids as texts; `what` names it in messages."""
    if isinstance(value, Mapping):
        return _of_dictionary(what, value, number)
    if names_documents(value):
        return _of_frame(what, value, number)
    raise DataError(
        f"{what} must be a dictionary of queries and documents, or a frame with a column for each, got "
        f"{type(value).__name__}; pass {{query: {{document: {number}}}}}"
    )


def _of_dictionary(what: str, value: Mapping[Any, Any], number: Number) -> ByQuery:
    found: ByQuery = {}
    for query, documents in value.items():
        if not isinstance(documents, Mapping):
            raise DataError(
                f"{what} must have a dictionary of documents for each query, got {type(documents).__name__} for query "
                f"{query!r}; pass {{query: {{document: {number}}}}}"
            )
        if str(query) in found:
            raise DataError(f"{what} must have a query once, got {query!r} twice as a text; rename one")
        found[str(query)] = {}  # which stays without documents where nothing was retrieved
        numbers_of = as_vector(f"{number}s of {what} for query {query!r}", list(documents.values()), least=0)
        _add(what, found, ((query, document) for document in documents), numbers_of.tolist())
    return found


def _of_frame(what: str, frame: Any, number: Number) -> ByQuery:
    columns = table_columns(as_table(frame))
    queries, documents, values = (
        _column(what, columns, names) for names in (QUERY_COLUMNS, DOCUMENT_COLUMNS, NUMBER_COLUMNS[number])
    )
    found: ByQuery = {}
    if not is_number(values.type):
        raise DataError(f"the {number}s of {what} must be numbers, got {values.type}; convert the column")
    rows = as_vector(f"{number}s of {what}", numbers(values), least=0).tolist()
    for name, ids in (("query", queries), ("document", documents)):
        if ids.null_count:
            raise DataError(f"{what} must name a {name} in every row, got {ids.null_count} without; drop those rows")
    _add(what, found, zip(queries.to_pylist(), documents.to_pylist(), strict=True), rows)
    return found


def _column(what: str, columns: list[NamedColumn], names: tuple[str, ...]) -> Any:
    """The first column with one of these names."""
    usual = {str(name).strip().lower(): column for name, column in columns}
    for name in names:
        if name in usual:
            return as_arrow(usual[name])
    raise DataError(f"{what} must have a column named {' or '.join(names)}, got {', '.join(usual)[:200]}; rename one")


def _add(what: str, found: ByQuery, pairs: Iterable[tuple[object, object]], values: list[float]) -> None:
    for (query, document), value in zip(pairs, values, strict=True):
        documents = found.setdefault(str(query), {})
        if str(document) in documents:
            raise DataError(
                f"{what} must have a document once per query, got {document!r} twice in {query!r}; drop one"
            )
        documents[str(document)] = value
