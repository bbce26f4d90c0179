"""Stumps and the search for the best against their definitions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.errors import ModelFileError, ShapeError
from rankwise.kernels import _threads as threads
from rankwise.rankers.pairs.stumps._search import StumpSearch
from rankwise.rankers.pairs.stumps._stumps import Stumps
from tests.reference import stumps_by_definition as slow

RNG = np.random.default_rng(0)


def _sparse(rows=60, columns=9):
    X = np.where(RNG.random((rows, columns)) < 0.25, RNG.integers(-3, 4, (rows, columns)), 0.0)
    X[:, 0], X[:, 1] = 0.0, 2.0  # constant: no entry, and all entries
    X[:, 2], X[:, 3], X[:, 4] = np.abs(X[:, 2]), -np.abs(X[:, 3]), X[:, 4] - 10.0
    return X


MATRICES = {
    "continuous": RNG.normal(size=(80, 6)),
    "float32": RNG.normal(size=(80, 6)).astype(np.float32),
    "few values": RNG.integers(0, 4, (70, 5)).astype(float),
    "missing": np.where(RNG.random((60, 5)) < 0.3, np.nan, RNG.normal(size=(60, 5))),
    "all missing but one": np.where(np.arange(60)[:, None] == 7, 1.0, np.full((60, 3), np.nan)),
    "columns first": np.asfortranarray(RNG.normal(size=(50, 4))),
    "mostly zeros": _sparse(),
    "mostly zeros, missing": np.where(RNG.random((60, 9)) < 0.1, np.nan, _sparse()),
    "two rows": np.array([[1.0, 2.0], [1.0, 3.0]]),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("balanced", [True, False])
def test_the_best_are_those_of_all_stumps(name, form, balanced) -> None:
    X = MATRICES[name]
    u = np.random.default_rng(1).normal(size=len(X))
    u -= u.mean() * balanced
    expected = slow.best_stumps(X, u)
    actual: Any = StumpSearch(sp.csr_matrix(X) if form == "sparse" else X).best(u, X.shape[1])
    edges = [stump[0] for stump in expected]
    assert np.allclose(actual[3], edges, rtol=1e-13, atol=1e-13)
    assert actual[0].tolist() == [stump[1] for stump in expected]
    assert actual[1].tolist() == [stump[2] for stump in expected]
    assert actual[2].tolist() == [stump[3] for stump in expected]
    fewer: Any = StumpSearch(X).best(u, 2)
    assert all(np.array_equal(part, longer[:2]) for part, longer in zip(fewer, actual, strict=True))


@pytest.mark.parametrize("name", MATRICES)
def test_values_are_the_sides_of_rows(name) -> None:
    X = MATRICES[name]
    searches = StumpSearch(X), StumpSearch(sp.csr_matrix(X))
    for feature, threshold in slow.all_stumps(X):
        expected = slow.side(X[:, feature].astype(float), threshold)
        for search in searches:
            assert np.array_equal(search.values(feature, threshold), expected)


def test_equal_edges_go_to_the_lowest_feature_and_threshold() -> None:
    column = np.array([0.0, 1.0, 2.0, 3.0])
    X = np.column_stack([np.zeros(4), -column, column, column])
    for features in (X, sp.csr_matrix(X)):
        actual = StumpSearch(features).best(np.array([0.1, -0.3, 0.3, -0.1]), 4)  # |edge| .2, .4, .2 at three cuts
        assert actual[0].tolist() == [1, 2, 3]
        assert actual[1].tolist() == [-1.5, 1.5, 1.5]
        assert np.array_equal(actual[3], np.full(3, actual[3][0]))
        actual = StumpSearch(features).best(np.array([0.1, 0.0, 0.0, -0.1]), 1)
        assert (actual[0][0], actual[1][0], actual[2][0]) == (1, -2.5, 1)


@pytest.mark.parametrize("seed", range(6))
def test_of_many_equal_edges_the_lowest_threshold_is_found(seed) -> None:
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((400, 4)) < [0.0, 0.5, 0.9, 0.9], 0.0, rng.normal(size=(400, 4)))
    X[:, 2], X[:, 3] = np.abs(X[:, 2]), -np.abs(X[:, 3])
    u = rng.integers(-1, 2, 400).astype(float)
    expected = slow.best_stumps(X, u)
    for features in (X, sp.csr_matrix(X)):
        actual = StumpSearch(features).best(u, 4)
        assert list(zip(actual[3], actual[0], actual[1], actual[2], strict=True)) == expected


def test_a_bin_that_can_be_no_better_than_others_may_hold_the_lowest_threshold() -> None:
    u = np.repeat([-1.0, 1.0, -1.0, 0.0, 1.0], 16)  # the edge is 32 within the first 32 rows, and within the next
    actual = StumpSearch(np.arange(80.0)[:, None]).best(u)
    assert [part.tolist() for part in actual] == [[0], [15.5], [1], [32.0]]


EXTREMES = [
    [np.nextafter(1.0, 2.0), 1.0],
    [-1e308, 1.7e308],
    [1.6e308, 1.7e308],
    [-1.7e308, -1.6e308],
    [0.0, 5e-324],
    [-5e-324, 0.0],
    [5e-324, 1e-323],
    [np.float32(1e-45), np.float32(0.0)],
    [np.float32(3e38), np.float32(-3e38)],
    [np.nextafter(np.float32(1.0), np.float32(2.0)), np.float32(1.0)],
]


@pytest.mark.parametrize("two", EXTREMES, ids=str)
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_thresholds_separate_any_two_values_also_from_a_file(two, form) -> None:
    X = np.array(two, dtype=np.asarray(two).dtype)[:, None]
    features = sp.csr_matrix(X) if form == "sparse" else X
    feature, threshold, sign, edge = StumpSearch(features).best(np.array([1.0, -1.0]))
    assert edge.tolist() == [2.0]
    stumps = Stumps.from_state(json.loads(json.dumps(Stumps.of(feature, threshold, sign, [0.5]).to_state())), 1)
    for matrix in (X, features, X.astype(np.float64)):
        assert stumps.scores(matrix).tolist() == [0.5, -0.5]


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_weights_of_any_size_are_summed_to_the_last_digit(scale) -> None:
    X = RNG.normal(size=(200, 3))
    u = np.exp(RNG.normal(size=200, scale=8)) * np.where(RNG.random(200) < 0.5, -1, 1)
    u *= scale / np.abs(u).max()
    actual = StumpSearch(X).best(u, 3)
    assert np.allclose(actual[3], [stump[0] for stump in slow.best_stumps(X, u)], rtol=1e-13, atol=0.0)


def _long_columns(rows=7000):
    rng = np.random.default_rng(4)
    continuous, zeros = rng.normal(size=rows), rng.random(rows) < 0.6
    return np.column_stack(
        [
            continuous,
            np.where(zeros, 0.0, continuous),
            np.where(zeros, np.nan, np.exp(4 * continuous)),
            np.round(continuous),
            np.round(300 * continuous),
            zeros,
            np.where(rng.random(rows) < 0.5, -1.0, np.round(20 * continuous)),
            rng.permutation(rows),
        ]
    )


@pytest.mark.parametrize("skew", [0.0, 3.0], ids=["even weights", "few heavy weights"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_long_columns_are_searched_whole(skew, kind) -> None:
    X, rng = _long_columns().astype(kind), np.random.default_rng(5)
    for noise in (0.0, 1.0):
        signal = np.sin(2 * np.nan_to_num(X[:, 0])) + noise * rng.normal(size=len(X))
        u = np.sign(signal) * np.exp(skew * rng.normal(size=len(X)))
        u -= u.mean() * (1 - noise)
        edges = []
        for column in X.T:
            present = ~np.isnan(column)
            at = np.unique(column[present], return_inverse=True)[1]
            edges.append(np.abs(u[present].sum() - 2 * np.cumsum(np.bincount(at, u[present]))[:-1]).max())
        for features in (X, sp.csr_matrix(X)):
            search: Any = StumpSearch(features)
            actual: Any = search.best(u, X.shape[1])
            assert np.allclose(actual[3], np.sort(edges)[::-1], rtol=1e-10)
            assert np.allclose(np.array(edges)[actual[0]], actual[3], rtol=1e-10)
            assert all(
                np.array_equal(stump, several[:1]) for stump, several in zip(search.best(u), actual, strict=True)
            )
            for feature, threshold, sign, edge in zip(*actual, strict=True):
                assert np.dot(u, sign * search.values(feature, threshold)) == pytest.approx(edge, rel=1e-10)


def test_no_weights_no_stumps() -> None:
    actual = StumpSearch(MATRICES["continuous"]).best(np.zeros(80), 3)
    assert [part.size for part in actual] == [0, 0, 0, 0]
    with pytest.raises(ShapeError, match="each of the 80 rows, got shape"):
        StumpSearch(MATRICES["continuous"]).best(np.zeros(79))


def test_neither_row_order_nor_threads_change_a_bit(monkeypatch) -> None:
    X = RNG.integers(0, 50, (40_000, 7)).astype(np.float32)
    u, order = RNG.normal(size=len(X)), RNG.permutation(len(X))
    expected = StumpSearch(X).best(u, 7)
    for count in ("1", "3"):
        monkeypatch.setenv("RANKWISE_NUM_THREADS", count)
        assert threads.thread_count() == int(count)
        for rows, weights in ((X, u), (X[order], u[order]), (sp.csr_matrix(X), u)):
            actual = StumpSearch(rows).best(weights, 7)
            assert all(np.array_equal(a, b) for a, b in zip(actual, expected, strict=True))  # type: ignore[arg-type]


def _stumps(count=40, columns=9):
    thresholds = np.round(RNG.normal(size=count) * 2) / 2
    signs = np.where(RNG.random(count) < 0.5, -1, 1)
    return Stumps.of(RNG.integers(0, columns, count), thresholds, signs, RNG.random(count))


@pytest.mark.parametrize("name", ["mostly zeros", "mostly zeros, missing"])
def test_scores_and_parts_are_sums_over_stumps(name) -> None:
    X, stumps = MATRICES[name], _stumps()
    expected = slow.scores(X, stumps.feature, stumps.threshold, stumps.sign, stumps.weight)
    repeated: Any = sp.coo_matrix(X)
    repeated = sp.csr_matrix(
        (
            np.repeat(repeated.data / 2, 2),
            np.repeat(repeated.col, 2),
            np.append(0, 2 * np.cumsum(np.bincount(repeated.row, minlength=len(X)))),
        ),
        shape=X.shape,
    )
    for stump in (stumps, stumps.merged(), stumps[np.argsort(stumps.weight)]):
        for matrix in (X, X.astype(np.float32), np.asfortranarray(X), sp.csr_matrix(X), repeated):
            assert np.allclose(stump.scores(matrix), expected, rtol=0, atol=1e-13)
        assert np.allclose(stump.contributions(X).sum(axis=1), expected, rtol=0, atol=1e-13)
    assert np.array_equal(stumps.contributions(X)[:, 4], stumps[stumps.feature == 4].scores(X))


def test_equal_stumps_are_merged_and_those_that_cancel_left_out() -> None:
    merged = Stumps.of(
        [1, 0, 1, 2, 2, 1], [0.5, 0.5, 0.5, 1.0, 1.0, 0.25], [1, 1, -1, 1, -1, 1], [3, 1, 1, 2, 2, 1]
    ).merged()
    assert merged.to_state() == {
        "feature": [0, 1, 1],
        "threshold": [0.5, 0.25, 0.5],
        "sign": [1, 1, 1],
        "weight": [1, 1, 2],
    }
    assert merged.importances(3).tolist() == [0.25, 0.75, 0.0]
    none = Stumps.of([2, 2], [1.0, 1.0], [1, -1], [2, 2])
    assert (
        none.scores(np.ones((3, 3))).tolist() == [0.0, 0.0, 0.0] == none.scores(sp.csr_matrix(np.ones((3, 3)))).tolist()
    )
    assert none.merged().importances(3).tolist() == [0.0, 0.0, 0.0]


BROKEN = {
    "no object": [],
    "a list is lacking": {"feature": [0], "threshold": [0.0], "sign": [1]},
    "lengths": {"feature": [0, 1], "threshold": [0.0], "sign": [1], "weight": [1.0]},
    "a feature that is not there": {"feature": [3], "threshold": [0.0], "sign": [1], "weight": [1.0]},
    "a negative feature": {"feature": [-1], "threshold": [0.0], "sign": [1], "weight": [1.0]},
    "a broken feature": {"feature": [0.5], "threshold": [0.0], "sign": [1], "weight": [1.0]},
    "true": {"feature": [True], "threshold": [0.0], "sign": [1], "weight": [1.0]},
    "NaN": {"feature": [0], "threshold": [float("nan")], "sign": [1], "weight": [1.0]},
    "text": {"feature": [0], "threshold": ["0"], "sign": [1], "weight": [1.0]},
    "a huge whole number": {"feature": [0], "threshold": [10**400], "sign": [1], "weight": [1.0]},
    "sign": {"feature": [0], "threshold": [0.0], "sign": [2], "weight": [1.0]},
    "an infinite weight": {"feature": [0], "threshold": [0.0], "sign": [1], "weight": [float("inf")]},
    "a negative weight": {"feature": [0], "threshold": [0.0], "sign": [1], "weight": [-1.0]},
    "a weight whose sums overflow": {"feature": [0], "threshold": [0.0], "sign": [1], "weight": [1.7e308]},
}


@pytest.mark.parametrize("case", BROKEN)
def test_stumps_of_a_file_are_not_trusted(case) -> None:
    with pytest.raises(ModelFileError, match="must be lists of features below 3"):
        Stumps.from_state(BROKEN[case], 3)
