"""What is kept of rows that come in batches: those with the lowest keys, and a number for each one's query."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rankwise.metrics import parse
from rankwise.rankers.trees._objectives import ScaledLambdas
from rankwise.rankers.trees._streaming import BottomKSample, QueryEncoder


@pytest.mark.parametrize("batch", [1, 7, 40, 100, 1000])
@pytest.mark.parametrize("count", [1, 30, 999, 1000, 5000])
def test_the_rows_with_the_lowest_keys_in_their_order(count, batch) -> None:
    rng = np.random.default_rng(count + batch)
    keys = rng.permutation(1000).astype(np.uint64) * np.uint64(2**54)  # up to the largest of 64 bits
    X, y = rng.random((1000, 3)).astype(np.float32), rng.random(1000)
    lowest = BottomKSample(count)
    for start in range(0, 1000, batch):
        rows = slice(start, start + batch)
        lowest.add(keys[rows], X[rows], y[rows])
    expected = np.sort(np.argsort(keys)[:count])
    got: Any
    given: Any
    for got, given in zip(lowest.take(), (keys, X, y), strict=True):
        assert np.array_equal(got, given[expected])


@pytest.mark.parametrize(
    ("batches", "same"),
    [
        ([[3, 3, 9], [9, 3]], [0, 0, 1, 1, 0]),
        ([["b", "a"], ["a", "c"]], [1, 0, 0, 2]),
        ([["7", "8"], [7, 9]], [0, 1, 0, 2]),  # one name is one query, be it text or a number
        ([["07", "7"], ["7"]], [0, 0, 0]),  # as `read` has it: all are numbers
        ([[None, None]], [0, 0]),
    ],
)
def test_queries_are_numbered_over_all_batches(batches, same) -> None:
    encoder, done = QueryEncoder(10), 0
    for names in batches:
        column = None if names[0] is None else pa.array(names)
        encoder.add(column, slice(done, done + len(names)))
        done += len(names)
    assert encoder.codes(done).tolist() == same


def test_a_loss_is_freed_at_once() -> None:
    y, ties = np.array([1.0, 0.0, 0.0]), np.arange(3.0)
    loss = ScaledLambdas(parse("ndcg@5"), y, np.zeros(3, np.int64), None, norm="gap", sigma=1.0, tie_keys=ties)
    seen = weakref.ref(loss.objective)
    gc.disable()
    try:
        del loss
        assert seen() is None
    finally:
        gc.enable()
