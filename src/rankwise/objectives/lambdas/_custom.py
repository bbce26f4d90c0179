"""Your own λ's: a function of one ranked list, in plain Python or compiled by numba, run over all queries.

Burges 2006 section 4: it is easier to say how the documents of a given ranking should move than to find a cost whose
gradient says so. A λ-function is that statement; `examples` has the paper's own, `diagnose` tells whether a cost
exists.
"""

from __future__ import annotations

from collections.abc import Callable

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
from rankwise.objectives.lambdas._objective import grouped_scores, weight_vector
from rankwise.types import FloatArray, IntArray

LambdaFunction = Callable[[FloatArray, FloatArray], tuple[ArrayLike, ArrayLike]]
"""Labels and scores of one query, best rank first, to the λ of each document (positive is up) and its Hessian."""
ArrayFunction = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

EMPTY = np.empty(0)


class CustomLambda:
    """A λ-function with the labels and queries of a training set; `gradients(scores)` is called every round.

    Parameters
    ----------
    function : callable
        `function(labels, scores)` sees one query, both arrays sorted by rank, best first, and returns two arrays of
        that length: the λ's, positive where a document should move up, and the Hessian, how fast its λ falls as its
        score rises. A function compiled by numba runs in threads.
    y : array-like of shape (n_rows,)
        Labels. Those below 0 (not judged) arrive as 0, as in training on a metric.
    qid : array-like of shape (n_rows,), default=None
        The query of each row; None is one query.
    query_weight : array-like of shape (n_queries,), default=None
        Weights of queries, in the order in which they first appear. Weights of documents belong into the function.
    random_state : int, default=0
        Fixes the shuffle by which equal scores are ranked.

    References
    ----------
    Christopher J. C. Burges, Robert Ragno and Quoc V. Le (2006). Learning to Rank with Nonsmooth Cost Functions.
    Advances in Neural Information Processing Systems 19.

    Examples
    --------
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
        query_weight: ArrayLike | None = None,
        random_state: int = 0,
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
        self.row_weight = None
        if query_weight is not None:
            weights = weight_vector("query_weight", query_weight, self.groups.n_queries, "query")
            self.row_weight = np.repeat(weights, self.groups.sizes)
        self.shuffle = np.random.default_rng(random_state).permutation(labels.size).astype(np.float64)

    def gradients(self, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Compute gradient and Hessian at these scores.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
            A score per row, in the order of the input.

        Returns
        -------
        tuple of ndarray, each of shape (n_rows,)
            The gradient of the cost (−λ) and the Hessian.
        """
        values = grouped_scores(self.groups, scores)
        order = descending_order(values, self.groups.offsets, self.shuffle)
        gradient, hessian = np.empty(values.size), np.empty(values.size)
        lambdas, curvature = self._ranked_lambdas(self.labels[order], values[order])
        gradient[order], hessian[order] = -lambdas, curvature
        if self.row_weight is not None:
            gradient, hessian = gradient * self.row_weight, hessian * self.row_weight
        return self.groups.ungrouped(gradient), self.groups.ungrouped(hessian)

    def _ranked_lambdas(self, labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """λ's and Hessian in rank order, checked."""
        offsets = self.groups.offsets
        lambdas, hessian = np.empty(labels.size), np.empty(labels.size)
        misshapen: list[int] = []
        jitted = is_jitted(self.function)
        loop, function = _compiled_loop if jitted else _loop, _as_arrays(self.function)

        def task(low: int, high: int) -> None:
            misshapen.append(loop(function, labels, scores, offsets, low, high, lambdas, hessian))

        try:
            if jitted:
                threads.by_queries(task, offsets)
            else:
                task(0, self.groups.n_queries)
        except NumbaError as problem:
            raise DataError(
                "numba cannot compile the λ-function for two float64 arrays that gives two such arrays, "
                f"got {type(problem).__name__}; call it on such arrays to see why"
            ) from problem
        for query in sorted(misshapen):
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

    def _refuse(self, query: int, result: object) -> None:
        arrays = result if isinstance(result, tuple | list) else (result,)
        raise ShapeError(
            f"a λ-function must return λ's and Hessian, one entry per document each, got shapes "
            f"{', '.join(str(np.shape(array)) for array in arrays)} for the {self.groups.sizes[query]} documents of "
            f"query {self.groups.qids[query]}; return two arrays of that length"
        )


def _as_arrays(function: LambdaFunction) -> ArrayFunction:
    """What a plain function returns, as arrays; as empty ones where it is not two things, for the loop to find."""
    if is_jitted(function):
        return function  # type: ignore[return-value]

    def call(labels: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        result = function(labels, scores)
        if not isinstance(result, tuple | list) or len(result) != 2:
            return EMPTY, EMPTY
        return np.asarray(result[0], dtype=np.float64), np.asarray(result[1], dtype=np.float64)

    return call


def _loop(
    function: ArrayFunction, labels: FloatArray, scores: FloatArray, offsets: IntArray, low: int, high: int,
    lambdas: FloatArray, hessian: FloatArray,
) -> int:  # fmt: skip
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
