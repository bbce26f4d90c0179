"""Made data of known nature, the same for the same seed on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.types import FloatArray

# Shares of the grades 0, 1, 2, ...: most documents are irrelevant, as in web search.
CUBIC_SHARES = (0.55, 0.23, 0.12, 0.07, 0.03)
MSLR_SHARES = (0.52, 0.23, 0.19, 0.04, 0.02)
TINY = np.finfo(np.float64).tiny  # instead of the deviation of a constant
GROUP = 5  # MSLR states most of its features for body, anchor, title, URL and whole document


def cubic(queries: int, documents: int = 50, features: int = 50, grades: int = 5, seed: int = 0) -> RankingData:
    """Uniform features, graded by a random cubic polynomial with few terms (the artificial data of Burges 2005, 2006).

    The polynomial is the mean of three terms, each scaled to mean 0 and variance 1 over all rows: the product of x with
    a random vector, Σ x_i x_Q(i), and Σ x_i x_Q(i) x_R(i), Q and R being random permutations of the features. Grades
    are cut from its value, the same cuts for all queries, so that their shares are .55 .23 .12 .07 .03 (with fewer
    grades: the first ones, in proportion).

    Parameters
    ----------
    queries : int
        Number of queries.
    documents : int, default=50
        Documents per query.
    features : int, default=50
        Number of features.
    grades : int, default=5
        Number of grades, from 2 to 5.
    seed : int, default=0
        Seed of the generator; the same seed gives the same data on every machine.

    Returns
    -------
    RankingData
        Dense data with grades from 0.

    See Also
    --------
    polynomial : A cubic polynomial with all terms.

    Notes
    -----
    Burges 2006 follows Burges 2005 with five grades instead of six and "a label distribution corresponding to
    real datasets", which it does not print; the shares here are ours. Random vectors are drawn from a normal
    distribution, and Q is the same in the second and the third term; both are ours, too.

    Examples
    --------
    >>> cubic(queries=10, documents=20, features=5)
    RankingData(200 rows, 10 queries, 5 features, labels 0 to 4)
    """
    shares = _shares(grades)
    generator = np.random.default_rng(seed)
    X = generator.uniform(-1, 1, size=(queries * documents, features)).astype(np.float32)
    by_q, by_r = (X[:, generator.permutation(features)] for _ in range(2))
    terms = (
        X @ generator.normal(size=features),
        np.einsum("ij,ij->i", X, by_q, dtype=np.float64),
        np.einsum("ij,ij,ij->i", X, by_q, by_r, dtype=np.float64),
    )
    value = sum((term - term.mean()) / max(term.std(), TINY) for term in terms)  # three times the mean: the same grades
    return RankingData(X, _cut(value, shares), np.repeat(np.arange(queries), documents))


def polynomial(queries: int, documents: int = 50, features: int = 50, grades: int = 5, seed: int = 0) -> RankingData:
    """Uniform features, graded by a random cubic polynomial with all terms.

    Grades are cut from the polynomial's value, the same cuts for all queries, with the shares of `cubic`.

    Parameters
    ----------
    queries : int
        Number of queries.
    documents : int, default=50
        Documents per query.
    features : int, default=50
        Number of features.
    grades : int, default=5
        Number of grades, from 2 to 5.
    seed : int, default=0
        Seed of the generator; the same seed gives the same data on every machine.

    Returns
    -------
    RankingData
        Dense data with grades from 0.

    See Also
    --------
    cubic : A cubic polynomial with few terms, the artificial data of Burges 2006.

    Examples
    --------
    >>> polynomial(queries=10, documents=20, features=5)
    RankingData(200 rows, 10 queries, 5 features, labels 0 to 4)
    """
    shares = _shares(grades)
    generator = np.random.default_rng(seed)
    X = generator.uniform(-1, 1, size=(queries * documents, features)).astype(np.float32)
    linear = generator.normal(size=features)
    square = generator.normal(size=(features, features)) / np.sqrt(features)
    # A full cubic has features³ terms; a sum of cubes of random directions spans the same polynomials.
    directions = generator.normal(size=(features, features)) / np.sqrt(features)
    value = X @ linear + ((X @ square) * X).sum(axis=1) + (X @ directions) ** 3 @ generator.normal(size=features)
    return RankingData(X, _cut(value, shares), np.repeat(np.arange(queries), documents))


def _shares(grades: int) -> tuple[float, ...]:
    if not 2 <= grades <= len(CUBIC_SHARES):
        raise DataError(f"grades must be from 2 to {len(CUBIC_SHARES)}, got {grades}; choose a number between")
    return CUBIC_SHARES[:grades]


def _cut(value: NDArray[np.floating], shares: tuple[float, ...]) -> FloatArray:
    """Grades by rank of the value, with these shares (scaled to add up to one)."""
    cuts = np.quantile(value, np.cumsum(shares)[:-1] / sum(shares))
    return np.searchsorted(cuts, value, side="right").astype(np.float64)


def r_of_k(
    rows: int = 1000,
    features: int = 100,
    k: int = 30,
    r: int = 8,
    positive: float = 0.5,
    noise: float = 0.05,
    seed: int = 0,
) -> RankingData:
    """±1 features; the label is 1 if at least `r` of the `k` relevant ones are +1 (Suehiro 2011, section 5.1).

    Exactly the share `positive` of the rows has label 1 before each label is flipped with probability
    `noise`. Given its label an instance is uniform: since almost no uniform instance has, say, none of 30
    features at +1, the number at +1 is drawn first, from its distribution given the label.

    Parameters
    ----------
    rows : int, default=1000
        Number of rows.
    features : int, default=100
        Number of features.
    k : int, default=30
        Number of relevant features.
    r : int, default=8
        How many of them must be +1.
    positive : float, default=0.5
        Share of the rows with label 1.
    noise : float, default=0.05
        Probability that a label is flipped.
    seed : int, default=0
        Seed of the generator; the same seed gives the same data on every machine.

    Returns
    -------
    RankingData
        One list, qid 0.

    Examples
    --------
    >>> r_of_k(rows=10, noise=0.0).y.sum()
    np.float64(5.0)
    """
    if not 1 <= r <= k <= features:
        raise DataError(f"1 <= r <= k <= features must hold, got r={r}, k={k}, features={features}")
    generator = np.random.default_rng(seed)
    relevant = generator.choice(features, size=k, replace=False)
    label = np.zeros(rows)
    label[: round(positive * rows)] = 1
    generator.shuffle(label)
    pascal = np.ones(1)
    for _ in range(k):
        pascal = np.convolve(pascal, [0.5, 0.5])  # probabilities of 0..k heads
    heads = np.arange(k + 1)
    count = np.empty(rows, dtype=np.int64)
    for value, allowed in ((0, heads < r), (1, heads >= r)):
        chance = np.where(allowed, pascal, 0)
        mask = label == value
        count[mask] = generator.choice(heads, size=int(mask.sum()), p=chance / chance.sum())
    X = generator.choice(np.array([-1, 1], dtype=np.float32), size=(rows, features))
    # A random `count` of the k relevant features are +1: those with the smallest random keys.
    order = generator.random((rows, k)).argsort(axis=1).argsort(axis=1)
    X[:, relevant] = np.where(order < count[:, None], 1, -1)
    flipped = generator.random(rows) < noise
    return RankingData(X, np.where(flipped, 1 - label, label), np.zeros(rows, dtype=np.int64))


def web(queries: int, documents: int, features: int = 136, seed: int = 0) -> RankingData:
    """Graded data as a web search engine's: for tests of scale, not of quality.

    About `documents` documents per query (at least 1, skewed), features in correlated groups of five,
    heavy-tailed, many of them zero, shifted by query; labels 0 to 4 by a non-linear function of some
    features plus noise, with about MSLR's shares (.52 .23 .19 .04 .02).

    Parameters
    ----------
    queries : int
        Number of queries.
    documents : int
        Documents per query, on average.
    features : int, default=136
        Number of features.
    seed : int, default=0
        Seed of the generator; the same seed gives the same data on every machine.

    Returns
    -------
    RankingData
        Dense data with grades 0 to 4.

    Examples
    --------
    >>> web(queries=10, documents=20, features=30, seed=1).n_features
    30
    """
    if min(queries, documents, features) < 1:
        raise DataError(f"queries, documents and features must be positive, got {queries}, {documents}, {features}")
    generator = np.random.default_rng(seed)
    sizes = 1 + generator.negative_binomial(3, 3 / (2 + documents), size=queries)
    rows = int(sizes.sum())
    X = np.empty((rows, features), dtype=np.float32)
    quality = generator.normal(size=rows).astype(np.float32)
    query_of_row = np.repeat(np.arange(queries), sizes)
    signal = np.zeros(rows, dtype=np.float32)
    for first in range(0, features, GROUP):
        shared = 0.5 * quality + generator.standard_normal(rows, dtype=np.float32)
        shared += generator.standard_normal(queries, dtype=np.float32)[query_of_row]
        for column in range(first, min(first + GROUP, features)):
            latent = 0.7 * shared + 0.7 * generator.standard_normal(rows, dtype=np.float32)
            latent -= generator.uniform(-1, 1.5)  # how often the feature is zero
            scale = 10 ** generator.uniform(-2, 3)
            X[:, column] = np.round(np.expm1(np.maximum(latent, 0)) * scale, 6)
        signal += np.tanh(shared) * generator.normal() + np.maximum(shared - 1, 0) * generator.normal()
    relevance = quality + 0.3 * signal / max(1e-6, float(signal.std()))
    relevance += 0.5 * generator.standard_normal(rows, dtype=np.float32)
    relevance += 0.4 * generator.standard_normal(queries, dtype=np.float32)[query_of_row]
    return RankingData(X, _cut(relevance, MSLR_SHARES), query_of_row)


def topics(
    queries: int, documents: int = 1000, features: int = 44, relevant: float = 0.01, seed: int = 0
) -> RankingData:
    """Binary data as of topic distillation (LETOR's TD2003, Donmez 2009): long lists with few relevant documents.

    A document has a match with the query, in part its own and in part its site's, and an authority; a relevant one has
    much of both, up to noise, by weights that differ somewhat from query to query. Features show one of the two,
    with noise, heavy tails and different scales by query; then each goes from 0 to 1 within a query, as in Donmez 2009.

    Parameters
    ----------
    queries : int
        Number of queries.
    documents : int, default=1000
        Documents per query.
    features : int, default=44
        Number of features.
    relevant : float, default=0.01
        Share of the documents of a query that are relevant; at least one is.
    seed : int, default=0
        Seed of the generator; the same seed gives the same data on every machine.

    Returns
    -------
    RankingData
        Dense data with labels 0 and 1.

    Examples
    --------
    >>> made = topics(queries=5, documents=200, seed=1)
    >>> made, int(made.y.sum())
    (RankingData(1000 rows, 5 queries, 44 features, labels 0 to 1), 14)
    """
    if min(queries, documents, features) < 1 or not 0 < relevant < 1:
        raise DataError(
            "queries, documents and features must be positive and relevant between 0 and 1, "
            f"got {queries}, {documents}, {features}, {relevant}"
        )
    generator = np.random.default_rng(seed)
    of_content = generator.random(features) < 0.7
    strength = 0.7 * generator.random(features) ** 2  # few features show much
    tail = generator.uniform(0.2, 1.2, features)
    blocks, labels = [], []
    for _ in range(queries):
        site = generator.integers(0, max(1, documents // 8), documents)
        match = generator.normal(size=documents) + generator.normal(size=documents)[site]
        authority = generator.normal(size=documents)
        weights = np.array([1.0, 0.7]) * np.exp(0.4 * generator.normal(size=2))
        value = weights[0] * match + weights[1] * authority + 0.4 * match * authority
        value += generator.normal(size=documents)
        count = min(documents, 1 + generator.poisson(max(relevant * documents - 1, 0)))
        label = np.zeros(documents)
        label[np.argsort(value)[documents - count :]] = 1
        shown = np.where(of_content, match[:, None] / np.sqrt(2), authority[:, None])
        strengths = strength * np.exp(0.3 * generator.normal(size=features))
        raw = strengths * shown + generator.normal(size=(documents, features))
        X = np.sign(raw) * np.expm1(tail * np.abs(raw))
        low, high = X.min(axis=0), X.max(axis=0)
        blocks.append(((X - low) / np.where(high > low, high - low, 1)).astype(np.float32))
        labels.append(label)
    return RankingData(np.concatenate(blocks), np.concatenate(labels), np.repeat(np.arange(queries), documents))
