"""`describe`: what a data set holds, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import scipy.sparse as sp

from rankwise.data._ranking_data import RankingData
from rankwise.data._row_hashes import RowHashes, document_hashes, row_hashes, single_hashes
from rankwise.types import JsonObject

ROWS_AT_ONCE = 65_536  # bounds the memory that counting takes
QUERY_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that hashes of different queries are apart


@dataclass(frozen=True)
class Stats:
    """What `describe` counts.

    Parameters
    ----------
    rows : int
        Number of rows.
    queries : int
        Number of queries.
    features : int
        Number of features.
    density : float
        Share of the features that are not 0.
    grades : dict of float to int
        Rows of each label; -1 is not judged.
    documents_min : int
        Fewest documents of a query.
    documents_median : float
        Median of the documents per query.
    documents_mean : float
        Mean of the documents per query.
    documents_max : int
        Most documents of a query.
    queries_without_relevant : int
        Queries without a label above 0.
    queries_with_one_grade : int
        Queries in which all labels are the same.
    missing_values : int
        Features that are NaN.
    duplicate_doc_ids : int
        Rows whose document was named before in the same query.
    repeated_rows : int
        Rows with the features and the label of an earlier row of the same query.
    queries_of_equal_rows : int
        Queries of two or more rows that all have the same features, which no model can rank.
    constant_features : int
        Features that have one value in all rows.
    """

    rows: int
    queries: int
    features: int
    density: float
    grades: dict[float, int]
    documents_min: int
    documents_median: float
    documents_mean: float
    documents_max: int
    queries_without_relevant: int
    queries_with_one_grade: int
    missing_values: int
    duplicate_doc_ids: int
    repeated_rows: int
    queries_of_equal_rows: int
    constant_features: int

    def to_dict(self) -> JsonObject:
        """All fields as plain numbers, ready for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        return asdict(self)

    @property
    def remarks(self) -> list[str]:
        """What is odd about the data, a sentence each: what a person would want to know before a model is trained."""
        counts = {
            "rows repeat a document of their query": self.duplicate_doc_ids,
            "queries have rows that are all alike, which no model can rank": self.queries_of_equal_rows,
            "features have one value in all rows, and say nothing": self.constant_features,
        }
        return [f"{count} {sentence}" for sentence, count in counts.items() if count]


def describe(data: RankingData) -> Stats:
    """Count rows, queries, grades, documents per query, and what may trouble a metric or a model.

    Parameters
    ----------
    data : RankingData
        The data.

    Returns
    -------
    Stats
        The counts.

    Examples
    --------
    >>> stats = describe(RankingData([[0.5, 0], [1, 0], [0, 0]], [1, 0, 0], qid=[1, 1, 2]))
    >>> stats.grades, stats.queries_without_relevant, round(stats.density, 2)
    ({0.0: 2, 1.0: 1}, 1, 0.33)
    """
    groups = data.groups
    sizes = groups.sizes
    filled, missing = _filled_and_missing(data)
    y = groups.grouped(data.y)
    starts = groups.offsets[:-1]
    most, least = np.maximum.reduceat(y, starts), np.minimum.reduceat(y, starts)
    labels, counts = np.unique(data.y, return_counts=True)
    query_of_row = groups.query_of_row()
    hashes = _hashes(data)
    of_query = query_of_row.astype(np.uint64) * QUERY_MULTIPLIER
    _, first_rows = np.unique(document_hashes(hashes, data.y, data.n_features) + of_query, return_index=True)
    different = np.bincount(query_of_row[first_rows])
    return Stats(
        rows=len(data),
        queries=groups.n_queries,
        features=data.n_features,
        density=filled / max(1, len(data) * data.n_features),
        grades=dict(zip(labels.tolist(), counts.tolist(), strict=True)),
        documents_min=int(sizes.min()),
        documents_median=float(np.median(sizes)),
        documents_mean=float(sizes.mean()),
        documents_max=int(sizes.max()),
        queries_without_relevant=int((most <= 0).sum()),
        queries_with_one_grade=int((most == least).sum()),
        missing_values=missing,
        duplicate_doc_ids=duplicate_documents(data),
        repeated_rows=len(data) - len(np.unique(hashes + of_query)),
        queries_of_equal_rows=int(((different == 1) & (sizes > 1)).sum()),
        constant_features=_constant_features(data),
    )


def _filled_and_missing(data: RankingData) -> tuple[int, int]:
    """How many features are not 0, and how many of those are NaN."""
    if data.is_sparse:
        return int(np.count_nonzero(data.X.data)), int(np.isnan(data.X.data).sum())
    filled = missing = 0
    for start in range(0, len(data), ROWS_AT_ONCE):
        piece = data.X[start : start + ROWS_AT_ONCE]
        filled += int(np.count_nonzero(piece))
        missing += int(np.isnan(piece).sum())
    return filled, missing


def overlap(train: RankingData, other: RankingData) -> int:
    """Count rows that stand in the training data too: a model that has seen them is judged too well.

    Parameters
    ----------
    train : RankingData
        What a model learns from.
    other : RankingData
        What it is stopped on or judged by.

    Returns
    -------
    int
        Rows of `other` whose features and label are those of a row of `train`.

    Examples
    --------
    >>> data = RankingData([[0.5, 0], [1, 0], [0, 0]], [1, 0, 0], qid=[1, 1, 2])
    >>> overlap(data, data.rows([0, 2]))
    2
    """
    if train.n_features != other.n_features:
        return 0
    return int(np.isin(_hashes(other), _hashes(train)).sum())


def share_copied(train: RankingData, other: RankingData) -> float:
    """The share of other rows in the training data, of those that stand once among their own: few values repeat."""
    if train.n_features != other.n_features:
        return 0.0
    once = single_hashes(_hashes(other))
    return float(np.isin(once, _hashes(train)).mean()) if once.size else 0.0


def _hashes(data: RankingData) -> RowHashes:
    return row_hashes(sp.csr_matrix(data.X) if data.is_sparse else data.X, data.y)


def _constant_features(data: RankingData) -> int:
    """Features with one value; one that is missing everywhere is one too."""
    if len(data) < 2:
        return 0
    if data.is_sparse:
        least, most = (side(axis=0).toarray() for side in (data.X.min, data.X.max))
        return int((least == most).sum())
    changed = np.zeros(data.n_features, dtype=bool)
    for start in range(0, len(data), ROWS_AT_ONCE):
        piece = data.X[start : start + ROWS_AT_ONCE]
        changed |= ~((piece == data.X[0]) | (np.isnan(piece) & np.isnan(data.X[0]))).all(axis=0)
    return int((~changed).sum())


def duplicate_documents(data: RankingData) -> int:
    """Rows whose document was named before in their query; rows without an id ("") count for nothing."""
    if data.doc_ids is None:
        return 0
    named = data.doc_ids != ""
    documents = np.unique(data.doc_ids[named], return_inverse=True)[1]
    pairs = data.groups.query_of_row()[named] * (documents.max(initial=0) + 1) + documents
    return len(pairs) - len(np.unique(pairs))
