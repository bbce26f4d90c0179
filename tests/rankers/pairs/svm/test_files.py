"""Files of RankSVM and AUCSVM: the same scores after loading, and one clear error for whatever is not a sound file."""

from __future__ import annotations

import copy
import random

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise.errors import ModelFileError
from rankwise.models import info, load, save
from tests.models.test_files import mutated, rewritten, with_field, with_parameter, with_summary
from tests.rankers.factories import EVAL_SET, TRAIN, VALID

MODELS = {
    "ranksvm": rw.RankSVM("ndcg@5", C=[0.1, 1.0]),
    "aucsvm": rw.AUCSVM("ndcg@5", C=[0.1, 1.0]),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param].fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET)


@pytest.fixture
def path(model, tmp_path):
    save(model, tmp_path / "m.rw")
    return tmp_path / "m.rw"


def test_what_is_loaded_is_what_was_saved(model, path, tmp_path):
    loaded = load(path)
    assert loaded.get_params() == model.get_params()
    assert np.array_equal(loaded.predict(VALID.X), model.predict(VALID.X))
    for name in ("C_", "n_iter_", "objective_", "duality_gap_", "best_score_", "best_iteration_", "evals_result_"):
        assert getattr(loaded, name) == getattr(model, name)
    if model.kind == "aucsvm":
        assert np.array_equal(loaded.coefs_, model.coefs_)
        assert np.array_equal(loaded.grades_, model.grades_)
    save(loaded, tmp_path / "again.rw")
    assert (tmp_path / "again.rw").read_bytes() == path.read_bytes()
    assert (info(path)["kind"], info(path)["summary"]["rows"]) == (model.kind, len(TRAIN))
    again = loaded.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET)
    assert np.array_equal(again.predict(VALID.X), model.predict(VALID.X))


@pytest.mark.parametrize("kind", MODELS)
def test_names_are_kept(kind, tmp_path):
    frame = pd.DataFrame(TRAIN.X, columns=[f"größe {k}" for k in range(TRAIN.n_features)])
    model = type(MODELS[kind])().fit(frame, TRAIN.y, qid=TRAIN.qid)
    save(model, tmp_path / "m.rw")
    assert list(load(tmp_path / "m.rw").feature_names_in_) == list(frame.columns)
    assert np.array_equal(load(tmp_path / "m.rw").predict(frame), model.predict(frame))


def test_mutated_files(model, path, tmp_path):
    rng, whole, target = random.Random(0), path.read_bytes(), tmp_path / "mutated.rw"
    expected, messages = model.predict(VALID.X), []
    for _ in range(500):
        target.write_bytes(mutated(whole, rng))
        try:
            loaded = load(target)
        except ModelFileError as problem:
            messages.append(str(problem))
        else:
            assert np.array_equal(loaded.predict(VALID.X), expected)
    assert len(messages) > 400
    assert not any("\n" in message for message in messages)


def learned(name, value):
    def change(manifest):
        manifest = copy.deepcopy(manifest)
        manifest["summary"]["learned"][name] = value
        return manifest

    return change


SIX = [1.0] * 6
LIES = [
    (with_field("n_features", 5), "5 finite numbers"),
    (with_field("metric", "map"), "name another"),
    (with_parameter("C", 0.0), "not possible"),
    (with_parameter("C", [1.0, None]), "not possible"),
    (with_parameter("C", {}), "not possible"),
    (with_parameter("tol", float("nan")), "not possible"),
    (with_parameter("max_iter", 10**30), "not possible"),
    (with_parameter("loss", ["hinge"]), "not possible"),
    (with_parameter("standardize", 1), "not possible"),
    (with_parameter("__class__", 1), "other parameters"),
    (with_summary("rows", -1), "whole number"),
    (with_summary("learned", None), "what it learned"),
    (with_summary("learned", []), "what it learned"),
    (with_summary("learned", {}), "coef"),
    (learned("coef", SIX[:5]), "6 finite numbers"),
    (learned("coef", [*SIX, 1.0]), "6 finite numbers"),
    (learned("coef", [*SIX[:5], float("nan")]), "6 finite numbers"),
    (learned("coef", [*SIX[:5], float("inf")]), "6 finite numbers"),
    (learned("coef", [*SIX[:5], 1e200]), "6 finite numbers"),
    (learned("coef", [*SIX[:5], 10**400]), "6 finite numbers"),
    (learned("coef", [*SIX[:5], True]), "6 finite numbers"),
    (learned("coef", [*SIX[:5], "1"]), "6 finite numbers"),
    (learned("coef", [SIX] * 6), "6 finite numbers"),
    (learned("coef", "123456"), "6 finite numbers"),
    (learned("coef", None), "6 finite numbers"),
    (learned("C", None), "C of the model must be a number"),
    (learned("C", float("inf")), "C of the model must be a number"),
    (learned("n_iter", 1.5), "n_iter"),
    (learned("objective", "low"), "objective"),
    (learned("duality_gap", float("nan")), "duality_gap"),
]
LIES_OF_GRADES = [
    learned("grades", None),
    learned("grades", []),
    learned("grades", [1.0, 2.0]),
    learned("grades", [1.0, 2.0, 3.0, float("nan")]),
    learned("grades", list(range(1, 10**4))),
    learned("coefs", None),
    learned("coefs", [SIX] * 3),
    learned("coefs", [SIX] * 4),
    learned("grades", [1.0, 2.0, 3.0, 5.0]),
    learned("coefs", [*[SIX] * 3, SIX[:5]]),
    learned("coefs", [*[SIX] * 3, 1.0]),
    learned("coefs", [*[SIX] * 3, [*SIX[:5], float("inf")]]),
]


@pytest.mark.parametrize("number", range(len(LIES)))
def test_manifests_that_lie(path, number):
    change, said = LIES[number]
    with pytest.raises(ModelFileError, match=said) as caught:
        load(rewritten(path, change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", range(len(LIES_OF_GRADES)))
def test_grades_that_lie(model, path, number):
    if model.kind == "ranksvm":
        assert np.array_equal(load(rewritten(path, LIES_OF_GRADES[number])).coef_, model.coef_)  # it has none to read
    else:
        with pytest.raises(ModelFileError, match=r"weights for each grade|6 finite numbers|sum of those"):
            load(rewritten(path, LIES_OF_GRADES[number]))


def test_members_that_should_not_be_there(path):
    with pytest.raises(ModelFileError):
        load(rewritten(path, extra=[("code.py", b"1")]))
