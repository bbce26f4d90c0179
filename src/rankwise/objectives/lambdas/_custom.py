"""Your own λ's: a function of one ranked list, in plain Python or compiled by numba, run over all queries.

Burges 2006 section 4: it is easier to say how the documents of a given ranking should move than to find a cost whose
gradient says so. A λ-function is that statement; `families` has the paper's own, `diagnose` tells whether a cost
exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError
from numba.extending import is_jitted
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ShapeError
from rankwise.kernels import _threads as threads
from rankwise.metrics._ranking import descending_order
from rankwise.types import FloatArray

LambdaFunction = Callable[[FloatArray, FloatArray], Any]

NOTHING = np.empty(0)


class CustomLambda:
    """A λ-function with the labels and queries of a training set; `gradients(scores)` is called every round.

    `function(labels, scores)` sees one query, both arrays sorted by rank, best first, and returns two arrays of that
    length: the λ's, positive where a document should move up (Burges 2006 (3)), and the Hessian, how fast its λ falls
    as its score rises. Labels below 0 (not judged) arrive as 0, as in training on a metric. A function compiled
    by numba runs in threads. `weight` has one entry per query. Equal scores are ranked by a shuffle that `seed` fixes.

    >>> def to_the_top(labels, scores):
    ...     return labels - labels.mean(), np.ones(labels.size)
    >>> CustomLambda(to_the_top, [0, 4, 2, 2, 1]).gradients([0.3, 0.2, 0.1, 0.5, 0.4])[0]
    array([ 1.8, -2.2, -0.2, -0.2,  0.8])
    """

    def __init__(
        self,
        function: LambdaFunction,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        weight: ArrayLike | None = None,
        seed: int = 0,
    ) -> None:
        labels = as_vector("labels", y)
        self.groups = QueryGroups.of_rows(qid, labels.size)
        if not callable(function):
            raise DataError(
                f"a λ-function is called with labels and scores, got {type(function).__name__}; "
                "pass a function, or name a metric to lambda_gradients"
            )
        self.function = function
        self.labels = np.maximum(self.groups.grouped(labels), 0.0)
        self.weight = None if weight is None else self._row_weights(as_vector("weights", weight))
        self.shuffle = np.random.default_rng(seed).permutation(labels.size).astype(np.float64)

    def _row_weights(self, given: FloatArray) -> FloatArray:
        if given.size != self.groups.n_queries:
            raise ShapeError(
                f"weight must have one entry per query ({self.groups.n_queries}), got {given.size}; "
                "weights of documents belong into the λ-function"
            )
        if (given < 0).any():
            query = int(np.flatnonzero(given < 0)[0])
            raise DataError(f"weights must be 0 or more, got {given[query]} at {query}; drop what should not count")
        return np.repeat(given, self.groups.sizes)

    def gradients(self, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Gradient of the cost (−λ) and Hessian at these scores, one entry per row, in the order of the input."""
        values = as_vector("scores", scores)
        if values.size != self.groups.n_rows:
            raise ShapeError(f"scores must have one entry per row: got {values.size} for {self.groups.n_rows} rows")
        values = np.ascontiguousarray(self.groups.grouped(values))
        order = descending_order(values, self.groups.offsets, self.shuffle)
        gradient, hessian = np.empty(values.size), np.empty(values.size)
        lambdas, curvature = self._of_ranked(self.labels[order], values[order])
        gradient[order], hessian[order] = -lambdas, curvature
        if self.weight is not None:
            gradient, hessian = gradient * self.weight, hessian * self.weight
        return self.groups.ungrouped(gradient), self.groups.ungrouped(hessian)

    def _of_ranked(self, labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """λ's and Hessian in rank order, checked."""
        offsets = self.groups.offsets
        lambdas, hessian = np.empty(labels.size), np.empty(labels.size)
        unfit: list[int] = []
        if is_jitted(self.function):

            def task(low: int, high: int) -> None:
                unfit.append(_compiled_loop(self.function, labels, scores, offsets, low, high, lambdas, hessian))

            try:
                threads.by_queries(task, offsets)
            except NumbaError as problem:
                raise DataError(
                    "numba cannot compile the λ-function for two float64 arrays that gives two such arrays, "
                    f"got {type(problem).__name__}; call it on such arrays to see why"
                ) from problem
        else:
            unfit.append(
                _loop(_two_arrays(self.function), labels, scores, offsets, 0, len(offsets) - 1, lambdas, hessian)
            )
        for query in sorted(unfit):
            if query >= 0:
                rows = slice(offsets[query], offsets[query + 1])
                self._refuse(query, self.function(labels[rows], scores[rows]))
        bad = np.flatnonzero(~(np.isfinite(lambdas) & np.isfinite(hessian)))
        if bad.size:
            query = int(np.searchsorted(offsets, bad[0], side="right")) - 1
            raise DataError(
                f"a λ-function must give finite numbers, got λ {lambdas[bad[0]]} and Hessian {hessian[bad[0]]} at rank "
                f"{bad[0] - offsets[query] + 1} of query {self.groups.qids[query]}; look for overflow or division by 0"
            )
        return lambdas, hessian

    def _refuse(self, query: int, result: Any) -> None:
        parts = result if isinstance(result, tuple | list) else (result,)
        raise ShapeError(
            f"a λ-function must return λ's and Hessian, one entry per document each, got shapes "
            f"{', '.join(str(np.shape(part)) for part in parts)} for the {self.groups.sizes[query]} documents of query "
            f"{self.groups.qids[query]}; return two arrays of that length"
        )


def _two_arrays(function: LambdaFunction) -> LambdaFunction:
    """What a plain function returns, as arrays; as empty ones where it is not two things, for the loop to find."""

    def call(labels: FloatArray, scores: FloatArray) -> Any:
        result = function(labels, scores)
        if not isinstance(result, tuple | list) or len(result) != 2:
            return NOTHING, NOTHING
        return np.asarray(result[0], dtype=np.float64), np.asarray(result[1], dtype=np.float64)

    return call


def _loop(  # type: ignore[no-untyped-def]
    function, labels, scores, offsets, low, high, lambdas, hessian
) -> int:
    """Call `function` for queries `low:high`; returns the first whose result has another shape, or −1."""
    for q in range(low, high):
        start, stop = offsets[q], offsets[q + 1]
        pushes, curvature = function(labels[start:stop], scores[start:stop])
        if pushes.shape != (stop - start,) or curvature.shape != (stop - start,):
            return int(q)
        lambdas[start:stop] = pushes
        hessian[start:stop] = curvature
    return -1


_compiled_loop = numba.njit(nogil=True)(_loop)  # numba compiles it anew for each function that it is called with
