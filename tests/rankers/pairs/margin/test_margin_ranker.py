"""MarginRanker as an estimator: what it learns, says and refuses."""

from __future__ import annotations

import logging
import re
from typing import Any, Never

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import rankwise as rw
from rankwise.errors import DataError, ShapeError
from rankwise.rankers import MarginRanker
from rankwise.rankers.pairs.margin._programs import METHODS
from tests.rankers.factories import TRAIN, VALID
from tests.rankers.pairs.margin.factories import fitted, noisy
from tests.reference import stumps_by_definition as slow

X, Y = noisy()
X_NEW, Y_NEW = noisy(seed=1)
SETTINGS = [(method, hypotheses) for method in METHODS for hypotheses in ("features", "stumps")]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "hypotheses"), SETTINGS)
def test_what_is_learnt(method, hypotheses) -> None:
    model = fitted(method=method, hypotheses=hypotheses)
    alpha = model.alpha_
    assert (alpha > 0.0).all()
    assert alpha.sum() == pytest.approx(1.0, abs=1e-12)
    assert len(model.hypotheses_) == len(set(model.hypotheses_)) == alpha.size
    assert alpha.size <= (5 if hypotheses == "features" else Y.size / 2)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.certificate_.gap <= model.tol
    assert model.certificate_.holds
    assert (model.rho_, model.gamma_) == (model.certificate_.rho, model.certificate_.bound)
    assert (model.n_rows_, model.n_queries_, model.interrupted_) == (120, 1, False)
    if method != "hard":
        assert model.score(X, Y) > 0.8
        assert model.score(X_NEW, Y_NEW) > 0.75


def test_weights_of_features_in_words() -> None:
    frame = pd.DataFrame(X, columns=["noise", "up", "down", "less", "other"])
    model = MarginRanker(epsilon=0.5).fit(frame, Y)
    weight_of = dict(zip(model.hypotheses_, model.alpha_, strict=True))
    assert {"up", "-down", "-less"} <= set(weight_of) <= {"up", "-down", "-less", "noise", "-noise", "other", "-other"}
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = 2.0 * (X - low) / (high - low) - 1.0
    columns = {name: scaled[:, k] for k, name in enumerate(frame.columns)}
    columns |= {f"-{name}": -column for name, column in columns.items()}
    expected = sum(weight * columns[name] for name, weight in weight_of.items())
    assert np.allclose(model.predict(frame), expected, rtol=0.0, atol=1e-13)
    for k, name in enumerate(frame.columns):
        assert model.feature_importances_[k] == pytest.approx(weight_of.get(name, 0.0) + weight_of.get(f"-{name}", 0.0))
    assert fitted(epsilon=0.5).hypotheses_[0].removeprefix("-") in {f"feature {k}" for k in range(5)}


def test_weights_of_stumps_in_words() -> None:
    rounded = np.round(X, 1)
    model = MarginRanker(epsilon=0.3, hypotheses="stumps").fit(rounded, Y)
    expected = np.zeros(Y.size)
    importances = np.zeros(5)
    for words, weight in zip(model.hypotheses_, model.alpha_, strict=True):
        feature, side, threshold = re.fullmatch(r"feature (\d) (>|<=) (\S+)", words).groups()  # type: ignore[union-attr]
        sign = 1.0 if side == ">" else -1.0
        expected += weight * sign * slow.side(rounded[:, int(feature)], float(threshold))
        importances[int(feature)] += weight
    assert np.allclose(model.predict(rounded), expected, rtol=0.0, atol=1e-13)
    assert np.allclose(model.feature_importances_, importances)


@pytest.mark.parametrize("hypotheses", ["features", "stumps"])
@pytest.mark.parametrize("form", ["dense", "sparse", "table"])
def test_explanations_add_up(hypotheses, form) -> None:
    matrix = {"dense": np.asarray, "sparse": sp.csr_matrix, "table": pd.DataFrame}[form](X)
    model = MarginRanker(epsilon=0.3, hypotheses=hypotheses).fit(matrix, Y)
    scores = model.predict(matrix)
    for i, j in ((0, 1), (5, 3), (7, 7)):
        explanation = model.explain(matrix, i, j)
        assert explanation.difference == pytest.approx(scores[i] - scores[j], abs=1e-13)
        assert explanation.contributions.sum() == pytest.approx(explanation.difference, abs=1e-13)
        assert not explanation.contributions[model.feature_importances_ == 0.0].any()


