"""Model files: the same scores after loading, and one clear error for whatever is not a sound file."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile

import numpy as np
import pandas as pd
import pytest

from rankwise.errors import DataError, ModelFileError, RankwiseError
from rankwise.metrics import NDCG
from rankwise.models import info, load, save
from rankwise.rankers import LambdaMART
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


def test_what_is_loaded_is_what_was_saved(model, path, tmp_path):
    loaded = load(path)
    assert np.array_equal(loaded.predict(VALID.X), model.predict(VALID.X))
    assert loaded.get_params() == model.get_params()
    for name in ("best_iteration_", "best_score_", "evals_result_", "interrupted_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(model, name)
    assert np.array_equal(loaded.feature_importances_, model.feature_importances_)
    save(loaded, tmp_path / "again.rw")
    assert (tmp_path / "again.rw").read_bytes() == path.read_bytes()
    assert loaded.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid).best_iteration_ == 4


def test_names_categories_and_odd_parameters_are_kept(tmp_path):
    frame = pd.DataFrame(TRAIN.X, columns=[f"größe {k}" for k in range(6)])
    frame["kind"] = pd.Categorical(np.array(["a", "b", "é"])[np.arange(len(frame)) % 3])
    model = LambdaMART(
        NDCG(k=5), n_estimators=3, n_jobs=1, monotone_constraints={"größe 1": 1}, init=np.zeros(len(frame)),
        random_state=np.random.RandomState(0), num_leaves=np.int64(6),
    ).fit(frame, np.arange(len(frame)) % 3 == 1, qid=TRAIN.qid)  # fmt: skip
    assert "cat_threshold=" in model.boosters_[0].model_to_string()  # so that the check of such splits is tried
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    assert (loaded.metric, loaded.init, loaded.num_leaves) == ("ndcg@5", None, 6)


def test_a_split_that_parts_missing_values_from_all_others_is_kept(tmp_path):
    X = np.where(np.arange(80) % 2 == 0, np.nan, np.linspace(-1.0, 0.2, 80))[:, None]
    y = np.isnan(X[:, 0]) * 1.0
    model = LambdaMART("auc", n_estimators=2, num_leaves=2, random_state=0).fit(X, y)
    assert "threshold=inf" in model.boosters_[0].model_to_string()
    save(model, tmp_path / "m.rw")
    assert np.array_equal(load(tmp_path / "m.rw").predict(X), model.predict(X))


def test_info_reads_the_manifest_alone(path):
    said = info(path)
    assert (said["kind"], said["metric"], said["n_features"]) == ("lambdamart", "ndcg@10", 6)
    assert said["summary"]["rows"] == 800
    json.dumps(said)


def test_only_fitted_rankers_are_saved(tmp_path):
    with pytest.raises(DataError, match="save takes a model"):
        save(object(), tmp_path / "m.rw")
    with pytest.raises(ValueError, match="not fitted"):
        save(LambdaMART(), tmp_path / "m.rw")
    assert not (tmp_path / "m.rw").exists()
    with pytest.raises(ModelFileError, match="there is no model file"):
        load(tmp_path / "m.rw")


def mutated(whole: bytes, rng: random.Random) -> bytes:
    data = bytearray(whole)
    kind = rng.randrange(6)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(data))
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            del data[at : at + rng.choice((1, 4, 1000))]
        elif kind == 3:
            data[at:at] = rng.randbytes(rng.choice((1, 4, 1000)))
        elif kind == 4:
            other = rng.randrange(len(data))
            data[at], data[other] = data[other], data[at]
        else:
            # Sizes, names and places stand at the end of a zip file.
            data[-rng.randrange(1, min(400, len(data)))] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        if not data:
            break
    return bytes(data)


def test_ten_thousand_mutated_files(model, path, tmp_path):
    rng, whole = random.Random(0), path.read_bytes()
    expected, target = model.predict(VALID.X[:20]), tmp_path / "mutated.rw"
    messages = []
    for _ in range(10_000):
        target.write_bytes(mutated(whole, rng))
        try:
            loaded = load(target)
        except ModelFileError as problem:
            messages.append(str(problem))
        else:
            assert np.array_equal(loaded.predict(VALID.X[:20]), expected)
    assert len(messages) > 8_000
    assert not any("\n" in message for message in messages)


# --- files made to deceive: their checksums are right ---


def rewritten(path, change_manifest=None, change_text=None, extra=()):
    """The file with changes, and checksums that fit them."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    if change_text is not None:
        members["bag_0.txt"] = change_text(members["bag_0.txt"].decode()).encode()
    manifest["sha256"] = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    if change_manifest is not None:
        manifest = change_manifest(manifest)
    head = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.comment = hashlib.sha256(head).hexdigest().encode()
        for name, data in [("manifest.json", head), *members.items(), *extra]:
            file.writestr(name, data)
    return path


