"""Files of LambdaMART: the same scores after loading, and one clear error for trees that are not sound.

What holds of the files of all kinds of models is in tests/contract/test_damaged_files.py.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import NDCG
from rankwise.models import info, load, save
from rankwise.rankers import LambdaMART
from tests.models.rewritten import read, rewritten, with_field, with_parameter, write
from tests.rankers.factories import EVAL_SET, TRAIN, VALID


@pytest.fixture(scope="module")
def model():
    return LambdaMART("ndcg@10", n_estimators=4, num_leaves=5, random_state=0, bags=2, n_jobs=1).fit(
        TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET
    )


@pytest.fixture
def path(model, tmp_path):
    save(model, tmp_path / "model.rw")
    return tmp_path / "model.rw"


def test_what_is_loaded_is_what_was_saved(model, path, tmp_path) -> None:
    loaded = load(path)
    assert np.array_equal(loaded.predict(VALID.X), model.predict(VALID.X))
    assert loaded.get_params() == model.get_params()
    for name in ("best_iteration_", "best_score_", "evals_result_", "interrupted_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(model, name)
    assert np.array_equal(loaded.feature_importances_, model.feature_importances_)
    save(loaded, tmp_path / "again.rw")
    assert (tmp_path / "again.rw").read_bytes() == path.read_bytes()
    assert loaded.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid).best_iteration_ == 4


def test_names_categories_and_odd_parameters_are_kept(tmp_path) -> None:
    frame = pd.DataFrame(TRAIN.X, columns=[f"größe {k}" for k in range(6)])
    frame["kind"] = pd.Categorical(np.array(["a", "b", "é"])[np.arange(len(frame)) % 3])
    model = LambdaMART(
        NDCG(k=5), n_estimators=3, n_jobs=1, monotone_constraints={"größe 1": 1}, init="l2",
        random_state=np.random.RandomState(0), num_leaves=np.int64(6),  # type: ignore[arg-type]
    ).fit(frame, np.arange(len(frame)) % 3 == 1, qid=TRAIN.qid)  # fmt: skip
    assert "cat_threshold=" in model.boosters_[0].model_to_string()  # so that the check of such splits is tried
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    assert (loaded.metric, loaded.init, loaded.num_leaves) == ("ndcg@5", "l2", 6)


def test_a_split_that_parts_missing_values_from_all_others_is_kept(tmp_path) -> None:
    X = np.where(np.arange(80) % 2 == 0, np.nan, np.linspace(-1.0, 0.2, 80))[:, None]
    y = np.isnan(X[:, 0]) * 1.0
    model = LambdaMART("auc", n_estimators=2, num_leaves=2, random_state=0).fit(X, y)
    assert "threshold=inf" in model.boosters_[0].model_to_string()
    save(model, tmp_path / "m.rw")
    assert np.array_equal(load(tmp_path / "m.rw").predict(X), model.predict(X))


def test_info_reads_the_manifest_alone(path) -> None:
    said = info(path)
    assert (said["kind"], said["metric"], said["n_features"]) == ("lambdamart", "ndcg@10", 6)
    assert said["summary"]["rows"] == 800
    json.dumps(said)


def test_only_fitted_rankers_are_saved(tmp_path) -> None:
    with pytest.raises(DataError, match="save takes a model"):
        save(object(), tmp_path / "m.rw")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not fitted"):
        save(LambdaMART(), tmp_path / "m.rw")
    assert not (tmp_path / "m.rw").exists()
    with pytest.raises(ModelFileError, match="there is no model file"):
        load(tmp_path / "m.rw")


# --- files made to deceive: their checksums are right ---


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_field("n_features", 7), "not sound"),
        (with_field("parameters", {"__class__": 1, "metric": "ndcg@10"}), "other parameters"),
        (with_parameter("num_leaves", "31"), "not possible"),
        (with_parameter("num_leaves", 10**30), "not possible"),
        (with_parameter("norm", {}), "not possible"),
        (with_parameter("n_jobs", "all"), "not possible"),
        (with_parameter("metric", 5), "name another"),
    ],
)
def test_manifests_that_lie(path, change, message) -> None:
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(path, change))


def first_line(name, change):
    """Change the value of the first field of this name."""

    def apply(text) -> str:
        before, _, rest = text.partition(f"\n{name}=")
        value, _, after = rest.partition("\n")
        return f"{before}\n{name}={change(value)}\n{after}"

    return apply


def first_word(name, word):
    return first_line(name, lambda value: " ".join([word, *value.split(" ")[1:]]))


@pytest.mark.parametrize(
    "change",
    [
        first_word("left_child", "0"),
        first_word("left_child", "-1000000"),
        first_word("right_child", "99"),
        first_word("split_feature", "99"),
        first_word("split_feature", "-1"),
        first_word("threshold", "nan"),
        first_word("leaf_value", "inf"),
        first_word("leaf_value", "0x10"),
        first_word("decision_type", "1"),
        first_word("decision_type", "64"),
        first_line("leaf_value", lambda value: value + " 1"),
        first_line("num_leaves", lambda value: "2147483647"),
        first_line("num_leaves", lambda value: "0"),
        first_line("num_cat", lambda value: "1"),
        first_line("is_linear", lambda value: "1"),
        first_line("max_feature_idx", lambda value: "1000000000"),
        first_line("tree_sizes", lambda value: value.replace("6", "7")),
        first_line("num_tree_per_iteration", lambda value: "3"),
        first_line("feature_names", lambda value: "a"),
        first_line("pandas_categorical", lambda value: "{}"),
        first_line("pandas_categorical", lambda value: "[" * 100_000),
        lambda text: text.replace("end of trees", ""),
        lambda text: text + "\nparameters:\n[num_threads: 1]\n",
        lambda text: text.replace("Tree=1", "Tree=2"),
        lambda text: text.replace("shrinkage=0.1", "shrinkage=0.1\nleaf_const=1", 1),
        lambda text: "é" + text,
        lambda text: "",
    ],
)
def test_texts_that_would_break_the_engine(path, change) -> None:
    manifest, members = read(path)
    with pytest.raises(ModelFileError, match="not sound"):
        load(write(path, manifest, members | {"bag_0.txt": change(members["bag_0.txt"].decode()).encode()}))
