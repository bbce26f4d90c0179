"""Files of RateClassifier: the same decisions after loading, and one clear error for whatever is not a sound file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from torch import nn

from rankwise.errors import DataError, ModelFileError
from rankwise.models import info, load, save
from tests.models.rewritten import read, rewritten, with_field, with_parameter, with_summary, write
from tests.rankers.rates.factories import FAMILIES, logistic, small

X, Y = logistic(300, 0)
X_NEW, _ = logistic(100, 1)
THREE = np.array(["a", "b", "ü"])[np.digitize(X[:, 0], [-0.5, 0.8])]
TARGETS = {"binary": Y, "words": np.where(Y, "yes", "no"), "classes": THREE, "columns": np.stack([Y, X[:, 1] > 0], 1)}


def fitted(family, target="binary"):
    return small("0.5*f1 + 0.5*aucpr", model=family, anchors=3).fit(X, np.asarray(TARGETS[target]))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_loaded_is_what_was_saved(tmp_path, family, target) -> None:
    model = fitted(family, target)
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert loaded.get_params() == model.get_params()
    for method in ("decision_function", "predict_proba", "predict"):
        assert np.array_equal(getattr(loaded, method)(X_NEW), getattr(model, method)(X_NEW))
    assert np.array_equal(loaded.classes_, model.classes_)
    assert loaded.history_ == model.history_
    assert loaded.trained_for_ == model.trained_for_
    assert loaded.interrupted_ is False
    assert loaded.threshold_ == model.threshold_
    assert np.array_equal(loaded.multipliers_, model.multipliers_)
    save(loaded, tmp_path / "again.rw")
    assert (tmp_path / "again.rw").read_bytes() == (tmp_path / "m.rw").read_bytes()
    said = info(tmp_path / "m.rw")
    assert (said["kind"], said["metric"], said["summary"]["rows"]) == ("rate", "0.5*f1 + 0.5*aucpr", 300)
    if target == "binary":
        assert np.array_equal(loaded.fit(X, Y).decision_function(X_NEW), model.decision_function(X_NEW))


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_names_are_kept(tmp_path, family) -> None:
    frame = pd.DataFrame(X, columns=[f"größe {k}" for k in range(4)])
    model = small("f1", model=family).fit(frame, Y)
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert np.array_equal(loaded.predict_proba(frame), model.predict_proba(frame))


def test_what_cannot_be_saved(tmp_path) -> None:
    own = small(model=nn.Linear(4, 1)).fit(X, Y)
    with pytest.raises(DataError, match=r"a net of your own cannot be saved in one, got Linear; save the weights of"):
        save(own, tmp_path / "m.rw")
    with pytest.raises(ValueError, match="not fitted"):
        save(small(), tmp_path / "m.rw")
    assert not (tmp_path / "m.rw").exists()


@pytest.fixture(scope="module", params=FAMILIES)
def model(request):
    return fitted(request.param, "classes")


@pytest.fixture
def path(model, tmp_path):
    save(model, tmp_path / "m.rw")
    return tmp_path / "m.rw"


# --- files made to deceive: their checksums are right ---


def with_model(name, value):
    def apply(manifest):
        binary = manifest["summary"]["models"][1]
        (binary["calibration"] if name in binary["calibration"] else binary)[name] = value
        return manifest

    return apply


LIES = [
    (with_field("n_features", 5), r"mean|not sound"),
    (with_field("metric", "f1"), "name another"),
    (with_parameter("model", "own"), "not possible"),
    (with_parameter("model", ["linear"]), "not possible"),
    (with_parameter("hidden", None), "not possible"),
    (with_parameter("anchors", 10**9), "not possible"),
    (with_parameter("calibration", "eval"), "not possible"),
    (with_summary("target", "regression"), "classes"),
    (with_summary("target", "binary"), "classes"),
    (with_summary("classes", ["a", "b"]), "models for"),
    (with_summary("classes", ["a", "b", ["c"]]), "classes"),
    (with_summary("classes", [["a"], ["b"], ["c"]]), "classes"),
    (with_summary("classes", ["a", "a", "b"]), "classes"),
    (with_summary("classes", ["a", 1, None]), "classes"),
    (with_summary("models", {}), "models for"),
    (with_summary("models", [1, 2, 3]), "threshold"),
    (with_model("threshold", float("nan")), "not a finite number"),
    (with_model("threshold", 10**400), "threshold of the model must be a number"),
    (with_model("threshold", True), "threshold of the model must be a number"),
    (with_model("multipliers", "many"), "multipliers"),
    (with_model("multipliers", [10**400]), "multipliers"),
    (with_model("calibration", None), "scores"),
    (with_model("scores", [3.0, 2.0]), "rising scores"),
    (with_model("probabilities", [0.1, float("inf")]), "not a finite number"),
    (with_model("history", []), "how it was chosen"),
    (with_model("history", {}), "how it was chosen"),
    (with_model("history", {"chosen": "tuned"}), "how it was chosen"),
]
SCORERS: list[Any] = [
    None,
    [],
    {},
    {"trees": -1, "weights": [1.0]},
    {"trees": 0},
]


@pytest.mark.slow
@pytest.mark.parametrize(("change", "message"), LIES)
def test_manifests_that_lie(path, change, message) -> None:
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(path, change))


@pytest.mark.parametrize("scorer", SCORERS)
def test_scorers_that_lie(model, path, scorer) -> None:
    if model.model != "net":  # whose manifest says nothing of them
        with pytest.raises(ModelFileError):
            load(rewritten(path, with_model("scorer", scorer)))


def test_falling_or_impossible_probabilities(path) -> None:
    for scores, chances in (([1.0, 2.0], [0.1, 1.5]), ([1.0, 2.0], [0.5]), ([1.0, 1.0, 0.5], [0.1, 0.2, 0.3])):
        with_chances, with_scores = with_model("probabilities", chances), with_model("scores", scores)
        with pytest.raises(ModelFileError, match="calibration"):
            load(rewritten(path, lambda manifest: with_scores(with_chances(manifest))))  # noqa: B023


def test_members_that_lie(model, path) -> None:
    manifest, members = read(path)
    if model.model == "linear":
        assert members == {}
        with pytest.raises(ModelFileError, match="members that it does not use"):
            load(write(path, manifest, {"model_0.txt": b"tree"}))
        return
    first, *others = sorted(members)
    with pytest.raises(ModelFileError, match="must have"):
        load(write(path, manifest, {name: members[name] for name in others}))
    damages = [b"", b"\xff" * 50, members[first][:-1], members[first] + b"\n", members[first].replace(b"2", b"9")]
    if model.model == "net":
        arrays = safetensors.numpy.load(members[first])
        damages.append(safetensors.numpy.save(arrays | {"intercept": np.full(1, np.nan, np.float32)}))
        damages.append(safetensors.numpy.save({"intercept": arrays["intercept"]}))
    for damage in damages:
        try:
            loaded = load(write(path, manifest, members | {first: damage}))
        except ModelFileError:
            continue
        assert damage is damages[4]  # other digits are another model
        assert loaded.predict(X_NEW).shape == (100,)
