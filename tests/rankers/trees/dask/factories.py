"""Small data for clusters: a query's rows lie apart, in all files even."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from rankwise.data import RankingData, polynomial, write

ALL = polynomial(queries=160, documents=15, features=6, seed=1)
TRAIN = ALL.rows(np.random.default_rng(0).permutation(1800))
VALID = ALL.rows(np.arange(1800, 2400))
EVAL_SET = (VALID.X, VALID.y, VALID.qid)
SMALL: dict[str, Any] = {"n_estimators": 6, "num_leaves": 7, "random_state": 0, "n_jobs": 1}


@contextmanager
def two_workers() -> Iterator[Client]:
    """A client of a new cluster of two processes."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def write_parts(data: RankingData, folder: Path, name: str, parts: int) -> str:
    """A pattern of files that have so many rows of the data each."""
    for number, rows in enumerate(np.array_split(np.arange(len(data)), parts)):
        write(data.rows(rows), folder / f"{name}.{number}.parquet")
    return str(folder / f"{name}.*.parquet")
