"""Vespa: LightGBM's JSON for trees, as `lightgbm("file.json")` reads it, and ONNX for everything else.

Vespa's importer turns a split into `feature < threshold`, in double precision, and one where missing values go left
into `!(feature >= threshold)`: its thresholds are therefore the next single-precision number above ours.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import DataError
from rankwise.models.export._base import Format, Predict, check_trees
from rankwise.models.export._floats import LARGEST, above, single
from rankwise.models.export._onnx import Onnx
from rankwise.models.export._reading import Branch, sums_of_trees
from rankwise.models.export._scorer import Leaf, Node, Scorer, Split, Trees

EXPRESSION = re.compile(r"[A-Za-z_]\w*(\([^()]*\))?(\.\w+)*", re.ASCII)
BEYOND = 1e300  # above all values of features


class Vespa(Format):
    """A `.json` or an `.onnx` file for the folder `models` of an application."""

    name = "vespa"

    def files(self, scorer: Scorer, path: Path) -> dict[Path, bytes]:
        """By the kind of model; Vespa tells what a file is by its ending."""
        wanted = ".json" if isinstance(scorer, Trees) else ".onnx"
        if path.suffix != wanted:
            what = "trees" if isinstance(scorer, Trees) else "what is no tree"
            raise DataError(f"vespa takes {what} from a {wanted} file, got {path.name}; name a {wanted} file")
        if not isinstance(scorer, Trees):
            return Onnx().files(scorer, path)
        check_trees(self, scorer, categories=True)
        used = {split.feature for split in scorer.splits}
        for name in (scorer.names[feature] for feature in sorted(used)):
            if not EXPRESSION.fullmatch(name):
                raise DataError(
                    f"vespa calls features by names such as price or attribute(price), got the feature {name!r}; "
                    "rename it and train again"
                )
        told = {
            "name": "tree",
            "version": "v4",
            "num_class": 1,
            "num_tree_per_iteration": 1,
            "max_feature_idx": len(scorer.names) - 1,
            "objective": "regression",
            "feature_names": scorer.names,
            **_categories(scorer),
            "tree_info": [
                {"tree_index": k, "tree_structure": _told(root)} for k, root in enumerate(scorer.two_sided().roots)
            ],
        }
        return {path: f"{json.dumps(told, indent=1, allow_nan=False, ensure_ascii=False)}\n".encode()}

    def predict(self, path: Path, names: list[str]) -> Predict:
        """As the expression that the importer makes of the file."""
        if path.suffix == ".onnx":
            return Onnx().predict(path, names)
        told = json.loads(path.read_text(encoding="utf-8"))
        place = {name: column for column, name in enumerate(names)}
        columns = [place[name] for name in told["feature_names"]]
        trees = [_branch(one["tree_structure"], columns) for one in told["tree_info"]]
        return lambda X: sums_of_trees(trees, X.astype(np.float64), np.float64)


def _categories(scorer: Trees) -> dict[str, Any]:
    """Which features are categories, and that each category is the whole number it is."""
    most: dict[int, int] = {}
    for split in scorer.splits:
        if split.categories is not None:
            most[split.feature] = max(most.get(split.feature, 0), *split.categories)
    infos = {}
    for column, name in enumerate(scorer.names):
        values = list(range(most[column] + 1)) if column in most else []
        low, high = (0, most[column]) if column in most else (-BEYOND, BEYOND)
        infos[name] = {"min_value": low, "max_value": high, "values": values}
    return {
        "feature_infos": infos,
        "pandas_categorical": [list(range(most[column] + 1)) for column in sorted(most)],
    }


def _told(node: Node) -> dict[str, Any]:
    if isinstance(node, Leaf):
        return {"leaf_value": node.value}
    return {
        "split_feature": node.feature,
        **_test(node),
        "default_left": node.missing_left,
        "missing_type": "NaN",
        "left_child": _told(node.left),
        "right_child": _told(node.right),
    }


def _test(node: Split) -> dict[str, Any]:
    if node.categories is not None:
        return {"decision_type": "==", "threshold": "||".join(map(str, sorted(node.categories)))}
    limit = single(node.threshold)
    return {"decision_type": "<=", "threshold": BEYOND if limit == LARGEST else above(limit)}


def _branch(told: dict[str, Any], columns: list[int]) -> Branch | float:
    if "leaf_value" in told:
        return float(told["leaf_value"])
    missing_left = told["default_left"]
    if told["decision_type"] == "==":
        known = [float(word) for word in told["threshold"].split("||")]
        test: Any = lambda x: np.isin(x, known)  # noqa: E731
    else:
        limit = float(told["threshold"])
        assert not math.isnan(limit)
        test = lambda x: ~(x >= limit) if missing_left else x < limit  # noqa: E731
    left, right = (_branch(told[side], columns) for side in ("left_child", "right_child"))
    return Branch(columns[told["split_feature"]], test, left, right)
