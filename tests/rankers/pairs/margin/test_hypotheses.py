"""Features, stumps and functions as hypotheses: one meaning in every form, and the best of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.errors import DataError
from rankwise.rankers.pairs.margin._hypotheses import FeatureHypotheses, Scale, StumpHypotheses, function_values
from tests.reference import stumps_by_definition as slow

RNG = np.random.default_rng(0)
DENSE = np.where(RNG.random((50, 7)) < 0.4, 0.0, np.round(RNG.normal(size=(50, 7)) * 4))
DENSE[:, 5] = 3.0  # constant
ALL: dict[str, Any] = {
    "dense": DENSE,
    "single precision": DENSE.astype(np.float32),
    "columns first": np.asfortranarray(DENSE),
    "sparse": sp.csr_matrix(DENSE),
    "sparse, single": sp.csr_matrix(DENSE.astype(np.float32)),
}


def written_out(form):
    """Hypotheses, and a function that gives the values of a key on all rows."""
    X = ALL[form.removeprefix("stumps ")]
    if form.startswith("stumps "):
        return StumpHypotheses(X), lambda key: key[2] * slow.side(DENSE[:, key[0]], key[1])
    low, high = DENSE.min(axis=0), DENSE.max(axis=0)
    scaled = np.where(high > low, 2.0 * (DENSE - low) / np.where(high > low, high - low, 1.0) - 1.0, 0.0)
    return FeatureHypotheses(X, Scale.of(X)), lambda key: scaled[:, key] if key >= 0 else -scaled[:, -key - 1]


FORMS = [*ALL, *(f"stumps {name}" for name in ALL)]


@pytest.mark.parametrize("form", FORMS)
def test_scores_values_and_edges_are_those_of_the_hypotheses(form) -> None:
    hypotheses, value = written_out(form)
    u = RNG.normal(size=50)
    keys, highest = hypotheses.best(hypotheses.pricing(u), 4)
    keys = [*keys, hypotheses.opposite(keys[1])]
    H = np.column_stack([value(key) for key in keys])
    assert np.abs(H).max() <= 1.0 + 1e-15
    alpha = RNG.dirichlet(np.ones(5))
    assert np.allclose(hypotheses.scores(keys, alpha), H @ alpha, rtol=0.0, atol=1e-14)
    rows = np.array([3, 3, 0, 49, 17])
    assert np.allclose(hypotheses.values(keys, rows), H[rows], rtol=0.0, atol=1e-14)
    assert np.allclose(hypotheses.edges(hypotheses.pricing(u), keys), 0.5 * u @ H, rtol=0.0, atol=1e-13)
    assert hypotheses.edges(hypotheses.pricing(u), keys[:1])[0] == pytest.approx(highest)
    assert np.array_equal(value(hypotheses.opposite(keys[2])), -value(keys[2]))


@pytest.mark.parametrize("form", FORMS)
def test_memories_are_linear_in_the_weights(form) -> None:
    hypotheses, _ = written_out(form)
    u, v = RNG.normal(size=(2, 50))
    mixed = 0.25 * hypotheses.pricing(u) + 0.75 * hypotheses.pricing(v)
    assert np.allclose(hypotheses.pricing(0.25 * u + 0.75 * v), mixed, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_the_best_have_the_largest_edges_of_all(form) -> None:
    hypotheses, value = written_out(form)
    for seed in range(5):
        u = np.random.default_rng(seed).normal(size=50)
        keys, highest = hypotheses.best(hypotheses.pricing(u), 3)
        edges = [0.5 * u @ value(key) for key in keys]
        if form.startswith("stumps"):
            expected = [0.5 * stump[0] for stump in slow.best_stumps(DENSE, u)]
        else:
            expected = sorted((abs(0.5 * u @ value(k)) for k in range(7)), reverse=True)
        assert np.allclose(edges, expected[:3], rtol=0.0, atol=1e-13)
        assert highest == pytest.approx(expected[0])
        assert len(keys) == len(set(keys)) == 3


def test_functions_are_used_as_they_are() -> None:
    """No negatives: the best may have an edge below 0."""
    H = RNG.uniform(-1, 1, (50, 3))
    hypotheses = FeatureHypotheses(H, Scale.none(3), both=False)
    u = -H.sum(axis=1)
    keys, highest = hypotheses.best(hypotheses.pricing(u), 3)
    edges = 0.5 * u @ H
    assert keys == np.argsort(-edges).tolist()
    assert highest == pytest.approx(edges.max())
    assert highest < 0.0
    assert hypotheses.opposite(1) is None


def test_a_stump_is_found_where_none_has_an_edge() -> None:
    for X in (DENSE, sp.csr_matrix(DENSE), np.where(DENSE > 3, np.nan, DENSE)):
        hypotheses = StumpHypotheses(X)
        keys, highest = hypotheses.best(np.zeros(50), 3)
        assert highest == 0.0
        assert len(keys) == 1
        assert np.ptp(hypotheses.values(keys, np.arange(50))) > 0.0


@pytest.mark.parametrize(
    "X", [np.ones((4, 2)), np.full((4, 2), np.nan), sp.csr_matrix((4, 2)), sp.csr_matrix(np.ones((4, 2)))], ids=str
)
def test_features_must_vary(X) -> None:
    with pytest.raises(DataError, match="no feature varies"):
        StumpHypotheses(X).best(np.array([0.5, 0.5, -0.5, -0.5]), 1)
    if not isinstance(X, np.ndarray) or not np.isnan(X).any():
        with pytest.raises(DataError, match="no feature varies"):
            FeatureHypotheses(X, Scale.of(X))


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 5e-324), (-1.7e308, 1.7e308), (1e300, 1.000001e300), (-1e-300, 1e-300), (1.0, np.nextafter(1.0, 2.0))],
)
def test_features_of_any_size_are_scaled_without_overflow(low, high) -> None:
    X = np.array([[low, 0.0], [high, 1.0], [low, 1.0]])
    for matrix in (X, sp.csr_matrix(X)):
        hypotheses = FeatureHypotheses(matrix, Scale.of(matrix))
        values = hypotheses.values([0, -1, 1], np.arange(3))
        assert np.abs(values).max() <= 1.0 + 1e-9
        assert values[:, 2].tolist() == [-1.0, 1.0, 1.0]
        assert np.isfinite(hypotheses.scores([0, 1], np.array([0.5, 0.5]))).all()
        assert np.isfinite(hypotheses.pricing(np.array([1.0, -0.5, -0.5]))).all()


def test_a_large_offset_costs_no_precision() -> None:
    """A time stamp, say: what the feature varies by is a trillionth of it."""
    offset, small = 1e12, RNG.integers(0, 64, 50) / 64.0
    X = np.column_stack([offset + small, small])
    for matrix in (X, sp.csr_matrix(X)):
        hypotheses = FeatureHypotheses(matrix, Scale.of(matrix))
        u = RNG.normal(size=50)
        u -= u.mean()
        assert np.allclose(*(hypotheses.scores([k], np.ones(1)) for k in (0, 1)), rtol=0.0, atol=1e-9)  # type: ignore[arg-type, misc]
        edges = hypotheses.edges(hypotheses.pricing(u), [0, 1])
        assert edges[0] == pytest.approx(edges[1], abs=1e-9)


FUNCTIONS = {
    "too large": (lambda X: X[:, 0] * 9.0, r"from -1 to 1 per row, got shape \(50,\), largest"),
    "a matrix": (lambda X: X, r"got shape \(50, 7\)"),
    "a number": (lambda X: 0.5, r"got shape \(\), largest 0.5"),
    "NaN": (lambda X: X[:, 0] * np.nan, "largest nan"),
    "None": (lambda X: None, r"got shape \(\)"),
    "words": (lambda X: np.array(["a"] * 50), "must give one number from -1 to 1 per row"),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions_that_are_no_hypotheses(case) -> None:
    wrong, message = FUNCTIONS[case]
    with pytest.raises(DataError, match=message) as caught:
        function_values([lambda X: np.tanh(X[:, 0]), wrong], DENSE)  # type: ignore[arg-type]
    assert "hypothesis 1" in str(caught.value)
    assert "\n" not in str(caught.value)
