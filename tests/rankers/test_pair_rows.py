"""The order of rows that pairs are made of, against numpy's sort by several keys."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data._row_hashes import row_hashes
from rankwise.rankers._pair_rows import pair_rows


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 5), st.integers(1, 4), st.booleans())
def test_rows_of_a_query_are_by_key_then_grade_then_weight(seed, size, queries, values, weighted) -> None:
    """Few values make many rows that are alike in all features."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, values, (size, 2)).astype(float), rng.integers(0, 3, size).astype(float)
    y[:2], qid = [0.0, 1.0], np.append([0, 0], rng.integers(0, queries, size - 2))
    weight = rng.choice([0.5, 1.0, 2.0], size) if weighted else np.ones(size)
    rows = pair_rows("RankSVM", X, y, qid, weight if weighted else None, None)
    keys = row_hashes(X, np.zeros(size))
    for start, stop in zip(rows.offsets[:-1], rows.offsets[1:], strict=True):
        found = rows.order[start:stop]
        of_query = np.flatnonzero(qid == qid[found[0]])
        expected = of_query[np.lexsort((weight[of_query], y[of_query], keys[of_query]))]
        assert found.tolist() == expected.tolist()
        np.testing.assert_array_equal(rows.y[start:stop], y[found])
    assert sorted(rows.order.tolist()) == list(range(size))


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_queries_of_the_same_documents_are_in_one_order(seed, weighted, by_query) -> None:
    """Labels and weights tell them apart, whose sums are the same in all of them."""
    rng = np.random.default_rng(seed)
    documents, labels, weights = rng.normal(size=(4, 2)), np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.5, 1.0, 1.0, 3.0])
    X, qid = np.tile(documents, (6, 1)), np.repeat(np.arange(6), 4)
    y = np.concatenate([rng.permutation(labels) for _ in range(6)])
    weight = np.concatenate([rng.permutation(weights) for _ in range(6)]) if weighted else None
    orders = []
    for order in (np.arange(24), rng.permutation(24)):
        query_weight = np.full(6, 2.0) if by_query else None
        rows = pair_rows(
            "RankSVM", X[order], y[order], qid[order], None if weight is None else weight[order], query_weight
        )
        columns = (rows.X[rows.order], rows.y, np.ones(24) if rows.weight is None else rows.weight)
        orders.append(np.column_stack(columns))
    np.testing.assert_array_equal(orders[0], orders[1])
