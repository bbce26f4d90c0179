"""Donmez 2009 (1) to (3): the hinge rank loss by its definition, and that it bounds AUC, ties or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankwise as rw
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import auc_lower_bound, evaluate, hinge_rank_loss
from tests.reference import hinge_rank as oracle

# Few different scores, so that many are equal.
documents = st.lists(st.tuples(st.booleans(), st.integers(-2, 2)), min_size=1, max_size=6)
thresholds = st.one_of(st.none(), st.floats(-3, 3))


def below(relevant, scores, threshold):
    return relevant.count(False) if threshold is None else sum(score <= threshold for score in scores)


@settings(max_examples=300)
@given(documents, thresholds)
def test_the_loss_and_the_bound_are_those_of_all_orders(rows, threshold) -> None:
    relevant, scores = map(list, zip(*rows, strict=True))
    n_below = below(relevant, scores, threshold)
    (loss,) = hinge_rank_loss(relevant, scores, threshold=threshold)
    assert loss == pytest.approx(oracle.hinge_rank_loss(relevant, scores, n_below), abs=1e-12)
    (bound,) = auc_lower_bound(relevant, scores, threshold=threshold)
    if len(set(relevant)) == 1:
        assert np.isnan(bound)
        return
    n_pairs = relevant.count(True) * relevant.count(False)
    assert bound == pytest.approx(1 - (loss - oracle.least_loss(relevant, n_below)) / n_pairs, abs=1e-12)
    assert bound <= oracle.auc(relevant, scores) + 1e-12


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.booleans(), thresholds)
def test_no_list_has_an_auc_below_the_bound(seed, n_lists, tied, threshold) -> None:
    """Donmez 2009 (3), on thousands of lists of up to 30 documents."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_lists), rng.integers(2, 30, n_lists))
    y = (rng.random(qid.size) < rng.random(n_lists)[qid]).astype(float)
    scores = rng.integers(-3, 4, qid.size).astype(float) if tied else rng.normal(size=qid.size)
    order = rng.permutation(qid.size)  # rows of a query may lie apart
    qid, y, scores = qid[order], y[order], scores[order]
    bound = auc_lower_bound(y, scores, qid, threshold=threshold)
    auc = evaluate(y, scores, qid, "auc").per_query["auc"]
    np.testing.assert_array_equal(np.isnan(bound), np.isnan(auc))
    assert (np.nan_to_num(auc) >= np.nan_to_num(bound, nan=-1.0) - 1e-12).all()


def test_by_hand() -> None:
    """Rising: 0, 1, 0, 1; θ̄ = 2.5. The relevant one of rank 2 is one short, the other of rank 3 one too high."""
    labels, scores = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
    assert hinge_rank_loss(labels, scores).tolist() == [2.0]
    assert auc_lower_bound(labels, scores).tolist() == [1 - 2 / 4]
    # With θ̄ = 1.5 ranks 2 and 3 of others would cost 1 and 2, and the ideal order (0, 0, 1, 1) costs 1.
    assert hinge_rank_loss(labels, scores, threshold=0.2).tolist() == [2.0]
    assert auc_lower_bound(labels, scores, threshold=0.2).tolist() == [1 - (2 - 1) / 4]


def test_the_ideal_order_costs_nothing_and_the_bound_is_tight_there() -> None:
    assert hinge_rank_loss([0, 0, 1], [1, 2, 3]).tolist() == [0.0]
    assert auc_lower_bound([0, 0, 1], [1, 2, 3]).tolist() == [1.0]


def test_mean_ranks_of_ties_would_not_bound_auc() -> None:
    """Why ties are averaged over their orders: at their mean rank, 3, the two relevant ones would cost 1 each."""
    relevant, scores = [0, 0, 0, 1, 1], [7.0] * 5
    assert evaluate(relevant, scores, metrics="auc")["auc"] == 0.5 < 1 - 2 / 6
    assert hinge_rank_loss(relevant, scores).item() == pytest.approx(2 * (3 + 2 + 1) / 5 + 3 * (1 + 2) / 5)
    assert auc_lower_bound(relevant, scores).item() == pytest.approx(1 - 4.2 / 6)


def test_ranking_data_bring_their_queries_and_labels_above_0_are_relevant() -> None:
    data = rw.RankingData(np.zeros((4, 1)), [2, -1, 0, 1], ["b", "a", "b", "a"])
    assert hinge_rank_loss(data, [1, 2, 0, 1]).tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (([1, 0], [1.0]), ShapeError, "scores must have one entry per row, got 1 for 2 rows"),
        (([1, 0], [1.0, np.nan]), DataError, "scores must be finite"),
        (([1, 0], [1.0, 2.0], [1]), ShapeError, "qid"),
    ],
)
def test_what_is_wrong_is_said(arguments, error, said) -> None:
    with pytest.raises(error, match=said):
        hinge_rank_loss(*arguments)
    with pytest.raises(DataError, match="threshold must be a number or None, got 'high'"):
        auc_lower_bound([1, 0], [1, 2], threshold="high")  # type: ignore[arg-type]
