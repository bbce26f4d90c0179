"""Is a text safe to hand to LightGBM? It trusts what it reads: a wrong child or a wrong length ends the process."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

from rankwise.errors import ModelFileError
from rankwise.rankers.trees._lightgbm import MAX_DEPTH
from rankwise.rankers.trees._model_text import join_trees, split_trees

# Whole lines are matched at once, which is several times faster than number by number.
NUMBER = r"\d{1,20}(?:\.\d{1,20})?(?:e[+-]\d{1,4})?"
NUMBERS = re.compile(rf"-?{NUMBER}(?: -?{NUMBER})*")
THRESHOLDS = re.compile(rf"-?(?:{NUMBER}|inf)(?: -?(?:{NUMBER}|inf))*")  # inf splits missing values off all others
INTEGERS = re.compile(r"-?\d{1,10}(?: -?\d{1,10})*")
MAX_LEAVES, MAX_COUNT = 131_072, 2**31
MAX_SINGLE = 3.4e38  # LightGBM has gains in single precision

HEADER_FIELDS = ["version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx", "feature_names"]
OPTIONAL_FIELDS = {"monotone_constraints", "feature_infos"}

# Lists of a tree: whether of integers, and what each has one entry per.
LISTS = {
    "split_feature": (True, "splits"),
    "split_gain": (False, "splits"),
    "threshold": (False, "splits"),
    "decision_type": (True, "splits"),
    "left_child": (True, "splits"),
    "right_child": (True, "splits"),
    "leaf_value": (False, "leaves"),
    "leaf_weight": (False, "leaves"),
    "leaf_count": (True, "leaves"),
    "internal_value": (False, "splits"),
    "internal_weight": (False, "splits"),
    "internal_count": (True, "splits"),
}
CATEGORICAL = 1  # bit of decision_type


class UnsoundError(Exception):
    """What is wrong, in words."""


def check_tree_text(data: bytes, n_features: int) -> str:
    """The text, if it is a sound model of this many features, exactly as we write it; else ModelFileError."""
    try:
        text = data.decode("ascii")
        header, trees = split_trees(text)
        # Nothing stands in the text but what was understood: it is what we would write of its parts.
        if text != join_trees(header, trees):
            raise UnsoundError("it is not laid out as rankwise does")
        _check_header(header, n_features)
        for number, tree in enumerate(trees):
            try:
                _check_tree(tree, n_features)
            except UnsoundError as problem:
                raise UnsoundError(f"tree {number}: {problem}") from None
    except (UnsoundError, ValueError, RecursionError) as problem:
        raise ModelFileError(f"the trees of the model are not sound ({problem}); save the model again") from None
    return text


def check_trees(header: object, trees: object) -> None:
    """Refuse header and trees of a checkpoint, of however many features, that are not sound."""
    if not isinstance(header, list) or not isinstance(trees, list):
        raise ModelFileError("the trees of a checkpoint must be lists of texts; start anew")
    if trees:
        text = join_trees(header, trees)
        widths = re.findall(r"^max_feature_idx=(\d{1,8})$", text, re.MULTILINE)
        check_tree_text(text.encode(), int(widths[0]) + 1 if widths else 0)


def _check_header(header: list[str], n_features: int) -> None:
    if header[:1] != ["tree"]:
        raise UnsoundError("it does not begin with the word tree")
    fields = _fields(header[1:])
    if list(fields)[: len(HEADER_FIELDS)] != HEADER_FIELDS or set(fields) - set(HEADER_FIELDS) - OPTIONAL_FIELDS:
        raise UnsoundError(f"its header has the fields {', '.join(fields)}")
    if fields["feature_names"].count(" ") != n_features - 1:  # before as many names are made up
        raise UnsoundError(f"its feature_names are not those of {n_features} features")
    expected = ["v4", "1", "1", "0", str(n_features - 1), " ".join(f"f{k}" for k in range(n_features))]
    for name, value in zip(HEADER_FIELDS, expected, strict=True):
        if fields[name] != value:
            raise UnsoundError(f"its {name} is not the one of {n_features} features")
    if fields.get("feature_infos", "").count(" ") != n_features - 1:
        raise UnsoundError("feature_infos is not one per feature")
    if "monotone_constraints" in fields:
        directions = _numbers("monotone_constraints", fields["monotone_constraints"], True, n_features)
        if not set(directions) <= {-1, 0, 1}:
            raise UnsoundError("monotone_constraints are not -1, 0 or 1")


def _fields(lines: list[str]) -> dict[str, str]:
    fields = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or name in fields:
            raise UnsoundError(f"the line {line[:40]!r} is not one field")
        fields[name] = value
    return fields


def _numbers(name: str, text: str, integer: bool, count: int) -> list[Any]:
    may_be_infinite = name == "threshold"
    if not (INTEGERS if integer else THRESHOLDS if may_be_infinite else NUMBERS).fullmatch(text):
        raise UnsoundError(f"{name} has something else than {'integers' if integer else 'numbers'}")
    values: list[Any] = list(map(int if integer else float, text.split(" ")))
    if len(values) != count:
        raise UnsoundError(f"{name} has {len(values)} entries in place of {count}")
    if not may_be_infinite and not all(map(math.isfinite, values)):
        raise UnsoundError(f"{name} has an infinite number")
    return values


def _check_tree(tree: str, n_features: int) -> None:
    fields = _fields(tree.split("\n"))
    (leaves,) = _numbers("num_leaves", fields.pop("num_leaves", ""), True, 1)
    (cats,) = _numbers("num_cat", fields.pop("num_cat", ""), True, 1)
    if not 1 <= leaves <= MAX_LEAVES or not 0 <= cats < leaves:
        raise UnsoundError(f"it has {leaves} leaves and {cats} splits by categories")
    if fields.pop("is_linear", "0") != "0":
        raise UnsoundError("its leaves are linear")
    _numbers("shrinkage", fields.pop("shrinkage", "1"), False, 1)
    counts = {"splits": leaves - 1, "leaves": leaves}
    lists = {
        name: _numbers(name, fields.get(name, ""), integer, counts[of])
        for name, (integer, of) in LISTS.items()
        if leaves > 1 or name == "leaf_value" or fields.get(name)  # of a single leaf lists may be empty
    }
    for name in LISTS:
        fields.pop(name, None)
    if any(not 0 <= count < MAX_COUNT for name in ("leaf_count", "internal_count") for count in lists.get(name, [])):
        raise UnsoundError("a count of rows is none that there is")
    if any(abs(gain) > MAX_SINGLE for gain in lists.get("split_gain", [])):
        raise UnsoundError("a gain is too large")
    if leaves > 1:
        _check_splits(fields, cats, lists, leaves, n_features)
    if fields:
        raise UnsoundError(f"it has the unknown field {next(iter(fields))[:40]}")


def _check_splits(fields: dict[str, str], cats: int, lists: dict[str, list[Any]], leaves: int, n_features: int) -> None:
    if not all(0 <= feature < n_features for feature in lists["split_feature"]):
        raise UnsoundError("a split is by a feature that there is not")
    _check_shape(lists["left_child"], lists["right_child"], leaves)
    _check_category_splits(fields, cats, lists)


def _check_shape(left: list[int], right: list[int], leaves: int) -> None:
    """Every split and leaf is the child of exactly one split, a split of an earlier one: so it is a tree."""
    depths = [0] * (leaves - 1)
    has_parent = [False] * (2 * leaves - 1)  # leaves −1, −2, … stand at the end of the list
    has_parent[0] = True
    for parent, children in enumerate(zip(left, right, strict=True)):
        for child in children:
            if not -leaves <= child < leaves - 1 or (0 <= child <= parent) or has_parent[child]:
                raise UnsoundError(f"split {parent} has the child {child}")
            has_parent[child] = True
            if child >= 0:
                depths[child] = depths[parent] + 1
    if max(depths) >= MAX_DEPTH:
        raise UnsoundError(f"it is more than {MAX_DEPTH} splits deep")


def _check_category_splits(fields: dict[str, str], cats: int, lists: dict[str, list[Any]]) -> None:
    """Category sets are bits in 32-bit words; `threshold` of such a split is the number of its set."""
    by_category = [
        threshold
        for threshold, kind in zip(lists["threshold"], lists["decision_type"], strict=True)
        if kind & CATEGORICAL
    ]
    if not all(0 <= kind < 16 for kind in lists["decision_type"]):
        raise UnsoundError("decision_type is not one that there is")
    if not all(float(category_set).is_integer() and 0 <= category_set < cats for category_set in by_category):
        raise UnsoundError("a split is by a set of categories that there is not")
    if cats == 0:
        return
    boundaries = _numbers("cat_boundaries", fields.pop("cat_boundaries", ""), True, cats + 1)
    if boundaries[0] != 0 or any(low >= high for low, high in pairwise(boundaries)):
        raise UnsoundError("cat_boundaries do not rise from 0")
    words = _numbers("cat_threshold", fields.pop("cat_threshold", ""), True, boundaries[-1])
    if not all(0 <= word < 2**32 for word in words):
        raise UnsoundError("cat_threshold is not of 32-bit words")
