from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from rankwise.data._groups import QueryGroups
from rankwise.plot import _points as curves

LISTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=2, max_size=40).map(
    lambda rows: tuple(np.array(column, dtype=float) for column in zip(*rows, strict=True))
)


@given(LISTS)
def test_roc_has_the_area_of_scikit_learn_and_only_rises(rows) -> None:
    labels, scores = rows
    found = curves.roc_points(labels, scores)
    if found is None:
        assert len(np.unique(labels > 0)) == 1
        return
    x, y = found
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert (np.diff(x) >= 0).all()
    assert (np.diff(y) >= 0).all()
    assert np.trapezoid(y, x) == pytest.approx(sk.roc_auc_score(labels > 0, scores))


@given(LISTS)
def test_precision_and_recall_are_those_of_scikit_learn(rows) -> None:
    labels, scores = rows
    found = curves.precision_recall_points(labels, scores)
    if found is None:
        assert not (labels > 0).any()
        return
    precision, recall, _ = sk.precision_recall_curve(labels > 0, scores)
    np.testing.assert_allclose(found[0][1:], recall[-2::-1])
    np.testing.assert_allclose(found[1][1:], precision[-2::-1])


def test_documents_that_were_not_retrieved_stand_tied_at_the_bottom() -> None:
    labels, scores = np.array([1.0, 0, 1, 0]), np.array([2.0, 1, -np.inf, -np.inf])
    np.testing.assert_allclose(curves.roc_points(labels, scores), [[0, 0, 0.5, 1], [0, 0.5, 0.5, 1]])  # type: ignore[arg-type]


def test_the_mean_roc_curve_has_about_the_mean_area_and_scores_are_not_pooled() -> None:
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(50), 80)
    labels = (rng.random(qid.size) < 0.3).astype(float)
    scores = labels + rng.normal(size=qid.size)
    groups = QueryGroups.from_qid(qid)
    curve: Any = curves.roc_curve(labels, scores, groups, None)
    areas = [sk.roc_auc_score(labels[qid == q], scores[qid == q]) for q in range(50)]
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(np.mean(areas), abs=0.01)
    shifted: Any = curves.roc_curve(labels, scores + 100 * qid, groups, None)
    np.testing.assert_array_equal(shifted.y, curve.y)
    assert curve.queries == 50


def test_interpolated_precision_is_the_best_at_that_recall_or_more() -> None:
    labels, scores = np.array([0.0, 1, 1, 0, 1, 0]), np.array([6.0, 5, 4, 3, 9, 8])
    groups = QueryGroups.from_sizes([4, 2])
    curve: Any = curves.precision_recall_curve(labels, scores, groups, None)
    np.testing.assert_allclose(curve.y, (2 / 3 + 1) / 2)


def test_rows_apart_weights_and_queries_without_a_curve() -> None:
    labels, scores = np.array([1.0, 1, 0, 0, 0]), np.array([2.0, 1, 1, 2, 0])
    groups = QueryGroups.from_qid(["a", "b", "a", "b", "c"])
    both: Any = curves.roc_curve(labels, scores, groups, None)
    assert both.queries == 2
    np.testing.assert_allclose(both.y[:-1], 0.5)
    only_b: Any = curves.roc_curve(labels, scores, groups, np.array([0.0, 1, 1]))
    assert only_b.queries == 1
    np.testing.assert_allclose(only_b.y[:-1], 0)
    assert curves.roc_curve(np.zeros(5), scores, groups, None) is None


def test_a_long_curve_is_thinned_and_keeps_its_shape() -> None:
    rng = np.random.default_rng(1)
    labels = (rng.random(200_000) < 0.1).astype(float)
    x, y = curves.roc_points(labels, labels + rng.normal(size=labels.size))  # type: ignore[misc]
    few_x, few_y = curves.thinned(x, y)
    assert few_x.size <= curves.MAX_POINTS
    assert (few_x[0], few_y[0], few_x[-1], few_y[-1]) == (0, 0, 1, 1)
    assert np.trapezoid(few_y, few_x) == pytest.approx(np.trapezoid(y, x), abs=1e-4)
