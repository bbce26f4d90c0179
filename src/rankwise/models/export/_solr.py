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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.models.export._base import Format, Predict, check_single, check_trees
from rankwise.models.export._floats import above, below, single
from rankwise.models.export._reading import Branch, sums_of_trees
from rankwise.models.export._scorer import SINGLE, Leaf, Linear, Node, Scorer, Trees
from rankwise.types import FloatArray

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

    def files(self, scorer: Scorer, path: Path) -> dict[Path, bytes]:
        """Both stores; model and store are called by the name of the file."""
        if isinstance(scorer, Linear):
            kind, features, params, fields = _linear(self, scorer)
        elif isinstance(scorer, Trees):
            kind, features, params, fields = _trees(self, scorer)
        else:
            raise self.refused(scorer, "export to onnx")
        model = {
            "class": f"{CLASSES}.model.{kind}",
            "name": path.stem,
            "store": path.stem,
            "features": features,
            "params": params,
        }
        store = [
            {
                "store": path.stem,
                "name": name,
                "class": f"{CLASSES}.feature.FieldValueFeature",
                "params": {"field": field},
            }
            for name, field in fields.items()
        ]
        return dict(zip(self.places(path), (_json(model), _json(store)), strict=True))

    def offset(self, scorer: Scorer) -> float:
        """LinearModel has no intercept; centers are single precision."""
        if not isinstance(scorer, Linear):
            return 0.0
        return scorer.constant + float(scorer.slopes @ (scorer.center.astype(np.float32) - scorer.center))

    def predict(self, path: Path, names: list[str]) -> Predict:
        """As Solr computes, each feature taken from the column that its entry of the feature store names."""
        told, store = (json.loads(one.read_text(encoding="utf-8")) for one in self.places(path))
        fields = {one["name"]: one["params"]["field"] for one in store}
        columns = [names.index(fields[feature["name"]]) for feature in told["features"]]
        norms = [feature["norm"]["params"] if "norm" in feature else NO_NORM for feature in told["features"]]
        avg, std = (np.array([norm[name] for norm in norms], dtype=np.float32) for name in ("avg", "std"))

        def seen(X: NDArray[np.float32]) -> NDArray[np.float32]:
            with np.errstate(over="ignore"):
                return np.asarray((X[:, columns] - avg) / std, dtype=np.float32)

        if "weights" in told["params"]:
            weights = np.array([told["params"]["weights"][feature["name"]] for feature in told["features"]], np.float32)
            return lambda X: sums_in_turn(seen(X) * weights)
        place = {feature["name"]: k for k, feature in enumerate(told["features"])}
        weights_of_trees = [float(tree["weight"]) for tree in told["params"]["trees"]]
        trees = [
            _branch(tree["root"], place, w) for tree, w in zip(told["params"]["trees"], weights_of_trees, strict=True)
        ]
        return lambda X: sums_of_trees(trees, seen(X), np.float32)


Told = tuple[str, list[dict[str, Any]], dict[str, Any], dict[str, str]]  # class, features, params, fields by name


def _linear(to: Format, scorer: Linear) -> Told:
    check_single(to, scorer)
    used = np.flatnonzero(scorer.slopes).tolist() or [0]
    weights = {scorer.names[k]: float(scorer.slopes[k]) for k in used}
    # A feature that is far from 0 would lose its digits in single precision, were its center not taken off first.
    features = [_entry(scorer.names[k], float(np.float32(scorer.center[k])), 0) for k in used]
    return "LinearModel", features, {"weights": weights}, {name: name for name in weights}


def _entry(name: str, center: float, power: int) -> dict[str, Any]:
    """A feature of the list: less its center, times a power of two."""
    if not center and not power:
        return {"name": name}
    params = {"avg": repr(center), "std": repr(math.ldexp(1.0, -power))}
    return {"name": name, "norm": {"class": f"{CLASSES}.norm.StandardNormalizer", "params": params}}


def _trees(to: Format, scorer: Trees) -> Told:
    check_trees(to, scorer, categories=False)
    places = _Places(scorer)
    trees = [{"weight": "1", "root": places.told(root)} for root in scorer.roots]
    if not places.features:  # Solr wants one
        places.add_entry(scorer.names[0], scorer.names[0], 0)
    return "MultipleAdditiveTreesModel", places.features, {"trees": trees}, places.fields


def sums_in_turn(products: NDArray[np.float32]) -> FloatArray:
    """Sums of rows, one column after the other in single precision."""
    total = np.zeros(len(products), dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for column in products.T:
            total += column
    return total.astype(np.float64)


class _Places:
    """Which entry of the feature list, and which number in the file, stands for each split."""

    def __init__(self, scorer: Trees) -> None:
        thresholds: dict[int, set[float]] = {}
        for split in scorer.splits:
            thresholds.setdefault(split.feature, set()).add(single(split.threshold))
        self.features: list[dict[str, Any]] = []
        self.fields: dict[str, str] = {}
        self.tests: dict[tuple[int, float], tuple[str, float]] = {}
        for feature, limits in sorted(thresholds.items()):
            name = scorer.names[feature]
            odd = sorted((limit for limit in limits if _before_slack(limit) is None), key=abs)
            self._place(feature, name, name, limits.difference(odd), 0)
            while odd:
                power = min(math.ceil(math.log2(SAFE / abs(odd[0]))), HIGHEST_POWER)
                other = f"{name}_times_2_to_{power}"
                while other in scorer.names:
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
        found = {limit: _before_slack(math.ldexp(limit, power)) for limit in limits}
        if found:
            self.add_entry(name, field, power)
        for limit, written in found.items():
            assert written is not None
            self.tests[feature, limit] = name, written

    def add_entry(self, name: str, field: str, power: int) -> None:
        """A feature of the list, which is a field times a power of two."""
        self.features.append(_entry(name, 0.0, power))
        self.fields[name] = field

    def told(self, node: Node) -> dict[str, Any]:
        """A node as Solr reads it: numbers are texts."""
        if isinstance(node, Leaf):
            return {"value": repr(float(np.float32(node.value)))}
        name, written = self.tests[node.feature, single(node.threshold)]
        return {
            "feature": name,
            "threshold": repr(written),
            "left": self.told(node.left),
            "right": self.told(node.right),
        }


def _before_slack(limit: float) -> float | None:
    """A float32 that is `limit` once the slack is added; None if there is none."""
    with np.errstate(over="ignore"):
        near = float(np.float32(limit) - SLACK)
        for tried in (near, below(near), above(near), limit):
            if float(np.float32(tried) + SLACK) == limit:
                return tried
    return None


def _branch(told: dict[str, Any], place: dict[str, int], weight: float) -> Branch | float:
    if "value" in told:
        return float(np.float32(weight) * np.float32(told["value"]))
    limit = np.float32(told["threshold"]) + SLACK
    left, right = (_branch(told[side], place, weight) for side in ("left", "right"))
    return Branch(place[told["feature"]], lambda x: x <= limit, left, right)


def _json(told: Any) -> bytes:
    return f"{json.dumps(told, indent=1, allow_nan=False, ensure_ascii=False)}\n".encode()
