"""Small data that trees learn in a moment."""

from __future__ import annotations

import numpy as np

from rankwise.data import RankingData, polynomial

DATA = polynomial(queries=60, documents=20, features=6, seed=1)
TRAIN = DATA.rows(np.arange(800))
VALID = DATA.rows(np.arange(800, 1200))
EVAL_SET = (VALID.X, VALID.y, VALID.qid)


def long_list(rows: int, seed: int = 0) -> RankingData:
    """One list with labels 0 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=rows) > 2).astype(float)
    return RankingData(X, y, np.zeros(rows, dtype=int))
