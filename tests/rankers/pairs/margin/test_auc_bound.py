"""Suehiro 2011 theorem 1: its formula against exact counts, its cover, what makes it tighter, when it is vacuous."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.data import r_of_k
from rankwise.errors import DataError
from rankwise.rankers import MarginRanker
from rankwise.rankers.pairs.margin._auc_bound import MARGINS, log_covering_number, slack
from tests.rankers.pairs.margin.factories import fitted, noisy
from tests.reference import auc_bounds as slow


@pytest.mark.parametrize("hypotheses", [1, 2, 5, 40])
@pytest.mark.parametrize("radius", [0.02, 0.1, 0.5])
def test_covering_numbers_are_those_counted(hypotheses: int, radius: float) -> None:
    assert log_covering_number(hypotheses, radius) == pytest.approx(
        math.log(slow.covering_number(hypotheses, radius)), abs=1e-8
    )


@pytest.mark.parametrize(("hypotheses", "radius"), [(2, 0.1), (3, 0.2), (4, 0.3)])
def test_the_cover_covers(hypotheses: int, radius: float) -> None:
    """Every combination has one of the cover within the radius, at every row."""
    random = np.random.default_rng(0)
    cover = slow.grid(hypotheses, radius)
    assert len(cover) == slow.covering_number(hypotheses, radius)
    H = random.choice([-1.0, 1.0], (200, hypotheses))
    for alpha in random.dirichlet(np.full(hypotheses, 0.7), size=50):
        assert np.abs(H @ (cover - alpha).T).max(axis=0).min() <= radius + 1e-12


@pytest.mark.parametrize(("rows", "positives"), [(400, 150), (10_000, 9_000)])
@pytest.mark.parametrize("risk", [0.05, 1e-4])
def test_the_slack_is_the_least_that_the_theorem_allows(rows: int, positives: int, risk: float) -> None:
    cover = slow.covering_number(6, 0.1)
    made = slack(math.log(cover), rows, positives, risk)
    assert made == pytest.approx(slow.slack(cover, rows, positives, risk), rel=1e-6)


def test_what_makes_it_tighter() -> None:
    """Fewer hypotheses, a larger radius, more rows, classes of one size, less confidence."""
    assert log_covering_number(20, 0.1) > log_covering_number(10, 0.1) > log_covering_number(10, 0.2)
    values = [slack(50.0, rows, rows // 2, 0.05) for rows in (100, 1000, 10_000)]
    assert values == sorted(values, reverse=True)
    assert slack(50.0, 1000, 500, 0.05) < slack(50.0, 1000, 300, 0.05) < slack(50.0, 1000, 100, 0.05)
    assert slack(50.0, 1000, 500, 0.05) < slack(50.0, 1000, 500, 0.01) < slack(60.0, 1000, 500, 0.01)
    assert slack(1.0, 50, 1, 0.05) == math.inf  # so few positives may be none


def test_a_fit_has_the_best_margin_of_those_tried() -> None:
    X, y = noisy(rows=400)
    model = MarginRanker(epsilon=0.3).fit(X, y)
    bound, scores = model.auc_bound(X, y), model.predict(X)
    assert (bound.rows, bound.positives, bound.hypotheses) == (400, int(y.sum()), 10)
    risk = 0.05 / MARGINS.size
    values = [
        slow.share_at(y, scores, margin) - slow.slack(slow.covering_number(10, margin / 2), 400, int(y.sum()), risk)
        for margin in MARGINS
    ]
    assert bound.auc == pytest.approx(max(values), rel=1e-6)
    assert bound.margin == MARGINS[int(np.argmax(values))]
    assert bound.vacuous
    assert "vacuous" in str(bound)
    assert model.auc_bound(X, y, confidence=0.5).auc > bound.auc


def test_it_says_something_of_very_many_rows() -> None:
    data = r_of_k(rows=100_000, features=4, k=3, r=2, noise=0.0, seed=0)
    model = MarginRanker(epsilon=0.2, negatives=False, tol=1e-3).fit(data.X, data.y)
    bound = model.auc_bound(data.X, data.y)
    assert not bound.vacuous
    assert bound.hypotheses == 4


def test_it_is_refused_where_the_theorem_is_not_for_it() -> None:
    X, y = noisy()
    with pytest.raises(DataError, match="finitely many hypotheses, got stumps"):
        fitted(hypotheses="stumps").auc_bound(X, y)
    with pytest.raises(DataError, match="one list of two grades"):
        fitted().auc_bound(X, np.arange(len(y)) % 3)
    with pytest.raises(DataError, match="confidence must be above 0 and below 1, got 1"):
        fitted().auc_bound(X, y, confidence=1.0)
