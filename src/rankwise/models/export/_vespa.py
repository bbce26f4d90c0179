"""Vespa: LightGBM's JSON for trees, as `lightgbm("file.json")` reads it, and ONNX for everything else.

Vespa's importer turns a split into `feature < threshold`, in double precision, and one where missing values go left
into `!(feature >= threshold)`: its thresholds are therefore the next single-precision number above ours.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rankwise.errors import DataError
from rankwise.models.export._base import Format, Predict, json_bytes
from rankwise.models.export._onnx import Onnx
from rankwise.models.export._reading import Branch, sums_of_trees
from rankwise.rankers._score_functions._floats import LARGEST, above, single
from rankwise.rankers._score_functions._functions import BlendFunction, Leaf, Node, ScoreFunction, TreeSplit, TreeSum
from rankwise.types import AnyArray, BoolArray, JsonObject

EXPRESSION = re.compile(r"[A-Za-z_]\w*(\([^()]*\))?(\.\w+)*", re.ASCII)
BEYOND = 1e300  # above all values of features


class Vespa(Format):
    """A `.json` or an `.onnx` file for the folder `models` of an application."""

    name = "vespa"

    def files(self, function: ScoreFunction, path: Path) -> dict[Path, bytes]:
        """By the kind of model; Vespa tells what a file is by its ending."""
        if isinstance(function, BlendFunction):
            raise self.refused(function, "export to onnx")
        wanted = ".json" if isinstance(function, TreeSum) else ".onnx"
        if path.suffix != wanted:
            what = "trees" if isinstance(function, TreeSum) else "what is no tree"
            raise DataError(f"vespa takes {what} from a {wanted} file, got {path.name}; name a {wanted} file")
        if not isinstance(function, TreeSum):
            return Onnx().files(function, path)
        self.check_trees(function, categories=True)
        used = {split.feature for split in function.splits}
        for name in (function.names[feature] for feature in sorted(used)):
            if not EXPRESSION.fullmatch(name):
                raise DataError(
                    f"vespa calls features by names such as price or attribute(price), got the feature {name!r}; "
                    "rename it and train again"
                )
        ensemble = {
            "name": "tree",
            "version": "v4",
            "num_class": 1,
            "num_tree_per_iteration": 1,
            "max_feature_idx": len(function.names) - 1,
            "objective": "regression",
            "feature_names": function.names,
            **_categories(function),
            "tree_info": [
                {"tree_index": k, "tree_structure": _node(root)} for k, root in enumerate(function.two_sided().roots)
            ],
        }
        return {path: json_bytes(ensemble)}

    def predict(self, path: Path, names: list[str]) -> Predict:
        """As the expression that the importer makes of the file."""
        if path.suffix == ".onnx":
            return Onnx().predict(path, names)
        ensemble = json.loads(path.read_text(encoding="utf-8"))
        place = {name: column for column, name in enumerate(names)}
        columns = [place[name] for name in ensemble["feature_names"]]
        trees = [_branch(tree["tree_structure"], columns) for tree in ensemble["tree_info"]]
        return lambda X: sums_of_trees(trees, X.astype(np.float64), np.float64)


def _categories(function: TreeSum) -> JsonObject:
    """Which features are categories, and that each category is the whole number it is."""
    highest: dict[int, int] = {}
    for split in function.splits:
        if split.categories is not None:
            highest[split.feature] = max(highest.get(split.feature, 0), *split.categories)
    infos = {}
    for column, name in enumerate(function.names):
        values = list(range(highest[column] + 1)) if column in highest else []
        low, high = (0, highest[column]) if column in highest else (-BEYOND, BEYOND)
        infos[name] = {"min_value": low, "max_value": high, "values": values}
    return {
        "feature_infos": infos,
        "pandas_categorical": [list(range(highest[column] + 1)) for column in sorted(highest)],
    }


def _node(node: Node) -> JsonObject:
    if isinstance(node, Leaf):
        return {"leaf_value": node.value}
    return {
        "split_feature": node.feature,
        **_test(node),
        "default_left": node.missing_left,
        "missing_type": "NaN",
        "left_child": _node(node.left),
        "right_child": _node(node.right),
    }


def _test(node: TreeSplit) -> JsonObject:
    if node.categories is not None:
        return {"decision_type": "==", "threshold": "||".join(map(str, sorted(node.categories)))}
    limit = single(node.threshold)
    return {"decision_type": "<=", "threshold": BEYOND if limit == LARGEST else above(limit)}


def _branch(node: JsonObject, columns: list[int]) -> Branch | float:
    if "leaf_value" in node:
        return float(node["leaf_value"])
    missing_left = node["default_left"]
    if node["decision_type"] == "==":
        categories = [float(word) for word in node["threshold"].split("||")]
        test: Callable[[AnyArray], BoolArray] = lambda x: np.isin(x, categories)  # noqa: E731
    else:
        limit = float(node["threshold"])
        assert not math.isnan(limit)
        test = lambda x: ~(x >= limit) if missing_left else x < limit  # noqa: E731
    left, right = (_branch(node[side], columns) for side in ("left_child", "right_child"))
    return Branch(columns[node["split_feature"]], test, left, right)
