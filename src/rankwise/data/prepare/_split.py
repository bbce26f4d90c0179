"""`split`: parts of a data set by whole queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError


def split(data: RankingData, fractions: Sequence[float] = (0.6, 0.2, 0.2), seed: int = 0) -> list[RankingData]:
    """Split data by whole queries, drawn at random.

    Rows keep the order of the input within each part.

    Parameters
    ----------
    data : RankingData
        The data.
    fractions : sequence of float, default=(0.6, 0.2, 0.2)
        Share of the queries in each part; they must add up to one.
    seed : int, default=0
        Seed of the draw.

    Returns
    -------
    list of RankingData
        One data set for each fraction.

    Examples
    --------
    >>> data = RankingData([[0.0]] * 6, [0, 1] * 3, qid=[1, 1, 2, 2, 3, 3])
    >>> [part.groups.n_queries for part in split(data, (2 / 3, 1 / 3))]
    [2, 1]
    """
    shares = np.asarray(fractions, dtype=np.float64)
    if shares.size == 0 or not (shares > 0).all() or not np.isclose(shares.sum(), 1):
        raise DataError(
            f"fractions must be positive and add up to 1, got {tuple(fractions)}; for two equal parts pass (0.5, 0.5)"
        )
    queries = data.groups.n_queries
    ends = np.rint(np.cumsum(shares) * queries).astype(np.int64)
    if (np.diff(ends, prepend=0) == 0).any():
        raise DataError(
            f"every part must have a query, got {queries} queries for fractions {tuple(fractions)}; make fewer parts"
        )
    part_of_query = np.empty(queries, dtype=np.int64)
    drawn = np.random.default_rng(seed).permutation(queries)
    part_of_query[drawn] = np.searchsorted(ends, np.arange(queries), side="right")
    part_of_row = part_of_query[data.groups.query_of_row()]
    return [data.rows(np.flatnonzero(part_of_row == part)) for part in range(shares.size)]