def test_rewriting_without_a_change_is_accepted(path):
    load(rewritten(path))


def with_field(name, value):
    return lambda manifest: manifest | {name: value}


def with_parameter(name, value):
    return lambda manifest: manifest | {"parameters": manifest["parameters"] | {name: value}}


def with_summary(name, value):
    return lambda manifest: manifest | {"summary": manifest["summary"] | {name: value}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_field("format", 2), "has format 2"),
        (with_field("format", True), "has format True"),
        (with_field("kind", "pickle"), "of kind 'pickle'"),
        (with_field("kind", ["lambdamart"]), "kind is a list"),
        (with_field("metric", None), "metric is a NoneType"),
        (with_field("n_features", -1), "model of -1 features"),
        (with_field("n_features", 10**9), "features, which cannot be"),
        (with_field("n_features", 7), "not sound"),
        (with_field("feature_names", ["a"]), "must name each"),
        (with_field("feature_names", [1] * 6), "must name each"),
        (with_field("more", 1), "other fields"),
        (with_field("sha256", {}), "does not list"),
        (with_field("parameters", {"__class__": 1, "metric": "ndcg@10"}), "other parameters"),
        (with_parameter("num_leaves", "31"), "not possible"),
        (with_parameter("num_leaves", 10**30), "not possible"),
        (with_parameter("norm", {}), "not possible"),
        (with_parameter("n_jobs", "all"), "not possible"),
        (with_parameter("metric", 5), "name another"),
        (with_summary("rows", "many"), "rows of the model's summary"),
        (with_summary("best_score", "high"), "best_score"),
        (with_summary("evals_result", [1]), "evals_result"),
        (lambda manifest: [manifest], "without checksums"),
    ],
)  # fmt: skip
def test_manifests_that_lie(path, change, message):
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(path, change_manifest=change))


def first_line(name, change):
    """Change the value of the first field of this name."""

    def apply(text):
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
def test_texts_that_would_break_the_engine(path, change):
    with pytest.raises(ModelFileError, match="not sound"):
        load(rewritten(path, change_text=change))


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (("../../evil.txt", b""), "member named"),
        (("/etc/passwd", b""), "member named"),
        (("extra.txt", b""), "does not list"),
        (("bomb.txt", bytes(50_000_000)), "would unpack to"),
    ],
)
def test_members_that_should_not_be_there(path, extra, message):
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(path, extra=[extra]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(path):
    with pytest.raises(ModelFileError, match="two members of one name"):
        load(rewritten(path, extra=[("bag_0.txt", b"")]))


def test_other_packing_and_other_files(path, tmp_path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("manifest.json", "{}")
    with pytest.raises(ModelFileError, match="does not use"):
        load(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("other.txt", "{}")
    with pytest.raises(ModelFileError, match=r"has no manifest\.json"):
        info(path)
    with pytest.raises(RankwiseError, match="no model file"):
        load(tmp_path)
