"""Small data to be labelled, and samplers and rankers of a user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

import rankwise as rw
from rankwise.sampling import Pool, Sampler


def binary(queries: int = 8, documents: int = 25, features: int = 4, seed: int = 0) -> rw.RankingData:
    """A linear truth with noise; a fifth of the documents is relevant. Rows of a query lie apart."""
    rng = np.random.default_rng([5, seed])
    X = rng.normal(size=(queries * documents, features)).astype(np.float32)
    quality = X @ np.arange(1, features + 1) + 2 * rng.normal(size=len(X))
    return rw.RankingData(X, (quality > 4).astype(float), np.tile(np.arange(100, 100 + queries), documents))


class Centroid(BaseEstimator):  # type: ignore[misc]
    """A user's ranker: relevant less irrelevant documents; `noise` is drawn by random_state."""

    def __init__(self, noise: float = 0.0, random_state: Any = None) -> None:
        self.noise = noise
        self.random_state = random_state

    def fit(self, X: Any, y: Any, qid: Any = None) -> Centroid:
        assert (y >= 0).all(), "rows without a label must not be fitted on"
        rng = np.random.default_rng(self.random_state)
        self.w_ = X[y >= 1].mean(axis=0) - X[y < 1].mean(axis=0) + self.noise * rng.normal(size=X.shape[1])
        return self

    def predict(self, X: Any) -> Any:
        return X @ self.w_


@dataclass(frozen=True)
class Lowest(Sampler):
    """A user's sampler: the lowest scores first."""

    kind: ClassVar[str] = ""
    unused: float = 1.0

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        assert (pool.data.y < 0).all(), "a sampler must not see labels that nobody gave"
        return -pool.scores


def same(a: rw.Simulation, b: rw.Simulation) -> None:
    """All but the seconds is equal, to the last bit."""
    plain = [{**one.to_dict(), "samplers": {}} for one in (a, b)]
    assert plain[0] == plain[1]
    for name in a.samplers:
        np.testing.assert_array_equal(a.labelled[name], b.labelled[name])
        for metric in a.metrics:
            np.testing.assert_array_equal(a.values[name][metric], b.values[name][metric])
