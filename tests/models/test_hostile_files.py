"""Model files that are wrong in what they mean, checksums right: attacks that once got through, and hundreds more."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from benchmarks.fuzz_model_mutations import _as_chain, _with_sizes, mutated
from benchmarks.fuzz_models import model_tries, use
from rankwise.errors import DataError, ModelFileError
from rankwise.models.export._base import json_bytes
from rankwise.rankers.trees._lightgbm import MAX_DEPTH, engine_parameters, engine_threads
from rankwise.rankers.trees._tree_checks import check_trees
from rankwise.selection.peers import LightGBMRanker
from tests.models.rewritten import read, rewritten, with_field, with_parameter, write
from tests.rankers.factories import TRAIN
from tests.rankers.pairs.margin.factories import fitted as margin

N_FILES = 5_000  # a whole run is benchmarks/fuzz_models.py


@pytest.fixture(scope="module")
def trees():
    return rw.LambdaMART("ndcg@5", n_estimators=2, num_leaves=4, random_state=0, n_jobs=1).fit(TRAIN)


@pytest.fixture
def path(trees, tmp_path):
    rw.save(trees, tmp_path / "model.rw")
    return tmp_path / "model.rw"


def with_trees(path, change) -> Path:
    manifest, members = read(path)
    return write(path, manifest, members | {"bag_0.txt": change(members["bag_0.txt"].decode()).encode()})


def chain(leaves):
    return lambda text: _with_sizes("\n".join(_as_chain(text.split("\n"), leaves)))


def test_a_tree_that_is_a_chain_is_refused_where_explaining_it_would_end_the_process(path) -> None:
    for leaves in (MAX_DEPTH + 2, 131_072):
        with pytest.raises(ModelFileError, match="splits deep"):
            rw.load(with_trees(path, chain(leaves)))


def test_the_deepest_tree_is_scored_and_explained(path) -> None:
    model = rw.load(with_trees(path, chain(MAX_DEPTH + 1)))
    assert np.isfinite(model.predict(TRAIN.X)).all()
    assert str(model.explain(TRAIN.X, 0, 1))


def test_training_does_not_grow_deeper_than_loading_allows(trees) -> None:
    assert engine_parameters(trees.get_params() | {"num_leaves": 4, "max_bin": 255}, None)["max_depth"] == MAX_DEPTH
    assert LightGBMRanker()._engine()["max_depth"] == MAX_DEPTH


def _text(model) -> bytes:
    return model.to_saved().members["bag_0.txt"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("leaf_value", "0" * 4000),
        ("leaf_value", "1" * 30),
        ("leaf_count", "2147483648"),
        ("leaf_count", "-1"),
        ("split_gain", "1e300"),
    ],
)
def test_numbers_that_no_engine_writes_are_refused(path, name, value) -> None:
    def change(text):
        before, _, rest = text.partition(f"\n{name}=")
        after = rest.partition(" ")[2]
        return _with_sizes(f"{before}\n{name}={value} {after}")

    with pytest.raises(ModelFileError, match="not sound"):
        rw.load(with_trees(path, change))


def test_fields_of_a_tree_of_one_leaf_are_checked_too(trees) -> None:
    text = _text(trees).decode()
    header = text.partition("\n\nTree=")[0].split("\n")[:-1]
    leaf = "num_leaves=1\nnum_cat=0\nleaf_value=0.5\nis_linear=0\nshrinkage=1"
    check_trees(header, [leaf])
    with pytest.raises(ModelFileError, match="unknown field leaf_const"):
        check_trees(header, [f"{leaf}\nleaf_const=1"])


def test_threads_of_a_file_do_not_reach_the_engine(path) -> None:
    with pytest.raises(ModelFileError, match="n_jobs must be a number of threads up to 1024"):
        rw.load(rewritten(path, with_parameter("n_jobs", 100_000)))
    assert engine_threads(1024) <= 1024
    assert rw.load(rewritten(path, with_parameter("n_jobs", 1024))).predict(TRAIN.X).size


@pytest.mark.parametrize("epsilon", [1e-300, 5e-324, 0.0])
def test_an_extreme_epsilon_of_a_file_is_refused_at_once(tmp_path, epsilon) -> None:
    rw.save(margin(), tmp_path / "model.rw")
    with pytest.raises(ModelFileError, match="epsilon must be a number from 1e-09"):
        rw.load(rewritten(tmp_path / "model.rw", with_parameter("epsilon", epsilon)))


def test_many_thousands_of_values_of_a_parameter_are_refused(tmp_path) -> None:
    rw.save(margin(), tmp_path / "model.rw")
    rng = np.random.default_rng(0)
    with pytest.raises(ModelFileError, match="epsilon must be") as caught:
        rw.load(rewritten(tmp_path / "model.rw", with_parameter("epsilon", rng.uniform(0.1, 1.0, 100_000).tolist())))
    assert len(str(caught.value)) < 1000


def test_millions_of_features_are_refused_before_they_are_named(path) -> None:
    with pytest.raises(ModelFileError, match="which cannot be"):
        rw.load(rewritten(path, with_field("n_features", 10**7)))


def test_models_of_more_features_than_a_file_holds_are_refused(path, trees, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("rankwise.models._files.MAX_FEATURES", trees.n_features_in_ - 1)
    with pytest.raises(ModelFileError, match="which cannot be"):
        rw.load(path)
    with pytest.raises(DataError, match="a file holds models of up to"):
        rw.save(trees, tmp_path / "other.rw")


def test_numbers_beyond_json_are_a_sentence() -> None:
    with pytest.raises(DataError, match="JSON has finite numbers alone"):
        json_bytes([float("-inf")])


def test_a_parameter_that_is_not_a_number_is_refused(path) -> None:
    with pytest.raises(ModelFileError, match="not a finite number"):
        rw.load(rewritten(path, with_parameter("learning_rate", float("nan"))))


def test_half_a_character_is_refused(path) -> None:
    with pytest.raises(ModelFileError, match="surrogates not allowed"):
        rw.load(rewritten(path, with_field("metric", "ndcg@5\ud800")))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_thousands_of_files_are_refused_or_work(trees, tmp_path) -> None:
    """The mutator of benchmarks/fuzz_models.py, for the kinds of files with formats of their own."""
    models = {
        "trees": trees,
        "margin": margin(),
        "net": rw.RankNet(epochs=1, random_state=0, hidden=(3,)).fit(TRAIN),
        "stumps": rw.RankBoost("ndcg@5", n_estimators=3).fit(TRAIN),
    }
    seeds = {}
    for name, model in models.items():
        rw.save(model, tmp_path / "seed.rw")
        seeds[name] = (tmp_path / "seed.rw").read_bytes()
    attempt = model_tries(seeds, tmp_path)
    with np.errstate(all="ignore"):
        outcomes = Counter(
            attempt(number)[1] for number in range(N_FILES)
        )  # what is no error of the package, it raises
    assert outcomes["refused"] + outcomes["accepted"] == N_FILES
    assert outcomes["accepted"] > N_FILES // 50


def test_the_mutator_changes_files_and_starts_from_sound_ones(path, tmp_path) -> None:
    whole = path.read_bytes()
    use(path, random.Random(0))
    changed = [mutated(whole, random.Random(seed)) for seed in range(60)]
    assert len({data for data, _ in changed}) > 50
    assert {kind for _, kind in changed} == {"manifest", "members", "both", "zip", "bytes"}


def test_too_many_weights_and_devices_that_are_not_there_are_sentences() -> None:
    with pytest.raises(DataError, match=r"would have \d+ weights"):
        rw.RankNet(hidden=[10**6, 10**6]).fit(TRAIN)
    for device in ("foo", "meta", "cuda:99"):
        with pytest.raises(DataError, match="device must be one that torch has here"):
            rw.RankNet(device=device, epochs=1).fit(TRAIN)
