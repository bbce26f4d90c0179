"""Models near a fitted one: what happens to its scores when what it learned is moved in some direction."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from rankwise.data._ranking_data import RankingData
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError
from rankwise.rankers import LambdaMART, Ranker
from rankwise.rankers._features import as_features
from rankwise.rankers._score_functions._functions import LinearFunction
from rankwise.rankers.nets._base import NetRanker
from rankwise.rankers.nets._plan import finite_features
from rankwise.rankers.pairs._matrix import matrix_times
from rankwise.rankers.pairs.margin._margin_ranker import MarginRanker
from rankwise.rankers.pairs.svm._linear_ranker import LinearPairRanker
from rankwise.rankers.trees._lightgbm import engine_threads
from rankwise.types import FloatArray

Change = Callable[[float], FloatArray]
"""Of all scores, when the parameters are moved so far."""


class Neighbourhood(Protocol):
    """The parameters of a fitted model around which others are tried, on given rows."""

    noun: str  # what the parameters are called
    n_parameters: int
    small: float  # a step of the parameters within which scores change in proportion

    def along(self, direction: FloatArray) -> Change:
        """How scores change along a direction of the parameters."""
        ...


def neighbourhood(model: object, data: RankingData) -> Neighbourhood:
    """The neighbourhood of a model on these rows."""
    if isinstance(model, LambdaMART):
        return LeafValues(model, data)
    if isinstance(model, NetRanker):
        return NetWeights(model, data)
    if isinstance(model, LinearPairRanker | MarginRanker) and isinstance(model.to_score_function(), LinearFunction):
        return LinearWeights(model, data)
    raise DataError(
        "what a model learned is known for LambdaMART, RankSVM, AUCSVM, MarginRanker on features, LambdaRank and "
        f"RankNet, got {type(model).__name__}; pass one of these"
    )


class LeafValues:
    """The values of all leaves, of all bags, that any of the rows reaches; the splits stay."""

    noun = "leaf values"
    small = 1.0

    def __init__(self, model: LambdaMART, data: RankingData) -> None:
        features, self.n_parameters = as_features(model, data, fitting=False), 0
        self.trees = []  # by tree, the number of the leaf of each row among all leaves
        for booster in model.boosters_:
            leaves = booster.predict(features, pred_leaf=True, num_threads=engine_threads(model.n_jobs))
            for tree in np.asarray(leaves).reshape(features.shape[0], -1).T:
                reached, numbers = np.unique(tree, return_inverse=True)
                self.trees.append(numbers + self.n_parameters)
                self.n_parameters += reached.size

    def along(self, direction: FloatArray) -> Change:
        """In proportion: each leaf adds its own share of the direction."""
        change = np.zeros(self.trees[0].size if self.trees else 1)
        for numbers in self.trees:
            change += direction[numbers]
        return lambda step: step * change


class LinearWeights:
    """The weights of the features, each in units of its feature's deviation."""

    noun = "weights"
    small = 1.0

    def __init__(self, model: Ranker, data: RankingData) -> None:
        self.features: Any = as_features(model, data, fitting=False)
        self.scale = Standardizer.of(self.features).scale
        self.n_parameters = int(self.features.shape[1])

    def along(self, direction: FloatArray) -> Change:
        """In proportion."""
        change = matrix_times(self.features, direction * self.scale)
        return lambda step: step * change


class NetWeights:
    """The weights and biases of all layers, in double precision."""

    noun = "weights"

    def __init__(self, model: NetRanker, data: RankingData) -> None:
        import torch
        from torch.nn.utils import parameters_to_vector

        self.rows = model.standardizer_.apply(finite_features(model, data, fitting=False)).astype(np.float64)
        self.module = copy.deepcopy(model.module_).to("cpu", torch.float64)
        with torch.no_grad():
            self.weights = parameters_to_vector(self.module.parameters()).clone()
        self.n_parameters = self.weights.numel()
        self.small = 1e-6 * float(self.weights.norm())
        self.scores = self._scores_at(np.zeros(self.n_parameters))

    def along(self, direction: FloatArray) -> Change:
        """By one pass through the net for each step."""
        return lambda step: self._scores_at(step * direction) - self.scores

    def _scores_at(self, move: FloatArray) -> FloatArray:
        import torch
        from torch.nn.utils import vector_to_parameters

        from rankwise.rankers.nets._module import module_row_scores

        with torch.no_grad():
            vector_to_parameters(self.weights + torch.from_numpy(move), self.module.parameters())
        return module_row_scores(self.module, self.rows, "cpu")  # type: ignore[arg-type]  # here in double precision
