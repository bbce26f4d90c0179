"""Grows symmetric trees of a stage on the rows of its bag, with the objective, noise and draws of other trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.kernels._symmetric_splits import Codes
from rankwise.rankers.trees._engine import LocalEngine
from rankwise.rankers.trees._split_noise import GradientSize, round_seed
from rankwise.rankers.trees._symmetric_trees import Borders, grow_symmetric_tree, tree_header
from rankwise.rankers.trees._training_state import Rounds
from rankwise.types import FloatArray, IntArray, JsonObject


@dataclass(frozen=True)
class SymmetricBins:
    """Bins, and those of the training rows and of each eval_set."""

    borders: Borders
    n_bins: IntArray  # of each column, 1 where it cannot split the rows
    codes: Codes
    eval_codes: list[Codes]


class SymmetricEngine(LocalEngine):
    """Grows symmetric trees in place of LightGBM."""

    @property
    def keeps_scores(self) -> bool:
        """Always: nobody else has them."""
        return True

    def start(self, rounds: Rounds, network: JsonObject | None = None) -> None:
        """Go on from these rounds."""
        assert self.rows.bins is not None
        assert network is None
        self.rounds, self.bins = rounds, self.rows.bins
        rounds.header = tree_header(self.rows.X.shape[1])
        codes = self.bins.codes
        self.codes = codes if self.bag_rows is None else np.ascontiguousarray(codes[:, self.bag_rows])

    @property
    def n_done(self) -> int:
        """Rounds so far, those of earlier engines included."""
        return self.rounds.n_done

    def _drawn_columns(self) -> IntArray:
        """Columns that the tree of this round may split by."""
        n_columns, share = self.codes.shape[0], self.plan.parameters["feature_fraction"]
        if share == 1.0:
            return np.arange(n_columns)
        rng = np.random.default_rng(round_seed(self.seed + 2, self.n_done))
        return np.sort(rng.permutation(n_columns)[: max(1, round(share * n_columns))])

    def grow_by(self, gradients: list[FloatArray], size: GradientSize) -> bool:
        """One tree by a gradient and a Hessian, without values before `set_leaf_values`; False if there is none."""
        gradient, noisy, hessian = self._rounded(gradients, size)
        rows = (self.codes, self.bins.n_bins, self._drawn_columns(), noisy, hessian)
        self.tree, leaves = grow_symmetric_tree(*rows, self.plan.parameters)
        if self.tree.n_leaves == 1:
            return False
        all_leaves = [leaves, *(self.tree.leaves(codes) for codes in self.bins.eval_codes)]
        self.places = [leaves.astype(np.int64) for leaves in all_leaves]
        terms = (gradient, hessian, np.ones(gradient.size))
        self.leaf_sums = np.array([np.bincount(leaves, numbers, self.tree.n_leaves) for numbers in terms])
        return True

    def _tree_text(self, steps: FloatArray, sums: FloatArray) -> str:
        """The last tree with these values; the third of the sums are the rows of each leaf."""
        return self.tree.to_text(self.bins.borders, steps, sums[2], sums[1], self.stage.learning_rate)

    def fetch(self) -> None:
        """The rounds are up to date already."""
