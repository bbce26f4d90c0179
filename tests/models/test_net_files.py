"""Files of nets: the same scores after loading, and one clear error for whatever is not a sound file."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy

from rankwise.errors import ModelFileError
from rankwise.models import info, load, save
from rankwise.rankers import LambdaRank, RankNet
from tests.models.rewritten import read, rewritten, with_field, with_parameter, write
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
def test_what_is_loaded_is_what_was_saved(tmp_path, options) -> None:
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


def test_names_are_kept(tmp_path) -> None:
    frame = pd.DataFrame(TRAIN.X, columns=[f"größe {k}" for k in range(6)])
    model = LambdaRank(**SMALL | {"random_state": np.random.RandomState(0)}).fit(frame, TRAIN.y, qid=TRAIN.qid)
    save(model, tmp_path / "m.rw")
    loaded = load(tmp_path / "m.rw")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert np.array_equal(loaded.predict(frame), model.predict(frame))


# --- files made to deceive: their checksums are right ---


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_field("n_features", 7), "not sound"),
        (with_field("n_features", 10**7), "cannot be"),
        (with_field("kind", "lambdamart"), "other parameters"),
        (with_field("kind", "ranknet"), "other parameters"),
        (with_field("parameters", {"metric": "ndcg@10"}), "other parameters"),
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
    ],
)  # fmt: skip
def test_manifests_that_lie(path, change, message) -> None:
    with pytest.raises(ModelFileError, match=message):
        load(rewritten(path, change))


def test_a_device_that_is_not_here_is_not_asked_for(path, model) -> None:
    loaded = load(rewritten(path, with_parameter("device", "cuda:7")))
    assert np.array_equal(loaded.predict(VALID.X), model.predict(VALID.X))


def with_weights(path, change):
    """The file with other members, made of the weights."""
    manifest, members = read(path)
    return write(path, manifest, change(members["weights.safetensors"]))


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
def test_weights_that_lie(path, change) -> None:
    with pytest.raises(ModelFileError, match="not sound"):
        load(with_weights(path, change))


@pytest.mark.parametrize("names", [("bag_0.txt",), ("weights.safetensors", "weights2.safetensors"), ("code.py",)])
def test_other_members(path, names) -> None:
    with pytest.raises(ModelFileError, match="must consist of"):
        load(with_weights(path, lambda data: dict.fromkeys(names, data)))
