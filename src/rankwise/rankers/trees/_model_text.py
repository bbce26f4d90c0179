"""LightGBM's model text, taken apart into trees and put together again.

A booster in memory cannot be cut, joined or continued bit for bit, but its text can: numbers stand in it with 17
digits, so that a tree read back is the tree that was written. Whatever we keep is therefore a list of tree texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lightgbm as lgb
import numpy as np

from rankwise.types import FloatArray

END = "end of trees\n"
TAIL = "\npandas_categorical:null\n"  # LightGBM never sees tables, whose categories these would be


def split_trees(text: str) -> tuple[list[str], list[str]]:
    """Header lines (without the sizes of the trees) and trees (without their numbers) of a model text."""
    head, _, body = text.partition(END)[0].partition("\nTree=")
    header = [line for line in head.splitlines() if line and not line.startswith(("tree_sizes=", "objective="))]
    trees = [piece.partition("\n")[2].rstrip("\n") for piece in body.split("\nTree=")] if body else []
    return header, trees


def join_trees(header: Sequence[str], trees: Sequence[str]) -> str:
    """A model text of these trees.

    LightGBM's list of parameters is left out: it plays no part in prediction, and it would differ between a run
    and the same run resumed.
    """
    numbered = [f"Tree={number}\n{tree}\n\n\n" for number, tree in enumerate(trees)]
    sizes = " ".join(str(len(tree.encode())) for tree in numbered)
    return "\n".join([*header, f"tree_sizes={sizes}", "", ""]) + "".join(numbered) + END + TAIL


def leaf_values(tree: str) -> FloatArray:
    """The values of a tree's leaves."""
    return np.array(_leaf_line(tree).split(), dtype=np.float64)


def with_leaf_values(tree: str, values: FloatArray) -> str:
    """A tree with other values in its leaves."""
    return tree.replace(_leaf_line(tree), " ".join(f"{value:.17g}" for value in values.tolist()), 1)


def _leaf_line(tree: str) -> str:
    return tree.partition("\nleaf_value=")[2].partition("\n")[0]


def model_to_text(booster: lgb.Booster) -> str:
    """The text of a booster, as a model file has it."""
    return join_trees(*split_trees(booster.model_to_string()))


class ReadBooster(lgb.Booster):
    """A booster read from text, which counts how often its trees were changed in place."""

    n_edits = 0

    def set_leaf_output(self, *args: Any, **kwargs: Any) -> lgb.Booster:
        """Set the output of a leaf."""
        self.n_edits += 1
        return super().set_leaf_output(*args, **kwargs)

    def shuffle_models(self, *args: Any, **kwargs: Any) -> lgb.Booster:
        """Shuffle trees."""
        self.n_edits += 1
        return super().shuffle_models(*args, **kwargs)

    def model_from_string(self, *args: Any, **kwargs: Any) -> lgb.Booster:
        """Read other trees."""
        self.n_edits += 1
        return super().model_from_string(*args, **kwargs)


def read_booster(text: str) -> ReadBooster:
    """A booster that predicts; the text must be one of ours or have been checked (see `check_tree_text`)."""
    return ReadBooster(model_str=text)
