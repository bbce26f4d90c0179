"""Propensities against the likelihood by its definition, against the truth, and what they make rows weigh."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rankwise.data import polynomial, simulate_clicks
from rankwise.objectives import PositionBias
from rankwise.objectives.lambdas import _position_bias as position_bias
from tests.reference.click_likelihood import likely_propensities


def small_log(seed: int = 0, rows: int = 400):
    rng = np.random.default_rng(seed)
    document = rng.integers(25, size=rows)
    position = np.minimum(rng.geometric(0.4, size=rows), 5) + 2  # the lowest is 3
    clicked = rng.random(rows) < 0.8 / (position - 2) * (document % 5 + 1) / 5
    scores = (document % 5 + 1.0) + 0.01 * document
    return position, clicked, document, scores


@pytest.mark.parametrize("seed", range(3))
def test_the_most_likely_propensities(seed, monkeypatch) -> None:
    monkeypatch.setattr(position_bias, "SCORE_BINS", 4)
    position, clicked, document, scores = small_log(seed)
    bias = PositionBias(position, clicked, document, None)
    highest = np.array([scores[document == d][0] for d in np.unique(document)])
    edges = np.quantile(highest, [0.25, 0.5, 0.75])
    bins = dict(zip(np.unique(document).tolist(), np.searchsorted(edges, highest, side="right").tolist(), strict=True))
    expected = likely_propensities(
        position.tolist(), clicked.tolist(), document.tolist(), bins, position_bias.SHAPE, position_bias.RIDGE
    )
    assert bias.positions.tolist() == [3, 4, 5, 6, 7]
    assert bias.propensities(scores) == pytest.approx(expected, rel=1e-4)


def test_neither_the_order_of_rows_nor_a_common_shift_of_scores_matters() -> None:
    position, clicked, document, scores = small_log()
    first = PositionBias(position, clicked, document, None)
    turn = np.random.default_rng(1).permutation(position.size)
    other = PositionBias(position[turn], clicked[turn], document[turn], None)
    assert np.array_equal(other.propensities(scores[turn]), first.propensities(scores))
    assert np.array_equal(other.weights(scores[turn]), first.weights(scores)[turn])
    assert first.propensities(scores + 3.0) == pytest.approx(first.propensities(scores), rel=1e-9)


def test_copies_are_rows_that_are_there_more_often() -> None:
    position, clicked, document, scores = small_log()
    copies = np.random.default_rng(2).integers(1, 4, size=position.size)
    counted = PositionBias(position, clicked, document, copies.astype(float))
    repeated = PositionBias(*(np.repeat(one, copies) for one in (position, clicked, document)), None)  # type: ignore[call-arg]
    assert counted.propensities(scores) == pytest.approx(repeated.propensities(np.repeat(scores, copies)), rel=1e-9)


@pytest.mark.parametrize("steepness", [0.0, 0.5, 1.0, 2.0])
def test_the_truth_is_found_however_good_the_lists_were(steepness) -> None:
    """By documents that moved alone: the scores say nothing, and lists were shown in the order of the grades."""
    data = polynomial(queries=60, documents=12, features=5, seed=0)
    log = simulate_clicks(data, data.y, sessions=400, top=6, steepness=steepness, shuffle=0.5)
    bias = PositionBias(log.position, log.clicked > 0, log.rows, None)
    naive = np.array([log.clicked[log.position == k].mean() for k in bias.positions])
    found = bias.propensities(np.zeros(log.rows.size))
    assert found == pytest.approx(log.propensities, rel=0.1)
    if steepness == 1.0:
        assert (np.abs(naive / naive[0] / log.propensities - 1)[1:] > 0.2).all()  # of good lists, clicks alone mislead


def test_documents_that_never_moved_are_compared_by_their_scores() -> None:
    """Scores that are right tell positions apart where each document had one position only."""
    data = polynomial(queries=2000, documents=8, features=5, seed=0)
    noise = np.random.default_rng(0).normal(size=data.y.size)
    log = simulate_clicks(data, data.y + noise, sessions=20, top=6, shuffle=0.0)
    bias = PositionBias(log.position, log.clicked > 0, log.rows, None)
    assert bias.moved == 0.0
    assert bias.propensities(data.y[log.rows]) == pytest.approx(log.propensities, rel=0.1)


def test_a_pair_counts_by_the_difference_of_its_relevance_on_average(monkeypatch) -> None:
    """Over all that may be clicked: Σ P·w_i·w_j over pairs of a click and none is γ_i − γ_j, up to a common factor."""
    theta, gamma = np.array([1.0, 0.5, 0.2]), np.array([0.3, 0.9, 0.6])
    net = np.zeros((3, 3))
    for pattern in product([False, True], repeat=3):
        clicked = np.array(pattern)
        chance = float(np.prod(np.where(clicked, theta * gamma, 1 - theta * gamma)))
        bias = PositionBias(np.arange(3), clicked, np.arange(3), None)
        monkeypatch.setattr(bias, "_estimate", lambda _: (theta, gamma))
        weight = bias.weights(np.zeros(3))
        above = clicked[:, None] & ~clicked[None, :]
        pairs = chance * above * weight[:, None] * weight[None, :]
        net += pairs - pairs.T
    assert net == pytest.approx(gamma[:, None] - gamma[None, :])


def test_few_clicks_and_odd_logs_give_numbers() -> None:
    for clicked in (np.zeros(6, bool), np.array([False, False, True, False, False, False]), np.ones(6, bool)):
        bias = PositionBias(np.array([1, 2, 3, 1, 2, 3]), clicked, np.array([5, 6, 7, 7, 6, 5]), None)
        weights = bias.weights(np.arange(6.0))
        assert np.isfinite(weights).all()
        assert (weights >= 0).all()
        assert (bias.propensities(np.zeros(6)) > 0).all()
    alone = PositionBias(np.ones(4, int), np.array([True, False, True, False]), np.arange(4), None)
    assert alone.propensities(np.zeros(4)).tolist() == [1.0]