FUNCTIONS = [lambda X: np.tanh(X[:, 1]), lambda X: -np.tanh(X[:, 2] + X[:, 3]), lambda X: np.ones(X.shape[0])]


@pytest.mark.parametrize("method", METHODS)
def test_functions_of_the_users_own(method) -> None:
    model = MarginRanker(epsilon=0.3, method=method, hypotheses=FUNCTIONS).fit(X, Y)
    expected = sum(
        weight * FUNCTIONS[int(words.removeprefix("function "))](X_NEW)
        for words, weight in zip(model.hypotheses_, model.alpha_, strict=True)
    )
    assert np.allclose(model.predict(X_NEW), expected, rtol=0.0, atol=1e-13)
    assert model.verify(X, Y).bound == pytest.approx(model.certificate_.bound, abs=1e-9)
    assert not model.feature_importances_.any()
    if method != "hard":
        assert model.score(X, Y) > 0.8
    with pytest.raises(DataError, match="functions of your own cannot be explained by feature"):
        model.explain(X, 0, 1)


def test_of_several_epsilon_the_best_on_eval_set_is_kept() -> None:
    epsilons = [0.4, 0.6, 0.9]
    valid, calls = (X_NEW, Y_NEW), []
    model = MarginRanker(epsilon=epsilons).fit(
        X, Y, eval_set=valid, callbacks=[lambda number, values: calls.append((number, values))]
    )
    each = [MarginRanker(epsilon=epsilon).fit(X, Y) for epsilon in epsilons]
    values = [rw.evaluate(Y_NEW, single.predict(X_NEW), metrics="auc")["auc"] for single in each]
    assert len(set(values)) == 3
    assert model.evals_result_ == {"valid_0": {"auc": values}}
    assert [metrics["auc"] for _, metrics in calls if metrics] == values
    assert [number for number, _ in calls] == list(range(1, len(calls) + 1))
    best = int(np.argmax(values))
    assert (model.epsilon_, model.best_score_) == (epsilons[best], values[best])
    assert np.array_equal(model.predict(X_NEW), each[best].predict(X_NEW))
    assert model.certificate_ == each[best].certificate_
    assert model.max_rounds(Y) == 15_000
    assert len(calls) <= 3000


def test_judged_by_its_own_metric_on_queries() -> None:
    data = (VALID.X, VALID.y, VALID.qid)
    model = MarginRanker("ndcg@5", epsilon=(0.5, 0.95), hypotheses="stumps", tol=1e-3)
    model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=[data, (TRAIN.X, TRAIN.y, TRAIN.qid)])
    for number, rows in enumerate((VALID, TRAIN)):
        history = model.evals_result_[f"valid_{number}"]["ndcg@5"]
        assert len(history) == 2
        best = history[[0.5, 0.95].index(model.epsilon_)]
        assert best == rw.evaluate(rows.y, model.predict(rows.X), rows.qid, "ndcg@5")["ndcg@5"]
    assert model.best_score_ == max(model.evals_result_["valid_0"]["ndcg@5"])


def test_a_constant_feature_of_the_eval_set_does_no_harm() -> None:
    for hypotheses in ("features", "stumps"):
        model = MarginRanker(epsilon=0.3, hypotheses=hypotheses)
        model.fit(X, Y, eval_set=(np.zeros((4, 5)), [0, 1, 0, 1]))
        assert model.best_score_ == 0.5


