"""Rows on their way to the workers: what each one reads, and what all of them take from all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.trees import _plan as local
from rankwise.rankers.trees.dask._cluster import Cluster
from rankwise.rankers.trees.dask._layout import Layout
from rankwise.rankers.trees.dask._sources import ClusterRows
from rankwise.rankers.trees.dask._worker_rows import Request
from rankwise.types import FloatArray, IntArray


def requests_of(
    rows: ClusterRows, layout: Layout, part_of: IntArray, parts: int, by_row: dict[str, FloatArray]
) -> tuple[list[list[Any]], list[list[Request]]]:
    """For each part the pieces that it reads, and what it takes from each."""
    pieces: list[list[Any]] = [[] for _ in range(parts)]
    requests: list[list[Request]] = [[] for _ in range(parts)]
    first = np.cumsum([0, *layout.piece_rows])
    for number, piece in enumerate(rows.pieces):
        numbers = layout.numbers[number]
        for part in np.unique(part_of[numbers]):
            pieces[part].append(piece)
            mine = np.where(part_of[numbers] == part, numbers, -1)
            given = {name: values[first[number] : first[number + 1]] for name, values in by_row.items()}
            requests[part].append(Request(layout.piece_qids[number], mine, given))
    return pieces, requests


def sample_of(cluster: Cluster) -> tuple[NDArray[np.float32], FloatArray]:
    """The rows that bins are found from: those with the lowest keys of all parts, as on one machine."""
    keys = np.concatenate(cluster.all("lowest_keys"))
    last = min(local.BINNED_FROM, keys.size) - 1
    highest = int(np.partition(keys, last)[last])
    found = cluster.all("lowest_rows", highest)
    return np.concatenate([X for X, _ in found]), np.concatenate([y for _, y in found])


def gathered_keys(told: Sequence[Any], number: int, queries: int) -> NDArray[np.uint64]:
    """What tells the queries of a data set apart, by their numbers."""
    keys = np.zeros(queries, dtype=np.uint64)
    for its in told:
        if its[number] is not None:
            numbers, its_keys = its[number]
            keys[numbers] = its_keys
    return keys
