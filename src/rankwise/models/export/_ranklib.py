"""RankLib's model text: a LambdaMART ensemble, or the weights of Coordinate Ascent for linear models.

RankLib numbers features from 1, compares in single precision, and has no rule for what is missing.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

from rankwise.models.export._base import Format, Predict
from rankwise.models.export._reading import Branch, sums_of_trees
from rankwise.rankers._score_functions._floats import single
from rankwise.rankers._score_functions._functions import SINGLE, Leaf, LinearFunction, Node, ScoreFunction, TreeSum


class RankLib(Format):
    """Text with a header of `##` lines."""

    name = "ranklib"
    rounding = SINGLE
    missing = False

    def files(self, function: ScoreFunction, path: Path) -> dict[Path, bytes]:
        """An ensemble in XML, or one line of feature:weight."""
        if isinstance(function, LinearFunction):
            pairs = [f"{k + 1}:{weight!r}" for k, weight in enumerate(function.slopes.tolist())]
            return {path: f"## Coordinate Ascent\n{' '.join(pairs)}\n".encode()}
        if not isinstance(function, TreeSum):
            raise self.refused(function, "export to onnx")
        self.check_trees(function, categories=False)
        lines = ["## LambdaMART", f"## No. of trees = {len(function.roots)}", "", "<ensemble>"]
        for number, root in enumerate(function.roots, start=1):
            lines += [f'\t<tree id="{number}" weight="1.0">', "\t\t<split>", *_lines(root, "\t\t\t"), "\t\t</split>"]
            lines.append("\t</tree>")
        return {path: "\n".join([*lines, "</ensemble>", ""]).encode()}

    def offset(self, function: ScoreFunction) -> float:
        """Coordinate Ascent has no intercept."""
        return function.intercept if isinstance(function, LinearFunction) else 0.0

    def predict(self, path: Path, names: list[str]) -> Predict:
        """As RankLib computes: trees in single precision, weights in double."""
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        body = [line for line in lines if not line.startswith("##")]
        if head == "## Coordinate Ascent":
            weights = np.zeros(len(names))
            for pair in body[0].split():
                number, weight = pair.split(":")
                weights[int(number) - 1] = float(weight)
            return lambda X: np.asarray(X.astype(np.float64) @ weights)
        ensemble = ElementTree.fromstring("".join(body))
        trees = [_branch(tree[0], np.float32(tree.attrib["weight"])) for tree in ensemble]
        return lambda X: sums_of_trees(trees, X, np.float32)


def _lines(node: Node, indent: str) -> list[str]:
    if isinstance(node, Leaf):
        return [f"{indent}<output> {float(np.float32(node.value))!r} </output>"]
    return [
        f"{indent}<feature> {node.feature + 1} </feature>",
        f"{indent}<threshold> {single(node.threshold)!r} </threshold>",
        f'{indent}<split pos="left">',
        *_lines(node.left, f"{indent}\t"),
        f"{indent}</split>",
        f'{indent}<split pos="right">',
        *_lines(node.right, f"{indent}\t"),
        f"{indent}</split>",
    ]


def _branch(split: ElementTree.Element, weight: np.float32) -> Branch | float:
    if split[0].tag == "output":
        return float(np.float32(split[0].text or "") * weight)
    feature, threshold, left, right = split
    limit = np.float32(threshold.text or "")
    return Branch(int(feature.text or "") - 1, lambda x: x <= limit, _branch(left, weight), _branch(right, weight))
