"""What Suehiro 2011's tables compare: RankBoost, LP-Pair and the paper's method; beside them logistic regression.

Each has one parameter with candidates: the rounds of RankBoost (one fit gives all), ε of the margin methods, C of
logistic regression. "LP-Pair" is Suehiro 2011 (2), "Suehiro's method" the heuristic of 4.2, both to a duality gap of
GAP, however many rounds that takes. The published SoftRankBoost (Moribe et al. 2008) is not among them: we do not have
its definition.
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
WIDE_EPSILONS = (0.4, 0.5, 0.6, 0.7, 0.8)  # that Suehiro 2011 has not: what LP-Pair reaches beyond its grid
GAP = 1e-4  # of the margin programs
MAX_ROUNDS = 100_000  # more than any fit takes
PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
LP_PAIR, HEURISTIC, LOGISTIC = "LP-Pair", "Suehiro's method", "logistic regression"
WIDE_LP_PAIR = "LP-Pair at larger ε"
RANKBOOST, LONG_RANKBOOST = (
    "RankBoost",
    "RankBoost for longer",
)  # of the least rounds of Suehiro 2011, and of the others
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """What a candidate came to: the CPU seconds of its fit, scores of training and test rows, and its certificate."""

    candidate: float
    seconds: float
    train: Floats
    test: Floats
    certificate: Any = None


@dataclass(frozen=True)
class Method:
    """`make` returns an unfitted ranker for one of `candidates`; `staged`: the largest fit has the others in it."""

    name: str
    candidates: tuple[float, ...]
    make: Callable[[Any], Any]
    staged: bool = False

    def fits(self, train: Any, test: Any) -> Iterator[Fit]:
        """One for each candidate."""
        for candidate in self.candidates[-1:] if self.staged else self.candidates:
            start = time.process_time()
            model = self.make(candidate).fit(train.X, train.y)
            seconds = time.process_time() - start
            if self.staged:
                stages = zip(*(scores_at(model, X, self.candidates) for X in (train.X, test.X)), strict=True)
                for rounds, scores in zip(self.candidates, stages, strict=True):
                    yield Fit(rounds, seconds, *scores)
            else:
                scores = (model.predict(train.X), model.predict(test.X))
                yield Fit(candidate, seconds, *scores, getattr(model, "certificate_", None))


def methods(rounds: tuple[int, ...], negatives: bool, stumps: bool = False) -> dict[str, Method]:
    """`rounds` are RankBoost's; `negatives`, whether those of the features are hypotheses; `stumps` adds LP-Pair on
    decision stumps."""

    def margin(method: str, **options: Any) -> Callable[[float], Any]:
        return lambda epsilon: rw.MarginRanker(
            "auc", epsilon=epsilon, method=method, negatives=negatives, tol=GAP, max_iter=MAX_ROUNDS, **options
        )

    made = [
        Method(RANKBOOST, rounds[:1], lambda T: rw.RankBoost("auc", n_estimators=T), staged=True),
        Method(LONG_RANKBOOST, rounds[1:], lambda T: rw.RankBoost("auc", n_estimators=T), staged=True),
        Method(LP_PAIR, EPSILONS, margin("pairs")),
        Method(WIDE_LP_PAIR, WIDE_EPSILONS, margin("pairs")),
        Method(HEURISTIC, EPSILONS, margin("heuristic")),
        Method(LOGISTIC, PENALTIES, Logistic),
    ]
    if stumps:
        made.append(Method("LP-Pair on stumps", EPSILONS, margin("pairs", hypotheses="stumps")))
    return {method.name: method for method in made}


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


def scores_at(model: Any, X: Any, rounds: tuple[float, ...]) -> list[Floats]:
    """Scores after so many rounds; a model that stopped before has its last for what remains."""
    scores: list[Floats] = []
    latest = np.zeros(X.shape[0])
    for number, stage in enumerate(model.staged_predict(X), start=1):
        if number == rounds[len(scores)]:
            scores.append(np.array(stage))
            if len(scores) == len(rounds):
                break
        latest = stage
    return scores + [np.array(latest)] * (len(rounds) - len(scores))
