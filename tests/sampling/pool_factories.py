"""Pools of given scores, and hypothesis's way to draw them."""

from __future__ import annotations

import itertools
from typing import Any, Self

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from rankwise.data import RankingData
from rankwise.sampling import Pool, Sampler

# Few different scores, so that many are equal; or many, of any size.
few = st.integers(-3, 3).map(lambda k: k / 2)
many = st.floats(-1000, 1000, width=32)
score_lists = st.lists(st.one_of(st.lists(few, max_size=9), st.lists(many, max_size=9)), min_size=1, max_size=5).filter(
    lambda lists: any(lists)
)


class FirstFeature(BaseEstimator):  # type: ignore[misc]
    """Scores by the first feature, whatever it is fitted on."""

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X[:, [0]].sum(axis=1), dtype=float).ravel()


def pool_of_scores(lists: list[list[float]], seed: int = 0) -> tuple[Pool, list[list[int]]]:
    """A pool in a random order of rows, whose queries have these candidates and two labelled documents; and their rows.

    What is labelled has the lowest and the highest scores, so that a sampler that takes it for a candidate fails.
    """
    rows = [(q, score, -1.0) for q, scores in enumerate(lists) for score in scores]
    rows += [(q, score, label) for q in range(len(lists)) for score, label in ((-5000.0, 0.0), (5000.0, 1.0))]
    order = np.random.default_rng(seed).permutation(len(rows))
    place = np.argsort(order)
    qid, scores, y = (np.array(column)[order] for column in zip(*rows, strict=True))
    ends = np.cumsum([0, *map(len, lists)])
    where = [place[a:b].tolist() for a, b in itertools.pairwise(ends)]
    return Pool(RankingData(scores[:, None], y, qid), y, FirstFeature()), where


def utilities_of(sampler: Sampler, lists: list[list[float]]) -> list[list[float]]:
    """Utilities by a sampler of all queries at once, as lists like those of the scores."""
    pool, where = pool_of_scores(lists)
    found = np.full(len(pool.data), np.nan)
    found[pool.candidates] = sampler.utilities(pool, np.random.default_rng(0))
    return [found[rows].tolist() for rows in where]


def one_query(sampler: Sampler, scores: list[float]) -> list[float]:
    return utilities_of(sampler, [scores])[0]
