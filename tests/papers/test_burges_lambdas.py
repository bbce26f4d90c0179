"""Burges 2006 (Burges et al.), sections 4 to 6.2: its λ-functions, each against its cost or its printed formula."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from rankwise.errors import DataError
from rankwise.objectives import lambda_gradients
from rankwise.objectives.lambdas._custom import CustomLambda
from rankwise.objectives.lambdas.examples import (
    finite_differences,
    ndcg_ranknet,
    nearest_neighbours,
    ranknet,
    regularized,
    springs,
    step_potentials,
)
from tests.reference.lambdas_by_definition import finite_difference_lambdas

RNG = np.random.default_rng(0)
Y = RNG.choice(5, 12, p=[0.4, 0.3, 0.15, 0.1, 0.05]).astype(float)
SCORES = RNG.normal(size=12)


def pairs() -> list[tuple[int, int]]:
    """The better document first."""
    return [(i, j) for i in range(Y.size) for j in range(Y.size) if Y[i] > Y[j]]


def gradient_of(cost: Any, step: float = 1e-6) -> np.ndarray:
    moved = SCORES + step * np.eye(Y.size)
    back = SCORES - step * np.eye(Y.size)
    return np.array([(cost(up) - cost(down)) / (2 * step) for up, down in zip(moved, back, strict=True)])


def delta_ndcg(i: int, j: int) -> float:
    """|ΔNDCG| of (9), ranks from 1."""
    place = np.empty(Y.size)
    place[np.argsort(-SCORES)] = np.arange(1, Y.size + 1)
    best = sum((2**label - 1) / math.log(1 + rank) for rank, label in enumerate(sorted(Y, reverse=True), start=1))
    return float(abs((2 ** Y[i] - 2 ** Y[j]) * (1 / math.log(1 + place[i]) - 1 / math.log(1 + place[j])) / best))


def test_ranknet_is_the_gradient_of_equation_8() -> None:
    def cost(s: np.ndarray) -> float:
        return sum(s[j] - s[i] + math.log(1 + math.exp(s[i] - s[j])) for i, j in pairs())

    gradient, hessian = CustomLambda(ranknet, Y).gradients(SCORES)
    np.testing.assert_allclose(gradient, gradient_of(cost), atol=1e-7)
    second = [gradient_of(lambda s, k=k: CustomLambda(ranknet, Y).gradients(s)[0][k])[k] for k in range(Y.size)]
    np.testing.assert_allclose(hessian, second, atol=1e-7)


def test_scaled_ranknet_is_equation_9_pair_by_pair() -> None:
    printed = np.zeros(Y.size)
    for i, j in pairs():
        force = delta_ndcg(i, j) / (1 + math.exp(SCORES[i] - SCORES[j]))
        printed[i] += force  # "the more relevant document gets the positive increment"
        printed[j] -= force
    np.testing.assert_allclose(CustomLambda(ndcg_ranknet, Y).gradients(SCORES)[0], -printed, atol=1e-14)


def test_scaled_ranknet_is_what_training_on_ndcg_uses() -> None:
    n = 2000
    y, qid = RNG.integers(0, 5, n), RNG.integers(0, 60, n)
    for scores in (RNG.normal(size=n), RNG.integers(0, 9, n) * 0.5, np.zeros(n), 1e3 * RNG.normal(size=n)):
        for found, metric in zip(
            CustomLambda(ndcg_ranknet, y, qid).gradients(scores),
            lambda_gradients("ndcg", y, scores, qid, norm=None),
            strict=True,
        ):
            np.testing.assert_allclose(found, metric, atol=1e-7 * np.abs(metric).max())


def test_springs_obey_hookes_law_and_can_all_rest_at_once() -> None:
    def cost(s: np.ndarray) -> float:
        return sum(0.5 * 3.0 * (2.0 * (Y[i] - Y[j]) - (s[i] - s[j])) ** 2 for i, j in pairs())

    objective = CustomLambda(springs(3.0, 2.0), Y)
    gradient, hessian = objective.gradients(SCORES)
    np.testing.assert_allclose(gradient, gradient_of(cost), atol=1e-5)
    np.testing.assert_allclose(hessian, [3.0 * np.count_nonzero(Y - label) for label in Y])
    np.testing.assert_allclose(objective.gradients(2.0 * Y + 100.0)[0], 0.0, atol=1e-12)


def test_steps_push_by_the_ndcg_gain_until_the_margin() -> None:
    margin = 0.6
    expected, curvature = np.zeros(Y.size), np.zeros(Y.size)
    for i, j in pairs():
        if SCORES[i] - SCORES[j] < margin:
            expected[[i, j]] += np.array([-1.0, 1.0]) * delta_ndcg(i, j)
            curvature[[i, j]] += delta_ndcg(i, j) / margin
    gradient, hessian = CustomLambda(step_potentials(margin), Y).gradients(SCORES)
    np.testing.assert_allclose(gradient, expected, atol=1e-14)
    np.testing.assert_allclose(hessian, curvature, atol=1e-14)


def test_only_neighbours_in_rank_push_each_other() -> None:
    order = np.argsort(-SCORES)
    expected = np.zeros(Y.size)
    for above, below in itertools.pairwise(order):
        i, j = (above, below) if Y[above] > Y[below] else (below, above)
        if Y[i] > Y[j]:
            force = delta_ndcg(i, j) / (1 + math.exp(SCORES[i] - SCORES[j]))
            expected[[i, j]] += [-force, force]
    np.testing.assert_allclose(CustomLambda(nearest_neighbours(), Y).gradients(SCORES)[0], expected, atol=1e-14)


@pytest.mark.slow
def test_neighbours_that_reach_everywhere_are_all_pairs() -> None:
    far, every = (CustomLambda(f, Y).gradients(SCORES) for f in (nearest_neighbours(Y.size), ndcg_ranknet))
    np.testing.assert_array_equal(far, every)


def ndcg(ranked: list[float]) -> float:
    """Burges 2006 (1), without truncation."""

    def dcg(labels: list[float]) -> float:
        return sum((2**label - 1) / math.log(1 + rank) for rank, label in enumerate(labels, start=1))

    return dcg(ranked) / dcg(sorted(ranked, reverse=True))


@pytest.mark.parametrize("step", [1e-3, 0.3, 1.0, 50.0])
def test_finite_differences_are_those_of_ndcg(step: float) -> None:
    gradient, hessian = CustomLambda(finite_differences(step), Y).gradients(SCORES)
    expected = np.array(finite_difference_lambdas(ndcg, Y, SCORES, step))
    np.testing.assert_allclose(gradient, -expected, atol=1e-13 / step)
    np.testing.assert_allclose(hessian, np.abs(expected) / step, atol=1e-13 / step**2)


def test_a_document_passes_equal_ones_but_not_those_a_whole_step_away() -> None:
    y, scores = np.array([0.0, 3, 1, 0]), np.array([2.0, 1, 1, 0])
    found = -CustomLambda(finite_differences(1.0), y).gradients(scores)[0]
    above, below = (scores + np.array([0.0, nudge, 0.0, 0.0]) for nudge in (1e-9, -1e-9))
    either = [finite_difference_lambdas(ndcg, y, apart, 1.0 - 1e-6) for apart in (above, below)]
    assert any(np.allclose(found, one, rtol=1e-5) for one in either)


def test_regularization_adds_alpha_to_the_curvature() -> None:
    """Section 4, with the sign that (3) asks for: the cost gains α/2 · Σ s²."""

    def cost(s: np.ndarray) -> float:
        pair_cost = sum(s[j] - s[i] + math.log(1 + math.exp(s[i] - s[j])) for i, j in pairs())
        return float(pair_cost + 0.5 * 0.7 * np.square(s).sum())

    plain = CustomLambda(ranknet, Y).gradients(SCORES)
    gradient, hessian = CustomLambda(regularized(ranknet, 0.7), Y).gradients(SCORES)
    np.testing.assert_allclose(gradient, gradient_of(cost), atol=1e-7)
    np.testing.assert_allclose(hessian, plain[1] + 0.7)
    uncompiled = regularized(lambda labels, scores: ([0.0] * labels.size, [1.0] * labels.size), 2.0)
    np.testing.assert_allclose(CustomLambda(uncompiled, Y).gradients(SCORES)[0], 2.0 * SCORES)


@pytest.mark.parametrize(
    "function",
    [ranknet, ndcg_ranknet, springs(3.0, 2.0), step_potentials(0.6), nearest_neighbours(), finite_differences(0.6)],
)
def test_every_family_is_balanced_and_finite(function: Any) -> None:
    """Section 4: the forces sum to zero; lists of one document or one grade have none."""
    for scores in (SCORES, 1e3 * SCORES, np.zeros(12)):
        gradient, hessian = CustomLambda(function, Y).gradients(scores)
        assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()
        assert (hessian >= 0).all()
    for y in ([3], [0, 0], [2, 2, 2]):
        assert not np.any(CustomLambda(function, y).gradients(np.arange(len(y))))


def test_wrong_parameters_are_named() -> None:
    with pytest.raises(DataError, match="stiffness must be a positive number, got 0"):
        springs(stiffness=0)
    with pytest.raises(DataError, match="length must be a positive number, got -1"):
        springs(length=-1)
    with pytest.raises(DataError, match="margin must be a positive number, got nan"):
        step_potentials(float("nan"))
    with pytest.raises(DataError, match="step must be a positive number, got 0"):
        finite_differences(0)
    with pytest.raises(DataError, match="alpha must be a positive number, got -1"):
        regularized(ranknet, -1)
    with pytest.raises(DataError, match="reach must be a whole number of at least 1, got 0"):
        nearest_neighbours(0)
