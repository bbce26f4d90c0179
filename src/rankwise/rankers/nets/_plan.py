"""From what `fit` of a net is given to a plan: everything is checked here, before the first epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.prepare._standardizer import BLOCK_ROWS, Standardizer
from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.rankers._checkpoint import fingerprint
from rankwise.rankers._eval_sets import EvalSet, list_eval_sets, make_eval_set
from rankwise.rankers._features import as_features
from rankwise.rankers._pair_rows import pair_rows
from rankwise.rankers._parameters import check_parameters
from rankwise.types import AnyArray, FloatArray, IntArray

BATCH_ROWS = 500  # of a batch where `batch_queries` is not given


@dataclass(frozen=True)
class NetPlan:
    """All that decides what is trained; rows standardized, by query, in an order that is theirs whatever it was."""

    metric: Metric
    X: NDArray[np.float32]
    y: FloatArray
    offsets: IntArray
    weight: FloatArray | None  # by row; a pair weighs the product of its documents'
    judged: list[EvalSet]
    standardizer: Standardizer
    batch_queries: int
    parameters: dict[str, Any]
    seed: int

    @property
    def patience(self) -> int | None:
        """Epochs without a better value before training ends."""
        return self.parameters["early_stopping_rounds"] if self.judged else None

    def batches(self, epoch: int) -> Iterator[IntArray]:
        """Numbers of the queries of each batch, in an order that the epoch draws."""
        queries = np.random.default_rng([self.seed, epoch]).permutation(self.offsets.size - 1)
        for start in range(0, queries.size, self.batch_queries):
            yield np.sort(queries[start : start + self.batch_queries])

    def rows_of(self, queries: IntArray) -> tuple[Any, IntArray]:
        """The rows of some queries, as a slice where they lie together, and the query of each."""
        starts, stops = self.offsets[queries], self.offsets[queries + 1]
        sizes = stops - starts
        of_row = np.repeat(np.arange(queries.size), sizes)
        if queries.size and (queries[1:] == queries[:-1] + 1).all():
            return slice(int(starts[0]), int(stops[-1])), of_row
        before = np.cumsum(sizes) - sizes
        return np.arange(sizes.sum()) + np.repeat(starts - before, sizes), of_row

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
        for eval_set in self.judged:
            arrays += [eval_set.X, eval_set.y, eval_set.qid]
        return fingerprint(fields, arrays)


def make_net_plan(
    model: Any,
    X: Any,
    y: ArrayLike,
    qid: ArrayLike | None,
    eval_set: Any,
    sample_weight: ArrayLike | None,
    query_weight: ArrayLike | None,
    seed: int,
) -> NetPlan:
    """Check everything that a net was given, and say what to train."""
    check_parameters(model)
    given = model.get_params(deep=False)
    features = net_features(model, X, fitting=True)
    rows = pair_rows(type(model).__name__, features, y, qid, sample_weight, query_weight)
    standardizer = Standardizer.none(features.shape[1])
    if given["standardize"]:
        standardizer = Standardizer.of(features, order=rows.order)
    return NetPlan(
        metric=parse(given["metric"]),
        X=standardizer.apply(features, rows.order),
        y=rows.y,
        offsets=rows.offsets,
        weight=rows.weight,
        judged=[
            make_eval_set(one, lambda X: standardizer.apply(net_features(model, X, fitting=False)))
            for one in list_eval_sets(eval_set)
        ],
        standardizer=standardizer,
        batch_queries=_batch_queries(given, rows.offsets),
        parameters=given,
        seed=seed,
    )


def net_features(model: Any, X: Any, *, fitting: bool, who: str = "a net", instead: str = "LambdaMART") -> NDArray[Any]:
    """X as numbers, all finite: a net cannot leave out what is missing."""
    found = as_features(model, X, fitting=fitting)
    checked: NDArray[Any] = found if isinstance(found, np.ndarray) else found.toarray()
    for start in range(0, len(checked), BLOCK_ROWS):
        bad = ~np.isfinite(checked[start : start + BLOCK_ROWS])
        if bad.any():
            row, column = np.argwhere(bad)[0]
            value = "NaN" if np.isnan(checked[start + row, column]) else "infinity"
            raise DataError(
                f"{who} needs every feature of every row, got {value} at row {start + row}, feature {column}; impute "
                f"it (sklearn.impute.SimpleImputer), or use {instead}, for which NaN is a missing value"
            )
    return checked


def _batch_queries(given: dict[str, Any], offsets: IntArray) -> int:
    if given["batch_queries"] is not None:
        return int(given["batch_queries"])
    if given["optimizer"] == "p2":
        return 1  # Burges 2006 section 5: weights are updated after each query
    return max(1, round(BATCH_ROWS * (offsets.size - 1) / int(offsets[-1])))
