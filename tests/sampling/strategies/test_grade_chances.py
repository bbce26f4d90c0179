"""Chances of grades: against direct fits of scikit-learn, and what must hold of chances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from rankwise.data import RankingData
from rankwise.sampling import Pool
from rankwise.sampling.strategies._expected_change import deviation_of, grade_chances
from tests.sampling.pool_factories import FirstFeature


def graded_pool(labels: list[float], known: list[float], candidates: list[float]) -> Pool:
    y = np.array([*labels, *[-1.0] * len(candidates)])
    return Pool(RankingData(np.array([*known, *candidates])[:, None], y, np.zeros(y.size)), y, FirstFeature())


labelled_scores = st.lists(st.tuples(st.integers(0, 4), st.integers(-8, 8)), min_size=2, max_size=20)


@pytest.mark.slow
@settings(max_examples=50)
@given(labelled_scores, st.lists(st.integers(-10, 10), min_size=1, max_size=8))
def test_chances_of_at_least_a_grade_are_separate_logistic_fits(known, candidates) -> None:
    labels, scores = (np.array(column, dtype=float) for column in zip(*known, strict=True))
    grades, chances = grade_chances(graded_pool(labels.tolist(), scores.tolist(), candidates))
    assert grades.tolist() == sorted(set(labels))
    assert chances.shape == (len(candidates), grades.size)
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(candidates)), abs=1e-12)
    scale = scores.std() if len(set(scores)) > 1 else 1.0
    so_far = np.ones(len(candidates))
    for k, grade in enumerate(grades[1:], start=1):
        model = LogisticRegression().fit((scores[:, None] - scores.mean()) / scale, labels >= grade)
        alone = model.predict_proba((np.array(candidates)[:, None] - scores.mean()) / scale)[:, 1]
        so_far = np.minimum(so_far, alone)  # where fits cross, the lower grade's chance holds
        assert chances[:, k:].sum(axis=1) == pytest.approx(so_far, abs=1e-9)


@settings(max_examples=50)
@given(labelled_scores)
def test_where_grades_rise_with_the_score_so_do_chances(known) -> None:
    labels, scores = (sorted(map(float, column)) for column in zip(*known, strict=True))
    grades, chances = grade_chances(graded_pool(labels, scores, list(np.linspace(-12, 12, 25))))
    at_least = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1]
    assert (np.diff(at_least, axis=0) >= -1e-12).all()
    if grades.size > 1 and scores[0] < scores[-1]:
        assert at_least[-1, 1] > at_least[0, 1]


@pytest.mark.parametrize(("times", "add"), [(2.0**20, 0.0), (2.0**-20, 0.0), (1.0, 2.0**20), (1.0, -1e6)])
def test_scale_and_place_of_scores_do_not_matter(times, add) -> None:
    labels, known, candidates = [0.0, 2.0, 1.0, 0.0, 1.0], [0.0, 3.0, 2.0, 1.0, -1.0], [-2.0, 0.5, 4.0]
    expected = grade_chances(graded_pool(labels, known, candidates))[1]
    other = graded_pool(labels, *([times * score + add for score in scores] for scores in (known, candidates)))
    assert grade_chances(other)[1] == pytest.approx(expected, abs=1e-5)


def test_equal_scores_tell_the_shares_of_grades() -> None:
    """Three of four labels are 0; .1 is no binary fraction, so that the deviation of equal scores is not quite 0."""
    pool = graded_pool([0.0, 0.0, 1.0, 0.0], [0.1] * 4, [0.1] * 3)
    assert grade_chances(pool)[1] == pytest.approx(np.array([[0.75, 0.25]] * 3), abs=1e-3)
    assert deviation_of(np.full(3, 0.1)) == deviation_of(np.zeros(3)) == 1.0


def test_one_grade_or_none_is_certain() -> None:
    grades, chances = grade_chances(graded_pool([2.0, 2.0], [0.0, 1.0], [3.0]))
    assert (grades.tolist(), chances.tolist()) == ([2.0], [[1.0]])
    grades, chances = grade_chances(graded_pool([], [], [3.0, 4.0]))
    assert (grades.tolist(), chances.tolist()) == ([0.0], [[1.0], [1.0]])
