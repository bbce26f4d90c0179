"""Files of MarginRanker: the same model and certificate after loading, and one clear error for an unsound file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankwise.errors import DataError, ModelFileError
from rankwise.models import info, load, save
from rankwise.rankers import MarginRanker
from rankwise.rankers.pairs.margin._programs import METHODS
from tests.models.rewritten import read, rewritten, with_field, with_learned, with_parameter, with_summary
from tests.rankers.pairs.margin.factories import noisy

X, Y = noisy()
X_NEW, Y_NEW = noisy(seed=1)
SETTINGS = [(method, hypotheses) for method in METHODS for hypotheses in ("features", "stumps")]


def fitted(method="pairs", hypotheses="features", **parameters):
    given: dict[str, Any] = {"epsilon": [0.3, 0.5], "tol": 1e-3} | parameters
    return MarginRanker(method=method, hypotheses=hypotheses, **given).fit(X, Y, eval_set=(X_NEW, Y_NEW))


def test_a_raised_epsilon_is_loaded(tmp_path, caplog) -> None:
    labels = np.random.default_rng(0).permutation(Y)  # nothing to learn: the worst pairs have no margin
    model = MarginRanker(epsilon=0.1, tol=1e-3).fit(X, labels)
    assert model.epsilon_ > 0.1
    assert "epsilon was raised" in caplog.text
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert loaded.epsilon_ == model.epsilon_
    assert np.array_equal(loaded.predict(X_NEW), model.predict(X_NEW))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "hypotheses"), SETTINGS)
def test_what_is_loaded_is_what_was_saved(tmp_path, method, hypotheses) -> None:
    model = fitted(method, hypotheses)
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert loaded.get_params() == model.get_params()
    assert np.array_equal(loaded.predict(X_NEW), model.predict(X_NEW))
    assert np.array_equal(loaded.alpha_, model.alpha_)
    assert np.array_equal(loaded.feature_importances_, model.feature_importances_)
    for name in (
        "keys_", "hypotheses_", "epsilon_", "rho_", "gamma_", "certificate_", "best_score_", "best_iteration_",
        "evals_result_", "interrupted_", "n_rows_", "n_queries_",
    ):  # fmt: skip
        assert getattr(loaded, name) == getattr(model, name), name
    assert loaded.verify(X, Y) == model.verify(X, Y)
    told, expected = (one.explain(X, 0, 1) for one in (loaded, model))
    assert np.array_equal(told.contributions, expected.contributions)
    save(loaded, tmp_path / "again.rw")
    assert (tmp_path / "again.rw").read_bytes() == (tmp_path / "m.rw").read_bytes()
    said = info(tmp_path / "m.rw")
    assert (said["kind"], said["metric"], said["summary"]["rows"]) == ("margin", "auc", 120)
    assert loaded.fit(X, Y, eval_set=(X_NEW, Y_NEW)).certificate_ == model.certificate_


def test_names_are_kept(tmp_path) -> None:
    frame = pd.DataFrame(X, columns=[f"größe {k}" for k in range(5)])
    model = MarginRanker(epsilon=0.5).fit(frame, Y)
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert loaded.hypotheses_ == model.hypotheses_
    assert "größe" in loaded.hypotheses_[0]
    assert np.array_equal(loaded.predict(frame), model.predict(frame))


def test_what_cannot_be_saved(tmp_path) -> None:
    own = MarginRanker(epsilon=0.3, hypotheses=[lambda X: np.tanh(X[:, 1])]).fit(X, Y)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"functions of your own cannot be saved in one, got 1; save model.alpha_ and"):
        save(own, tmp_path / "m.rw")
    with pytest.raises(ValueError, match="not fitted"):
        save(MarginRanker(), tmp_path / "m.rw")
    assert not (tmp_path / "m.rw").exists()


@pytest.fixture(scope="module", params=[("heuristic", "features"), ("reduced", "stumps"), ("hard", "features")])
def model(request):
    return fitted(*request.param)


@pytest.fixture
def path(model, tmp_path):
    save(model, tmp_path / "m.rw")
    return tmp_path / "m.rw"


# --- files made to deceive: their checksums are right ---

LIES = [
    (with_field("n_features", 2), r"low of the model must be 2 finite numbers|must be of its 2 features"),
    (with_field("metric", "ndcg"), "name another"),
    (with_parameter("__class__", 1), "other parameters"),
    (with_parameter("method", "soft"), "not possible"),
    (with_parameter("method", ["pairs"]), "not possible"),
    (with_parameter("hypotheses", None), "not possible"),
    (with_parameter("hypotheses", ["features"]), "not possible"),
    (with_parameter("hypotheses", []), "not possible"),
    (with_parameter("epsilon", 2.0), "not possible"),
    (with_parameter("epsilon", {}), "not possible"),
    (with_parameter("epsilon", [0.25, 0.35]), "epsilon of the model must be among"),
    (with_parameter("tol", 10**400), "not possible"),
    (with_summary("learned", []), "with what it learned"),
    (with_learned("epsilon", 0.25), "epsilon of the model must be among"),
    (with_learned("epsilon", None), "epsilon of the model"),
    (with_learned("keys", []), "alpha of the model must be|add up to 1"),
    (with_learned("keys", lambda keys: [*keys[:-1], 99]), "must be of its 5 features"),
    (with_learned("keys", lambda keys: [*keys[:-1], [0, 0.0, 2]]), "must be of its 5 features"),
    (with_learned("keys", lambda keys: [*keys[:-1], True]), "must be of its 5 features"),
    (with_learned("alpha", lambda alpha: [2.0 * a for a in alpha]), "add up to 1|from 0 to 1"),
    (with_learned("alpha", lambda alpha: [1.001 * a for a in alpha]), "add up to 1|from 0 to 1"),
    (with_learned("alpha", lambda alpha: [-a for a in alpha]), "from 0 to 1"),
    (with_learned("alpha", lambda alpha: [*alpha, 0.0]), "numbers"),
    (with_learned("alpha", float("nan")), "not a finite number"),
    (with_learned("nu", [-1.0]), "from 0 to"),
    (with_learned("nu", [float("inf")]), "not a finite number"),
    (with_learned("cuts", []), "must have its cuts"),
    (with_learned("cuts", [1]), "must be of its 5 features"),
    (with_learned("share", -0.5, "cuts", 0), "from 0 to 1"),
    (with_learned("share", "x", "cuts", 0), "share of the model must be a number from 0 to 1"),
    (with_learned("cuts", lambda cuts: [cut | {"share": 0.0} for cut in cuts]), "not be all 0"),
    (with_learned("number", -1, "cuts", 0), "must have a number"),
    (with_learned("number", 0.5, "cuts", 0), "must have a number"),
    (with_learned("alpha", lambda alpha: [*alpha, 0.5], "cuts", 0), "numbers"),
    (with_learned("certificate", None), "certificate of the model must be whole"),
    (with_learned("rho", None, "certificate"), "certificate of the model must be of numbers"),
    (with_learned("bound", 10**400, "certificate"), "certificate of the model must be of numbers"),
    (with_learned("method", 5, "certificate"), "certificate of the model must be whole"),
    (with_learned("shares", [None], "certificate"), "shares of the model"),
    (with_learned("certificate", lambda told: told | {"more": 1}), "certificate of the model must be whole"),
]


@pytest.mark.parametrize(("change", "message"), LIES)
def test_manifests_that_lie(path, change, message) -> None:
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(path, change))


def test_scales_that_lie(model, path) -> None:
    if model.hypotheses != "stumps":
        low = read(path)[0]["summary"]["learned"]["scale"]["low"]
        for scale in (None, {}, {"low": low}, {"low": low, "high": low}, {"low": low, "high": [1.0]}):
            with pytest.raises(ModelFileError, match=r"low|high|features that vary"):
                load(rewritten(path, with_learned("scale", scale)))
