"""Sums over close pairs in linear time against a double loop over pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.kernels.pairs import _close_pairs as close_pairs
from tests.reference import pairs_by_definition


@st.composite
def ranked_rows(draw):
    """Rows of a few queries by falling score; few values of scores and gaps, so that many are equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 25), min_size=1, max_size=4))
    grades = np.array([draw(st.sampled_from([1, 2, 5, close_pairs.LINEAR_MAX_GRADES, 13, 40])) for _ in sizes])
    qid = np.repeat(np.arange(len(sizes)), sizes)
    step = draw(st.sampled_from([0.5, 1.0, 1e-9]))
    scores = step * rng.integers(-4, 5, qid.size) + (rng.normal(size=qid.size) if draw(st.booleans()) else 0.0)
    scores = scores[np.lexsort((-scores, qid))]
    weight = np.ones(qid.size) if draw(st.booleans()) else rng.choice([0.0, 0.5, 3.0], qid.size)
    return {
        "scores": scores,
        "grade": rng.integers(0, grades[qid]),
        "grades": grades,
        "weight": weight,
        "value": rng.normal(size=qid.size),
        "offsets": np.append(0, np.cumsum(sizes)),
        "least": draw(st.sampled_from([-np.inf, -np.inf, -1.0, 0.0, 0.5, 1.0])),
        "gap": draw(st.sampled_from([1.0, 0.5, 0.0, -1.0, 2.5])),
        "qid": qid,
    }


@pytest.mark.slow
@settings(max_examples=150)
@given(ranked_rows())
def test_sums_are_those_of_a_double_loop(rows) -> None:
    scores, grade, grades, weight, value, offsets, least, gap, qid = rows.values()
    expected = pairs_by_definition.close_sums(scores, grade, qid, weight, value, least, gap)
    found = np.full((4, scores.size), np.nan)
    close_pairs.close_sums(scores, grade, grades, weight, value, offsets, least, gap, 0, grades.size, *found)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    expected = pairs_by_definition.close_sums(scores, grade, qid, weight, value, -np.inf, gap)
    found = np.full((2, scores.size), np.nan)
    close_pairs.close_weights(scores, grade, grades, weight, offsets, gap, 0, grades.size, *found)
    np.testing.assert_allclose(found, expected[::2], rtol=0, atol=1e-12)
    total = np.full(grades.size, np.nan)
    close_pairs.close_weight(scores, grade, grades, weight, offsets, gap, 0, grades.size, total)
    by_query = np.add.reduceat(weight * expected[0], offsets[:-1])
    np.testing.assert_allclose(total, by_query, rtol=0, atol=1e-11)


@pytest.mark.slow
@settings(max_examples=150)
@given(ranked_rows(), st.randoms(use_true_random=False))
def test_the_laplacian_of_a_band_is_that_of_a_double_loop(rows, random) -> None:
    scores, grade, grades, weight, value, offsets, least, gap, qid = rows.values()
    worse, worse_value, better, better_value = pairs_by_definition.close_sums(
        scores, grade, qid, weight, value, least, gap
    )
    expected = 2.0 * weight * ((worse + better) * value - worse_value - better_value)
    order = np.array(random.sample(range(scores.size), scores.size))  # the row of each rank
    by_row, found = np.empty(scores.size), np.full(scores.size, np.nan)
    by_row[order] = value
    borders = np.full((4, scores.size), -9)
    close_pairs.band_borders(scores, offsets, least, gap, 0, grades.size, borders)
    args = (order, grade, grades, weight, worse + better, borders, offsets, 2.0, 0, grades.size)
    close_pairs.band_laplacian(*args, by_row, found)
    np.testing.assert_allclose(found[order], expected, rtol=0, atol=1e-11)


def test_queries_of_a_range_alone_are_looked_at() -> None:
    scores, grade, weight = np.zeros(6), np.array([0, 1, 0, 1, 0, 1]), np.ones(6)
    offsets, grades = np.array([0, 2, 4, 6]), np.full(3, 2)
    total = np.full(3, -1.0)
    close_pairs.close_weight(scores, grade, grades, weight, offsets, 1.0, 1, 2, total)
    assert total.tolist() == [-1.0, 1.0, -1.0]


@pytest.mark.parametrize("grades", [2, 12, 13])
def test_the_gap_itself_is_not_close(grades) -> None:
    found = np.empty((2, 2))
    args = (np.array([1.0, 0.0]), np.array([1, 0]), np.array([grades]), np.ones(2), np.array([0, 2]))
    close_pairs.close_weights(*args, 1.0, 0, 1, *found)
    assert not found.any()
    close_pairs.close_weights(*args, np.nextafter(1.0, 2.0), 0, 1, *found)
    assert found.tolist() == [[1.0, 0.0], [0.0, 1.0]]
