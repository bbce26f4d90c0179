"""Small data for clusters: a query's rows lie apart, in all files even."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankwise.data import RankingData, cubic, write

ALL = cubic(queries=160, documents=15, features=6, seed=1)
TRAIN = ALL.rows(np.random.default_rng(0).permutation(1800))
VALID = ALL.rows(np.arange(1800, 2400))
EVAL_SET = (VALID.X, VALID.y, VALID.qid)
SMALL = {"n_estimators": 6, "num_leaves": 7, "random_state": 0, "n_jobs": 1}


def write_parts(data: RankingData, folder: Path, name: str, parts: int) -> str:
    """A pattern of files that have so many rows of the data each."""
    for number, rows in enumerate(np.array_split(np.arange(len(data)), parts)):
        write(data.rows(rows), folder / f"{name}.{number}.parquet")
    return str(folder / f"{name}.*.parquet")
