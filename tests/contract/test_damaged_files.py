"""Files of every kind of model, damaged by chance or made to deceive: one clear error, or the same scores."""

from __future__ import annotations

import functools
import random
import zipfile
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import ModelFileError, RankwiseError
from rankwise.models import info, load, save
from rankwise.rankers._base import model_kinds
from rankwise.rankers._parameters import check_parameters
from rankwise.selection.peers import LightGBMRanker, LogisticRanker
from tests.models.rewritten import (
    GONE,
    ODD,
    changed,
    places,
    read,
    rewritten,
    with_field,
    with_parameter,
    with_summary,
    write,
)
from tests.rankers.factories import EVAL_SET, TRAIN, VALID
from tests.rankers.nets.factories import SMALL
from tests.rankers.pairs.margin.factories import noisy
from tests.rankers.rates.factories import logistic, small

pytestmark = pytest.mark.slow

X, Y = logistic(300, 0)
CLASSES = np.array(["a", "b", "ü"])[np.digitize(X[:, 0], [-0.5, 0.8])]
PAIRS, PAIRS_NEW = noisy(), noisy(seed=1)


def ranker(model):
    return model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET), VALID.X[:20]


def auto(*candidates):
    model = rw.AutoRanker("ndcg@5", candidates=dict(zip("ab", candidates, strict=False)), folds=2, random_state=0)
    return model.fit(TRAIN), VALID.X[:20]


def margin(method, hypotheses):
    model = rw.MarginRanker(method=method, hypotheses=hypotheses, epsilon=[0.3, 0.5], tol=1e-3)
    return model.fit(*PAIRS, eval_set=PAIRS_NEW), PAIRS_NEW[0]


def rate(family):
    return small("0.5*f1 + 0.5*aucpr", model=family, anchors=3).fit(X, CLASSES), logistic(100, 1)[0]


TREES: dict[str, Any] = {"n_estimators": 4, "num_leaves": 5, "random_state": 0, "bags": 2, "n_jobs": 1}
MODELS = {
    "lambdamart": lambda: ranker(rw.LambdaMART("ndcg@10", **TREES)),
    "lambdarank": lambda: ranker(rw.LambdaRank(**SMALL | {"hidden": (7, 3)})),
    "ranknet": lambda: ranker(rw.RankNet(**SMALL | {"optimizer": "burges2006", "activation": "tanh"})),
    "rankboost": lambda: ranker(rw.RankBoost("ndcg@5", n_estimators=4)),
    "smoothrankboost": lambda: ranker(rw.SmoothRankBoost("ndcg@5", n_estimators=4)),
    "ranksvm": lambda: ranker(rw.RankSVM("ndcg@5", C=[0.1, 1.0])),
    "aucsvm": lambda: ranker(rw.AUCSVM("ndcg@5", C=[0.1, 1.0])),
    "auto, a blend": lambda: auto(rw.RankSVM("ndcg@5"), rw.LambdaMART("ndcg@5", **TREES)),
    "auto, one": lambda: auto(rw.LambdaMART("ndcg@5", **TREES)),
    "lightgbm": lambda: ranker(LightGBMRanker("ndcg@5", objective="binary", n_estimators=4, random_state=0, n_jobs=1)),
    "logistic": lambda: ranker(LogisticRanker("ndcg@5")),
    "margin of features": lambda: margin("heuristic", "features"),
    "margin of stumps": lambda: margin("reduced", "stumps"),
    "hard margin": lambda: margin("hard", "features"),
    "rate of trees": lambda: rate("trees"),
    "rate, linear": lambda: rate("linear"),
    "rate of a net": lambda: rate("net"),
}
MUTATIONS = {"lambdamart": 10_000, "lambdarank": 3_000}  # of the engines whose own formats are in the file


@functools.cache
def fitted(name):
    """The model, and rows to score by it."""
    return MODELS[name]()


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


