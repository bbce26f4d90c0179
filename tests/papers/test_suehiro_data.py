"""The data of Suehiro 2011's benchmark: threshold functions with exact class ratios, UCI tables, Reuters' words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.metrics import roc_auc_score

from benchmarks.papers.eban_data import table
from benchmarks.papers.suehiro_data import RATIOS, UCI, ceiling, folds, r_of_k
from benchmarks.papers.suehiro_reuters import parse, sgml_files

ARTICLES = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" NEWID="1">
<TOPICS><D>earn</D><D>money-fx</D></TOPICS>
<PLACES><D>trade</D></PLACES>
<TEXT>&#2;
<TITLE>AT&amp;T up</TITLE>
<DATELINE> NEWYORK - </DATELINE><BODY>&lt;ATT.N> one two three four five six seven eight
one it's 5.93 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="YES" NEWID="2"><TOPICS></TOPICS><TEXT><TITLE>a b c d e f g h i j k l m</TITLE></TEXT></REUTERS>
<REUTERS TOPICS="YES" NEWID="3"><TOPICS><D>acq</D></TOPICS><TEXT><TITLE>a b c</TITLE></TEXT></REUTERS>
<REUTERS TOPICS="NO" NEWID="4"><TOPICS><D>acq</D></TOPICS><TEXT><TITLE>a b c d e f g h i j k up</TITLE></TEXT></REUTERS>
"""


def relevant(data, k: int) -> np.ndarray:
    """The k variables that differ most between the classes: A, when there are rows enough."""
    means = data.X[data.clean == 1].mean(axis=0) - data.X[data.clean == 0].mean(axis=0)
    return np.argsort(-means)[:k]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(("r", "k"), [(1, 30), (8, 30), (15, 30), (3, 10)])
def test_labels_follow_the_threshold_function(ratio: str, r: int, k: int) -> None:
    data = r_of_k(6000, ratio, r, 0.0, seed=3, k=k)
    assert data.clean.sum() == round(6000 * RATIOS[ratio])
    assert set(np.unique(data.X)) == {-1.0, 1.0}
    A = relevant(data, k)
    np.testing.assert_array_equal(data.clean == 1, data.X[:, A].sum(axis=1) + k - 2 * r + 1 > 0)
    np.testing.assert_array_equal(data.y, data.clean)


@pytest.mark.parametrize("r", [8, 15])
def test_counts_follow_the_binomial_law_of_their_class(r: int) -> None:
    data = r_of_k(6000, "5:5", r, 0.0, seed=4)
    positive = (data.X[:, relevant(data, 30)] > 0).sum(axis=1)
    for label, allowed in ((1, np.arange(r, 31)), (0, np.arange(r))):
        law = binom.pmf(allowed, 30, 0.5) / binom.pmf(allowed, 30, 0.5).sum()
        seen = positive[data.clean == label]
        mean, spread = law @ allowed, np.sqrt(law @ allowed**2 - (law @ allowed) ** 2)
        assert seen.mean() == pytest.approx(mean, abs=4 * spread / np.sqrt(len(seen)))
        assert seen.std() == pytest.approx(spread, rel=0.1)


def test_variables_outside_a_tell_nothing() -> None:
    data = r_of_k(6000, "7:3", 8, 0.0, seed=5)
    outside = np.setdiff1d(np.arange(100), relevant(data, 30))
    assert len(outside) == 70
    for label in (0, 1):
        rows = data.X[data.clean == label][:, outside]
        assert np.abs(rows.mean(axis=0)).max() < 4.5 / np.sqrt(len(rows))


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("noise", [0.05, 0.15])
def test_the_ceiling_is_what_the_true_function_reaches(ratio: str, noise: float) -> None:
    data = r_of_k(40_000, ratio, 3, noise, seed=6, N=10, k=10)
    assert (data.y != data.clean).mean() == pytest.approx(noise, abs=4 * np.sqrt(noise / 40_000))
    assert roc_auc_score(data.y, data.clean) == pytest.approx(ceiling(ratio, noise), abs=0.015)


def test_the_seed_decides() -> None:
    one, again, other = (r_of_k(50, "9:1", 8, 0.1, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.X, again.X)
    np.testing.assert_array_equal(one.y, again.y)
    assert (one.X != other.X).any()


def test_folds_hold_each_row_once_with_its_labels() -> None:
    data = r_of_k(103, "7:3", 8, 0.1, seed=7)
    tests = [test for _, test in folds(data, seed=0)]
    assert sorted(map(tuple, np.vstack([test.X for test in tests]))) == sorted(map(tuple, data.X))
    for train, test in folds(data, seed=0):
        assert len(train.y) + len(test.y) == 103
        assert test.clean.sum() + train.clean.sum() == data.clean.sum()
        assert test.y.mean() == pytest.approx(data.y.mean(), abs=0.05)


def test_articles_are_read_from_sgml() -> None:
    """Title and body alone; topics alone; no article without a topic or with fewer than 12 words."""
    found = parse(iter([ARTICLES]))
    assert found.words.shape == (2, 16 + 11)  # "up" occurs in both
    np.testing.assert_array_equal(found.words.toarray().sum(axis=1), [16, 12])
    np.testing.assert_array_equal(found.topics, [[0, 0, 1, 1, 0], [1, 0, 0, 0, 0]])
    np.testing.assert_array_equal(found.about("acq").y, [0, 1])


@pytest.mark.parametrize(
    ("name", "rows", "positives"),
    list(zip(UCI, (3163, 351, 3196, 3163, 4601), (151, 126, 1669, 293, 1813), strict=True)),
)
def test_uci_tables(name: str, rows: int, positives: int, shared_data: Path) -> None:
    data = table(name, shared_data)
    assert (len(data.y), data.y.sum()) == (rows, positives)
    train, test = next(folds(data, seed=0))
    assert np.isfinite(train.X).all()
    assert np.isfinite(test.X).all()


@pytest.mark.slow
def test_reuters_counts(shared_data: Path) -> None:
    found = parse(sgml_files(shared_data / "reuters21578.tar.xz"))
    assert found.words.shape == (10_687, 30_020)
    assert found.topics.sum(axis=0).tolist() == [2311, 592, 3795, 717, 527]
