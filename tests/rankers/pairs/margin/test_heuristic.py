"""MarginRanker(method="heuristic") ends where exact linear programs end, (9) after (9) and (8), from the same start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers.eban_data import table
from benchmarks.papers.suehiro_data import folds, r_of_k
from rankwise import MarginRanker, evaluate
from rankwise.types import FloatArray
from tests.reference import margin_programs as programs

WITHIN = 1e-6


def fitted(X: FloatArray, y: FloatArray, epsilon: float, negatives: bool = True) -> MarginRanker:
    return MarginRanker(epsilon=epsilon, method="heuristic", negatives=negatives).fit(X, y)


def exact(X: FloatArray, y: FloatArray, epsilon: float, negatives: bool = True) -> tuple[list[float], programs.Primal]:
    """The alternation of exact programs on the same hypotheses."""
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    H = (2.0 * X[:, varies] - low[varies] - high[varies]) / (high - low)[varies]
    H = np.hstack([H, -H]) if negatives else H
    return programs.alternation(H[y == 1], H[y == 0], epsilon)


@pytest.mark.parametrize("epsilon", [0.2, 0.4, 0.7])
@pytest.mark.parametrize("negatives", [True, False])
def test_random_rows(epsilon: float, negatives: bool) -> None:
    random = np.random.default_rng(5)
    X = random.normal(size=(60, 5))
    y = (X @ [1.0, 0.8, 0.6, 0.4, 0.2] + random.normal(size=60) > 0).astype(float)
    gammas, end = exact(X, y, epsilon, negatives)
    model = fitted(X, y, epsilon, negatives)
    assert gammas[-1] < gammas[0] - 1e-4  # there was a way to go
    assert model.certificate_.value == pytest.approx(end.value, abs=WITHIN)
    assert model.gamma_ == pytest.approx(end.value, abs=WITHIN)


def test_the_case_that_ended_too_early() -> None:
    """With stages solved to 1% it ended at γ = .15242 with one feature, and an AUC of .66."""
    train, test = next(folds(r_of_k(1000, "7:3", 1, 0.1, seed=0), seed=0))
    gammas, end = exact(train.X, train.y, 0.3, negatives=False)  # which have no weight at the end
    assert end.value == pytest.approx(0.15110, abs=1e-5)
    model = fitted(train.X, train.y, 0.3)
    assert model.certificate_.value == pytest.approx(end.value, abs=WITHIN)
    assert model.certificate_.value < gammas[0] - 0.03
    assert len(model.alpha_) == 15
    assert evaluate(test.y, model.predict(test.X), metrics="auc")["auc"] > 0.84


def test_threshold_functions_with_the_hypotheses_of_the_paper() -> None:
    data = r_of_k(300, "5:5", 3, 0.05, seed=1, N=30, k=10)
    _, end = exact(data.X, data.y, 0.2, negatives=False)
    model = fitted(data.X, data.y, 0.2, negatives=False)
    assert model.certificate_.value == pytest.approx(end.value, abs=WITHIN)
    assert all(isinstance(key, int) and key >= 0 for key in model.keys_)


def test_a_uci_table(shared_data: Path) -> None:
    train, _ = next(folds(table("ionosphere", shared_data), seed=0))
    _, end = exact(train.X, train.y, 0.2)
    assert fitted(train.X, train.y, 0.2).certificate_.value == pytest.approx(end.value, abs=WITHIN)


def test_scores_of_zero_are_not_improved_on() -> None:
    """Without a positive margin γ is 0 or less, and ν+ stays where it starts."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 3)), (np.arange(80) % 2).astype(float)
    model = fitted(X, y, 0.05, negatives=False)
    assert model.epsilon_ == 0.05
    assert model.certificate_.value < 0
    assert model.nu_ == pytest.approx(np.sqrt(0.05) * 40)
    assert np.ptp(model.predict(X)) > 0.1
