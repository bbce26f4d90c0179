"""Scores of trees, for rows in memory or read in passes.

For few rows LightGBM's Python side takes time that shows, so a plain matrix goes to its C interface directly.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import lightgbm as lgb
import numpy as np
from lightgbm.basic import _LIB, _safe_call  # type: ignore[attr-defined]

from rankwise.types import FloatArray

# Of LightGBM's c_api.h.
FLOAT64, ROW_MAJOR, RAW_SCORE = 1, 1, 1


def average_scores(boosters: Sequence[lgb.Booster], X: Any, n_threads: int, **options: bool) -> FloatArray:
    """The mean of the models' scores of each row; `options` of LightGBM's `predict` may ask for something else."""
    averages = []
    for block in X.blocks() if hasattr(X, "blocks") else [X]:
        outputs: list[Any] = [
            raw_scores(booster, block, n_threads)
            if not options and is_plain(block)
            else booster.predict(block, raw_score=True, num_threads=n_threads, **options)
            for booster in boosters
        ]
        averages.append(sum(outputs[1:], start=outputs[0]) / len(outputs))
    return np.asarray(averages[0] if len(averages) == 1 else np.concatenate(averages), dtype=np.float64)


def is_plain(X: object) -> bool:
    """Whether X is a matrix that can be handed over as it lies in memory."""
    return (
        isinstance(X, np.ndarray)
        and type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.flags.c_contiguous
        and X.size > 0
    )


def raw_scores(booster: lgb.Booster, X: FloatArray, n_threads: int) -> FloatArray:
    """`booster.predict(X, raw_score=True, num_threads=n_threads)` of a plain matrix."""
    scores, written = np.empty(len(X)), ctypes.c_int64()
    _safe_call(
        _LIB.LGBM_BoosterPredictForMat(
            booster._handle,
            ctypes.c_void_p(X.ctypes.data),
            FLOAT64,
            ctypes.c_int32(X.shape[0]),
            ctypes.c_int32(X.shape[1]),
            ROW_MAJOR,
            RAW_SCORE,
            0,
            ctypes.c_int(booster.best_iteration),
            b"num_threads=%d" % n_threads,
            ctypes.byref(written),
            ctypes.c_void_p(scores.ctypes.data),
        )
    )
    return scores
