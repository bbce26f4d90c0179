"""Our parameters and rows in LightGBM's words: its parameters, and its data sets of rows in bins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import lightgbm as lgb
import numpy as np

from rankwise.data._row_hashes import RowHashes
from rankwise.errors import DataError
from rankwise.rankers.trees._streaming import FeatureBlocks, Float32Array
from rankwise.types import FloatArray, IntArray, JsonObject

BINNING_ROWS = 50_000  # rows that bins are found from; LightGBM sorts four times as many
SEQUENCE_BATCH_ROWS = 1 << 14
MAX_DEPTH = 128  # to explain a score takes the square of it, and LightGBM fails to where trees are a chain of splits


def engine_threads(n_jobs: int | None) -> int:
    """LightGBM's number of threads: 0 lets it use all cores, and more than these it never gets."""
    if n_jobs is None or n_jobs < 1:
        return 0
    return 1 if n_jobs == 1 else min(int(n_jobs), os.cpu_count() or 1)  # to count cores takes as long as to score rows


def engine_parameters(parameters: JsonObject, monotone: list[int] | None) -> JsonObject:
    """Parameters of LightGBM for those of a LambdaMART."""
    engine = {
        "objective": "none",
        "metric": "none",
        "verbosity": -1,
        "num_leaves": int(parameters["num_leaves"]),
        "max_depth": MAX_DEPTH,
        "min_data_in_leaf": int(parameters["min_child_samples"]),
        "min_sum_hessian_in_leaf": float(parameters["min_sum_hessian_in_leaf"]),
        "lambda_l2": float(parameters["reg_lambda"]),
        "feature_fraction": float(parameters["colsample_bytree"]),
        "max_bin": int(parameters["max_bin"]),
        "num_threads": engine_threads(parameters["n_jobs"]),
    }
    return engine if monotone is None else engine | {"monotone_constraints": monotone}


def column_options(n_features: int, categorical: list[int]) -> JsonObject:
    """What LightGBM is told of the columns."""
    # LightGBM forbids many characters in names, so it never sees the real ones.
    return {"feature_name": [f"f{column}" for column in range(n_features)], "categorical_feature": categorical}


def make_dataset(X: Any, y: FloatArray, **options: Any) -> lgb.Dataset:
    """Rows in bins; what LightGBM cannot read is a DataError."""
    try:
        dataset = lgb.Dataset(X, label=y, **options).construct()
    except (lgb.basic.LightGBMError, TypeError, ValueError) as problem:
        reason = " ".join(str(problem).split())
        raise DataError(f"cannot read the features ({reason}); pass numbers or declared categories") from problem
    dataset.label = None  # a copy of what the engine holds
    return dataset


def bin_rows(X: Any, y: FloatArray, hashes: RowHashes, **options: Any) -> lgb.Dataset:
    """All rows in bins, which are found from at most `BINNING_ROWS` rows, chosen by what stands in them.

    LightGBM would choose them by their numbers, and bin the same rows otherwise in another order.
    """
    if y.size <= BINNING_ROWS:
        return make_dataset(X, y, **options)
    chosen = binning_rows(hashes)
    return make_dataset(X, y, params=options["params"], reference=make_dataset(X[chosen], y[chosen], **options))


def binning_rows(hashes: RowHashes) -> IntArray:
    """Rows that bins are found from."""
    if hashes.size <= BINNING_ROWS:
        return np.arange(hashes.size)
    return np.sort(np.argpartition(hashes, BINNING_ROWS)[:BINNING_ROWS])


def bin_counts(dataset: lgb.Dataset) -> list[int]:
    """Bins of each column."""
    return [dataset.feature_num_bin(column) for column in range(dataset.num_feature())]


def bin_blocks(X: FeatureBlocks, y: FloatArray, parameters: JsonObject, reference: lgb.Dataset) -> lgb.Dataset:
    """Rows that are read in passes, in the bins of other rows."""
    return make_dataset(RowSequence(X.blocks(), y.size), y, params=parameters, reference=reference)


def check_splits(n_bins: list[int], min_child_samples: int, n_rows: int) -> None:
    """Raise DataError where no feature could split the rows, by the bins of each."""
    if max(n_bins) < 2:
        raise DataError(
            f"no feature splits the {n_rows} rows into two groups of at least {min_child_samples} each; "
            "pass more rows, features that vary or a lower min_child_samples"
        )


class RowSequence(lgb.Sequence):
    """Features for LightGBM, which asks for them from the first row to the last."""

    def __init__(self, blocks: Iterator[Float32Array], n_rows: int) -> None:
        self.blocks, self.n_rows = blocks, n_rows
        self.batch_size = SEQUENCE_BATCH_ROWS
        self.block: Float32Array | None = None

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> Float32Array:
        count, pieces = rows.stop - rows.start, []
        while count:
            if self.block is None or not len(self.block):
                self.block = next(self.blocks)
            pieces.append(self.block[:count])
            self.block = self.block[count:]
            count -= len(pieces[-1])
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
