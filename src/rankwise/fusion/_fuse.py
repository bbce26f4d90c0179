"""Rank fusion: `fuse`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector, check_choice
from rankwise.data.io._trec import ByQuery
from rankwise.data.io._trec_objects import DocumentNumbers
from rankwise.errors import DataError
from rankwise.fusion._methods import BY_PLACE, WEIGHTED, Method, Normalization, run_values
from rankwise.fusion._runs import aligned_runs
from rankwise.types import FloatArray

Weights = Mapping[str, float] | Sequence[float]


@overload
def fuse(
    runs: Mapping[str, DocumentNumbers] | Sequence[DocumentNumbers],
    method: Method = "rrf",
    *,
    k: float = 60,
    normalize: Normalization | None = None,
    weights: Weights | None = None,
) -> ByQuery: ...


@overload
def fuse(
    runs: Mapping[str, ArrayLike] | Sequence[ArrayLike],
    method: Method = "rrf",
    *,
    qid: ArrayLike | None = None,
    k: float = 60,
    normalize: Normalization | None = None,
    weights: Weights | None = None,
) -> FloatArray: ...


def fuse(
    runs: Mapping[str, ArrayLike | DocumentNumbers] | Sequence[ArrayLike | DocumentNumbers],
    method: Method = "rrf",
    *,
    qid: ArrayLike | None = None,
    k: float = 60,
    normalize: Normalization | None = None,
    weights: Weights | None = None,
) -> FloatArray | ByQuery:
    """Fuse several rankings of the same queries into one.

    Parameters
    ----------
    runs : dict or list of array-like of shape (n_rows,), dict or frame
        Scores of the same rows by two or more systems, −inf where one did not retrieve a row; or runs `{query:
        {document: score}}`, or frames with columns such as `q_id`, `doc_id` and `score`.
    method : {"rrf", "combsum", "combmnz", "combanz", "combmax", "combmin", "combmed", "borda"}, default="rrf"
        Reciprocal rank fusion; the sum, the sum times and by the number of runs that retrieved the document, the
        highest, lowest and median of normalized scores; or Borda's count.
    qid : array-like of shape (n_rows,), optional
        The query of each row of arrays. By default all rows are one list.
    k : float, default=60
        Of "rrf": a document at rank r gets 1/(k + r).
    normalize : {"min-max", "z-score", "rank", "none"}, optional
        How the scores of a run are put on one scale within each query, for the methods named comb…; by default
        "min-max". "rank" gives 1, 1 − 1/n, … from the top down.
    weights : dict of str to float or list of float, optional
        What each run counts, for "rrf", "combsum" and "borda"; by default all count 1.

    Returns
    -------
    ndarray or dict
        Scores of the rows, or the fused run, best first in each query; the scores mean nothing but their order.

    Raises
    ------
    DataError
        If the runs do not fit together, or a setting does not fit the method.

    See Also
    --------
    fit_fusion : Weights that do best by a metric.

    Notes
    -----
    Equal scores of a run share the mean of what their places are worth. From a run that did not retrieve it a document
    gets nothing, or the run's lowest score of the query where that is below 0; in Borda's count it gets its share of
    the points that are left (Aslam & Montague 2001). A run whose scores are all equal in a query gives 1 by "min-max",
    and 0 by "z-score". Documents that no run retrieved stay so.

    References
    ----------
    Cormack, Clarke & Büttcher (2009). Reciprocal rank fusion outperforms Condorcet and individual rank learning
    methods. SIGIR.

    Fox & Shaw (1994). Combination of multiple searches. TREC-2.

    Aslam & Montague (2001). Models for metasearch. SIGIR.

    Examples
    --------
    >>> bm25 = {"q1": {"a": 12.0, "b": 9.5, "c": 3.1}}
    >>> dense = {"q1": {"c": 0.9, "a": 0.8}}
    >>> fuse({"bm25": bm25, "dense": dense})
    {'q1': {'a': 0.0325..., 'c': 0.0322..., 'b': 0.0161...}}
    >>> fuse([[3, 2, 1], [1, 2, 4]], "combsum", weights=[1, 3])
    array([1. , 1.5, 3. ])
    """
    check_choice("method", method, Method)
    scale = check_normalization(method, normalize)
    aligned = aligned_runs(runs, qid)
    factors = _as_weights(weights, aligned.names, method)
    values = run_values(aligned.grouped, aligned.groups.offsets, method, scale, k)
    fused: FloatArray = aligned.groups.ungrouped(values.combined(method, factors))
    return fused if aligned.keys is None else aligned.as_run(fused)


def check_normalization(method: Method, normalize: Normalization | None) -> Normalization:
    """The normalization of a method; those by place have none."""
    if method in BY_PLACE and normalize is not None:
        raise DataError(f"{method} sees the places of documents alone, got normalize={normalize!r}; leave it out")
    chosen: Normalization = check_choice("normalize", "min-max" if normalize is None else normalize, Normalization)
    return chosen


def _as_weights(weights: Weights | None, names: tuple[str, ...], method: Method) -> FloatArray:
    if weights is None:
        return np.ones(len(names))
    if method not in WEIGHTED:
        raise DataError(f"weights are for {', '.join(WEIGHTED)}, got method={method!r}; leave them out")
    if isinstance(weights, Mapping):
        if set(weights) != set(names):
            raise DataError(
                f"weights must be for {', '.join(names)}, got {', '.join(map(str, weights))}; name each run"
            )
        weights = [weights[name] for name in names]
    factors = as_vector("weights", weights)
    if factors.size != len(names):
        raise DataError(f"there must be a weight for each of {len(names)} runs, got {factors.size}; pass as many")
    if (factors < 0).any() or not factors.any():
        raise DataError("weights must be 0 or more and not all 0; leave out the runs that should not count")
    return factors