@pytest.fixture
def path(name, tmp_path):
    save(fitted(name)[0], tmp_path / "model.rw")
    return tmp_path / "model.rw"


def test_every_kind_of_model_is_here() -> None:
    of_library = {kind for kind, cls in model_kinds().items() if cls.__module__.startswith("rankwise.")}
    assert {fitted(name)[0].kind for name in MODELS} == of_library


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


def test_mutated_files_are_refused_or_the_same_model(name, path, tmp_path) -> None:
    (model, rows), rng, whole = fitted(name), random.Random(0), path.read_bytes()
    expected, target = model.scores(rows), tmp_path / "mutated.rw"
    count, messages = MUTATIONS.get(name, 500), []
    for _ in range(count):
        target.write_bytes(mutated(whole, rng))
        try:
            loaded = load(target)
        except ModelFileError as problem:
            messages.append(str(problem))
        else:
            assert np.array_equal(loaded.scores(rows), expected)
    assert len(messages) > 0.8 * count
    assert not any("\n" in message for message in messages)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9, 0.999])
def test_truncated_files(path, share) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    for reader in (load, info):
        with pytest.raises(ModelFileError, match=r"not a whole model file|manifest is not what was saved"):
            reader(path)


# --- files made to deceive: their checksums are right ---


def test_rewriting_without_a_change_is_accepted(name, path) -> None:
    model, rows = fitted(name)
    assert np.array_equal(load(write(path, *read(path))).scores(rows), model.scores(rows))


@pytest.mark.filterwarnings("ignore:overflow|invalid")
def test_manifests_with_odd_values_are_refused_or_still_work(name, path, tmp_path) -> None:
    """Whatever stands in a file that is loaded: it scores, and can be verified and saved."""
    model, rows = fitted(name)
    manifest, members = read(path)
    in_model = [place for place in places(manifest) if place and place[0] in ("parameters", "summary", "metric")]
    rng, tried, messages, shape = random.Random(1), 0, [], model.scores(rows).shape
    for place in in_model:
        for value in (GONE, *rng.sample(ODD, 4), 0.5):
            tried += 1
            target = write(tmp_path / "odd.rw", changed(manifest, place, value), members)
            try:
                loaded = load(target)
            except ModelFileError as problem:
                messages.append(str(problem))
                continue
            scores = loaded.scores(rows)
            assert scores.shape == shape, (place, value)
            if model.kind != "rate":  # whose thresholds may be as large as numbers are
                assert np.isfinite(scores).all(), (place, value)
            save(loaded, tmp_path / "again.rw")
            if model.kind == "margin":
                verified = loaded.verify(*PAIRS)
                assert np.isfinite([verified.rho, verified.share, verified.value, verified.bound]).all(), (place, value)
                assert len(loaded.hypotheses_) == loaded.alpha_.size
                assert str(loaded.certificate_)
    assert tried > 100
    assert len(messages) > tried // 3
    assert not any("\n" in message for message in messages)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_field("format", 2), "has format 2"),
        (with_field("format", True), "has format True"),
        (with_field("kind", "pickle"), "of kind 'pickle'"),
        (with_field("kind", ["lambdamart"]), "kind is a list"),
        (with_field("rankwise", None), "rankwise is a NoneType"),
        (with_field("metric", None), "metric is a NoneType"),
        (with_field("metric", "nothing"), "metric|parameters|nothing"),
        (with_field("n_features", -1), "model of -1 features"),
        (with_field("n_features", 2.0), "n_features is a float"),
        (with_field("n_features", 10**9), "features, which cannot be"),
        (with_field("n_features", 1), "not sound|numbers|features"),
        (with_field("feature_names", ["a"]), "must name each"),
        (with_field("feature_names", [1] * 6), "must name each"),
        (with_field("more", 1), "other fields"),
        (with_field("parameters", {"__class__": 1, "metric": "ndcg@10"}), "parameters"),
        (with_field("parameters", []), "parameters is a list"),
        (with_field("summary", None), "summary is a NoneType"),
        (with_field("summary", {}), "summary|models|engine|rows|learned|classes|member"),
        (with_parameter("__class__", 1), "parameters"),
        (with_summary("rows", "many"), "rows of the model's summary"),
        (with_summary("rows", -1), "rows of the model's summary"),
        (with_summary("rows", 1.5), "rows of the model's summary"),
        (with_summary("rows", 10**30), "rows of the model's summary"),
        (lambda manifest: [manifest], "without checksums"),
        (lambda manifest: "manifest", "without checksums"),
    ],
)
def test_manifests_that_lie(path, change, message) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        load(rewritten(path, change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"), [("queries", -1), ("best_iteration", -1), ("best_score", "high"), ("evals_result", [1])]
)
def test_summaries_of_rankers_that_lie(name, path, field, value) -> None:
    manifest, _ = read(path)
    if field in manifest["summary"]:
        with pytest.raises(ModelFileError, match=field):
            load(rewritten(path, with_summary(field, value)))
    else:
        assert fitted(name)[0].kind in ("auto", "rate")


def test_another_kind_of_model(name, path) -> None:
    other = "ranknet" if name == "lambdamart" else "lambdamart"
    with pytest.raises(ModelFileError, match=r"parameters|consist of"):
        load(rewritten(path, with_field("kind", other)))


def test_parameters_that_the_class_refuses_are_refused_in_files(name, path, tmp_path) -> None:
    model, _ = fitted(name)
    manifest, members = read(path)
    refused = 0
    for parameter in manifest["parameters"]:
        value: Any
        for value in (-1, 10**30, "x", [], {}):
            try:
                check_parameters(type(model)(**model.get_params() | {parameter: value}))
            except RankwiseError:
                refused += 1
                lie = with_parameter(parameter, value)(manifest)
                with pytest.raises(ModelFileError):
                    load(write(tmp_path / "lie.rw", lie, members))
    assert refused > len(manifest["parameters"])


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (("../../evil.txt", b""), "member named"),
        (("/etc/passwd", b""), "member named"),
        (("extra.txt", b""), "does not list"),
        (("bomb.txt", bytes(50_000_000)), "would unpack to"),
    ],
)
def test_members_that_should_not_be_there(path, extra, message) -> None:
    with pytest.raises(ModelFileError, match=message):
        load(write(path, *read(path), extra=[extra]))  # type: ignore[misc]


