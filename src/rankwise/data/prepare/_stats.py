"""`describe`: what a data set holds, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from rankwise.data._ranking_data import RankingData
from rankwise.types import AnyArray, IntArray, JsonObject

ROWS_AT_ONCE = 65_536  # bounds the memory that counting takes


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

    def to_dict(self) -> JsonObject:
        """All fields as plain numbers, ready for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        return asdict(self)


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
        duplicate_doc_ids=_duplicates(groups.query_of_row(), data.doc_ids),
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


def _duplicates(query_of_row: IntArray, doc_ids: AnyArray | None) -> int:
    """Rows whose document was named before in their query; rows without an id ("") count for nothing."""
    if doc_ids is None:
        return 0
    named = doc_ids != ""
    documents = np.unique(doc_ids[named], return_inverse=True)[1]
    pairs = query_of_row[named] * (documents.max(initial=0) + 1) + documents
    return len(pairs) - len(np.unique(pairs))
