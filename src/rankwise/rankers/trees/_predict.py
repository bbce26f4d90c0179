"""Scores of trees, for rows in memory or read in passes: by a table of ours, or else by LightGBM, which are bit-equal.

For few rows LightGBM's Python side takes time that shows, so a plain matrix goes to its C interface directly.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import lightgbm as lgb
import numpy as np
from lightgbm.basic import _LIB, _safe_call  # type: ignore[attr-defined]

from rankwise.rankers._score_functions._tree_table import TreeTable, make_table, table_pays
from rankwise.rankers.trees._model_text import ReadBooster, split_trees
from rankwise.rankers.trees._score_function import trees_of
from rankwise.types import FloatArray

MIN_TABLE_ROWS = 4  # fewer fill so little of the table's vectors that LightGBM is quicker

# Of LightGBM's c_api.h.
FLOAT64, ROW_MAJOR, RAW_SCORE = 1, 1, 1


@dataclass
class _Scored:
    """What is known of a booster: its trees, rows that LightGBM has scored by them, and their table once there is one.

    Trees that are added are seen by their number, and those that are changed in place by what `ReadBooster` counts.
    """

    n_trees: int
    best_iteration: int
    n_edits: int
    n_rows: int = 0
    table: TreeTable | None = None
    has_no_table: bool = False


_scored: WeakKeyDictionary[lgb.Booster, _Scored] = WeakKeyDictionary()


def average_scores(boosters: Sequence[lgb.Booster], X: Any, n_threads: int, **options: bool) -> FloatArray:
    """The mean of the models' scores of each row; `options` of LightGBM's `predict` may ask for something else."""
    averages = []
    for block in X.blocks() if hasattr(X, "blocks") else [X]:
        outputs: list[Any] = [
            booster.predict(block, raw_score=True, num_threads=n_threads, **options)
            if options
            else raw_scores(booster, block, n_threads)
            for booster in boosters
        ]
        averages.append(sum(outputs[1:], start=outputs[0]) / len(outputs))
    return np.asarray(averages[0] if len(averages) == 1 else np.concatenate(averages), dtype=np.float64)


def raw_scores(booster: lgb.Booster, X: Any, n_threads: int) -> FloatArray:
    """`booster.predict(X, raw_score=True, num_threads=n_threads)`."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float32, np.float64) and X.size:
        if isinstance(booster, ReadBooster) and len(X) >= MIN_TABLE_ROWS:
            table = _table(booster, X.shape)
            if table is not None:
                return table.scores(X, n_threads)
        if X.dtype == np.float64 and X.flags.c_contiguous:
            return _engine_scores(booster, X, n_threads)
    return np.asarray(booster.predict(X, raw_score=True, num_threads=n_threads), dtype=np.float64)


def _table(booster: ReadBooster, shape: tuple[int, ...]) -> TreeTable | None:
    """The table of a booster, if it has one and it pays to use it."""
    n_trees, known = booster.num_trees(), _scored.get(booster)
    state = (n_trees, booster.best_iteration, booster.n_edits)
    if known is None or (known.n_trees, known.best_iteration, known.n_edits) != state:
        known = _scored[booster] = _Scored(*state)
    if known.table is None and not known.has_no_table:
        if table_pays(shape[0], known.n_rows, n_trees):
            known.table = make_booster_table(booster)
            known.has_no_table = known.table is None
        known.n_rows += shape[0]
    return known.table if shape[1] == booster.num_feature() else None  # else LightGBM says what is wrong


def make_booster_table(booster: lgb.Booster) -> TreeTable | None:
    """The table of a booster, None where its scores are not a plain sum of leaves, or its trees are large."""
    header, texts = split_trees(booster.model_to_string())
    is_sum = "num_tree_per_iteration=1" in header and "average_output" not in header
    if not is_sum or any("is_linear=1" in text.split("\n") for text in texts):
        return None
    return make_table(tree.root for tree in trees_of(texts, 1.0))


def _engine_scores(booster: lgb.Booster, X: FloatArray, n_threads: int) -> FloatArray:
    """`booster.predict(X, raw_score=True, num_threads=n_threads)` of a matrix as it lies in memory."""
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
