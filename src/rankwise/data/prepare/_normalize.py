"""`normalize`: features on one scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data._ranking_data import RankingData
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError


def normalize(data: RankingData, how: Literal["query", "global"] = "query") -> RankingData:
    """A copy with scaled features.

    A feature that is constant (in the query, or at all) becomes 0; missing values stay missing and count for nothing.

    Parameters
    ----------
    data : RankingData
        The data.
    how : {"query", "global"}, default="query"
        "query" maps each feature to [0, 1] within each query by its minimum and maximum, as the LETOR data sets and
        Donmez 2009 do; "global" subtracts each feature's mean and divides by its standard deviation.

    Returns
    -------
    RankingData
        The same rows on one scale.

    Examples
    --------
    >>> data = RankingData([[2.0], [4.0], [3.0], [7.0]], [0, 1, 0, 1], qid=[1, 1, 1, 2])
    >>> normalize(data).X.ravel()
    array([0. , 1. , 0.5, 0. ], dtype=float32)
    """
    if how not in ("query", "global"):
        raise DataError(f"how must be 'query' or 'global', got {how!r}; choose one of the two")
    if data.categories:
        raise DataError(
            f"categories have no scale, got those of {next(iter(data.categories))!r}; leave them out (read with drop)"
        )
    if data.is_sparse:
        raise DataError(
            f"sparse features cannot be shifted and stay sparse, got {data.n_features} features; "
            "scale them by sklearn.preprocessing.MaxAbsScaler instead"
        )
    return replace(data, X=_by_query(data) if how == "query" else Standardizer.of(data.X, missing=True).apply(data.X))


def _by_query(data: RankingData) -> NDArray[np.float32]:
    X = data.groups.grouped(data.X).copy()
    starts = data.groups.offsets[:-1]
    # fmin and fmax pass over NaN; a query in which all values are missing keeps them.
    low = np.fmin.reduceat(X, starts, axis=0)
    spread = np.fmax.reduceat(X, starts, axis=0) - low
    spread[spread == 0] = 1
    for query, (start, end) in enumerate(zip(starts, data.groups.offsets[1:], strict=True)):
        X[start:end] -= low[query]
        X[start:end] /= spread[query]
    return data.groups.ungrouped(X)
