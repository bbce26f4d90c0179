"""What a fitted model computes, free of the library that trained it: a sum of trees, a linear function or a net.

Every model gives one of these three by `to_score_function`, and every format of `rankwise.models.export` is written
from them.
"""

from rankwise.rankers._score_functions._base import DOUBLE, SINGLE, ScoreFunction, kind_and_names
from rankwise.rankers._score_functions._linear import LinearFunction
from rankwise.rankers._score_functions._net import NetFunction
from rankwise.rankers._score_functions._trees import Leaf, Missing, Node, Tree, TreeSplit, TreeSum

__all__ = [
    "DOUBLE",
    "SINGLE",
    "Leaf",
    "LinearFunction",
    "Missing",
    "NetFunction",
    "Node",
    "ScoreFunction",
    "Tree",
    "TreeSplit",
    "TreeSum",
    "kind_and_names",
]
