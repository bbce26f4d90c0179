"""From parameters and data to what training and prediction take: the family of models, and rows as it has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from rankwise.data._ranking_data import RankingData
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, ShapeError, need_extra
from rankwise.metrics import Metric
from rankwise.objectives.rates._objective import RateObjective, rate_objective
from rankwise.rankers._base import SavableModel
from rankwise.rankers._eval_sets import check_weights
from rankwise.rankers._features import as_features, categorical_columns, values_by_column
from rankwise.rankers.nets._plan import finite_features
from rankwise.rankers.rates._rows import RowMatrix, Rows
from rankwise.rankers.rates._targets import Targets
from rankwise.rankers.rates.families._base import Family
from rankwise.rankers.rates.families._linear import LinearFamily
from rankwise.rankers.rates.families._trees import TreeFamily
from rankwise.rankers.trees._lightgbm import engine_threads
from rankwise.types import Features

if TYPE_CHECKING:
    from torch import nn


class RatePreparation(SavableModel):
    """Reads the parameters of a `RateClassifier`."""

    objective: str | Metric | RateObjective
    model: str | nn.Module
    anchors: int
    n_estimators: int
    num_leaves: int
    learning_rate: float
    min_child_samples: int
    monotone_constraints: Sequence[int] | Mapping[str | int, int] | None
    categorical_feature: Sequence[str | int] | None
    penalty: float | None
    epochs: int
    net_learning_rate: float
    batch_rows: int
    n_jobs: int | None

    @property
    def _takes_categories(self) -> bool:
        return bool(self.model == "trees")

    def _objective(self) -> RateObjective:
        return rate_objective(self.objective, anchors=self.anchors)

    def _columns(self) -> tuple[list[int], list[int] | None]:
        """Numbers of the categorical columns, and the constraint of each column; refuses what a family cannot have."""
        if self.model != "trees" and self.categorical_feature is not None:
            raise DataError(
                'categorical_feature is for model="trees", got it for another; drop it and encode the categories'
            )
        if self.model not in ("trees", "linear") and self.monotone_constraints is not None:
            raise DataError(
                'monotone_constraints are for model="trees" and model="linear", got them for a net; drop them'
            )
        monotone = values_by_column(self, self.monotone_constraints, "monotone_constraints")
        return categorical_columns(self, self.categorical_feature), monotone

    def _family(self, seed: int, categorical: Sequence[int] = (), monotone: list[int] | None = None) -> Family:
        """The family that the parameters describe."""
        if self.model == "linear":
            return LinearFamily(self.penalty, monotone)
        if self.model == "trees":
            limits = (self.n_estimators, self.num_leaves, self.learning_rate, self.min_child_samples)
            return TreeFamily(*limits, engine_threads(self.n_jobs), seed, [*categorical], monotone)
        need_extra("torch", extra="torch")
        from rankwise.rankers.rates.families._net import NetFamily

        net = {"torch_module": None if self.model == "net" else self.model}
        net |= {name: getattr(self, name) for name in ("hidden", "activation", "dropout")}
        return NetFamily(net, self.epochs, self.net_learning_rate, self.batch_rows, seed)

    def _features(self, X: Features | RankingData, *, fitting: bool) -> RowMatrix:
        """X as numbers; trees alone take missing values."""
        if self.model != "trees":
            name = "a linear model" if self.model == "linear" else "a net"
            return finite_features(self, X, fitting=fitting, name=name, instead='model="trees"')
        features: RowMatrix = as_features(self, X, fitting=fitting)
        return features

    def _standardize(self, features: RowMatrix, standardizer: Standardizer | None) -> RowMatrix:
        """Features as the family takes them."""
        if standardizer is None or isinstance(features, sp.csr_matrix):
            return features
        standardized = standardizer.apply(features)
        return standardized.astype(np.float64) if self.model == "linear" else standardized

    def _rows_by_class(
        self,
        features: RowMatrix,
        standardizer: Standardizer | None,
        targets: Targets,
        weight: ArrayLike | None,
        source: str = "",
    ) -> list[Rows]:
        """The rows of each class against the rest, checked; `source` says in messages where they are from."""
        n_labels, n_rows = len(targets.positive), features.shape[0]
        if n_labels != n_rows:
            raise ShapeError(f"y{source} must have one entry per row: got {n_labels} for {n_rows} rows")
        weights = check_weights(f"sample_weight{source}", weight, n_rows, "row")
        return targets.rows_by_class(self._standardize(features, standardizer), weights)
