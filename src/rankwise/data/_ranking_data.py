"""The one validated form of ranking data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from rankwise._validation import as_array, as_ids, as_numbers, as_places, as_vector, check_aligned
from rankwise.data._arrow_columns import MAX_CATEGORIES, Categories, changed_codes
from rankwise.data._columns import match_columns
from rankwise.data._frame_fields import check_names, frame_fields
from rankwise.data._frames import column_codes
from rankwise.data._groups import QueryGroups
from rankwise.data._single_precision import dense_features, sparse_features
from rankwise.errors import DataError, ShapeError
from rankwise.types import AnyArray, FloatArray, IntArray

# Text of any length at its own size; numpy's older type takes four bytes a character of the longest.
DOC_ID_TYPE = np.dtypes.StringDType()


@dataclass(frozen=True, eq=False)
class RankingData:
    """Documents of queries: features, labels, and which document belongs to which query.

    Rows keep the order of the input. Arrays are views that cannot be written to.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Features, kept in single precision, dense or CSR; NaN is missing.
    y : array-like
        Label of each row; below 0 means not judged.
    qid : array-like or None
        Query of each row; None is one list.
    doc_ids : array-like of str, optional
        Document id of each row.
    query_weight : array-like, optional
        Weight of each query, by first appearance.
    position : array-like, optional
        Where each document of a click log was shown.
    scores : array-like, optional
        Scores that a file brought along (a TREC run), −inf for a document that was not retrieved.
    notes : tuple of str
        What the reader of a file should be told: what was left out, in words.
    feature_names : list of str, optional
        Name of each column of X.
    source : str, default="the data"
        What messages call the data: the files that it was read from.
    categories : dict of str to tuple of str
        The values of each feature that is a category, by its name: the column holds codes, code k for value k.

    Examples
    --------
    >>> data = RankingData([[0.5], [0.1], [0.9]], [1, 0, 2], qid=["a", "b", "a"])
    >>> data
    RankingData(3 rows, 2 queries, 1 feature, labels 0 to 2)
    >>> data.groups.sizes
    array([2, 1])
    """

    X: Any
    y: FloatArray
    qid: AnyArray
    doc_ids: AnyArray | None = None
    query_weight: FloatArray | None = None
    position: FloatArray | IntArray | None = None
    scores: FloatArray | None = None
    notes: tuple[str, ...] = ()
    feature_names: list[str] | None = None
    source: str = "the data"
    categories: Categories = field(default_factory=dict)

    if TYPE_CHECKING:  # the fields are arrays; what makes them may be any array-like

        def __init__(
            self,
            X: Any,
            y: ArrayLike,
            qid: ArrayLike | None,
            doc_ids: ArrayLike | None = None,
            query_weight: ArrayLike | None = None,
            position: ArrayLike | None = None,
            scores: ArrayLike | None = None,
            notes: tuple[str, ...] = (),
            feature_names: list[str] | None = None,
            source: str = "the data",
            categories: Categories = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_aligned(X=self.X, y=self.y, qid=self.qid, doc_ids=self.doc_ids, position=self.position)
        as_single = sparse_features if self.is_sparse else dense_features
        X: Any = as_single(self.X, self.feature_names)
        y = as_numbers("labels", self.y)
        n = y.size
        if n == 0:
            raise DataError("there are no rows, got empty data; pass at least one document")
        if y.ndim != 1 or X.shape[0] != n:
            raise ShapeError(f"X and y must have one entry per row, got shapes {X.shape} and {y.shape}")
        if not np.isfinite(y).all():
            row = int(np.flatnonzero(~np.isfinite(y))[0])
            raise DataError(f"labels must be finite, got {y[row]} at row {row}; drop that row or mark it unjudged (-1)")
        qid = np.zeros(n, dtype=np.int64) if self.qid is None else as_ids("qid", self.qid)
        position = None if self.position is None else as_array("position", self.position)
        if position is not None:
            as_vector("position", position)  # but kept as whole numbers where they are
        doc_ids = None if self.doc_ids is None else as_ids("doc_ids", self.doc_ids)
        weight = None if self.query_weight is None else as_vector("query_weight", self.query_weight)
        scores = None if self.scores is None else as_vector("scores", self.scores, low=-np.inf)
        for name, rows in (("qid", qid), ("doc_ids", doc_ids), ("scores", scores), ("position", position)):
            if rows is not None and rows.shape != (n,):
                raise ShapeError(f"{name} must have one entry per row: got {rows.size} entries for {n} rows")
        doc_ids = None if doc_ids is None else _document_ids(doc_ids)
        fields = {"y": y, "qid": qid, "doc_ids": doc_ids, "query_weight": weight, "position": position}
        fields["scores"] = scores
        for name, array in fields.items():
            object.__setattr__(self, name, None if array is None else _read_only(array))
        if self.is_sparse:
            X.data = _read_only(X.data)
        object.__setattr__(self, "X", X if self.is_sparse else _read_only(X))
        check_names(self.feature_names, self.n_features)
        for name, values in self.categories.items():
            self._check_category(name, values)
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

    def rows(self, keep: AnyArray | slice) -> RankingData:
        """The rows that a mask or an index array keeps; query weights follow their queries.

        Parameters
        ----------
        keep : array of bool or int, or slice
            The rows, by mask or by number.

        Returns
        -------
        RankingData
            Those rows, without the notes.
        """
        keep = keep if isinstance(keep, slice) else _row_numbers(keep, len(self))
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

    def with_features(
        self, names: Sequence[str] | None, count: int, categories: Categories | None = None
    ) -> RankingData:
        """The data with the features of a model or of other data: by name where both have names, else by place.

        Parameters
        ----------
        names : sequence of str or None
            Names of the features, in their order.
        count : int
            Number of features.
        categories : dict of str to tuple of str, optional
            Values of the features that are categories. Codes become codes for these values; a value that is none of
            them is missing. Where the data has numbers, they are looked up as texts, or, if the data has no names,
            taken for codes.

        Returns
        -------
        RankingData
            The same rows with those features.
        """
        categories = categories or {}
        columns = match_columns(self.feature_names, self.n_features, names, count, source=self.source)
        if columns is None and names == self.feature_names and categories == self.categories:
            return self
        X = self.X
        if columns is not None and -1 not in columns:
            X = X[:, columns]
        elif columns is not None and self.is_sparse:
            X = sp.csr_array((X.data, X.indices, X.indptr), shape=(len(self), count))
        elif columns is not None:
            X = np.pad(X, ((0, 0), (0, count - self.n_features)))
        own_names = self.feature_names if names is None else names
        if own_names is not None and (self.categories or categories):
            X = self._with_codes(X, own_names, categories)
        return replace(self, X=X, feature_names=None if names is None else list(names), categories=categories)

    def _with_codes(self, X: AnyArray, names: Sequence[str], categories: Categories) -> AnyArray:
        """X, which has the columns of these names, with codes for these values."""
        X = np.array(X)
        for column, name in enumerate(names):
            old, new = self.categories.get(name), categories.get(name)
            if old == new:
                continue
            if new is None:
                raise DataError(
                    f"feature {name!r} of {self.source} must hold numbers as in training, got categories; pass numbers"
                )
            if old is not None:
                X[:, column] = changed_codes(X[:, column], old, new)
            elif self.feature_names is not None:
                X[:, column] = column_codes(X[:, column], name, new)
        return X

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        label: str | None = None,
        positive: str | float | None = None,
        qid: str | None = None,
        doc_id: str | None = None,
        weight: str | None = None,
        position: str | None = None,
        drop: Sequence[str] = (),
    ) -> RankingData:
        """The rows of a data frame of pandas, polars, Arrow or of any library that shares its columns as Arrow does.

        Numbers and truth values are features, texts and category types become `categories`; a column of any other
        type (dates, lists) is refused.

        Parameters
        ----------
        frame : data frame
            One row per document.
        label : str, optional
            Column of the labels; by default the one named label, relevance or y.
        positive : str or float, optional
            The label that becomes 1; all others become 0.
        qid : str, optional
            Column of the query ids; by default qid, query_id or query. Without one, all rows are one list.
        doc_id : str, optional
            Column of the document ids; by default doc_id or docid.
        weight : str, optional
            Column of the weights of queries, the same in all rows of a query.
        position : str, optional
            Column of the positions at which documents of a click log were shown.
        drop : sequence of str, default=()
            Columns to leave out.

        Returns
        -------
        RankingData
            The rows in their order, all other columns as features by name.

        Raises
        ------
        DataError
            If a column is missing, or holds what it cannot.

        Examples
        --------
        >>> import pyarrow as pa
        >>> frame = pa.table({"shop": ["b", "a", None], "price": [3.5, 1.0, 2.0], "label": [1, 0, 2]})
        >>> data = RankingData.from_frame(frame)
        >>> data.X, data.categories
        (array([[1. , 3.5],
               [0. , 1. ],
               [nan, 2. ]], dtype=float32), {'shop': ('a', 'b')})
        """
        return cls(**frame_fields(frame, label, positive, qid, doc_id, weight, position, drop))

    def _check_category(self, name: str, values: Sequence[str]) -> None:
        if self.feature_names is None or name not in self.feature_names:
            raise DataError(f"categories must be of named features, got {name!r}; add it to feature_names")
        if len(set(values)) < len(values) or not all(isinstance(value, str) for value in values):
            raise DataError(f"the categories of {name!r} must be different texts, got {values[:3]}; rename them")
        if len(values) > MAX_CATEGORIES or self.is_sparse:
            raise DataError(f"{name!r} must be a dense feature of at most {MAX_CATEGORIES:,} categories; leave it out")
        codes = self.X[:, self.feature_names.index(name)]
        wrong = (codes < 0) | (codes >= len(values)) | (codes % 1 > 0)
        if wrong.any():
            raise DataError(
                f"feature {name!r} must hold codes from 0 to {len(values) - 1} or NaN, got {codes[wrong][0]:g}; "
                "make the data by RankingData.from_frame"
            )

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        features = f"{self.n_features} feature{'s' if self.n_features != 1 else ''}"
        queries = f"{self.groups.n_queries} quer{'ies' if self.groups.n_queries != 1 else 'y'}"
        sparse = ", sparse" if self.is_sparse else ""
        return (
            f"RankingData({len(self)} rows, {queries}, {features}{sparse}, labels {self.y.min():g} to {self.y.max():g})"
        )


def _document_ids(ids: AnyArray) -> AnyArray:
    try:
        return ids.astype(DOC_ID_TYPE, copy=False)
    except (TypeError, ValueError):  # half a surrogate pair, which no encoding can write
        raise DataError("doc_ids must be texts that UTF-8 can write, got one that it cannot; repair them") from None


def _row_numbers(keep: Any, n_rows: int) -> AnyArray:
    """A mask or numbers of rows, checked."""
    chosen = as_array("rows", keep)
    chosen = chosen if chosen.dtype == bool else as_places("rows", chosen)
    is_mask = chosen.dtype == bool
    if chosen.ndim != 1 or (chosen.size != n_rows if is_mask else (np.abs(chosen + 0.5) > n_rows).any()):
        raise DataError(f"rows must be a mask of {n_rows} entries or numbers of rows below that; check what chose them")
    return chosen


def _read_only(array: AnyArray) -> AnyArray:
    """A view that cannot be written to; the caller's own array stays as it was."""
    view = array.view()
    view.flags.writeable = False
    return view
