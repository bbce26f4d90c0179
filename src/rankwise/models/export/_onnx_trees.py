"""Trees as one TreeEnsemble of ONNX, and sets of categories as columns that it splits by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankwise.rankers._score_functions._functions import Leaf, Node, TreeSum
from rankwise.types import JsonObject

if TYPE_CHECKING:
    from rankwise.models.export._onnx import Graph

BRANCH_LEQ, SUM, AS_IT_IS = 0, 1, 0  # as the operator counts modes, sums and transformations
HALF = 0.5  # between a column's 0, not in the set, and 1
Sets = dict[tuple[int, frozenset[int]], int]


def add_trees(graph: Graph, function: TreeSum) -> str:
    """Add the ensemble to a graph; the name of its scores is given back."""
    rows, column_of = _with_sets(graph, function)
    flat, constant = _Flat(column_of), function.constant
    for tree in function.trees:
        if isinstance(tree.root, Leaf):
            constant += tree.root.value
        else:
            flat.add_tree(tree.root)
    if not flat.roots:
        flat.add_nothing()
    sums = graph.add("TreeEnsemble", [rows], domain="ai.onnx.ml", **flat.attributes())
    return graph.add("Add", [sums, graph.constant(np.array([constant]))])


def _with_sets(graph: Graph, function: TreeSum) -> tuple[str, Sets]:
    """The features in double precision, with a column of 0 and 1 for each set of categories."""
    sets: dict[int, list[frozenset[int]]] = {}
    for split in function.splits:
        if split.categories is not None and split.categories not in sets.setdefault(split.feature, []):
            sets[split.feature].append(split.categories)
    columns, column_of, width = [graph.cast("features", np.float64)], Sets(), len(function.names)
    for feature, of_feature in sorted(sets.items()):
        highest = max(max(categories, default=0) for categories in of_feature)
        table = np.zeros((highest + 3, len(of_feature)))  # −1 and below, each category, all above
        for place, categories in enumerate(of_feature):
            table[[category + 1 for category in categories], place] = 1.0
            column_of[feature, categories] = width + place
        width += len(of_feature)
        column = graph.add("Gather", ["features", graph.constant(np.array(feature))], axis=1)
        low, high = (graph.constant(np.array(value, dtype=np.float32)) for value in (-1.0, highest + 1.0))
        not_missing = graph.add("Where", [graph.add("IsNaN", [column]), low, column])
        inside = graph.add("Clip", [not_missing, low, high])
        # Fractions are cut off towards 0, as LightGBM does.
        row = graph.add("Add", [graph.cast(inside, np.int64), graph.constant(np.array(1))])
        columns.append(graph.add("Gather", [graph.constant(table), row], axis=0))
    return (columns[0] if len(columns) == 1 else graph.add("Concat", columns, axis=1)), column_of


@dataclass
class _Flat:
    """Splits and leaves of all trees, one after the other."""

    column_of: Sets
    roots: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    children: list[list[tuple[int, int]]] = field(default_factory=list)  # where true, where false: number, is a leaf
    leaves: list[float] = field(default_factory=list)

    def add_tree(self, root: Node) -> None:
        """A tree, its root first."""
        self.roots.append(len(self.columns))
        waiting: list[tuple[Node, int, int]] = [(root, -1, 0)]  # node, its parent, on which side of it
        while waiting:
            node, parent, side = waiting.pop()
            is_leaf = isinstance(node, Leaf)
            if parent >= 0:
                self.children[parent][side] = len(self.leaves if is_leaf else self.columns), int(is_leaf)
            if isinstance(node, Leaf):
                self.leaves.append(node.value)
                continue
            number, by_set = len(self.columns), node.categories is not None
            self.columns.append(
                self.column_of[node.feature, node.categories] if node.categories is not None else node.feature
            )
            self.limits.append(HALF if by_set else float(np.clip(node.threshold, -1e300, 1e300)))
            self.missing.append(int(node.missing_left))
            self.children.append([(0, 0), (0, 0)])
            # In the set is 1, which is above the limit: there the sides change places.
            waiting += [(node.left, number, int(by_set)), (node.right, number, int(not by_set))]

    def add_nothing(self) -> None:
        """A tree that adds 0, because there must be one."""
        self.roots, self.columns, self.limits, self.missing = [0], [0], [0.0], [0]
        self.children, self.leaves = [[(0, 1), (1, 1)]], [0.0, 0.0]

    def attributes(self) -> JsonObject:
        """As the operator wants them."""
        from onnx import numpy_helper

        count = len(self.columns)
        (true, true_leaf), (false, false_leaf) = (
            zip(*(pair[side] for pair in self.children), strict=True) for side in (0, 1)
        )
        return {
            "n_targets": 1,
            "aggregate_function": SUM,
            "post_transform": AS_IT_IS,
            "tree_roots": self.roots,
            "nodes_modes": numpy_helper.from_array(np.full(count, BRANCH_LEQ, dtype=np.uint8), "modes"),
            "nodes_featureids": self.columns,
            "nodes_splits": numpy_helper.from_array(np.array(self.limits), "splits"),
            "nodes_truenodeids": list(true),
            "nodes_trueleafs": list(true_leaf),
            "nodes_falsenodeids": list(false),
            "nodes_falseleafs": list(false_leaf),
            "nodes_missing_value_tracks_true": self.missing,
            "leaf_targetids": [0] * len(self.leaves),
            "leaf_weights": numpy_helper.from_array(np.array(self.leaves), "leaves"),
        }
