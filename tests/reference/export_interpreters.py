"""Slow second readers of the formats that models are exported to, one row at a time, by each system's own rules.

They share no code with rankwise: files are parsed from their text, and every comparison and sum is done in the
precision that the system uses (Elasticsearch LTR, RankLib and Solr: float; Vespa and LightGBM: double).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, np.float32]
Score = Callable[[Row], float]
F = np.float32


def xgboost_json(path: Path) -> Score:
    """NaiveAdditiveDecisionTree of the LTR plugins: `threshold > value` goes to the first child, sums are floats."""
    trees = json.loads(path.read_text())

    def walk(node: dict[str, Any], row: Row) -> np.float32:
        while "leaf" not in node:
            assert [child["nodeid"] for child in node["children"]] == [node["yes"], node["no"]]  # as the parser demands
            assert node["missing"] in (node["yes"], node["no"])
            value = row[node["split"]]
            left = node["missing"] == node["yes"] if math.isnan(value) else bool(F(node["split_condition"]) > value)
            node = node["children"][0 if left else 1]
        return F(node["leaf"])

    def score(row: Row) -> float:
        total = F(0.0)
        for tree in trees:
            total = total + walk(tree, row)
        return float(total)

    return score


def solr(path: Path) -> Score:
    """MultipleAdditiveTreesModel and LinearModel, with features from the store that was written beside."""
    model = json.loads(path.read_text())
    store = json.loads((path.parent / (path.stem + ".features" + path.suffix)).read_text())
    assert {entry["store"] for entry in store} == {model["store"]}
    field_of = {entry["name"]: entry["params"]["field"] for entry in store}
    assert set(field_of) == {feature["name"] for feature in model["features"]}

    def extracted(row: Row) -> dict[str, np.float32]:
        out = {}
        for feature in model["features"]:
            value = row[field_of[feature["name"]]]
            if "norm" in feature:
                assert feature["norm"]["class"] == "org.apache.solr.ltr.norm.StandardNormalizer"
                params = feature["norm"]["params"]
                with np.errstate(over="ignore"):
                    value = (value - F(params["avg"])) / F(params["std"])
            out[feature["name"]] = value
        return out

    def linear(row: Row) -> float:
        values, total = extracted(row), F(0.0)
        with np.errstate(all="ignore"):
            for feature in model["features"]:
                total = total + values[feature["name"]] * F(model["params"]["weights"][feature["name"]])
        return float(total)

    def additive(row: Row) -> float:
        values, total = extracted(row), F(0.0)
        for tree in model["params"]["trees"]:
            node = tree["root"]
            while "feature" in node:
                assert isinstance(node["threshold"], str)  # Solr's setters take texts
                limit = F(node["threshold"]) + F(1e-6)
                node = node["left"] if values[node["feature"]] <= limit else node["right"]
            total = total + F(tree["weight"]) * F(node["value"])
        return float(total)

    return linear if model["class"].endswith(".LinearModel") else additive


def ranklib(path: Path, names: list[str]) -> Score:
    """An Ensemble of Splits, or CoorAscent; features are numbered from 1."""
    lines = path.read_text().split("\n")
    name = lines[0].removeprefix("## ").strip()
    body = "".join(line.strip() for line in lines if not line.startswith("#"))
    if name == "Coordinate Ascent":
        pairs = [pair.split(":") for pair in body.split()]
        return lambda row: sum((float(w) * float(row[names[int(k) - 1]]) for k, w in pairs), 0.0)
    assert name == "LambdaMART"
    tokens = re.findall(r"<[^>]+>|[^<>\s]+", body)
    trees, weights, at = [], [], 0

    def read_split() -> Any:
        nonlocal at
        assert tokens[at].startswith("<split")
        if tokens[at + 1] == "<output>":
            found: Any = F(tokens[at + 2])
            at += 4
        else:
            assert (tokens[at + 1], tokens[at + 4]) == ("<feature>", "<threshold>")
            feature, threshold = int(tokens[at + 2]), F(tokens[at + 5])
            at += 7
            assert tokens[at] == '<split pos="left">'
            left = read_split()
            assert tokens[at] == '<split pos="right">'
            found = (feature, threshold, left, read_split())
        assert tokens[at] == "</split>"
        at += 1
        return found

    while at < len(tokens):
        if tokens[at].startswith("<tree"):
            weights.append(F(re.search(r'weight="([^"]+)"', tokens[at]).group(1)))  # type: ignore[union-attr]
            at += 1
            trees.append(read_split())
        else:
            at += 1

    def score(row: Row) -> float:
        total = F(0.0)
        for tree, weight in zip(trees, weights, strict=True):
            while isinstance(tree, tuple):
                feature, threshold, left, right = tree
                tree = left if row[names[feature - 1]] <= threshold else right
            total = total + tree * weight
        return float(total)

    return score


def vespa_json(path: Path) -> Score:
    """The ranking expression that Vespa's LightGBM importer makes: `f < t`, `!(f >= t)` or `f in [..]`, in doubles."""
    model = json.loads(path.read_text())
    names = model["feature_names"]
    assert model["objective"] == "regression"  # no sigmoid is applied
    with_values = [name for name in names if model["feature_infos"][name]["values"]]
    values_of = dict(zip(with_values, model["pandas_categorical"], strict=True))

    def walk(node: dict[str, Any], row: Row) -> float:
        if "leaf_value" in node:
            return float(node["leaf_value"])
        name = names[node["split_feature"]]
        value = float(row[name])
        if node["decision_type"] == "==":
            members = [float(values_of[name][int(place)]) for place in node["threshold"].split("||")]
            left = value in members or (node["default_left"] and math.isnan(value))
        elif node["default_left"]:
            left = not value >= node["threshold"]
        else:
            left = value < node["threshold"]
        return walk(node["left_child" if left else "right_child"], row)

    return lambda row: sum((walk(tree["tree_structure"], row) for tree in model["tree_info"]), 0.0)


