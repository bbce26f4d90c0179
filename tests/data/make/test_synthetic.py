"""Made data has the properties its docstrings state."""

from __future__ import annotations

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import cubic, polynomial, r_of_k, topics, web
from rankwise.data.make._synthetic import CUBIC_SHARES, MSLR_SHARES
from rankwise.errors import DataError
from tests.reference.cubic_by_definition import cubic_rows


def shares(y):
    return np.bincount(y.astype(int)) / len(y)


@pytest.mark.parametrize(
    "make",
    [
        lambda s: cubic(20, seed=s),
        lambda s: polynomial(20, seed=s),
        lambda s: web(20, 30, seed=s),
        lambda s: r_of_k(seed=s),
        lambda s: topics(3, 50, seed=s),
    ],
)
def test_the_seed_decides_everything(make) -> None:
    one, same, other = make(3), make(3), make(4)
    assert (one.X == same.X).all()
    assert (one.y == same.y).all()
    assert one.X.shape != other.X.shape or (one.X != other.X).any()


@pytest.mark.parametrize("make", [cubic, polynomial])
def test_polynomials_have_uniform_features_and_five_skewed_grades(make) -> None:
    data = make(200, documents=30, features=10)
    assert data.X.shape == (6000, 10)
    assert (data.groups.sizes == 30).all()
    np.testing.assert_allclose([data.X.min(), data.X.max(), data.X.var()], [-1, 1, 1 / 3], atol=0.01)
    np.testing.assert_allclose(shares(data.y), CUBIC_SHARES, atol=1e-3)
    assert len(shares(make(50, grades=2).y)) == 2
    assert make(1, documents=1, features=1).y.size == 1
    with pytest.raises(DataError, match="grades must be from 2 to 5, got 9"):
        make(10, grades=9)


@pytest.mark.parametrize("features", [1, 2, 7, 50])
def test_cubic_is_the_recipe_of_burges_2005(features) -> None:
    data = cubic(40, documents=10, features=features, seed=features)
    reference = cubic_rows(400, features, seed=features)
    np.testing.assert_array_equal(data.X, np.array(reference.X, dtype=np.float32))
    expected = np.array(reference.grades(list(CUBIC_SHARES)))
    decided = expected >= 0
    assert decided.sum() >= 392
    np.testing.assert_array_equal(data.y[decided], expected[decided])


