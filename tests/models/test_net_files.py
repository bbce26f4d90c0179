"""Files of nets: the same scores after loading, and one clear error for whatever is not a sound file."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy

from rankwise.errors import ModelFileError
from rankwise.models import info, load, save
from rankwise.rankers import LambdaRank, RankNet
from tests.models.test_files import mutated, with_field, with_parameter, with_summary
from tests.rankers.factories import TRAIN, VALID
from tests.rankers.nets.factories import SMALL, fitted


@pytest.fixture(scope="module")
def model():
    return fitted(hidden=(7, 3))


@pytest.fixture
def path(model, tmp_path):
    save(model, tmp_path / "model.rw")
    return tmp_path / "model.rw"


@pytest.mark.parametrize(
    "options", [{}, {"hidden": ()}, {"cls": RankNet, "optimizer": "burges2006", "activation": "tanh"}]
)
def test_what_is_loaded_is_what_was_saved(tmp_path, options):
    model = fitted(**options)
    save(model, tmp_path / "model.rw")
    loaded = load(tmp_path / "model.rw")
    assert type(loaded) is type(model)
    assert np.array_equal(loaded.predict(VALID.X), model.predict(VALID.X))
    assert loaded.get_params() == model.get_params()
    for name in ("best_iteration_", "best_score_", "evals_result_", "interrupted_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(model, name)
    save(loaded, tmp_path / "again.rw")
    assert (tmp_path / "again.rw").read_bytes() == (tmp_path / "model.rw").read_bytes()
    assert loaded.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid).best_iteration_ == 8
    said = info(tmp_path / "model.rw")
    assert (said["kind"], said["summary"]["rows"]) == (model.kind, 800)


def test_names_are_kept(tmp_path):
    frame = pd.DataFrame(TRAIN.X, columns=[f"größe {k}" for k in range(6)])
    model = LambdaRank(**SMALL | {"random_state": np.random.RandomState(0)}).fit(frame, TRAIN.y, qid=TRAIN.qid)
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert np.array_equal(loaded.predict(frame), model.predict(frame))


def test_mutated_files(model, path, tmp_path):
    rng, whole = random.Random(0), path.read_bytes()
    expected, target = model.predict(VALID.X[:20]), tmp_path / "mutated.rw"
    messages = []
    for _ in range(3_000):
        target.write_bytes(mutated(whole, rng))
        try:
            loaded = load(target)
        except ModelFileError as problem:
            messages.append(str(problem))
        else:
            assert np.array_equal(loaded.predict(VALID.X[:20]), expected)
    assert len(messages) > 2_400
    assert not any("\n" in message for message in messages)


# --- files made to deceive: their checksums are right ---


def rewritten(path, change_manifest=None, change_weights=None):
    """The file with changes, and checksums that fit them."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    if change_weights is not None:
        members = change_weights(members["weights.safetensors"])
    manifest["sha256"] = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    if change_manifest is not None:
        manifest = change_manifest(manifest)
    head = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.comment = hashlib.sha256(head).hexdigest().encode()
        for name, data in [("manifest.json", head), *members.items()]:
            file.writestr(name, data)
    return path


def test_rewriting_without_a_change_is_accepted(path):
    load(rewritten(path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_field("n_features", 7), "not sound"),
        (with_field("n_features", 10**7), "not sound"),
        (with_field("kind", "lambdamart"), "other parameters"),
        (with_field("kind", "ranknet"), "other parameters"),
        (with_field("parameters", {"metric": "ndcg@10"}), "other parameters"),
        (with_parameter("__class__", 1), "other parameters"),
        (with_parameter("hidden", [7, 4]), "not sound"),
        (with_parameter("hidden", [10**6] * 100), "not sound"),
        (with_parameter("hidden", [10**9]), "not possible"),
        (with_parameter("hidden", "12"), "not possible"),
        (with_parameter("hidden", None), "not possible"),
        (with_parameter("activation", "eval"), "not possible"),
        (with_parameter("dropout", 2), "not possible"),
        (with_parameter("torch_module", "os.system"), "not possible"),
        (with_parameter("standardize", "yes"), "not possible"),
        (with_parameter("metric", 5), "name another"),
        (with_summary("rows", "many"), "rows of the model's summary"),
        (with_summary("best_iteration", -1), "best_iteration"),
        (with_summary("best_score", "high"), "best_score"),
        (with_summary("evals_result", [1]), "evals_result"),
    ],
)  # fmt: skip
def test_manifests_that_lie(path, change, message):
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(path, change_manifest=change))


def test_a_device_that_is_not_here_is_not_asked_for(path, model):
    loaded = load(rewritten(path, change_manifest=with_parameter("device", "cuda:7")))
    assert np.array_equal(loaded.predict(VALID.X), model.predict(VALID.X))


def with_arrays(change):
    """The weights changed as arrays."""

    def apply(data):
        arrays = safetensors.numpy.load(data)
        return {"weights.safetensors": safetensors.numpy.save(change(arrays))}

    return apply


def with_array(name, change):
    return with_arrays(lambda arrays: arrays | {name: change(arrays[name])})


def with_header(change):
    def apply(data):
        size = int.from_bytes(data[:8], "little")
        head = json.dumps(change(json.loads(data[8 : 8 + size]))).encode()
        return {"weights.safetensors": len(head).to_bytes(8, "little") + head + data[8 + size :]}

    return apply


def nan_first(array):
    array = array.copy()
    array.flat[0] = np.nan
    return array


@pytest.mark.parametrize(
    "change",
    [
        with_array("layers.0.weight", lambda array: array.T.copy()),
        with_array("layers.0.weight", lambda array: array.astype(np.float64)),
        with_array("layers.0.weight", nan_first),
        with_array("mean", nan_first),
        with_array("scale", lambda array: array.astype(np.float32)),
        with_array("layers.1.bias", lambda array: array[:0]),
        with_arrays(lambda arrays: {name: array for name, array in arrays.items() if name != "mean"}),
        with_arrays(lambda arrays: arrays | {"layers.9.weight": np.zeros(3, np.float32)}),
        with_arrays(lambda arrays: {}),
        with_header(lambda head: head | {"mean": head["mean"] | {"data_offsets": [0, 10**12]}}),
        with_header(lambda head: head | {"mean": head["mean"] | {"shape": [2**62]}}),
        with_header(lambda head: head | {"mean": head["mean"] | {"dtype": "F8_E4M3"}}),
        with_header(lambda head: head | {"mean": head["mean"] | {"dtype": "BF16"}}),
        with_header(lambda head: [head]),
        lambda data: {"weights.safetensors": b""},
        lambda data: {"weights.safetensors": b"\xff" * 8 + data[8:]},
        lambda data: {"weights.safetensors": data[:-1]},
    ],
)
def test_weights_that_lie(path, change):
    with pytest.raises(ModelFileError, match="not sound"):
        load(rewritten(path, change_weights=change))


@pytest.mark.parametrize("names", [("bag_0.txt",), ("weights.safetensors", "weights2.safetensors"), ("code.py",)])
def test_other_members(path, names):
    with pytest.raises(ModelFileError, match="must consist of"):
        load(rewritten(path, change_weights=lambda data: dict.fromkeys(names, data)))
