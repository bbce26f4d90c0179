"""The one validated form of ranking data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.data._columns import match_columns
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.types import FloatArray, IntArray

# Text of any length at its own size; numpy's older type takes four bytes a character of the longest.
DOC_ID_TYPE = np.dtypes.StringDType()


@dataclass(frozen=True, eq=False)
class RankingData:
    """Documents of queries: features, labels, and who belongs to which query. Rows keep the input's order.

    `X` is float32, dense or CSR; `y` float64, where a label below 0 means "not judged";
    `query_weight` one number per query, by first appearance; `position` where each document of a click log was shown;
    `doc_ids` text, one per row; `scores` what a file
    brought along (a TREC run), −inf for a document that was not retrieved; `notes` what the reader of a
    file should be told (what was left out, in words); `feature_names` one text per column of X, where they have names;
    `source` what messages call the data (the files that it was read from).

    >>> data = RankingData([[0.5], [0.1], [0.9]], [1, 0, 2], qid=["a", "b", "a"])
    >>> data
    RankingData(3 rows, 2 queries, 1 feature, labels 0 to 2)
    >>> data.groups.sizes
    array([2, 1])
    """

    X: Any
    y: FloatArray
    qid: NDArray[Any]
    doc_ids: NDArray[Any] | None = None
    query_weight: FloatArray | None = None
    position: FloatArray | IntArray | None = None
    scores: FloatArray | None = None
    notes: tuple[str, ...] = ()
    feature_names: list[str] | None = None
    source: str = "the data"

    def __post_init__(self) -> None:
        X: Any = sp.csr_array(self.X, dtype=np.float32) if self.is_sparse else _dense(self.X)
        y = np.asarray(self.y, dtype=np.float64)
        n = y.size
        if n == 0:
            raise DataError("there are no rows, got empty data; pass at least one document")
        if y.ndim != 1 or X.shape[0] != n:
            raise ShapeError(f"X and y must have one entry per row, got shapes {X.shape} and {y.shape}")
        if not np.isfinite(y).all():
            row = int(np.flatnonzero(~np.isfinite(y))[0])
            raise DataError(f"labels must be finite, got {y[row]} at row {row}; drop that row or mark it unjudged (-1)")
        qid = np.zeros(n, dtype=np.int64) if self.qid is None else np.asarray(self.qid)
        position = None if self.position is None else np.asarray(self.position)
        for name, rows in (("qid", qid), ("doc_ids", self.doc_ids), ("scores", self.scores), ("position", position)):
            if rows is not None and len(rows) != n:
                raise ShapeError(f"{name} must have one entry per row: got {len(rows)} entries for {n} rows")
        doc_ids = None if self.doc_ids is None else np.asarray(self.doc_ids).astype(DOC_ID_TYPE, copy=False)
        weight, scores = (None if a is None else np.asarray(a, np.float64) for a in (self.query_weight, self.scores))
        fields = {"y": y, "qid": qid, "doc_ids": doc_ids, "query_weight": weight, "position": position}
        fields["scores"] = scores
        for name, array in fields.items():
            object.__setattr__(self, name, None if array is None else _read_only(array))
        if self.is_sparse:
            X.data = _read_only(X.data)
        object.__setattr__(self, "X", X if self.is_sparse else _read_only(X))
        _check_names(self.feature_names, self.n_features)
        if self.query_weight is not None and len(self.query_weight) != self.groups.n_queries:
            raise ShapeError(
                f"query_weight must have one entry per query, got {len(self.query_weight)} for "
                f"{self.groups.n_queries} queries; give every query one"
            )

    @cached_property
    def groups(self) -> QueryGroups:
        """The rows by query."""
        return QueryGroups.from_qid(self.qid)

    @property
    def is_sparse(self) -> bool:
        """Whether X is a sparse array."""
        return bool(sp.issparse(self.X))

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self.X.shape[1])

    def rows(self, keep: NDArray[Any]) -> RankingData:
        """The rows that a mask or an index array keeps (query weights follow their queries)."""
        weight = None
        if self.query_weight is not None:
            queries = self.groups.query_of_row()[keep]
            _, first = np.unique(queries, return_index=True)
            weight = self.query_weight[queries[np.sort(first)]]
        ids, position, scores = self.doc_ids, self.position, self.scores
        return replace(
            self,
            X=self.X[keep],
            y=self.y[keep],
            qid=self.qid[keep],
            doc_ids=None if ids is None else ids[keep],
            query_weight=weight,
            position=None if position is None else position[keep],
            scores=None if scores is None else scores[keep],
            notes=(),
        )

    def with_features(self, names: Sequence[str] | None, count: int) -> RankingData:
        """The data with the features of a model or of other data: by name where both have names, else by place."""
        columns = match_columns(self.feature_names, self.n_features, names, count, source=self.source)
        if columns is None and names == self.feature_names:
            return self
        X = self.X
        if columns is not None and -1 not in columns:
            X = X[:, columns]
        elif columns is not None and self.is_sparse:
            X = sp.csr_array((X.data, X.indices, X.indptr), shape=(len(self), count))
        elif columns is not None:
            X = np.pad(X, ((0, 0), (0, count - self.n_features)))
        return replace(self, X=X, feature_names=None if names is None else list(names))

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        features = f"{self.n_features} feature{'s' if self.n_features != 1 else ''}"
        queries = f"{self.groups.n_queries} quer{'ies' if self.groups.n_queries != 1 else 'y'}"
        sparse = ", sparse" if self.is_sparse else ""
        return (
            f"RankingData({len(self)} rows, {queries}, {features}{sparse}, labels {self.y.min():g} to {self.y.max():g})"
        )


def _dense(X: Any) -> NDArray[np.float32]:
    return np.atleast_2d(np.asarray(X, dtype=np.float32))


def _check_names(names: list[str] | None, n_features: int) -> None:
    if names is None:
        return
    if len(names) != n_features:
        raise ShapeError(
            f"feature_names must have one entry per feature, got {len(names)} for {n_features} features; "
            "give every one a name"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"feature_names must differ, got {twice!r} twice; rename one")


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to; the caller's own array stays as it was."""
    view = array.view()
    view.flags.writeable = False
    return view
