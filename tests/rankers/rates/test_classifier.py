"""RateClassifier of each family: what it learns, where its threshold lies, and what it refuses."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from torch import nn

import rankwise as rw
from rankwise.errors import DataError, MetricError, RankwiseError, ShapeError
from rankwise.metrics import FBeta, parse
from rankwise.objectives.rates._objective import rate_objective
from rankwise.objectives.rates._soft_counts import SoftCounts, operating_threshold
from rankwise.rankers.rates._calibration import calibrate
from rankwise.rankers.rates._fitted import PLAIN
from rankwise.rankers.rates._one_vs_rest import NO_RESPONSE, TOO_FEW
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import Rows, folds
from rankwise.rankers.rates.families import _net
from rankwise.rankers.rates.families._base import score_unit
from rankwise.rankers.rates.families._linear import LinearFamily, LinearScorer
from tests.rankers.rates.factories import FAMILIES, clusters, logistic, rows_of, small, soft_loss

X, Y = logistic(500, 0)
X_NEW, Y_NEW = logistic(2000, 1)
THREE, THREE_NEW = (np.digitize(x[:, 0] - x[:, 1], [-1.0, 1.0]) for x in (X, X_NEW))
LABELS = np.stack([Y, X[:, 1] > 0.5], axis=1).astype(int)


def own_net():
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1))


MODELS = [*FAMILIES, "own"]


def model_of(name, objective="r@p=0.7", **parameters):
    return small(objective, model=own_net() if name == "own" else name, **parameters)


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return model_of(request.param, epochs=20).fit(X, Y)


@pytest.mark.slow
def test_predictions_lie_on_the_side_of_the_threshold(fitted) -> None:
    decisions = fitted.decision_function(X_NEW)
    assert decisions.shape == (2000,)
    assert np.array_equal(fitted.predict(X_NEW), (decisions >= 0).astype(int))
    assert 0 < fitted.predict(X_NEW).sum() < 1000
    assert np.array_equal(fitted.scores(X_NEW), decisions)
    assert isinstance(fitted.threshold_, float)
    assert fitted.history_["chosen"] in ("baseline", "tuned")
    assert fitted.multipliers_.shape == (3,)  # the point and two near ones
    assert (fitted.multipliers_ > 0).all()
    assert rw.evaluate(Y_NEW, decisions, metrics="auc")["auc"] > 0.7
    assert fitted.score(X_NEW, Y_NEW) == pytest.approx(rw.evaluate(Y_NEW, decisions, metrics="r@p=0.7")["r@p=0.7"])


def test_probabilities_rise_with_the_decision_and_are_calibrate(fitted) -> None:
    found = fitted.predict_proba(X_NEW)
    assert found.shape == (2000, 2)
    assert np.allclose(found.sum(1), 1.0)
    assert found.min() > 0.0
    assert found.max() < 1.0
    order = np.argsort(fitted.decision_function(X_NEW))
    assert (np.diff(found[order, 1]) >= 0).all()
    assert found[:, 1].mean() == pytest.approx(Y_NEW.mean(), abs=0.05)
    high = found[:, 1] > np.quantile(found[:, 1], 0.8)
    assert found[high, 1].mean() == pytest.approx(Y_NEW[high].mean(), abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MODELS, "dropout"])
def test_the_same_seed_is_the_same_model_bit_for_bit(name) -> None:
    options = {"dropout": 0.3} if name == "dropout" else {}
    family = "net" if name == "dropout" else name
    models = []
    for seed in (3, 3, 4):
        model = model_of(family, epochs=2, random_state=seed, **options)
        torch.rand(7)  # the caller's own draws play no part
        state = torch.random.get_rng_state()
        models.append(model.fit(X, Y))
        assert torch.equal(state, torch.random.get_rng_state())  # and are not disturbed
    first, again, other = (model.decision_function(X_NEW) for model in models)
    assert np.array_equal(first, again)
    assert np.array_equal(models[0].predict_proba(X_NEW), models[1].predict_proba(X_NEW))
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", FAMILIES)
def test_an_eval_set_places_the_threshold_and_no_model_sees_it(name) -> None:
    model = model_of(name, "f1").fit(X, Y, eval_set=(X_NEW, Y_NEW))
    raw = model.decision_function(X_NEW) + model.threshold_
    expected = operating_threshold(FBeta(1.0), raw, Y_NEW == 1, np.ones(2000))
    assert model.threshold_ == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_rows_judged_train_nothing(seed) -> None:
    """Whatever their labels, the model is one of the two that the training rows make."""
    labels = np.random.default_rng(seed).permutation(Y_NEW) if seed else Y_NEW
    model = model_of("linear", "f1", penalty=0.1).fit(X, Y, eval_set=(X_NEW, labels))
    rows = Rows(model._standardize(X, model.standardizer_), Y == 1, np.ones(Y.size))
    family = LinearFamily(0.1)
    (baseline,) = family.fit_baselines(rows, [], refit=True, report=Report())
    tuned = family.tune(baseline, rows, SoftCounts(rate_objective("f1"), rows.positive, rows.weight), Report())
    assert isinstance(baseline, LinearScorer)
    assert isinstance(tuned, LinearScorer)
    assert not np.array_equal(baseline.vector, tuned.vector)
    expected = tuned if model.history_["chosen"] == "tuned" else baseline
    assert np.array_equal(model.models_[0].scorer.vector, expected.vector)


def test_without_an_eval_set_all_rows_are_trained_on_and_folds_place_the_threshold() -> None:
    model = model_of("linear", "f1", penalty=0.1).fit(X, Y)
    judged = model_of("linear", "f1", penalty=0.1).fit(X[:400], Y[:400], eval_set=(X[400:], Y[400:]))
    assert not np.array_equal(model.models_[0].scorer.vector, judged.models_[0].scorer.vector)
    found = (model.predict(X_NEW) == 1) & (Y_NEW == 1)
    f1 = 2 * found.sum() / (Y_NEW.sum() + model.predict(X_NEW).sum())
    assert f1 > rw.evaluate(Y_NEW, model.decision_function(X_NEW), metrics="f1")["f1"] - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_weights_move_the_model_and_the_threshold(name) -> None:
    plain = model_of(name, "f1").fit(X, Y, eval_set=(X_NEW, Y_NEW))
    heavy = model_of(name, "f1").fit(X, Y, sample_weight=np.where(Y, 5.0, 1.0), eval_set=(X_NEW, Y_NEW))
    assert not np.array_equal(plain.decision_function(X), heavy.decision_function(X))
    by_weight, alone = (
        model_of(name, "r@p=0.7", epochs=12).fit(X, Y, eval_set=(X_NEW, Y_NEW, np.where(Y_NEW, more, 1.0)))
        for more in (3.0, 1.0)
    )
    # With positives worth more, the same precision is had further down.
    assert by_weight.predict(X_NEW).sum() > alone.predict(X_NEW).sum()


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_several_classes_and_columns_of_labels(name) -> None:
    words = np.array(["low", "middle", "up"])[THREE]
    model = model_of(name, "f1").fit(X, words, eval_set=(X_NEW, np.array(["low", "middle", "up"])[THREE_NEW]))
    assert list(model.classes_) == ["low", "middle", "up"]
    assert model.decision_function(X_NEW).shape == (2000, 3)
    assert np.array_equal(model.predict(X_NEW), model.classes_[model.decision_function(X_NEW).argmax(1)])
    assert len(model.threshold_) == len(model.multipliers_) == len(model.history_) == 3
    found = model.predict_proba(X_NEW)
    assert np.allclose(found.sum(1), 1.0)
    assert np.mean(model.classes_[found.argmax(1)] == np.array(["low", "middle", "up"])[THREE_NEW]) > 0.45
    assert 0.3 < model.score(X_NEW, np.array(["low", "middle", "up"])[THREE_NEW]) < 1
    with pytest.raises(DataError, match="for two classes, got 3"):
        model.certify(X_NEW, THREE_NEW)
    labels = model_of(name, "f1").fit(X, LABELS)
    assert labels.decision_function(X_NEW).shape == labels.predict_proba(X_NEW).shape == (2000, 2)
    assert np.array_equal(labels.predict(X_NEW), (labels.decision_function(X_NEW) >= 0).astype(int))


@pytest.mark.slow
def test_two_words_are_two_classes_and_the_last_is_positive() -> None:
    words, plain = np.where(Y, "spam", "ham"), model_of("linear").fit(X, Y)
    model = model_of("linear").fit(X, words)
    assert np.array_equal(model.predict(X_NEW), np.where(plain.predict(X_NEW), "spam", "ham"))
    assert model.score(X_NEW, np.where(Y_NEW, "spam", "ham")) == plain.score(X_NEW, Y_NEW)
    assert np.array_equal(model_of("linear").fit(X, Y == 1).predict(X_NEW), plain.predict(X_NEW) == 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trees", "linear"])
def test_sparse_and_named_features_are_the_same_features(name) -> None:
    names = list("abcd")
    rounded, new = (np.where(np.abs(x) < 0.4, 0.0, x) for x in (X, X_NEW))
    dense = model_of(name).fit(rounded, Y).decision_function(new)
    packed = model_of(name).fit(sp.csr_array(rounded), Y).decision_function(sp.coo_array(new))
    assert np.array_equal(dense, packed)
    table = model_of(name).fit(pd.DataFrame(rounded, columns=names), Y)
    assert np.array_equal(table.decision_function(pd.DataFrame(new, columns=names)), dense)
    assert list(table.feature_names_in_) == names
    judged = (sp.csr_array(new), Y_NEW)
    model = model_of(name).fit(sp.csr_array(rounded), Y, eval_set=judged)
    assert np.array_equal(
        model.decision_function(new), model_of(name).fit(rounded, Y, eval_set=(new, Y_NEW)).decision_function(new)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_only_trees_know_what_to_do_with_what_is_missing(name) -> None:
    holes = X.copy()
    holes[7, 2] = np.nan
    if name == "trees":
        assert np.isfinite(model_of(name).fit(holes, Y).decision_function(holes)).all()
        return
    who = "a linear model" if name == "linear" else "a net"
    with pytest.raises(DataError, match=f'{who} needs every .* NaN at row 7, feature 2; impute .* use model="trees"'):
        model_of(name).fit(holes, Y)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("positives", [1, 2, 5])
def test_few_positives_leave_a_plain_model_with_a_threshold(name, positives) -> None:
    y = np.zeros(80, dtype=int)
    y[np.argsort(-X[:80, 0])[:positives]] = 1
    model = model_of(name, "r@p=0.9").fit(X[:80], y)
    assert np.isfinite(model.decision_function(X_NEW)).all()
    assert np.isfinite(model.predict_proba(X_NEW)).all()
    if positives == 1:
        assert model.trained_for_ == "cross entropy"
        assert model.history_["reason"] == TOO_FEW


@pytest.mark.parametrize(
    "objective",
    ["p@r=0.8", "p@r=1", "tpr@fpr=0.05", "tpr@fpr=0.8", "f2", "aucpr", "aucpr[0.8,1]", "auc", "pauc[0,0.1]",
     "0.5*r@p=0.9 + 0.5*aucpr", parse("f1")],
)  # fmt: skip
def test_every_objective_is_trained_for(objective) -> None:
    model = model_of("linear", objective, anchors=4).fit(X, Y)
    assert np.isfinite(model.multipliers_).all()
    assert np.isfinite(model.threshold_)
    assert {"baseline", "tuned", "gain", "error", "chosen", "reason"} == set(model.history_)
    assert model.trained_for_ == (str(rate_objective(objective)) if model.history_["chosen"] == "tuned" else PLAIN)
    assert 0.0 < model.score(X_NEW, Y_NEW) <= 1.0


def test_a_sum_is_the_sum_of_its_metrics() -> None:
    model = model_of("linear", "0.5*r@p=0.8 + 2*aucpr").fit(X, Y)
    parts = rw.evaluate(Y_NEW, model.decision_function(X_NEW), metrics=["r@p=0.8", "aucpr"])
    assert model.score(X_NEW, Y_NEW) == pytest.approx(0.5 * parts["r@p=0.8"] + 2 * parts["aucpr"])


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_a_certificate_is_that_of_the_decisions(name) -> None:
    model = model_of(name, "p@r=0.8").fit(X, np.where(Y, "b", "a"))
    found = model.certify(X_NEW, np.where(Y_NEW, "b", "a"), confidence=0.9)
    expected = rw.certify(Y_NEW, model.decision_function(X_NEW), "p@r=0.8", confidence=0.9)
    assert found.to_dict() == expected.to_dict()
    assert found.certified
    assert Y_NEW[model.decision_function(X_NEW) >= found.threshold].sum() > 0.8 * Y_NEW.sum()


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["r@p=0.8", "f1"])
def test_nets_are_tuned_by_soft_counts(objective, monkeypatch) -> None:
    """Beyond what as many epochs of cross entropy alone would do."""
    rows = rows_of(clusters(900, 0))
    rows = Rows(rows.X.astype(np.float32), rows.positive, rows.weight)
    soft = SoftCounts(rate_objective(objective), rows.positive, rows.weight)
    family = model_of("net", epochs=20)._family(seed=0)
    baseline = family.fit_baselines(rows, folds(rows.positive, 3, 0), refit=True, report=Report())[-1]
    numbers = itertools.count(0, -1)
    monkeypatch.setattr(SoftCounts, "value", lambda *_: next(numbers))  # so that both are taken for a response
    tuned = family.tune(baseline, rows, soft, Report())
    monkeypatch.setattr(_net, "GAMMA", 0.0)
    untuned = family.tune(baseline, rows, soft, Report())
    scores = baseline.scores(rows.X)  # what tuning starts from
    points = soft.points(scores, score_unit(scores, rows.positive))
    before, without, after = (
        soft_loss(points, model.scores(rows.X), rows, 4.0) for model in (baseline, untuned, tuned)
    )
    assert after < before
    assert after < without


def test_a_net_that_does_not_respond_stays_plain_and_says_so(monkeypatch) -> None:
    monkeypatch.setattr(SoftCounts, "value", lambda *_: 0.5)
    model = model_of("net", "f1", epochs=14).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    assert (model.trained_for_, model.history_["reason"]) == (PLAIN, NO_RESPONSE)


REFUSED = {
    "one class": (lambda: model_of("linear").fit(X, 0 * Y), DataError, "two classes or more, got one class, 0"),
    "no labels": (lambda: model_of("linear").fit(X, None), DataError, "requires y to be passed"),
    "numbers": (lambda: model_of("linear").fit(X, X[:, 0]), DataError, "Unknown label type: continuous"),
    "few labels": (lambda: model_of("linear").fit(X, Y[1:]), ShapeError, "got 499 for 500 rows"),
    "weights": (lambda: model_of("linear").fit(X, Y, sample_weight=-Y), DataError, "sample_weight must be 0 or more"),
    "few weights": (lambda: model_of("linear").fit(X, Y, sample_weight=Y[1:]), ShapeError, "got 499 for 500"),
    "no weight": (
        lambda: model_of("linear").fit(X, Y, sample_weight=1 - Y), DataError, "must be rows of the class 1 and rows"
    ),
    "objective": (lambda: model_of("linear", "r@q=0.9").fit(X, Y), MetricError, "there is no metric 'r@q=0.9'"),
    "ranking": (lambda: model_of("linear", "ndcg@10").fit(X, Y), MetricError, "no rate objective for ndcg@10"),
    "no objective": (lambda: model_of("linear", None).fit(X, Y), DataError, "objective must be a metric or its name"),
    "no family": (lambda: model_of("forest").fit(X, Y), DataError, 'model must be "trees", "linear", "net" or a'),
    "no model": (lambda: model_of(None).fit(X, Y), DataError, 'model must be "trees", "linear", "net" or a'),
    "a class": (lambda: model_of(nn.Linear).fit(X, Y), DataError, 'model must be "trees", "linear", "net" or a'),
    "two scores": (lambda: model_of(nn.Linear(4, 2)).fit(X, Y), ShapeError, "must give one score per row"),
    "folds": (lambda: model_of("linear", folds=1).fit(X, Y), DataError, "folds must be a whole number from 2"),
    "calibration": (lambda: model_of("linear", calibration="x").fit(X, Y), DataError, 'must be "isotonic" or "sig'),
    "constraints": (
        lambda: model_of("net", monotone_constraints=[1, 0, 0, 0]).fit(X, Y), DataError, "got them for a net; drop them"
    ),
    "categories": (
        lambda: model_of("linear", categorical_feature=[0]).fit(X, Y), DataError, 'categorical_feature is for model="tr'
    ),
    "few constraints": (
        lambda: model_of("trees", monotone_constraints=[1]).fit(X, Y), ShapeError, "one entry per feature, got 1 for 4"
    ),
    "text": (lambda: model_of("linear").fit(pd.DataFrame({"a": ["x"] * 500}), Y), DataError, "needs numbers, got cat"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(case) -> None:
    attempt, error, said = REFUSED[case]
    with pytest.raises(error) as caught:
        attempt()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


BOTH = np.stack([Y_NEW, 1 - Y_NEW], axis=1)
WRONG_SETS = {
    "a list": (Y, [X_NEW, Y_NEW], "must be RankingData, (X, y) or (X, y, weights), got list"),
    "one array": (Y, (X_NEW,), "must be RankingData, (X, y) or (X, y, weights), got tuple"),
    "other features": (Y, (X_NEW[:, :2], Y_NEW), "X has 2 features"),
    "other labels": (Y, (X_NEW, 2 * Y_NEW), "the label 2 is no class of the training rows"),
    "one class": (Y, (X_NEW, 0 * Y_NEW), "must be rows of the class 1"),
    "few labels": (Y, (X_NEW, Y_NEW[1:]), "y of eval_set must have one entry per row: got 1999 for 2000"),
    "few weights": (Y, (X_NEW, Y_NEW, Y_NEW[1:]), "sample_weight of eval_set must have one entry per row"),
    "columns for a class": (Y, (X_NEW, BOTH), "must have the columns of the training labels, got (2,)"),
    "a class for columns": (LABELS, (X_NEW, Y_NEW), "must have the columns of the training labels, got ()"),
    "another column": (LABELS, (X_NEW, np.hstack([BOTH, BOTH])), "of the training labels, got (4,)"),
    "no labels": (Y, (X_NEW, None), "y is None"),
}


@pytest.mark.parametrize("case", WRONG_SETS)
def test_a_wrong_eval_set_is_refused(case) -> None:
    y, eval_set, said = WRONG_SETS[case]
    with pytest.raises(RankwiseError) as caught:
        model_of("linear").fit(X, y, eval_set=eval_set)
    assert said in str(caught.value)


def test_what_is_refused_leaves_nothing_fitted() -> None:
    model = model_of("linear")
    with pytest.raises(ShapeError):
        model.fit(X, Y, eval_set=(X_NEW, Y_NEW[1:]))
    assert not any(hasattr(model, name) for name in ("classes_", "kind_of_target_", "standardizer_", "models_"))


@pytest.mark.slow
def test_what_cannot_be_certified_is_refused() -> None:
    with pytest.raises(MetricError, match="must demand a rate, got aucpr"):
        model_of("linear", "aucpr").fit(X, Y).certify(X_NEW, Y_NEW)
    model = model_of("linear").fit(X, Y)
    with pytest.raises(DataError, match="the label 5 is no class"):
        model.certify(X_NEW, Y_NEW + 5)
    for attempt in (lambda: small().predict(X), lambda: small().threshold_, lambda: small().certify(X, Y)):
        with pytest.raises(ValueError, match="not fitted"):
            attempt()


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_either_calibration_has_small_errors_where_scores_are_true(method) -> None:
    model = model_of("linear", "f1", calibration=method).fit(X_NEW, Y_NEW)
    fresh, y = logistic(20_000, 9)
    found = model.predict_proba(fresh)[:, 1]
    true = 1 / (1 + np.exp(-(1.5 * fresh[:, 0] - fresh[:, 1] + 0.5 * fresh[:, 2] - 1.5)))
    assert np.abs(found - true).mean() < 0.05
    assert found.mean() == pytest.approx(y.mean(), abs=0.02)
    assert (model.models_[0].calibration.scores.size > 0) == (method == "isotonic")


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_calibration_weighs_rows(method) -> None:
    rng = np.random.default_rng(0)
    times, scores = rng.integers(0, 4, 500), np.round(X[:, 0], 1)
    weighted = calibrate(method, scores, Y == 1, times.astype(float))
    repeated = calibrate(method, *(np.repeat(v, times) for v in (scores, Y == 1)), np.ones(times.sum()))  # type: ignore[call-arg]
    at = np.linspace(-3, 3, 50)
    assert np.allclose(weighted(at), repeated(at), atol=1e-3)
    assert np.abs(weighted(at) - calibrate(method, scores, Y == 1, np.where(Y, 3.0, 1.0))(at)).max() > 0.05
