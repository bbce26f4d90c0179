"""Files of RankSVM and AUCSVM: the same scores after loading, and one clear error for whatever is not a sound file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise.errors import ModelFileError
from rankwise.models import info, load, save
from tests.models.rewritten import rewritten, with_field, with_learned, with_parameter, with_summary
from tests.rankers.factories import EVAL_SET, TRAIN, VALID

MODELS = {
    "ranksvm": rw.RankSVM("ndcg@5", C=[0.1, 1.0]),
    "quantiles": rw.RankSVM("ndcg@5", C=[0.1, 1.0], quantiles=True),
    "aucsvm": rw.AUCSVM("ndcg@5", C=[0.1, 1.0]),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param].fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET)


@pytest.fixture
def path(model, tmp_path):
    save(model, tmp_path / "m.rw")
    return tmp_path / "m.rw"


def test_what_is_loaded_is_what_was_saved(model, path, tmp_path) -> None:
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
def test_names_are_kept(kind, tmp_path) -> None:
    frame = pd.DataFrame(TRAIN.X, columns=[f"größe {k}" for k in range(TRAIN.n_features)])
    model = type(MODELS[kind])().fit(frame, TRAIN.y, qid=TRAIN.qid)
    save(model, tmp_path / "m.rw")
    assert list(load(tmp_path / "m.rw").feature_names_in_) == list(frame.columns)
    assert np.array_equal(load(tmp_path / "m.rw").predict(frame), model.predict(frame))


SIX = [1.0] * 6
LIES = [
    (with_field("n_features", 5), "5 finite numbers"),
    (with_field("metric", "map"), "name another"),
    (with_parameter("C", 0.0), "not possible"),
    (with_parameter("C", [1.0, None]), "not possible"),
    (with_parameter("C", {}), "not possible"),
    (with_parameter("tol", float("nan")), "not a finite number"),
    (with_parameter("max_iter", 10**30), "not possible"),
    (with_parameter("loss", ["hinge"]), "not possible"),
    (with_parameter("standardize", 1), "not possible"),
    (with_summary("learned", None), "what it learned"),
    (with_summary("learned", []), "what it learned"),
    (with_summary("learned", {}), "coef"),
    (with_learned("coef", SIX[:5]), "6 finite numbers"),
    (with_learned("coef", [*SIX, 1.0]), "6 finite numbers"),
    (with_learned("coef", [*SIX[:5], float("nan")]), "not a finite number"),
    (with_learned("coef", [*SIX[:5], float("inf")]), "not a finite number"),
    (with_learned("coef", [*SIX[:5], 1e200]), "6 finite numbers"),
    (with_learned("coef", [*SIX[:5], 10**400]), "6 finite numbers"),
    (with_learned("coef", [*SIX[:5], True]), "6 finite numbers"),
    (with_learned("coef", [*SIX[:5], "1"]), "6 finite numbers"),
    (with_learned("coef", [SIX] * 6), "6 finite numbers"),
    (with_learned("coef", "123456"), "6 finite numbers"),
    (with_learned("coef", None), "6 finite numbers"),
    (with_learned("C", None), "C of the model must be a number"),
    (with_learned("C", float("inf")), "not a finite number"),
    (with_learned("n_iter", 1.5), "n_iter"),
    (with_learned("objective", "low"), "objective"),
    (with_learned("duality_gap", float("nan")), "not a finite number"),
]
LIES_OF_GRADES = [
    with_learned("grades", None),
    with_learned("grades", []),
    with_learned("grades", [1.0, 2.0]),
    with_learned("grades", [1.0, 2.0, 3.0, None]),
    with_learned("grades", list(range(1, 10**4))),
    with_learned("coefs", None),
    with_learned("coefs", [SIX] * 3),
    with_learned("coefs", [SIX] * 4),
    with_learned("grades", [1.0, 2.0, 3.0, 5.0]),
    with_learned("coefs", [*[SIX] * 3, SIX[:5]]),
    with_learned("coefs", [*[SIX] * 3, 1.0]),
    with_learned("coefs", [*[SIX] * 3, [*SIX[:5], 1e200]]),
]

LINES = [[0.0, 1.0]] * 6


def quantiles(coef=SIX, knots=LINES, levels=LINES):
    return {"coef": coef, "knots": knots, "levels": levels}


LIES_OF_QUANTILES = [
    (None, "6 finite numbers"),
    (quantiles(coef=SIX[:5]), "6 finite numbers"),
    (quantiles(knots=LINES[:5]), "quantiles of its 6 features"),
    (quantiles(levels="012345"), "quantiles of its 6 features"),
    (quantiles(knots=[*LINES[:5], [0.0]]), "1 finite numbers"),
    (quantiles(knots=[*LINES[:5], [1.0, 0.0]]), "rising numbers"),
    (quantiles(knots=[*LINES[:5], [1.0, 1.0]]), "rising numbers"),
    (quantiles(levels=[*LINES[:5], [1.0, 0.0]]), "rising numbers"),
    (quantiles(levels=[*LINES[:5], [0.0, 1.5]]), "from 0 to 1"),
    (quantiles(knots=[*LINES[:5], []], levels=[*LINES[:5], []]), "1 to 127 rising"),
    (quantiles(knots=[*LINES[:5], list(range(200))], levels=[*LINES[:5], [0.5] * 200]), "1 to 127 rising"),
    (quantiles(knots=[*LINES[:5], 1.0]), "finite numbers"),
]


@pytest.mark.parametrize(("state", "message"), LIES_OF_QUANTILES)
def test_quantiles_that_lie(state, message, tmp_path) -> None:
    save(MODELS["quantiles"].fit(TRAIN, eval_set=VALID), tmp_path / "m.rw")
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(tmp_path / "m.rw", with_learned("quantiles", state)))


@pytest.mark.parametrize(("change", "message"), LIES)
def test_manifests_that_lie(path, change, message) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        load(rewritten(path, change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", LIES_OF_GRADES)
def test_grades_that_lie(model, path, change) -> None:
    if model.kind == "ranksvm":
        assert np.array_equal(load(rewritten(path, change)).coef_, model.coef_)  # it has none to read
    else:
        with pytest.raises(ModelFileError, match=r"weights for each grade|finite number|sum of those"):
            load(rewritten(path, change))
