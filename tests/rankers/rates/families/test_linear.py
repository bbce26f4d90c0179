"""Linear models for operating points: the plain one against scikit-learn, the tuned one against the plain one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from sklearn.linear_model import LogisticRegression

import rankwise as rw
from rankwise.objectives.rates._objective import rate_objective
from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import Rows, folds
from rankwise.rankers.rates.families._base import log_losses, score_unit
from rankwise.rankers.rates.families._linear import GAMMA, LinearFamily, _fit_soft_counts, fit_cross_entropy
from tests.rankers.rates.factories import clusters, logistic, rows_of, soft_loss


@pytest.mark.parametrize("penalty", [1.0, 0.1, 1e-3])
def test_the_plain_model_is_logistic_regression(penalty) -> None:
    rows = rows_of(logistic(500, 0), np.random.default_rng(1).uniform(0.2, 3.0, 500))
    ours = fit_cross_entropy(rows, penalty, None)
    # theirs: |w|²/2 + C Σ weight·CE
    theirs = LogisticRegression(C=1 / (penalty * rows.positive_weight), tol=1e-10, max_iter=10_000)
    theirs.fit(rows.X, rows.positive, rows.weight)
    assert np.allclose(ours.vector, np.append(theirs.coef_, theirs.intercept_), rtol=0, atol=1e-4)


def test_weights_are_repeated_rows() -> None:
    rows = rows_of(logistic(300, 2))
    times = np.random.default_rng(3).integers(0, 4, 300)
    weighted = fit_cross_entropy(Rows(rows.X, rows.positive, times.astype(float)), 0.1, None)
    repeated = fit_cross_entropy(rows.take(np.repeat(np.arange(300), times)), 0.1, None)
    assert np.allclose(weighted.vector, repeated.vector, rtol=0, atol=1e-4)


def test_the_penalty_is_the_one_of_least_log_loss_on_rows_judged() -> None:
    X, y = logistic(60, 4, features=25)
    rows = rows_of((X, y))
    splits = folds(rows.positive, 4, seed=0)
    chosen: Any = LinearFamily().fit_baselines(rows, splits, refit=True, report=Report())
    losses = {
        penalty: sum(
            log_losses(model.scores(X[judged]), y[judged] == 1).sum()
            for model, (_, judged) in zip(
                LinearFamily(penalty).fit_baselines(rows, splits, refit=False, report=Report()), splits, strict=True
            )
        )
        for penalty in (1.0, 0.1, 0.01, 1e-3, 1e-4)
    }
    assert {model.penalty for model in chosen} == {min(losses, key=losses.__getitem__)}
    assert min(losses, key=losses.__getitem__) > 1e-3  # many features for few rows
    assert len(chosen) == 5
    assert len(LinearFamily(0.5).fit_baselines(rows, [], refit=True, report=Report())) == 1


@pytest.mark.parametrize("name", ["r@p=0.9", "p@r=0.3", "tpr@fpr=0.02", "f1"])
def test_tuning_lowers_the_soft_loss_of_the_training_rows(name) -> None:
    rows = rows_of(clusters(800, 0))
    family, soft = LinearFamily(0.01), SoftCounts(rate_objective(name), rows.positive, rows.weight)
    plain: Any
    (plain,) = family.fit_baselines(rows, [], refit=True, report=Report())
    tuned: Any = family.tune(plain, rows, soft, Report())
    scores = plain.scores(rows.X)
    points = soft.points(scores, score_unit(scores, rows.positive))

    before, after = (soft_loss(points, one.scores(rows.X), rows, GAMMA) for one in (plain, tuned))
    assert after + 0.005 * tuned.weights @ tuned.weights < before + 0.005 * plain.weights @ plain.weights


@pytest.mark.parametrize("width", [1.0, 0.5])
@pytest.mark.parametrize("name", ["r@p=0.9", "aucpr", "0.5*f1 + 0.5*auc"])
def test_each_step_of_tuning_descends_its_own_loss(name, width) -> None:
    rows = rows_of(clusters(800, 0))
    soft = SoftCounts(rate_objective(name), rows.positive, rows.weight)
    plain = fit_cross_entropy(rows, 0.01, None)
    points = soft.points(plain.scores(rows.X), width)
    found = _fit_soft_counts(rows, soft, 0.01, 8.0, width, plain.vector)

    def loss(w):
        return soft_loss(points, rows.X @ w[:-1] + w[-1], rows, 8.0) + 0.005 * w[:-1] @ w[:-1]

    assert loss(found) < loss(plain.vector) - 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_where_a_line_is_too_weak_the_objective_finds_what_is_sure(seed) -> None:
    (X, y), (X_test, y_test) = clusters(1500, seed), clusters(6000, 100 + seed)
    model: Any = rw.RateClassifier("r@p=0.9", model="linear", random_state=0).fit(X, y)
    plain = LogisticRegression().fit(X, y).decision_function(X_test)
    assert model.history_["chosen"] == "tuned"
    assert model.history_["tuned"] > model.history_["baseline"] + 0.1
    assert model.score(X_test, y_test) > 0.2
    assert rw.evaluate(y_test, plain, metrics="r@p=0.9")["r@p=0.9"] < 0.02
    told = model.predict(X_test) == 1
    assert y_test[told].mean() > 0.8
    assert y_test[told].sum() > 0.15 * y_test.sum()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r@p=0.8", "p@r=0.8", "f1"])
def test_where_logistic_regression_is_true_nothing_is_lost(name) -> None:
    found = []
    for seed in range(20):
        (X, y), (X_test, y_test) = logistic(500, seed), logistic(4000, 1000 + seed)
        model = rw.RateClassifier(name, model="linear", penalty=0.01, random_state=seed).fit(X, y)
        plain = LogisticRegression(C=100 / y.sum()).fit(X, y).decision_function(X_test)
        found.append(model.score(X_test, y_test) - rw.evaluate(y_test, plain, metrics=name)[name])
    differences = np.array(found)
    assert np.abs(differences).max() < 0.2
    if (differences != 0).any():
        assert ttest_1samp(differences, 0, alternative="less").pvalue > 0.05
