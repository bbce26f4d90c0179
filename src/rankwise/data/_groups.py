"""Which rows belong to which query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_ids, as_places
from rankwise.errors import DataError, ShapeError
from rankwise.types import AnyArray, IntArray


@dataclass(frozen=True, eq=False)
class QueryGroups:
    """Rows of a data set by query; rows of one query may lie apart in the input.

    Grouped order puts the rows of each query together, queries by first appearance, rows as given.
    Query `q` owns grouped rows `offsets[q]:offsets[q + 1]`, and grouped row `g` is input row `order[g]`
    (`order` is None where the input is grouped already, so that nothing need be moved).

    Parameters
    ----------
    qids : array
        The id of each query, by first appearance.
    offsets : array of int
        Where each query begins in grouped order, and the number of rows at the end.
    order : array of int, optional
        The input row of each grouped row.

    Examples
    --------
    >>> groups = QueryGroups.from_qid([7, 7, 3, 7])
    >>> groups.qids, groups.sizes, groups.order
    (array([7, 3]), array([3, 1]), array([0, 1, 3, 2]))
    """

    qids: AnyArray
    offsets: IntArray
    order: IntArray | None = None

    @classmethod
    def from_qid(cls, qid: ArrayLike) -> QueryGroups:
        """Group rows by their query id, any id that numpy can compare.

        Parameters
        ----------
        qid : array-like
            One id per row.

        Returns
        -------
        QueryGroups
            The groups.
        """
        ids = as_ids("qid", qid)
        if ids.size == 0:
            raise DataError("there are no rows to group, got an empty qid; pass at least one row")
        if ids.dtype.kind == "O":
            ids = ids.astype(str)
        starts = np.append(0, np.flatnonzero(ids[1:] != ids[:-1]) + 1)
        runs = ids[starts]
        offsets = np.append(starts, ids.size).astype(np.int64)
        if ids.dtype.kind != "V" and (runs[1:] > runs[:-1]).all():  # as in most files; records know no order
            return cls(runs, offsets)
        unique, first, inverse = np.unique(runs, return_index=True, return_inverse=True)
        if unique.size == runs.size:
            return cls(runs, offsets)
        appearance = np.argsort(first, kind="stable")
        rank = np.empty_like(appearance)
        rank[appearance] = np.arange(appearance.size)
        query_of_row = np.repeat(rank[inverse], np.diff(offsets))
        order = np.argsort(query_of_row, kind="stable").astype(np.int64)
        sizes = np.bincount(query_of_row)
        return cls(unique[appearance], np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), order)

    @classmethod
    def from_sizes(cls, sizes: Sequence[int] | AnyArray) -> QueryGroups:
        """Groups that follow each other with these many rows, as LightGBM's `.query` files say it.

        Parameters
        ----------
        sizes : array-like of int
            Rows of each query.

        Returns
        -------
        QueryGroups
            The groups, with ids 0, 1, …
        """
        counts = as_places("query sizes", sizes)
        if counts.ndim != 1 or counts.size == 0 or (counts <= 0).any():
            raise DataError(f"query sizes must be positive whole numbers, got {sizes!r}; leave out empty queries")
        return cls(np.arange(counts.size), np.concatenate(([0], np.cumsum(counts))).astype(np.int64))

    @classmethod
    def single(cls, n_rows: int) -> QueryGroups:
        """All rows as one list: what `qid=None` means.

        Parameters
        ----------
        n_rows : int
            Number of rows.

        Returns
        -------
        QueryGroups
            One group.
        """
        return cls.from_sizes([n_rows])

    @classmethod
    def of_rows(cls, qid: ArrayLike | None, n_rows: int) -> QueryGroups:
        """The groups of `n_rows` rows: one list where `qid` is None, else by `qid`, which must have that length.

        Parameters
        ----------
        qid : array-like or None
            One id per row.
        n_rows : int
            Number of rows.

        Returns
        -------
        QueryGroups
            The groups.
        """
        if qid is None:
            return cls.single(n_rows)
        ids = as_ids("qid", qid)
        if ids.size != n_rows:
            raise ShapeError(f"qid must have one entry per row: got {ids.size} for {n_rows} rows")
        return cls.from_qid(ids)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.offsets) - 1

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.offsets[-1])

    @property
    def sizes(self) -> IntArray:
        """Rows of each query."""
        return np.diff(self.offsets)

    def grouped(self, rows: AnyArray) -> AnyArray:
        """Values per row in grouped order.

        Parameters
        ----------
        rows : array
            One entry per row of the input.

        Returns
        -------
        array
            The entries in grouped order.
        """
        return rows if self.order is None else rows[self.order]

    def ungrouped(self, rows: AnyArray) -> AnyArray:
        """The inverse of `grouped`: from grouped order back to the order of the input.

        Parameters
        ----------
        rows : array
            One entry per row, in grouped order.

        Returns
        -------
        array
            The entries in the order of the input.
        """
        if self.order is None:
            return rows
        back = np.empty_like(rows)
        back[self.order] = rows
        return back

    def query_of_row(self) -> IntArray:
        """For each input row, the index of its query in `qids`.

        Returns
        -------
        array of int
            One index per row of the input.
        """
        return np.asarray(self.ungrouped(np.repeat(np.arange(self.n_queries), self.sizes)))
