"""What a net is trained on and by, and features that a net can take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.prepare._standardizer import BLOCK_ROWS, Standardizer
from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.rankers._base import SavableModel
from rankwise.rankers._checkpoint import fingerprint
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._features import as_features, as_numbers, is_table
from rankwise.types import AnyArray, FloatArray, IntArray, JsonObject

BATCH_ROWS = 500  # of a batch where `batch_queries` is None


@dataclass(frozen=True)
class NetPlan:
    """All that decides what is trained; rows standardized, by query, in an order that is theirs whatever it was."""

    metric: Metric
    X: NDArray[np.float32]
    y: FloatArray
    offsets: IntArray
    weight: FloatArray | None  # by row; a pair weighs the product of its documents'
    eval_sets: list[EvalSet]
    standardizer: Standardizer
    batch_queries: int
    parameters: JsonObject
    seed: int

    @property
    def patience(self) -> int | None:
        """Epochs without a better value before training ends."""
        return self.parameters["early_stopping_rounds"] if self.eval_sets else None

    def batches(self, epoch: int) -> Iterator[IntArray]:
        """Numbers of the queries of each batch, in an order that the epoch draws."""
        queries = np.random.default_rng([self.seed, epoch]).permutation(self.offsets.size - 1)
        for start in range(0, queries.size, self.batch_queries):
            yield np.sort(queries[start : start + self.batch_queries])

    def rows_of(self, queries: IntArray) -> tuple[slice | IntArray, IntArray]:
        """The rows of some queries, as a slice where they lie together, and the query of each."""
        starts, stops = self.offsets[queries], self.offsets[queries + 1]
        sizes = stops - starts
        query_of_row = np.repeat(np.arange(queries.size), sizes)
        if queries.size and (queries[1:] == queries[:-1] + 1).all():
            return slice(int(starts[0]), int(stops[-1])), query_of_row
        before = np.cumsum(sizes) - sizes
        return np.arange(sizes.sum()) + np.repeat(starts - before, sizes), query_of_row

    def fingerprint(self) -> str:
        """A hash of all that decides the outcome; what is no plain parameter counts by what became of it."""
        module = self.parameters["torch_module"]
        fields = self.parameters | {
            "metric": str(self.metric),
            "hidden": list(self.parameters["hidden"]),
            "torch_module": repr(module),
        }
        if not isinstance(fields["random_state"], int | None):
            fields["random_state"] = self.seed
        arrays: list[AnyArray | None] = [self.X, self.y, self.offsets, self.weight]
        if module is not None:
            arrays += [weights.detach().cpu().numpy() for weights in module.state_dict().values()]
        for eval_set in self.eval_sets:
            arrays += [eval_set.X, eval_set.y, eval_set.qid]
        return fingerprint(fields, arrays)


def finite_features(
    model: SavableModel, X: object, *, fitting: bool, name: str = "a net", instead: str = "LambdaMART"
) -> AnyArray:
    """X as an array of finite numbers: `name`, for messages, cannot leave out what is missing, but `instead` can."""
    features = as_features(model, X, fitting=fitting)
    if is_table(features):
        features = as_numbers(features, name)
    dense: AnyArray = features if isinstance(features, np.ndarray) else features.toarray()
    for start in range(0, len(dense), BLOCK_ROWS):
        bad = ~np.isfinite(dense[start : start + BLOCK_ROWS])
        if bad.any():
            row, column = np.argwhere(bad)[0]
            value = "NaN" if np.isnan(dense[start + row, column]) else "infinity"
            raise DataError(
                f"{name} needs every feature of every row, got {value} at row {start + row}, feature {column}; impute "
                f"it (sklearn.impute.SimpleImputer), or use {instead}, for which NaN is a missing value"
            )
    return dense


def default_batch_queries(optimizer: str, offsets: IntArray) -> int:
    """Whole queries of about `BATCH_ROWS` rows."""
    if optimizer == "burges2006":
        return 1  # Burges 2006 section 5: weights are updated after each query
    return max(1, round(BATCH_ROWS * (offsets.size - 1) / int(offsets[-1])))