ERRORS: dict[str, Any] = {
    "several epsilon without eval_set": (
        {"epsilon": [0.1, 0.2]}, {}, "epsilon has 2 values, but there is nothing to choose one by; pass an",
    ),
    "one class": ({}, {"y": np.ones(120)}, "no query has documents of different labels"),
    "no weight on a class": ({}, {"sample_weight": Y}, "no query has documents of different labels"),
    "weights that overflow": ({}, {"sample_weight": np.full(120, 1e200)}, "weights of rows must be 0 or from 1e-100"),
    "a function out of range": (
        {"hypotheses": [lambda X: X[:, 0]]}, {}, r"hypothesis 0 must give one number from -1 to 1 per row",
    ),
    "constant features": ({}, {"X": np.ones((120, 5))}, "no feature varies, so there is nothing to rank by"),
    "constant features for stumps": ({"hypotheses": "stumps"}, {"X": np.ones((120, 5))}, "no feature varies"),
    "NaN for features": ({}, {"X": np.where(X > 2, np.nan, X)}, "needs every feature of every row, got NaN; impute it"),
    "NaN for functions": ({"hypotheses": FUNCTIONS}, {"X": np.where(X > 2, np.nan, X)}, "got NaN; impute it"),
    "infinity": ({"hypotheses": "stumps"}, {"X": np.where(X > 2, np.inf, X)}, "infinity"),
    "epsilon 0": ({"epsilon": 0.0}, {}, "epsilon must be a number from 1e-09 to 1, got 0.0"),
    "epsilon above 1": ({"epsilon": [0.1, 1.5]}, {}, "epsilon must be a number from 1e-09 to 1, got 1.5"),
    "no epsilon": ({"epsilon": []}, {}, r"epsilon must be a number from 1e-09 to 1, got \[\]"),
    "epsilon as text": ({"epsilon": "0.1"}, {}, "epsilon must be a number from 1e-09 to 1, got '0.1'"),
    "method": ({"method": "soft"}, {}, 'method must be "pairs", "reduced", "heuristic" or "hard", got \'soft\''),
    "hypotheses": ({"hypotheses": "trees"}, {}, 'hypotheses must be "features", "stumps" or a list of functions'),
    "no functions": ({"hypotheses": []}, {}, 'hypotheses must be "features", "stumps" or a list of functions'),
    "tol": ({"tol": 0}, {}, "tol must be a number above 0 and at most 1, got 0"),
    "max_iter": ({"max_iter": 0}, {}, "max_iter must be a whole number from 1 to"),
    "verbose": ({"verbose": -1}, {}, "verbose must be a whole number from 0 to"),
    "metric": ({"metric": "fame"}, {}, "fame"),
    "an eval_set without pairs": ({}, {"eval_set": (X, np.ones(120))}, "no query of eval_set has .* which auc needs"),
    "negative weights": ({}, {"sample_weight": -Y}, "sample_weight must be 0 or more"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_learnt_is_said_in_one_sentence(case) -> None:
    parameters, rows, message = ERRORS[case]
    fit_args: dict[str, Any] = {"X": X, "y": Y} | rows
    with pytest.raises(rw.RankwiseError, match=message) as caught:
        MarginRanker(**parameters).fit(fit_args.pop("X"), fit_args.pop("y"), **fit_args)
    assert "\n" not in str(caught.value)
    assert not re.search(r"[.!?]\s+[A-Z]", str(caught.value))


def test_rows_that_do_not_fit_together() -> None:
    with pytest.raises(ShapeError, match="one entry per row"):
        MarginRanker().fit(X, Y[:-1])
    with pytest.raises(ShapeError, match="sample_weight must have one entry per row"):
        MarginRanker().fit(X, Y, sample_weight=np.ones(3))
    with pytest.raises(DataError, match="hypothesis 0 must give one number from -1 to 1"):
        MarginRanker(epsilon=0.3, hypotheses=[lambda X: X[:, 0] / 4]).fit(X, Y).predict(10 * X)  # type: ignore[list-item, return-value]


@pytest.mark.slow
def test_missing_values_of_stumps_are_on_neither_side() -> None:
    missing = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    for matrix in (missing, sp.csr_matrix(missing)):
        model = MarginRanker(epsilon=0.3, hypotheses="stumps").fit(matrix, Y)
        assert model.score(matrix, Y) > 0.8
        assert model.verify(matrix, Y).bound == pytest.approx(model.certificate_.bound, abs=1e-9)
        assert model.predict(np.full((1, 5), np.nan)).tolist() == [0.0]
        expected = [  # type: ignore[misc]
            w * sign * slow.side(missing[:, f], t) for w, (f, t, sign) in zip(model.alpha_, model.keys_, strict=True)
        ]
        assert np.allclose(model.predict(matrix), np.sum(expected, axis=0), rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("hypotheses", ["features", "stumps"])
@pytest.mark.parametrize("method", METHODS)
def test_where_no_pairs_can_be_told_scores_are_alike_and_a_warning_says_so(caplog, method, hypotheses) -> None:
    """Better and worse rows of the same features: nothing is gained, whatever share of them counts."""
    crossed = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    with caplog.at_level(logging.WARNING, logger="rankwise"):
        model = MarginRanker(epsilon=0.5, method=method, hypotheses=hypotheses).fit(crossed, [1, 1, 0, 0])
    remedy = "use a soft margin" if method == "hard" else "pass other features"
    assert caplog.records[-1].getMessage() == (
        f"no combination gives the worst pairs a positive margin: all scores are alike; {remedy}"
    )
    assert model.epsilon_ == (0.5 if method == "hard" else 1.0)
    assert np.ptp(model.predict(crossed)) == 0.0
    assert model.certificate_.value == pytest.approx(0.0, abs=1e-12)
    assert model.certificate_.bound == pytest.approx(0.0, abs=1e-12)
    assert model.alpha_.sum() == pytest.approx(1.0)
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="rankwise"):
        fitted(epsilon=0.5)
    assert not caplog.records


@pytest.mark.parametrize("method", ["pairs", "reduced", "heuristic"])
def test_epsilon_is_raised_where_noise_leaves_no_margin_and_a_warning_says_so(caplog, method) -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(120, 3))
    labels = (rows[:, 0] + 2.0 * random.normal(size=120) > 0).astype(int)
    with caplog.at_level(logging.WARNING, logger="rankwise"):
        model = MarginRanker(epsilon=0.1, method=method).fit(rows, labels)
    (message,) = [record.getMessage() for record in caplog.records]
    assert message == (
        "no combination gives the worst 0.1 of the pairs a positive mean margin; "
        f"epsilon was raised to {model.epsilon_:.3g}"
    )
    assert 0.1 < model.epsilon_ < 1.0
    assert model.certificate_.value > model.tol
    assert model.certificate_.gap <= model.tol
    assert model.score(rows, labels) > 0.55
    assert model.verify(rows, labels).bound == pytest.approx(model.certificate_.bound, abs=1e-9)
    again = MarginRanker(epsilon=model.epsilon_ / 1.25, method=method).fit(rows, labels)
    assert again.epsilon_ == pytest.approx(model.epsilon_)  # the next lower one has no margin


def test_too_few_rounds_are_told(caplog) -> None:
    with caplog.at_level(logging.WARNING, logger="rankwise"):
        model = fitted(max_iter=1)
    assert re.search(r"the duality gap is \S+ after max_iter rounds, above tol; raise it", caplog.text)
    assert model.certificate_.gap > model.tol
    assert model.best_iteration_ == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("after", [1, 3])
def test_ctrl_c_keeps_the_best_so_far(caplog, method, after) -> None:
    def interrupt(number, values) -> None:
        if number == after:
            raise KeyboardInterrupt

    with caplog.at_level(logging.WARNING, logger="rankwise"):
        model = MarginRanker(epsilon=0.3, method=method, tol=1e-9).fit(X, Y, callbacks=[interrupt])
    assert model.interrupted_
    assert "training was interrupted" in caplog.text
    assert model.best_iteration_ == after
    assert model.alpha_.sum() == pytest.approx(1.0)
    again, certificate = model.verify(X, Y), model.certificate_
    assert again.value == pytest.approx(certificate.value, abs=1e-9)
    assert again.bound == pytest.approx(certificate.bound, abs=1e-9)
    assert certificate.gap > 0.0


def test_ctrl_c_with_several_epsilon_keeps_the_best_judged() -> None:
    done = []

    def interrupt(number, values) -> None:
        done.extend(values.values())
        if len(done) == 1 and not values:
            raise KeyboardInterrupt

    model = MarginRanker(epsilon=[0.3, 0.001, 0.002]).fit(X, Y, eval_set=(X_NEW, Y_NEW), callbacks=[interrupt])
    assert model.interrupted_
    assert (model.epsilon_, model.best_score_) == (0.3, done[0])
    assert np.array_equal(model.predict(X), fitted().predict(X))


def test_an_error_of_a_callback_is_not_swallowed() -> None:
    def fail(number, values) -> Never:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        MarginRanker(epsilon=0.3).fit(X, Y, callbacks=[fail])


def test_rounds_are_logged_when_asked(caplog) -> None:
    with caplog.at_level(logging.INFO, logger="rankwise"):
        MarginRanker(epsilon=0.3, verbose=1).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    assert re.search(r"step \d+ auc 0\.\d{5}", caplog.text)
