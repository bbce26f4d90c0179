"""Trees for operating points: the plain ones against LightGBM, the tuned ones against the plain ones, and when."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import rankwise as rw
from rankwise.objectives.rates._objective import rate_objective
from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import concatenate, folds
from rankwise.rankers.rates.families._base import log_losses, score_unit
from rankwise.rankers.rates.families._trees import EARLY_STOPPING_ROUNDS, GAMMA, WIDTH, TreeFamily, TreeScorer
from rankwise.rankers.trees._model_text import split_trees
from rankwise.types import FloatArray
from tests.rankers.rates.factories import clusters, logistic, rows_of, small


def family(n_estimators: int = 12, num_leaves: int = 5, **options: Any) -> TreeFamily:
    given: dict[str, Any] = {"learning_rate": 0.2, "min_child_samples": 5, "threads": 1, "seed": 0, "categorical": []}
    return TreeFamily(n_estimators, num_leaves, **given | options)


def theirs(rows: Any, rounds: int, valid: Any = None) -> lgb.Booster:
    params = {"objective": "binary", "num_leaves": 5, "learning_rate": 0.2, "min_data_in_leaf": 5, "num_threads": 1}
    params |= {"verbosity": -1, "deterministic": True, "feature_pre_filter": False}
    data = lgb.Dataset(rows.X, rows.positive.astype(float), weight=rows.weight)
    if valid is None:
        return lgb.train(params, data, rounds)
    held_out = data.create_valid(valid.X, valid.positive.astype(float), weight=valid.weight)
    stopping = lgb.early_stopping(EARLY_STOPPING_ROUNDS, verbose=False)
    return lgb.train(params, data, rounds, valid_sets=[held_out], callbacks=[stopping])


def raw_scores(booster: lgb.Booster, X: Any, n_trees: int | None = None) -> FloatArray:
    return np.asarray(booster.predict(X, raw_score=True, num_iteration=n_trees))


def trees_of(scorer: Any) -> list[str]:
    return split_trees(scorer.booster.model_to_string())[1]


@pytest.mark.parametrize("rounds", [12, 150])
def test_the_plain_model_is_lightgbm_s_with_its_stopping(rounds) -> None:
    weight = np.random.default_rng(1).uniform(0.2, 3.0, 800)
    train, valid = rows_of(logistic(800, 0), weight), rows_of(logistic(400, 1))
    rows, splits = concatenate(train, valid), [(np.arange(800), np.arange(800, 1200))]
    (ours,) = family(rounds).fit_baselines(rows, splits, refit=False, report=Report())
    booster = theirs(train, rounds, valid if rounds > EARLY_STOPPING_ROUNDS else None)
    expected = raw_scores(booster, valid.X, booster.best_iteration or rounds)
    assert np.array_equal(ours.scores(valid.X), expected)
    assert len(trees_of(ours)) == (booster.best_iteration if rounds > EARLY_STOPPING_ROUNDS else rounds)


def test_folds_share_the_bins_of_all_rows_and_learn_from_their_own_rows() -> None:
    rows = rows_of(logistic(600, 0))
    splits = folds(rows.positive, 3, seed=0)
    *models, final = family().fit_baselines(rows, splits, refit=True, report=Report())
    assert len(models) == 3
    assert np.array_equal(final.scores(rows.X), raw_scores(theirs(rows, 12), rows.X))
    for model, (train, others) in zip(models, splits, strict=True):
        seen, unseen = (log_losses(model.scores(rows.X[part]), rows.positive[part]).mean() for part in (train, others))
        assert seen < unseen  # of rows that it grew on


def test_the_last_trees_are_grown_anew_and_there_are_no_more() -> None:
    rows = rows_of(clusters(900, 0))
    (plain,) = family(10).fit_baselines(rows, [], refit=True, report=Report())
    soft = SoftCounts(rate_objective("r@p=0.8"), rows.positive, rows.weight)
    tuned = family(10).tune(plain, rows, soft, Report())
    assert tuned is not None
    before, after = trees_of(plain), trees_of(tuned.finished())
    np.testing.assert_allclose(tuned.scores(rows.X), tuned.finished().scores(rows.X), rtol=1e-12)
    assert len(before) == len(after) == 10
    assert before[:6] == after[:6]
    assert before[6:] != after[6:]
    again = family(10).tune(plain, rows, soft, Report())
    assert again is not None
    assert trees_of(again.finished()) == after  # the first tuning left nothing behind


@pytest.mark.parametrize("name", ["r@p=0.8", "f1", "tpr@fpr=0.05"])
def test_each_new_tree_descends_the_loss_that_it_is_grown_on(name) -> None:
    """Both log losses at the first points, rows near them weighed as they were when these were found."""
    rows = rows_of(clusters(900, 0))
    soft = SoftCounts(rate_objective(name), rows.positive, rows.weight)
    (plain,) = family(10).fit_baselines(rows, [], refit=True, report=Report())
    tuned = family(10).tune(plain, rows, soft, Report())
    assert isinstance(plain, TreeScorer)
    assert isinstance(tuned, TreeScorer)
    start, grown = raw_scores(plain.booster, rows.X, 6), raw_scores(tuned.finished().booster, rows.X, 7)
    points = soft.points(start, WIDTH * score_unit(start, rows.positive))
    above = expit((start[:, None] - points.thresholds) / points.width)
    near = GAMMA * (4 * above * (1 - above) * np.where(rows.positive[:, None], points.gains, points.prices)).sum(1)

    def loss(scores):
        about = scores - points.thresholds.mean()
        return float((log_losses(scores, rows.positive) + near * log_losses(about, rows.positive)).sum())

    assert loss(grown) < loss(start)


SIZES = {(50, 31): True, (600, 8): True, (51, 9): False, (600, 15): False}


@pytest.mark.parametrize("size", SIZES)
def test_only_small_trees_are_trained_for_a_point(size) -> None:
    n_estimators, num_leaves = size
    assert (family(n_estimators, num_leaves).why_plain is None) == SIZES[size]
    tuned = family(n_estimators, num_leaves).max_rounds
    assert tuned == n_estimators + (round(0.4 * n_estimators) if SIZES[size] else 0)


def test_larger_trees_are_plain_ones_with_a_threshold_for_the_point() -> None:
    X, y = logistic(800, 0)
    X_new, y_new = logistic(800, 1)
    options = {"n_estimators": 60, "num_leaves": 9}
    found = small("r@p=0.8", **options).fit(X, y, eval_set=(X_new, y_new))
    other = small("p@r=0.8", **options).fit(X, y, eval_set=(X_new, y_new))
    assert found.trained_for_ == other.trained_for_ == "cross entropy"
    assert "more than 50 trees of more than 8 leaves" in found.history_["reason"]  # type: ignore[call-overload]
    first, second = (model.decision_function(X_new) + model.threshold_ for model in (found, other))
    assert np.allclose(first, second, rtol=0, atol=1e-12)
    assert found.threshold_ > other.threshold_  # type: ignore[operator]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("objective", ["f1", "r@p=0.6"])
def test_constraints_hold_before_and_after_tuning(sign, objective) -> None:
    X, y = logistic(700, 0)
    rows = rows_of((X, y))
    constrained = family(30, monotone=[0, sign, 0, 0])
    (plain,) = constrained.fit_baselines(rows, [], refit=True, report=Report())
    tuned = constrained.tune(plain, rows, SoftCounts(rate_objective(objective), rows.positive, rows.weight), Report())
    assert tuned is not None
    free = family(30).fit_baselines(rows, [], refit=True, report=Report())[0]
    moved = X.copy()
    for model, holds in ((plain, True), (tuned, True), (free, False)):
        last, steps = model.scores(np.where(np.arange(4) == 1, -4.0, X)), []
        for value in np.linspace(-3.0, 4.0, 15):
            moved[:, 1] = value
            scores = model.scores(moved)
            steps.append(sign * (scores - last))
            last = scores
        assert bool((np.array(steps) >= -1e-12).all()) == holds


def test_categories_are_split_by_sets_whether_declared_or_of_a_frame() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 8, 1200)
    y = (np.isin(codes, [1, 4, 6]) ^ (rng.random(1200) < 0.1)).astype(int)
    X = np.stack([codes.astype(float), rng.normal(size=1200)], axis=1)
    options: dict[str, Any] = {"n_estimators": 3, "num_leaves": 2, "learning_rate": 0.5}
    declared = small("f1", categorical_feature=[0], **options).fit(X, y)
    plain = small("f1", **options).fit(X, y)
    assert declared.score(X, y) > plain.score(X, y) + 0.05
    frame = pd.DataFrame({"kind": pd.Categorical.from_codes(codes, list("abcdefgh")), "size": X[:, 1]})
    of_frame = small("f1", **options).fit(frame, y)
    assert np.array_equal(of_frame.decision_function(frame), declared.decision_function(X))
    assert small("f1", monotone_constraints={"size": 1}, **options).fit(frame, y).predict(frame).shape == (1200,)


@pytest.mark.slow
def test_small_trees_gain_where_they_are_too_few() -> None:
    gains = []
    for seed in range(6):
        (X, y), (X_test, y_test) = clusters(1500, seed), clusters(6000, 100 + seed)
        model = rw.RateClassifier(
            "r@p=0.9", n_estimators=4, num_leaves=3, learning_rate=0.3, n_jobs=1, random_state=0
        ).fit(X, y)
        plain = lgb.LGBMClassifier(
            n_estimators=4, num_leaves=3, learning_rate=0.3, min_child_samples=10, n_jobs=1, verbosity=-1
        ).fit(X, y)
        by_plain = rw.evaluate(y_test, raw_scores(plain.booster_, X_test), metrics="r@p=0.9")["r@p=0.9"]
        gains.append(model.score(X_test, y_test) - by_plain)
    assert min(gains) > -0.05
