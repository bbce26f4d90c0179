"""LightGBM's own model text; bagged models become one, whose leaves are shares of theirs."""

from __future__ import annotations

import re
from pathlib import Path

import lightgbm as lgb
import numpy as np

from rankwise.errors import DataError
from rankwise.models.export._base import Format, Predict
from rankwise.rankers._score_functions._floats import ZERO, single
from rankwise.rankers._score_functions._functions import Leaf, ScoreFunction, TreeSplit, TreeSum
from rankwise.rankers.trees._model_text import join_trees, read_booster
from rankwise.rankers.trees._tree_checks import check_tree_text

NAMES = re.compile(r"\nfeature_names=.*\n")
NOT_IN_NAMES = re.compile(r'[\s",:\[\]{}]')  # LightGBM refuses them
LEFT_IF_MISSING, RIGHT_IF_MISSING = 10, 8  # decision_type: NaN is missing, and goes left or right
SCALED = ("leaf_value", "internal_value")


class LightGBM(Format):
    """Trees with their gains and counts, where LightGBM grew them."""

    name = "lightgbm"

    def files(self, function: ScoreFunction, path: Path) -> dict[Path, bytes]:
        """The text that `lightgbm.Booster(model_file=…)` reads."""
        if not isinstance(function, TreeSum):
            raise self.refused(function, "export to onnx")
        for tree in function.trees:
            if tree.text is None:
                _check_zero(function, tree.root)
        texts = [
            _scaled(tree.text, tree.scale) if tree.text else _stump(tree.root) for tree in function.two_sided().trees
        ]
        if function.constant or not texts:
            texts.append(f"num_leaves=1\nnum_cat=0\nleaf_value={function.constant!r}\nis_linear=0\nshrinkage=1")
        header = [
            "tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0",
            f"max_feature_idx={len(function.names) - 1}", f"feature_names={' '.join(plain_names(function.names))}",
            f"feature_infos={' '.join(['[-1e+308:1e+308]'] * len(function.names))}",
        ]  # fmt: skip
        return {path: join_trees(header, texts).encode()}

    def predict(self, path: Path, names: list[str]) -> Predict:
        """By LightGBM itself, once the text is known to be sound: LightGBM would end the process."""
        plain = " ".join(f"f{k}" for k in range(len(names)))
        text = NAMES.sub(f"\\nfeature_names={plain}\\n", path.read_text(encoding="utf-8"), count=1)
        booster: lgb.Booster = read_booster(check_tree_text(text.encode(), len(names)))
        return lambda X: np.asarray(booster.predict(X, raw_score=True, num_threads=1), dtype=np.float64)


def _check_zero(function: ScoreFunction, root: Leaf | TreeSplit) -> None:
    """LightGBM cannot part numbers that it takes for 0."""
    if isinstance(root, TreeSplit) and -ZERO <= single(root.threshold) < ZERO:
        raise DataError(
            f"lightgbm takes numbers up to 1e-35 for 0, so that it cannot express the threshold {root.threshold!r} of "
            f"the feature {function.names[root.feature]!r}; export to onnx"
        )


def plain_names(names: list[str]) -> list[str]:
    """Names as LightGBM takes them; by number where they would no longer differ."""
    plain = [NOT_IN_NAMES.sub("_", name) or "_" for name in names]
    return plain if len(set(plain)) == len(plain) else [f"feature_{k + 1}" for k in range(len(names))]


def _scaled(text: str, scale: float) -> str:
    if scale == 1.0:
        return text
    lines = []
    for line in text.split("\n"):
        name, _, values = line.partition("=")
        if name in SCALED:
            line = f"{name}={' '.join(repr(float(value) * scale) for value in values.split())}"
        lines.append(line)
    return "\n".join(lines)


def _stump(root: Leaf | TreeSplit) -> str:
    """A tree of two leaves, with the counts and gains that LightGBM looks for."""
    assert isinstance(root, TreeSplit)
    assert isinstance(root.left, Leaf)
    assert isinstance(root.right, Leaf)
    kind = LEFT_IF_MISSING if root.missing_left else RIGHT_IF_MISSING
    return "\n".join(
        [
            "num_leaves=2", "num_cat=0", f"split_feature={root.feature}", "split_gain=1",
            f"threshold={root.threshold!r}", f"decision_type={kind}",
            "left_child=-1", "right_child=-2", f"leaf_value={root.left.value!r} {root.right.value!r}",
            "leaf_weight=1 1", "leaf_count=1 1", "internal_value=0", "internal_weight=2", "internal_count=2",
            "is_linear=0", "shrinkage=1",
        ]
    )  # fmt: skip
