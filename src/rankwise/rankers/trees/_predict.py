"""What is done to all rows, whether they are in memory or read in passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lightgbm as lgb
import numpy as np
import scipy.sparse as sp

from rankwise.rankers.trees._streaming import StreamedFeatures
from rankwise.rankers.trees._tree_scores import is_plain, raw_scores
from rankwise.types import FloatArray


def mean_scores(boosters: Sequence[lgb.Booster], X: Any, threads: int, **options: Any) -> FloatArray:
    """The mean of the models' scores of each row."""
    parts = []
    for block in X.blocks() if hasattr(X, "blocks") else [X]:
        plain = not options and is_plain(block)
        outputs: list[Any] = [
            raw_scores(booster, block, threads)
            if plain
            else booster.predict(block, raw_score=True, num_threads=threads, **options)
            for booster in boosters
        ]
        parts.append(sum(outputs[1:], start=outputs[0]) / len(outputs))
    return np.asarray(parts[0] if len(parts) == 1 else np.concatenate(parts), dtype=np.float64)


def feature_arrays(X: Any) -> list[Any]:
    """Arrays that tell the features of one data set from those of another."""
    if isinstance(X, StreamedFeatures):
        return [X.keys]
    if isinstance(X, sp.csr_matrix):
        return [X.data, X.indices, X.indptr]
    return [X]
