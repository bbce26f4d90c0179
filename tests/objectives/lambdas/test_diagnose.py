"""`diagnose` against Jacobians that are known, and against λ-functions broken at one known pair."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from rankwise.errors import DataError, ShapeError
from rankwise.metrics import AUC
from rankwise.objectives.lambdas._diagnose import MIN_GAP, diagnose
from rankwise.objectives.lambdas.examples import (
    finite_differences,
    ndcg_ranknet,
    nearest_neighbours,
    ranknet,
    regularized,
    springs,
    step_potentials,
)

RNG = np.random.default_rng(3)
Y = RNG.permutation(np.arange(20) % 4).astype(float)
SCORES = RNG.normal(size=20)
RANKNET: Any = ranknet  # arrays, which its type does not promise


def ranks_of(*rows: int) -> list[int]:
    """Where these input rows stand in the ranking."""
    return [int(np.flatnonzero(np.argsort(-SCORES) == row)[0]) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0.0, -7.5, 1e6])
@pytest.mark.parametrize("function", [ranknet, springs(3.0, 2.0)])
def test_ranknet_and_springs_have_a_convex_cost(function: Any, offset: float) -> None:
    found = diagnose(function, Y, SCORES + offset)
    assert found.balanced.holds
    assert found.symmetric.holds
    assert found.across_ranks.holds
    assert found.convex is not None
    assert found.convex.holds


@pytest.mark.slow
@pytest.mark.parametrize("function", [ndcg_ranknet, step_potentials(0.6), nearest_neighbours(), "ndcg", "auc", AUC()])
def test_scaled_by_a_metric_the_cost_ends_at_a_rank_change(function: Any) -> None:
    found = diagnose(function, Y, SCORES)
    assert found.balanced.holds
    assert found.symmetric.holds
    assert found.convex is not None
    assert found.convex.holds
    assert not found.across_ranks.holds


def test_finite_differences_are_flat_and_jump_at_a_rank_change() -> None:
    found = diagnose(finite_differences(0.8), Y, SCORES)
    assert found.balanced.holds
    assert found.symmetric.holds
    assert found.convex is not None
    assert found.convex.holds
    assert not found.across_ranks.holds


def errors_grow(labels: Any, scores: Any) -> Any:
    """RankNet's cost turned over, concave: the wronger the order of a pair, the harder it is pushed that way."""
    lambdas, hessian = RANKNET(labels, scores)
    return -lambdas, -hessian


def test_regularization_makes_a_concave_cost_convex_from_the_largest_curvature_on() -> None:
    """Burges 2006 section 4; the mean score drifts to zero then, which the first line says."""
    plain = diagnose(errors_grow, Y, SCORES)
    assert plain.balanced.holds
    assert plain.convex is not None
    assert not plain.convex.holds
    curvature = plain.convex.violation  # minus the least eigenvalue of the Hessian of the cost
    enough, little = (diagnose(regularized(errors_grow, share * curvature), Y, SCORES) for share in (1.001, 0.999))
    for found in (enough, little):
        assert found.symmetric.holds
        assert found.across_ranks.holds
        assert not found.balanced.holds
    assert enough.convex is not None
    assert little.convex is not None
    assert enough.convex.holds
    assert not little.convex.holds
    assert little.convex.violation == pytest.approx(0.001 * curvature, rel=1e-2)


def test_the_printed_sign_of_the_regularization_makes_a_convex_cost_concave() -> None:
    def as_printed(labels: Any, scores: Any) -> Any:
        lambdas, hessian = RANKNET(labels, scores)
        return lambdas + 100.0 * scores, hessian

    as_read, printed = diagnose(regularized(ranknet, 100.0), Y, SCORES), diagnose(as_printed, Y, SCORES)
    assert as_read.convex is not None
    assert printed.convex is not None
    assert as_read.convex.holds
    assert not printed.convex.holds


def test_the_pair_whose_exchange_makes_others_jump_is_neighbouring_in_rank() -> None:
    found = diagnose("ndcg@5", Y, SCORES)
    assert found.across_ranks.pair is not None
    first, second = sorted(ranks_of(*found.across_ranks.pair))
    assert second == first + 1
    assert first < 5


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_an_asymmetric_pair_is_found_whatever_the_size_of_the_forces(size: float) -> None:
    i, j = ranks_of(4, 11)

    def feels_without_being_felt(labels: Any, scores: Any) -> Any:
        lambdas, hessian = RANKNET(labels, scores)
        extra = 0.01 * np.tanh(scores[i] - scores[j])  # on i by j and, not to drift, on all alike
        lambdas[i] += extra
        return size * (lambdas - extra / labels.size), size * hessian

    found = diagnose(feels_without_being_felt, Y, SCORES)
    assert found.balanced.holds
    assert not found.symmetric.holds
    assert found.symmetric.pair == (4, 11)
    slope = 0.01 / np.cosh(SCORES[4] - SCORES[11]) ** 2  # J_ij has −slope·(1 − 1/n) where J_ji has −slope/n
    assert found.symmetric.violation == pytest.approx(size * slope * (1 - 2 / 20), rel=1e-4)
    assert found.convex is None
    assert "worst for rows 4 and 11" in str(found)
    assert "there is no cost" in str(found)


