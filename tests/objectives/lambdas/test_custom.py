"""User-written λ-functions: order of rows, ties, weights, threads, and what is said of wrong results."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.errors import DataError, ShapeError
from rankwise.objectives.lambdas._custom import CustomLambda


def plain(labels: Any, scores: Any) -> Any:
    """Depends on the ranks, on the labels and on the scores."""
    rank = np.arange(labels.size)
    return labels * rank - scores, 1.0 + labels / (1.0 + rank)


compiled = numba.njit(plain)


def by_definition(y: Any, scores: Any, qid: Any, seed: int = 0) -> tuple[Any, Any]:
    """One query after the other, sorted by score and then by the seeded shuffle of the grouped rows."""
    gradient, hessian = np.empty(y.size), np.empty(y.size)
    shuffle = np.random.default_rng(seed).permutation(y.size)
    first = 0
    for query in dict.fromkeys(qid.tolist()):
        rows = np.flatnonzero(qid == query)
        rows = rows[np.lexsort((shuffle[first : first + rows.size], -scores[rows]))]
        lambdas, hessian[rows] = plain(y[rows], scores[rows])
        gradient[rows] = -lambdas
        first += rows.size
    return gradient, hessian


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_rows_come_back_in_the_order_of_the_input(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    y, scores, qid = (
        np.array(data.draw(st.lists(st.integers(0, top), min_size=n, max_size=n)), dtype=float) for top in (3, 5, 4)
    )
    seed = data.draw(st.integers(0, 3))
    expected = by_definition(y, scores, qid, seed)
    for function in (plain, compiled):
        found = CustomLambda(function, y, qid, random_state=seed).gradients(scores)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_compiled_functions_in_threads_equal_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "2")
    rng = np.random.default_rng(0)
    n = 50_000
    y, scores, qid = rng.integers(0, 5, n).astype(float), rng.normal(size=n), rng.integers(0, 700, n)
    np.testing.assert_allclose(
        CustomLambda(compiled, y, qid).gradients(scores), CustomLambda(plain, y, qid).gradients(scores), rtol=1e-14
    )


def test_a_query_weighs_as_much_as_is_said() -> None:
    y, scores, qid = np.array([1.0, 0, 2, 0]), np.array([0.1, 0.2, 0.3, 0.4]), ["b", "a", "a", "b"]
    gradient, hessian = CustomLambda(plain, y, qid).gradients(scores)
    weighted = CustomLambda(plain, y, qid, query_weight=[3.0, 0.5]).gradients(scores)  # b, then a: as they appear
    np.testing.assert_allclose(weighted[0], gradient * [3, 0.5, 0.5, 3])
    np.testing.assert_allclose(weighted[1], hessian * [3, 0.5, 0.5, 3])


def test_labels_stored_in_sorted_order_do_not_leak() -> None:
    """All scores equal: the ranks are those of the shuffle, whatever the labels."""
    y = np.sort(np.arange(200) % 3)[::-1].astype(float)

    def by_rank(labels: Any, scores: Any) -> Any:
        return labels * np.arange(labels.size), np.ones(labels.size)

    ranks = -CustomLambda(by_rank, y).gradients(np.zeros(200))[0][y > 0] / y[y > 0]
    assert abs(ranks.mean() - 99.5) < 15
    other = -CustomLambda(by_rank, y, random_state=1).gradients(np.zeros(200))[0][y > 0] / y[y > 0]
    assert (ranks != other).any()


def test_unjudged_documents_arrive_as_irrelevant_ones() -> None:
    seen = []

    def look(labels: Any, scores: Any) -> Any:
        seen.append(labels.copy())
        return scores, scores

    CustomLambda(look, [-1, 2, 0.5]).gradients([3, 2, 1])
    np.testing.assert_array_equal(seen, [[0, 2, 0.5]])


def test_lists_are_taken_for_arrays() -> None:
    gradient, hessian = CustomLambda(lambda labels, scores: ([1, -1], [2, 2]), [0, 1]).gradients([1, 2])
    np.testing.assert_array_equal(gradient, [1, -1])
    np.testing.assert_array_equal(hessian, [2, 2])


QUERIES = ["first", "first", "second", "second", "second"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda labels, scores: labels, r"got shapes \(2,\) for the 2 documents of query first; return two arrays"),
        (lambda labels, scores: (labels, scores, scores), r"got shapes \(2,\), \(2,\), \(2,\) for .* query first"),
        (lambda labels, scores: (labels[:2], scores), r"got shapes \(2,\), \(3,\) for the 3 documents of query second"),
        (lambda labels, scores: (labels[:, None], scores), r"got shapes \(2, 1\), \(2,\) for .* query first"),
        (numba.njit(lambda labels, scores: (labels, scores[:2])), r"got shapes \(3,\), \(2,\) .* query second"),
        (
            lambda labels, scores: (np.log(labels - 1), scores),
            r"finite numbers, got λ nan .* at rank 2 of query second",
        ),
        (numba.njit(lambda labels, scores: (labels, scores * np.inf)), "Hessian inf at rank 1 of query first"),
        (numba.njit(lambda labels, scores: labels.size), "numba cannot compile the λ-function for two float64 arrays"),
        ("ndcg", "called with labels and scores, got str; pass a function, or name a metric"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_results_are_named_with_their_query(function: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        CustomLambda(function, [2, 3, 3, 0, 4], QUERIES).gradients([2.0, 1, 5, 4, 3])


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ShapeError, match="qid must have one entry per row: got 2 for 3 rows"):
        CustomLambda(plain, [0, 1, 2], [7, 7])
    with pytest.raises(ShapeError, match="scores must have one entry per row: got 2 for 3 rows"):
        CustomLambda(plain, [0, 1, 2]).gradients([1, 2])
    with pytest.raises(ShapeError, match=r"one entry per query \(1\), got 3; pass one per query"):
        CustomLambda(plain, [0, 1, 2], query_weight=[1, 1, 1])
    with pytest.raises(DataError, match="query_weight must be 0 or more, got -1"):
        CustomLambda(plain, [0, 1, 2], query_weight=[-1])