def test_members_that_the_manifest_lists_alone(path) -> None:
    with pytest.raises(ModelFileError, match="lacks some"):
        load(write(path, *read(path), missing=["weights.txt"]))  # type: ignore[misc]


def test_members_that_the_model_does_not_use(path) -> None:
    manifest, members = read(path)
    with pytest.raises(ModelFileError, match=r"consist of|does not use"):
        load(write(path, manifest, members | {"code.py": b"1"}))


def test_members_that_are_missing_empty_or_cut_off(path, tmp_path) -> None:
    manifest, members = read(path)
    lies = [
        members | {name: lie} for name, data in members.items() for lie in (b"", b"\xff" * 50, data[: len(data) // 2])
    ]
    if members:
        lies.append({name: data for name, data in members.items() if name != min(members)})
    for lie in lies:
        with pytest.raises(ModelFileError, match=r"not sound|must have|consist of"):
            load(write(tmp_path / "lie.rw", manifest, lie))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(path) -> None:
    manifest, members = read(path)
    with pytest.raises(ModelFileError, match="two members of one name"):
        load(write(path, manifest, members | {"a.txt": b""}, extra=[("a.txt", b"")]))


def test_other_packing_and_other_files(path, tmp_path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("manifest.json", "{}")
    with pytest.raises(ModelFileError, match="does not use"):
        load(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("other.txt", "{}")
    with pytest.raises(ModelFileError, match=r"has no manifest\.json"):
        info(path)
    with pytest.raises(ModelFileError, match="no model file"):
        load(tmp_path)
