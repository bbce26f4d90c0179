"""Solr's LTR: MultipleAdditiveTreesModel or LinearModel as JSON, and beside it a feature store to fill in.

Solr goes left if value <= threshold + 1e-6, all in single precision, and has no rule for what is missing. The 1e-6 is
taken off each threshold beforehand. Where no number gives the threshold that way (those near 0), the split is by the
same feature times a power of two, which is exact: a second entry of the feature list, with a normalizer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.models.export._base import Format, Predict, json_bytes
from rankwise.models.export._reading import Branch, sums_of_trees
from rankwise.rankers._score_functions._floats import LARGEST, above, below, single
from rankwise.rankers._score_functions._functions import SINGLE, Leaf, LinearFunction, Node, ScoreFunction, TreeSum
from rankwise.types import FloatArray, JsonObject

CLASSES = "org.apache.solr.ltr"
SLACK = np.float32(1e-6)
NO_NORM = {"avg": "0.0", "std": "1.0"}
SAFE = 64.0  # thresholds of this size or more are as they are when the slack is added
FAR = 2.0**120  # what is farther from 0 is not multiplied, lest it overflow
HIGHEST_POWER = 149  # 2^-149 is the least number of single precision


class Solr(Format):
    """FILE for the model store, and FILE with .features before its ending for the feature store."""

    name = "solr"
    rounding = SINGLE
    missing = False

    def places(self, path: Path) -> list[Path]:
        """Both files."""
        return [path, path.with_suffix(f".features{path.suffix}")]

    def files(self, function: ScoreFunction, path: Path) -> dict[Path, bytes]:
        """Both stores; model and store are called by the name of the file."""
        if isinstance(function, LinearFunction):
            parts = _linear_model(function)
        elif isinstance(function, TreeSum):
            self.check_trees(function, categories=False)
            parts = _tree_model(function)
        else:
            raise self.refused(function, "export to onnx")
        model = {
            "class": f"{CLASSES}.model.{parts.kind}",
            "name": path.stem,
            "store": path.stem,
            "features": parts.features,
            "params": parts.params,
        }
        store = [
            {
                "store": path.stem,
                "name": name,
                "class": f"{CLASSES}.feature.FieldValueFeature",
                "params": {"field": field},
            }
            for name, field in parts.fields.items()
        ]
        return dict(zip(self.places(path), (json_bytes(model), json_bytes(store)), strict=True))

    def offset(self, function: ScoreFunction) -> float:
        """LinearModel has no intercept; centers are single precision."""
        if not isinstance(function, LinearFunction):
            return 0.0
        return function.constant + float(function.slopes @ (function.center.astype(np.float32) - function.center))

    def predict(self, path: Path, names: list[str]) -> Predict:
        """As Solr computes, each feature taken from the column that its entry of the feature store names."""
        model, store = (json.loads(file.read_text(encoding="utf-8")) for file in self.places(path))
        features, params = model["features"], model["params"]
        fields = {entry["name"]: entry["params"]["field"] for entry in store}
        columns = [names.index(fields[feature["name"]]) for feature in features]
        norms = [feature["norm"]["params"] if "norm" in feature else NO_NORM for feature in features]
        avg, std = (np.array([norm[name] for norm in norms], dtype=np.float32) for name in ("avg", "std"))

        def normalized(X: NDArray[np.float32]) -> NDArray[np.float32]:
            with np.errstate(over="ignore"):
                return np.asarray((X[:, columns] - avg) / std, dtype=np.float32)

        if "weights" in params:
            weights = np.array([params["weights"][feature["name"]] for feature in features], np.float32)
            return lambda X: sums_in_turn(normalized(X) * weights)
        place = {feature["name"]: k for k, feature in enumerate(features)}
        trees = [_branch(tree["root"], place, float(tree["weight"])) for tree in params["trees"]]
        return lambda X: sums_of_trees(trees, normalized(X), np.float32)


class SolrModel(NamedTuple):
    """What differs between models: `fields` are those that the feature store takes the features from."""

    kind: str
    features: list[JsonObject]
    params: JsonObject
    fields: dict[str, str]


def _linear_model(function: LinearFunction) -> SolrModel:
    for name, weight in zip(function.names, function.slopes.tolist(), strict=True):
        if abs(weight) > LARGEST:
            raise DataError(
                f"solr has single precision, got the weight {weight:g} of the feature {name!r}; export to onnx"
            )
    used = np.flatnonzero(function.slopes).tolist() or [0]
    weights = {function.names[k]: float(function.slopes[k]) for k in used}
    # A feature that is far from 0 would lose its digits in single precision, were its center not taken off first.
    features = [_entry(function.names[k], float(np.float32(function.center[k])), 0) for k in used]
    return SolrModel("LinearModel", features, {"weights": weights}, {name: name for name in weights})


def _entry(name: str, center: float, power: int) -> JsonObject:
    """A feature of the list: less its center, times a power of two."""
    if not center and not power:
        return {"name": name}
    params = {"avg": repr(center), "std": repr(math.ldexp(1.0, -power))}
    return {"name": name, "norm": {"class": f"{CLASSES}.norm.StandardNormalizer", "params": params}}


def _tree_model(function: TreeSum) -> SolrModel:
    places = _Places(function)
    trees = [{"weight": "1", "root": places.node(root)} for root in function.roots]
    if not places.features:  # Solr wants one
        places.add_entry(function.names[0], function.names[0], 0)
    return SolrModel("MultipleAdditiveTreesModel", places.features, {"trees": trees}, places.fields)


def sums_in_turn(products: NDArray[np.float32]) -> FloatArray:
    """Sums of rows, one column after the other in single precision."""
    total = np.zeros(len(products), dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for column in products.T:
            total += column
    return total.astype(np.float64)


class _Places:
    """Which entry of the feature list, and which number in the file, stands for each split."""

    def __init__(self, function: TreeSum) -> None:
        thresholds: dict[int, set[float]] = {}
        for split in function.splits:
            thresholds.setdefault(split.feature, set()).add(single(split.threshold))
        self.features: list[JsonObject] = []
        self.fields: dict[str, str] = {}
        self.tests: dict[tuple[int, float], tuple[str, float]] = {}
        for feature, limits in sorted(thresholds.items()):
            name = function.names[feature]
            odd = sorted((limit for limit in limits if _before_slack(limit) is None), key=abs)
            self._place(feature, name, name, limits.difference(odd), 0)
            while odd:
                power = min(math.ceil(math.log2(SAFE / abs(odd[0]))), HIGHEST_POWER)
                other = f"{name}_times_2_to_{power}"
                while other in function.names:
                    other += "_"
                near = [limit for limit in odd if abs(math.ldexp(limit, power)) < FAR]
                for limit in near:
                    if _before_slack(math.ldexp(limit, power)) is None:
                        raise DataError(
                            f"solr adds 1e-6 to thresholds in single precision, so that it cannot express {limit!r} "
                            f"of the feature {name!r}; scale the feature up and train again, or export to onnx"
                        )
                self._place(feature, other, name, near, power)
                odd = odd[len(near) :]

    def _place(self, feature: int, name: str, field: str, limits: Iterable[float], power: int) -> None:
        thresholds = {limit: _before_slack(math.ldexp(limit, power)) for limit in limits}
        if thresholds:
            self.add_entry(name, field, power)
        for limit, written in thresholds.items():
            assert written is not None
            self.tests[feature, limit] = name, written

    def add_entry(self, name: str, field: str, power: int) -> None:
        """A feature of the list, which is a field times a power of two."""
        self.features.append(_entry(name, 0.0, power))
        self.fields[name] = field

    def node(self, node: Node) -> JsonObject:
        """A node as Solr reads it: numbers are texts."""
        if isinstance(node, Leaf):
            return {"value": repr(float(np.float32(node.value)))}
        name, written = self.tests[node.feature, single(node.threshold)]
        return {
            "feature": name,
            "threshold": repr(written),
            "left": self.node(node.left),
            "right": self.node(node.right),
        }


def _before_slack(limit: float) -> float | None:
    """A float32 that is `limit` once the slack is added; None if there is none."""
    with np.errstate(over="ignore"):
        near = float(np.float32(limit) - SLACK)
        for tried in (near, below(near), above(near), limit):
            if float(np.float32(tried) + SLACK) == limit:
                return tried
    return None


def _branch(node: JsonObject, place: dict[str, int], weight: float) -> Branch | float:
    if "value" in node:
        return float(np.float32(weight) * np.float32(node["value"]))
    limit = np.float32(node["threshold"]) + SLACK
    left, right = (_branch(node[side], place, weight) for side in ("left", "right"))
    return Branch(place[node["feature"]], lambda x: x <= limit, left, right)
