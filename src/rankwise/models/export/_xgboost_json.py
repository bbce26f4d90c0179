"""XGBoost's dump of trees as JSON, which Elasticsearch's and OpenSearch's LTR take as `model/xgboost+json`.

A value goes to `yes` if it is below `split_condition`, both in single precision, and to `missing` if there is none.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rankwise.models.export._base import Format, Predict, json_bytes
from rankwise.models.export._reading import Branch, sums_of_trees
from rankwise.rankers._score_functions._floats import LARGEST, above, single
from rankwise.rankers._score_functions._functions import SINGLE, Leaf, Node, ScoreFunction, TreeSplit, TreeSum
from rankwise.types import JsonObject


class XGBoostJson(Format):
    """A list of trees."""

    name = "xgboost-json"
    rounding = SINGLE

    def files(self, function: ScoreFunction, path: Path) -> dict[Path, bytes]:
        """The list, a constant being a tree of one leaf."""
        if not isinstance(function, TreeSum):
            raise self.refused(function, "export to onnx, or a linear one to ranklib")
        self.check_trees(function, categories=False)
        return {path: json_bytes([_Writer(function.names).node(root, 0) for root in function.two_sided().roots])}

    def predict(self, path: Path, names: list[str]) -> Predict:
        """As the plugins compute: leaves and sums in single precision."""
        columns = {name: column for column, name in enumerate(names)}
        trees = [_branch(tree, columns) for tree in json.loads(path.read_text(encoding="utf-8"))]
        return lambda X: sums_of_trees(trees, X, np.float32)


class _Writer:
    """Nodes of one tree, numbered as they are met."""

    def __init__(self, names: list[str]) -> None:
        self.names, self.count = names, 0

    def node(self, node: Node, depth: int) -> JsonObject:
        number, self.count = self.count, self.count + 1
        if isinstance(node, Leaf):
            return {"nodeid": number, "leaf": float(np.float32(node.value))}
        threshold = single(node.threshold)
        if threshold == LARGEST:
            node, threshold = _around_the_largest(node)
        yes, no = self.node(node.left, depth + 1), self.node(node.right, depth + 1)
        return {
            "nodeid": number,
            "depth": depth,
            "split": self.names[node.feature],
            "split_condition": above(threshold),
            "yes": yes["nodeid"],
            "no": no["nodeid"],
            "missing": (yes if node.missing_left else no)["nodeid"],
            "children": [yes, no],
        }


def _around_the_largest(node: TreeSplit) -> tuple[TreeSplit, float]:
    """A split of what is missing from all numbers, where `below` would need infinity: by 0, and again by 0."""
    if node.missing_left:
        return TreeSplit(node.feature, 0.0, node.left, node.left, "learnt left"), 0.0
    # At or above 0, or missing: of the former none is below 0, so that side is free for the latter.
    others = TreeSplit(node.feature, single(0.0) - 1.0, node.right, node.left, "learnt left")
    return TreeSplit(node.feature, 0.0, node.left, others, "learnt right"), 0.0


def _branch(node: JsonObject, columns: dict[str, int]) -> Branch | float:
    if "leaf" in node:
        return float(node["leaf"])
    condition, missing_left = np.float32(node["split_condition"]), node["missing"] == node["yes"]
    by_number = {child["nodeid"]: child for child in node["children"]}
    return Branch(
        columns[node["split"]],
        lambda x: np.where(np.isnan(x), missing_left, x < condition),
        _branch(by_number[node["yes"]], columns),
        _branch(by_number[node["no"]], columns),
    )
