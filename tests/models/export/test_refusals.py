"""What a format cannot express is refused by a sentence that names the feature, and no file is left."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lightgbm as lgb
import numpy as np
import pytest

from rankwise.errors import DataError, MissingExtraError
from rankwise.models.export import FORMATS, check, export
from rankwise.models.export._exporting import score_function
from rankwise.rankers import LambdaMART, LambdaRank, MarginRanker, RateClassifier
from rankwise.rankers._score_functions._functions import Leaf, LinearFunction, Tree, TreeSplit, TreeSum
from rankwise.rankers.pairs.stumps._stumps import Stumps
from tests.models.export.factories import TAKES, TREES_OF, file_name, made
from tests.rankers.factories import TRAIN

NOT_TAKEN = [(kind, to) for kind, formats in TAKES.items() for to in TREES_OF if to not in formats]


@pytest.mark.parametrize(("kind", "to"), NOT_TAKEN)
def test_all_other_pairs_are_refused(kind: str, to: str, tmp_path: Path) -> None:
    path = tmp_path / file_name(kind, to)
    with pytest.raises(DataError, match=f"{to} cannot express ") as caught:
        export(made(kind), path, to=to)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("to", ["solr", "ranklib"])
def test_missing_values_name_their_feature(to: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot express missing values, .* feature 'feature_[12]'"):
        export(made("lambdamart-missing"), tmp_path / "m.json", to=to)


@pytest.mark.parametrize("to", ["xgboost-json", "solr", "ranklib"])
def test_categories_name_their_feature(to: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot express categories, got a split by those of the feature 'feature_5'"):
        export(made("lambdamart-categories"), tmp_path / "m.json", to=to)


def zero_as_missing() -> LambdaMART:
    """A model whose trees take 0 for missing, as those of others may that are trained on (`init`)."""
    model = LambdaMART("ndcg@10", n_estimators=1, n_jobs=1).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    X = np.where(TRAIN.X < 0.3, 0.0, TRAIN.X)
    settings = {"zero_as_missing": True, "verbosity": -1, "num_threads": 1, "num_leaves": 4}
    names = [f"f{k}" for k in range(X.shape[1])]
    model.boosters_ = [lgb.train(settings, lgb.Dataset(X, TRAIN.y, feature_name=names), 3)]
    return model


@pytest.mark.parametrize("to", ["onnx", "xgboost-json", "solr", "ranklib", "vespa"])
def test_zero_for_missing_names_its_feature(to: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot express that 0 means missing, .* feature 'feature_\d'"):
        export(zero_as_missing(), tmp_path / "m.json", to=to)


def test_lightgbm_keeps_zero_for_missing(tmp_path: Path) -> None:
    model = zero_as_missing()
    assert {split.missing for split in score_function(model).splits} <= {"zero left", "zero right"}  # type: ignore[attr-defined]
    assert export(model, tmp_path / "m.txt", to="lightgbm", check=TRAIN).agrees  # type: ignore[union-attr]


def stumps_at(*thresholds: float) -> Any:
    model = made("rankboost")
    count = len(thresholds)
    fields = {
        **vars(model),
        "rounds_": Stumps.of([0] * count, thresholds, [1] * count, [1.0 + k for k in range(count)]),
    }
    changed = type(model)(**model.get_params())
    vars(changed).update(fields)
    return changed


def test_lightgbm_cannot_part_what_it_takes_for_zero(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"lightgbm takes numbers up to 1e-35 for 0, .* 'feature_1'"):
        export(stumps_at(1e-38), tmp_path / "m.txt", to="lightgbm")
    for threshold in (2e-35, -2e-35):
        assert export(stumps_at(threshold), tmp_path / "m.txt", to="lightgbm", check=TRAIN).agrees  # type: ignore[union-attr]


def test_solr_refuses_thresholds_that_no_power_of_two_saves(tmp_path: Path) -> None:
    for thresholds in ([1e-40], [0.0, 1e-37, 3.0, 1e30], [-1e-30], [2.0**-140, -0.4999999701976776]):
        assert export(stumps_at(*thresholds), tmp_path / "m.json", to="solr", check=TRAIN).agrees, thresholds  # type: ignore[union-attr]
    with pytest.raises(DataError, match=r"solr adds 1e-6 to thresholds .* of the feature 'feature_1'"):
        export(stumps_at(-(2.0**-149)), tmp_path / "m.json", to="solr")


def test_vespa_wants_names_and_endings_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"trees from a \.json file, got m\.txt"):
        export(made("lambdamart"), tmp_path / "m.txt", to="vespa")
    with pytest.raises(DataError, match=r"from a \.onnx file, got m\.json"):
        export(made("ranksvm"), tmp_path / "m.json", to="vespa")
    trees = TreeSum("x", ["a price"], [Tree(TreeSplit(0, 0.5, Leaf(1.0), Leaf(2.0), "as zero"))])
    with pytest.raises(DataError, match="got the feature 'a price'"):
        FORMATS["vespa"].files(trees, Path("m.json"))
    trees.names[0] = "attribute(price)"
    assert FORMATS["vespa"].files(trees, Path("m.json"))


def test_numbers_that_single_precision_does_not_hold(tmp_path: Path) -> None:
    big = TreeSum("x", ["a"], [Tree(TreeSplit(0, 0.5, Leaf(1e40), Leaf(2.0), "as zero"))])
    for to in ("xgboost-json", "solr", "ranklib"):
        with pytest.raises(DataError, match=r"single precision, got a leaf of 1e\+40"):
            FORMATS[to].files(big, Path("m.json"))
    steep = LinearFunction("x", ["a"], np.array([1e40]), 0.0, np.zeros(1), np.ones(1))
    with pytest.raises(DataError, match="of the feature 'a'"):
        FORMATS["solr"].files(steep, Path("m.json"))


def test_nested_formats_end_at_some_depth() -> None:
    node: Any = Leaf(0.0)
    for k in range(400):
        node = TreeSplit(0, -float(k), Leaf(1.0), node, "as zero")
    deep = TreeSum("x", ["a"], [Tree(node)])
    with pytest.raises(DataError, match="got a deeper tree"):
        FORMATS["solr"].files(deep, Path("m.json"))
    assert FORMATS["onnx"].files(deep, Path("m.onnx"))


@pytest.mark.slow
def test_models_that_no_system_can_compute(tmp_path: Path) -> None:
    import torch

    path = tmp_path / "m.onnx"
    with pytest.raises(DataError, match="export takes a model of rankwise, got SimpleNamespace"):
        export(SimpleNamespace(), path, to="onnx")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not fitted"):
        export(LambdaMART(), path, to="onnx")
    functions = MarginRanker(epsilon=0.8, hypotheses=[lambda X: np.tanh(X[:, 0])], max_iter=5)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="functions of your own"):
        export(functions.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid), path, to="onnx")
    own = LambdaRank(torch_module=torch.nn.Linear(6, 1), epochs=1, random_state=0)
    with pytest.raises(DataError, match="a net of your own"):
        export(own.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid), path, to="onnx")
    several = RateClassifier("f1", model="linear", folds=2).fit(TRAIN.X[:200], np.arange(200) % 3)
    with pytest.raises(DataError, match="one score per row, got a classifier of 3 classes"):
        export(several, path, to="onnx")
    with pytest.raises(DataError, match="there is no format 'pmml'"):
        export(made("lambdamart"), path, to="pmml")
    with pytest.raises(DataError, match=r"no file .* to check"):
        check(made("lambdamart"), path, to="onnx")


def test_without_onnx_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankwise.errors.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"onnx is not installed; run: pip install 'rankwise\[onnx\]'"):
        export(made("lambdamart"), tmp_path / "m.onnx", to="onnx")
    with pytest.raises(MissingExtraError, match=r"onnxruntime is not installed"):
        FORMATS["onnx"].predict(tmp_path / "m.onnx", [])
    export(made("lambdamart"), tmp_path / "m.txt", to="lightgbm", check=TRAIN)  # which needs neither