def lightgbm_text(path: Path, names: list[str]) -> Score:
    """LightGBM's Tree::Decision on its model text; numbers up to 1e-35 are read as 0."""
    trees = []
    for piece in path.read_text().split("end of trees")[0].split("\nTree=")[1:]:
        fields = dict(line.split("=", 1) for line in piece.split("\n")[1:] if "=" in line)
        trees.append({name: value.split() for name, value in fields.items()})

    def leaf(tree: dict[str, list[str]], row: Row) -> float:
        node = 0 if len(tree["leaf_value"]) > 1 else -1
        while node >= 0:
            value = float(row[names[int(tree["split_feature"][node])]])
            value = 0.0 if abs(value) <= float(F(1e-35)) else value
            kind, limit = int(tree["decision_type"][node]), float(tree["threshold"][node])
            if kind & 1:
                which = -1 if math.isnan(value) or abs(value) >= 2**31 else int(value)
                start, stop = (int(tree["cat_boundaries"][int(limit) + k]) for k in (0, 1))
                words = [int(word) for word in tree["cat_threshold"][start:stop]]
                left = 0 <= which < 32 * len(words) and bool(words[which // 32] >> (which % 32) & 1)
            else:
                missing = (kind >> 2) & 3
                if math.isnan(value) and missing != 2:
                    value = 0.0
                if (missing == 2 and math.isnan(value)) or (missing == 1 and value == 0.0):
                    left = bool(kind & 2)
                else:
                    left = value <= limit
            node = int(tree["left_child" if left else "right_child"][node])
        return float(tree["leaf_value"][-node - 1])

    return lambda row: sum((leaf(tree, row) for tree in trees), 0.0)


def onnx_graph(path: Path) -> Callable[[np.ndarray], np.ndarray]:
    """The evaluator of the onnx package, which follows the text of the standard; for rows at once, as it is slow."""
    from onnx.reference import ReferenceEvaluator

    graph = ReferenceEvaluator(str(path))
    return lambda rows: np.asarray(graph.run(None, {"features": rows})[0])  # type: ignore[index]
