"""Scores of a matrix by LightGBM's C interface: for few documents its Python side takes time that shows."""

from __future__ import annotations

import ctypes
from typing import Any

import lightgbm as lgb
import numpy as np
from lightgbm.basic import _LIB, _safe_call  # type: ignore[attr-defined]

from rankwise.types import FloatArray

# Of LightGBM's c_api.h.
FLOAT64, ROW_MAJOR, RAW_SCORE = 1, 1, 1


def is_plain(X: Any) -> bool:
    """Whether X is a matrix that can be handed over as it lies in memory."""
    return type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.flags.c_contiguous and X.size > 0


def raw_scores(booster: lgb.Booster, X: FloatArray, threads: int) -> FloatArray:
    """`booster.predict(X, raw_score=True, num_threads=threads)` of a plain matrix."""
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
            b"num_threads=%d" % threads,
            ctypes.byref(written),
            ctypes.c_void_p(scores.ctypes.data),
        )
    )
    return scores