def test_the_three_terms_of_cubic_count_alike() -> None:
    """Burges 2005: each is scaled to mean 0 and variance 1; grades then go with each of them equally."""
    data, reference = cubic(400, features=50, seed=2), cubic_rows(20_000, 50, seed=2)
    terms = np.array(reference.terms)
    np.testing.assert_allclose(terms.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(terms.std(axis=0), 1)
    np.testing.assert_allclose(np.corrcoef(terms.T), np.eye(3), atol=0.05)
    with_grades = np.corrcoef(terms.T, data.y)[3, :3]
    np.testing.assert_allclose(with_grades, with_grades.mean(), atol=0.04)
    value = terms.mean(axis=1)
    assert value.var() == pytest.approx(1 / 3, abs=0.02)
    order = np.argsort(value)
    assert (np.diff(data.y[order]) >= 0).mean() > 0.999


@pytest.mark.parametrize("make", [cubic, polynomial])
def test_polynomials_are_not_linear(make) -> None:
    from sklearn.linear_model import LinearRegression

    data = make(400, features=5)
    assert LinearRegression().fit(data.X, data.y).score(data.X, data.y) < 0.9


@pytest.mark.parametrize("r", [1, 8, 15, 30])
@pytest.mark.parametrize("positive", [0.5, 0.9])
def test_r_of_k_is_a_threshold_function(r, positive) -> None:
    data = r_of_k(rows=400, features=30, k=30, r=r, positive=positive, noise=0)
    assert data.y.sum() == round(400 * positive)
    assert set(np.unique(data.X)) == {-1, 1}
    assert data.groups.n_queries == 1
    assert (((data.X > 0).sum(axis=1) >= r) == (data.y == 1)).all()


def test_r_of_k_has_k_features_that_matter() -> None:
    data = r_of_k(rows=2000, features=100, k=30, r=1, noise=0)
    negative = data.X[data.y == 0]
    assert (negative == -1).all(axis=0).sum() == 30


def test_r_of_k_is_uniform_given_the_label() -> None:
    """Against rejection sampling, where that is possible: the counts of +1 have the same distribution."""
    data = r_of_k(rows=20_000, features=10, k=10, r=5, noise=0, seed=1)
    uniform = np.random.default_rng(2).random((200_000, 10)) < 0.5
    for label in (0, 1):
        bits = data.X[data.y == label] > 0
        accepted = uniform[(uniform.sum(axis=1) >= 5) == label]
        np.testing.assert_allclose(
            np.bincount(bits.sum(axis=1), minlength=11) / len(bits),
            np.bincount(accepted.sum(axis=1), minlength=11) / len(accepted),
            atol=0.015,
        )
        np.testing.assert_allclose(bits.mean(axis=0), accepted.mean(), atol=0.02)


def test_noise_flips_labels() -> None:
    clean, noisy = r_of_k(rows=5000, noise=0, seed=5), r_of_k(rows=5000, noise=0.15, seed=5)
    assert (clean.X == noisy.X).all()
    assert abs((clean.y != noisy.y).mean() - 0.15) < 0.02


def test_r_of_k_refuses() -> None:
    with pytest.raises(DataError, match="must hold, got r=9, k=5"):
        r_of_k(k=5, r=9)


def test_web() -> None:
    data = web(300, 40, seed=2)
    sizes = data.groups.sizes
    assert data.n_features == 136
    assert sizes.min() >= 1
    assert abs(sizes.mean() - 40) < 4
    assert len(np.unique(sizes)) > 20
    np.testing.assert_allclose(shares(data.y), MSLR_SHARES, atol=2e-3)
    assert 0.3 < (data.X == 0).mean() < 0.8
    assert np.isfinite(data.X).all()
    # Features of a group go together, and with the label.
    assert np.corrcoef(data.X[:, 0] > 0, data.X[:, 1] > 0)[0, 1] > 0.2
    assert max(abs(np.corrcoef(np.log1p(data.X[:, c]), data.y)[0, 1]) for c in range(20)) > 0.1


def test_web_makes_small_data() -> None:
    assert len(web(1, 1, features=1)) >= 1
    with pytest.raises(DataError, match="must be positive, got 0, 10, 136"):
        web(0, 10)


def test_topics_are_long_lists_with_few_relevant_documents() -> None:
    data = topics(queries=20, documents=500, features=10, relevant=0.02, seed=3)
    assert data.groups.sizes.tolist() == [500] * 20
    assert set(data.y.tolist()) == {0.0, 1.0}
    relevant = np.add.reduceat(data.y, data.groups.offsets[:-1])
    assert relevant.min() >= 1
    assert 0.015 < data.y.mean() < 0.025
    for start in data.groups.offsets[:-1]:
        X = data.X[start : start + 500]
        assert X.min(axis=0).tolist() == [0.0] * 10
        assert X.max(axis=0).tolist() == [1.0] * 10


def test_topics_can_be_learnt_but_not_fully() -> None:
    data = topics(queries=40, documents=300, seed=2)
    train, test = data.rows(data.qid < 20), data.rows(data.qid >= 20)
    model = rw.RankSVM("auc").fit(train.X, train.y, qid=train.qid)
    assert 0.8 < model.score(test.X, test.y, test.qid) < 0.999


@pytest.mark.parametrize(
    "bad", [{"queries": 0}, {"documents": 0}, {"features": 0}, {"relevant": 0.0}, {"relevant": 1.0}]
)
def test_topics_refuses(bad) -> None:
    with pytest.raises(DataError, match="must be positive"):
        topics(**{"queries": 2, "documents": 10, **bad})
