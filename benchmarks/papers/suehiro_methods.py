"""What Suehiro 2011's benchmark compares: Suehiro 2011's four methods, then RankSVM, AUCSVM and logistic regression.

Each has one parameter that is chosen: the rounds of RankBoost (one fit gives all), ε of the margin methods, C of the
others. "LP-Pair" is Suehiro 2011 (2), "reduced" Suehiro 2011 (7) with ν+ = √ε p, "Suehiro 2011's method" the heuristic
of Suehiro 2011 4.2.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import rankwise as rw

EPSILONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)  # Suehiro 2011 5.1
SOFT_ROUNDS = 2000  # of SoftRankBoost, whose mean of stumps changes little after
GAP = 1e-4  # of the margin programs, in 200 rounds at most; 1e-6 changed AUCs by .0014 at most on two data sets
PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """`make` gives an unfitted ranker for one of `candidates`; `staged`, when the largest fit has the others in it."""

    name: str
    candidates: tuple[float, ...]
    make: Callable[[Any], Any]
    staged: bool = False

    def scores(self, train: Any, X: Any) -> Iterator[tuple[float, Floats, float]]:
        """For each candidate: itself, the scores of rows X, and the CPU seconds of the fit they come from."""
        if self.staged:
            model, seconds = _fitted(self.make(max(self.candidates)), train)
            yield from ((rounds, scores, seconds) for rounds, scores in _at_rounds(model, X, self.candidates))
        else:
            for candidate in self.candidates:
                model, seconds = _fitted(self.make(candidate), train)
                yield candidate, model.predict(X), seconds


def methods(rounds: tuple[int, ...], stumps: bool) -> list[Method]:
    """`rounds` are RankBoost's; with `stumps`, the margin method also runs on decision stumps."""
    found = [
        Method("RankBoost", rounds, lambda T: rw.RankBoost("auc", n_estimators=T), staged=True),
        Method("SoftRankBoost", EPSILONS, lambda e: rw.SoftRankBoost("auc", epsilon=e, n_estimators=SOFT_ROUNDS)),
        Method("LP-Pair", EPSILONS, lambda e: rw.MarginRanker("auc", epsilon=e, method="pairs", tol=GAP, max_iter=200)),
        Method(
            "reduced", EPSILONS, lambda e: rw.MarginRanker("auc", epsilon=e, method="reduced", tol=GAP, max_iter=200)
        ),
        Method(
            "Suehiro 2011's method",
            EPSILONS,
            lambda e: rw.MarginRanker("auc", epsilon=e, method="heuristic", tol=GAP, max_iter=200),
        ),
        Method("RankSVM", PENALTIES, lambda C: rw.RankSVM("auc", C=C)),
        Method("AUCSVM", PENALTIES, lambda C: rw.AUCSVM("auc", C=C)),
        Method("logistic regression", PENALTIES, Logistic),
    ]
    if stumps:
        on_stumps = {"method": "pairs", "hypotheses": "stumps"}
        found.append(
            Method(
                "LP-Pair on stumps",
                EPSILONS,
                lambda e: rw.MarginRanker("auc", epsilon=e, tol=GAP, max_iter=200, **on_stumps),
            )
        )
    return found


class Logistic:
    """Scikit-learn's logistic regression on standardized columns; columns of words stay 0 and 1."""

    def __init__(self, C: float) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> Logistic:
        scaler = MaxAbsScaler() if issparse(X) else StandardScaler()
        self.model = make_pipeline(scaler, LogisticRegression(C=self.C, max_iter=5000)).fit(X, y)
        return self

    def predict(self, X: Any) -> Floats:
        scores: Floats = self.model.decision_function(X)
        return scores


def _fitted(model: Any, train: Any) -> tuple[Any, float]:
    start = time.process_time()
    model.fit(train.X, train.y)
    return model, time.process_time() - start


def _at_rounds(model: Any, X: Any, wanted: tuple[float, ...]) -> Iterator[tuple[float, Floats]]:
    """Scores after so many rounds; a model that stopped before has its last for what remains."""
    left = sorted(wanted)
    scores = np.zeros(X.shape[0])
    for number, stage in enumerate(model.staged_predict(X), start=1):
        scores = np.array(stage)
        if number == left[0]:
            yield left.pop(0), scores
            if not left:
                return
    yield from ((rounds, scores) for rounds in left)