def test_a_constant_one_sided_force_is_found_by_the_drift_of_its_pair() -> None:
    y = np.array([1.0, 2, 1, 7, 1, 5])

    def push_seven_above_five(labels: Any, scores: Any) -> Any:
        lambdas, hessian = RANKNET(labels, scores)
        if (labels == 5).any():
            lambdas[labels == 7] += 0.5
        return lambdas, hessian

    found = diagnose(push_seven_above_five, y, SCORES[:6])
    assert found.symmetric.holds
    assert not found.balanced.holds
    assert found.balanced.violation == pytest.approx(0.5)
    assert found.balanced.pair == (3, 5)


def test_a_one_sided_force_that_grows_with_the_gap_is_found() -> None:
    i, j = ranks_of(6, 13)

    def flee(labels: Any, scores: Any) -> Any:
        lambdas, hessian = RANKNET(labels, scores)
        lambdas[i] += np.exp(0.1 * (scores[j] - scores[i]))
        return lambdas, hessian

    found = diagnose(flee, Y, SCORES)
    assert found.balanced.pair == (6, 13)
    assert found.symmetric.pair == (6, 13)


def test_a_function_that_cannot_take_two_documents_is_diagnosed_all_the_same() -> None:
    def push_the_sixth(labels: Any, scores: Any) -> Any:
        lambdas, hessian = RANKNET(labels, scores)
        lambdas[5] += 1
        return lambdas, hessian

    found = diagnose(push_the_sixth, Y, SCORES)
    assert not found.balanced.holds
    assert found.balanced.pair is None


def test_a_drift_that_no_pair_makes_has_no_pair() -> None:
    def long_lists_drift(labels: Any, scores: Any) -> Any:
        return np.full(labels.size, float(labels.size > 2)), np.zeros(labels.size)

    found = diagnose(long_lists_drift, Y, SCORES)
    assert found.balanced.pair is None
    assert "drifts by 20 (allowed 0.0002)\n" in str(found)


def test_a_pair_that_repels_is_named_where_the_cost_is_not_convex() -> None:
    i, j = ranks_of(2, 9)

    def repel(labels: Any, scores: Any) -> Any:
        lambdas, hessian = RANKNET(labels, scores)
        force = 10 * (scores[i] - scores[j])
        lambdas[i] += force
        lambdas[j] -= force
        return lambdas, hessian

    found = diagnose(repel, Y, SCORES)
    assert found.balanced.holds
    assert found.symmetric.holds
    assert found.convex is not None
    assert not found.convex.holds
    assert found.convex.pair == (2, 9)


def test_a_cost_that_is_not_convex_has_its_negative_eigenvalue() -> None:
    """C = −½ Σ s²: −J = −1; the paper's +α·s_j makes it so, and −α·s_j would mend it."""
    found = diagnose(lambda labels, scores: (scores, np.ones(scores.size)), Y, SCORES)
    assert found.convex is not None
    assert found.convex.violation == pytest.approx(1.0)
    mended = diagnose(lambda labels, scores: (-scores, np.ones(scores.size)), Y, SCORES)
    assert mended.convex is not None
    assert mended.convex.holds


def test_constant_lambdas_have_a_cost() -> None:
    """Burges 2006 section 4: for constant λ's both conditions are trivially satisfied."""
    found = diagnose(lambda labels, scores: (labels - labels.mean(), np.ones(labels.size)), Y, SCORES)
    assert found.balanced.holds
    assert found.symmetric.holds
    assert found.across_ranks.holds
    assert found.convex is not None
    assert found.convex.holds


def test_equal_scores_are_set_apart_and_that_is_said() -> None:
    found = diagnose(ranknet, Y, np.zeros(20))
    assert found.symmetric.holds
    assert found.moved == pytest.approx(19 * MIN_GAP)
    assert "equal ones were set apart, by at most 0.00076" in str(found)
    assert diagnose(ranknet, Y, SCORES).moved == 0


def test_a_diagnosis_is_plain_data() -> None:
    found = diagnose("auc", Y, SCORES).to_dict()
    assert json.loads(json.dumps(found))["n"] == 20
    assert found["symmetric"]["holds"] is True


def test_what_cannot_be_diagnosed_is_refused() -> None:
    with pytest.raises(DataError, match="a query of 1 document has no pairs to examine"):
        diagnose(ranknet, [1], [0])
    with pytest.raises(ShapeError, match="one entry per row, got 2 and 3"):
        diagnose(ranknet, [1, 0], [0, 1, 2])
    with pytest.raises(DataError, match="tolerance must be between 0 and 1, got 0"):
        diagnose(ranknet, [1, 0], [0, 1], tolerance=0)
    with pytest.raises(DataError, match=r"within ±1e.08 .* got 1000000000000.0 at row 1; subtract their mean"):
        diagnose(ranknet, [1, 0], [0, 1e12])
