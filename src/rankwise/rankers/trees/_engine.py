"""LightGBM on the rows of one machine: one tree per round, from gradients of ours.

Sums over rows are exact (`round_for_exact_sums`), so that neither the order of the rows nor the number of threads
changes a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

from rankwise.data._groups import QueryGroups
from rankwise.data._row_hashes import RowHashes, bell_hashes, document_hashes, seeded_hashes
from rankwise.objectives.lambdas._position_bias import PositionBias
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers.trees._model_text import join_trees, leaf_values, read_booster, split_trees, with_leaf_values
from rankwise.rankers.trees._objectives import LogLoss, Objective, ScaledLambdas, SquaredLoss
from rankwise.rankers.trees._plan import Bootstrap, TrainingPlan, bootstrap_counts
from rankwise.rankers.trees._predict import average_scores
from rankwise.rankers.trees._split_noise import GradientSize, LeafRows, SplitNoise, round_seed, sum_of_sizes
from rankwise.rankers.trees._streaming import Float32Array
from rankwise.rankers.trees._training_state import Rounds
from rankwise.types import FloatArray, IntArray, JsonObject

if TYPE_CHECKING:
    from rankwise.rankers.trees._symmetric_engine import SymmetricBins


@dataclass(frozen=True, kw_only=True)
class BinnedEvalSet(EvalSet):
    """Rows that the model is evaluated on after each round, in bins."""

    dataset: lgb.Dataset | None


@dataclass(frozen=True, kw_only=True)
class LocalRows:
    """What is learned from on this machine."""

    X: Any
    dataset: lgb.Dataset | None  # in LightGBM's bins, or
    bins: SymmetricBins | None = None  # in ours
    y: FloatArray
    groups: QueryGroups
    hashes: RowHashes  # what tells rows apart in whatever order they come
    row_weight: FloatArray | None
    query_weight: FloatArray | None
    positions: IntArray | None = None  # where each row was shown, if its label is whether it was clicked
    init_score: FloatArray | None  # which is no part of the model
    eval_sets: Sequence[BinnedEvalSet]

    @property
    def all_sets(self) -> list[LocalRows | BinnedEvalSet]:
        """The training rows and each eval_set."""
        return [self, *self.eval_sets]

    def query_hashes(self) -> RowHashes:
        """What tells queries apart by what stands in them: neither names nor the order of rows matter."""
        return np.asarray(np.add.reduceat(self.groups.grouped(self.hashes), self.groups.offsets[:-1]))

    def position_bias(self, rows: IntArray | slice, counts: FloatArray | None = None) -> PositionBias:
        """The clicks on some rows, of which it is known where they were shown."""
        assert self.positions is not None
        documents = document_hashes(self.hashes[rows], self.y[rows], self.X.shape[1])
        return PositionBias(self.positions[rows], self.y[rows] > 0, documents, counts)


class LocalEngine:
    """Grows the trees of a stage on the rows of its bag.

    Before it is started, its objective gets the sums of all machines.
    """

    def __init__(self, plan: TrainingPlan, rows: LocalRows, stage: int, bootstrap: Bootstrap) -> None:
        self.plan, self.rows, self.stage, self.bootstrap = plan, rows, plan.stages[stage], bootstrap
        self.seed = plan.stage_seed(stage)
        self.counts: FloatArray | None = None  # how often each row is in the bag; None where there are no bags
        self.bag_rows: IntArray | None = None  # rows in the bag; None is all
        if plan.has_bags:
            counts = (
                bootstrap_counts(rows.hashes, plan.bag_seed(stage))
                if bootstrap.one_list
                else bootstrap.counts[rows.groups.query_of_row()]
            )
            self.bag_rows = np.flatnonzero(counts)
            self.counts = counts[self.bag_rows]

    @property
    def n_rows(self) -> int:
        """Rows in the bag."""
        return self.rows.y.size if self.bag_rows is None else self.bag_rows.size

    def _in_bag(self, values: NDArray[Any]) -> NDArray[Any]:
        """Those of the rows in the bag; without bags the same array, since a copy of many rows is large."""
        return values if self.bag_rows is None else values[self.bag_rows]

    @cached_property
    def objective(self) -> Objective:
        """The loss on the rows of the bag, weighed by weights and by how often each is in it."""
        plan, rows = self.plan, self.rows
        y, query = self._in_bag(rows.y), self._in_bag(rows.groups.query_of_row())
        row_weight = None if rows.row_weight is None else self._in_bag(rows.row_weight)
        query_weight = None if rows.query_weight is None else rows.query_weight[query]
        if self.stage.loss != "lambdas":
            weight = _product(row_weight, query_weight, self.counts)
            return LogLoss(y, weight) if self.stage.loss == "logloss" else SquaredLoss(y, weight)
        # A pair weighs the product of its rows: a query that is in the bag twice counts twice, so its rows √2 each,
        # but a row of one long list counts against every copy of the others.
        if self.bootstrap.one_list:
            weight = _product(row_weight, _root(query_weight), self.counts)
        else:
            weight = _product(row_weight, _root(_product(query_weight, self.counts)))
        bias = None
        if rows.positions is not None:
            bias = rows.position_bias(slice(None) if self.bag_rows is None else self.bag_rows, self.counts)
        return ScaledLambdas(
            plan.trained_metric,
            y,
            query,
            weight,
            norm=plan.norm,
            sigma=plan.sigma,
            tie_keys=seeded_hashes(self._in_bag(rows.hashes), self.seed),
            bias=bias,
        )

    def init_scores(self, header: Sequence[str], trees: Sequence[str]) -> list[FloatArray]:
        """Scores of the trees so far, for the rows of the bag and for each eval_set, on top of an init_score."""
        rows, scores = self.rows, []
        boosters = [read_booster(join_trees(header, trees))] if trees else []
        for data in rows.all_sets:
            n_threads = self.plan.parameters["num_threads"]
            total = average_scores(boosters, data.X, n_threads) if boosters else np.zeros(data.X.shape[0])
            scores.append(total if data.init_score is None else total + data.init_score)
        return [self._in_bag(scores[0]), *scores[1:]]

    def start(self, rounds: Rounds, network: JsonObject | None = None) -> None:
        """Go on from these rounds, together with other machines where `network` has LightGBM's parameters of them."""
        self.rounds = rounds
        parameters = {**self.plan.parameters, "learning_rate": self.stage.learning_rate, **(network or {})}
        dataset = self.rows.dataset
        assert dataset is not None
        if self.bag_rows is not None:
            dataset = dataset.subset(self.bag_rows.tolist()).construct()
        # The booster knows of earlier rounds by their scores alone, and with split noise not at all.
        eval_datasets = [eval_set.dataset for eval_set in self.rows.eval_sets if eval_set.dataset is not None]
        for data, scores in zip([dataset, *eval_datasets], rounds.scores, strict=True):
            _set_init_score(data, np.zeros(scores.size) if self.noise else scores)
        self.booster = lgb.Booster(parameters, dataset)
        for number, data in enumerate(eval_datasets):
            self.booster.add_valid(data, f"valid_{number}")
        self.draws_columns = parameters["feature_fraction"] < 1.0
        if self.draws_columns:
            # The first round of a booster draws columns otherwise than later ones: let it be one that learns nothing.
            self.booster.update(fobj=lambda scores, _: (np.zeros_like(scores), np.ones_like(scores)))
        self.first_round = rounds.n_done - self.booster.current_iteration()
        if self.noise:
            self.booster_scores = [np.zeros(scores.size) for scores in rounds.scores]
        else:
            rounds.scores[0] = np.empty(0)  # they are in the engine now, until it is asked for them

    @property
    def keeps_scores(self) -> bool:
        """Whether scores are kept here, since LightGBM's are of other values than the true ones."""
        return self.noise is not None

    @cached_property
    def noise(self) -> SplitNoise | None:
        """What is added to gradients before splits are chosen, if anything."""
        strength = self.plan.split_noise
        return SplitNoise(strength, self._noise_keys, self.seed) if strength else None

    @cached_property
    def _noise_keys(self) -> RowHashes:
        """What tells rows apart, also those that are alike in several queries."""
        rows = self.rows
        return self._in_bag(rows.hashes * np.uint64(3) + rows.query_hashes()[rows.groups.query_of_row()])

    @property
    def n_done(self) -> int:
        """Rounds so far, those of earlier engines included."""
        return self.first_round + int(self.booster.current_iteration())

    def grow(self) -> bool:
        """One round; False if there is nothing to split."""
        gradients = self.gradients()
        grown = self.grow_by(gradients, self.size(gradients))
        if grown and self.keeps_scores:
            self.set_leaf_values(self.leaf_sums)
        return grown

    def gradients(self) -> list[FloatArray]:
        """Gradient and Hessian at the present scores."""
        if self.keeps_scores:
            scores = self.rounds.scores[0]
        else:
            (scores,) = _booster_scores(self.booster.eval_train, copied=False)
        if self.plan.ranking_noise:
            noise = bell_hashes(self._noise_keys, round_seed(self.seed + 1, self.n_done))
            scores = scores + self.plan.ranking_noise * noise
        gradient, hessian = self.objective.gradients(scores)
        if self.plan.query_subsample < 1.0:
            left_out = ~self._sampled_rows(self.n_done)
            gradient[left_out] = hessian[left_out] = 0.0
        return [gradient, hessian]

    def size(self, gradients: Sequence[FloatArray]) -> GradientSize:
        """How large the gradients of these rows are."""
        gradient, hessian = gradients
        largest = (max_abs(gradient), max_abs(hessian))
        if self.noise is None:
            return GradientSize(*largest)
        return GradientSize(*largest, sum_of_sizes(gradient), int(np.count_nonzero(hessian)))

    def _sampled_rows(self, number: int) -> NDArray[np.bool_]:
        """Whether each row's query is among those that a round learns from."""
        sampled = np.zeros(self.bootstrap.n_drawn, dtype=bool)
        count = max(1, round(self.plan.query_subsample * self.bootstrap.n_drawn))
        sampled[np.random.default_rng([self.seed, number]).permutation(self.bootstrap.n_drawn)[:count]] = True
        return sampled[self._place_of_row]

    @cached_property
    def _place_of_row(self) -> IntArray:
        return np.asarray(self.bootstrap.places[self._in_bag(self.rows.groups.query_of_row())])

    def grow_by(self, gradients: list[FloatArray], size: GradientSize) -> bool:
        """One round by a gradient and a Hessian, `size` being that of all machines; False if there is nothing to split.

        The list is emptied, since a second array of many rows is large. With split noise the tree has no values before
        `set_leaf_values`.
        """
        if self.draws_columns:
            # Else its random numbers would go on from the last round, which a resumed run has not made.
            column_seed = int(np.random.default_rng([self.seed, self.n_done]).integers(2**31))
            self.booster.reset_parameter({"feature_fraction_seed": column_seed})
        gradient, noisy, hessian = self._rounded(gradients, size)
        grown = not self.booster.update(fobj=lambda *_: (noisy, hessian))
        if grown and self.noise:
            self._find_leaves(gradient, hessian)
        elif grown and self.rows.eval_sets:
            self.rounds.scores[1:] = _booster_scores(self.booster.eval_valid)
        return grown

    def _rounded(
        self, gradients: list[FloatArray], size: GradientSize
    ) -> tuple[Float32Array, Float32Array, Float32Array]:
        """Gradient, the same with split noise and Hessian, on grids whose sums are exact; the list is emptied."""
        gradient = round_for_exact_sums(gradients.pop(0), size.gradient)
        hessian = round_for_exact_sums(gradients.pop(0), size.hessian)
        if self.noise is None:
            return gradient, gradient, hessian
        noisy = self.noise.add(gradient, hessian, size, self.n_done)
        return gradient, round_for_exact_sums(noisy, self.noise.largest(size)), hessian

    def _find_leaves(self, gradient: Float32Array, hessian: Float32Array) -> None:
        """Find out which rows are in which leaf of the last tree, and what true gradients are in each."""
        number = self.booster.current_iteration() - 1
        _, (self.text,) = split_trees(self.booster.model_to_string(start_iteration=number, num_iteration=1))
        self.leaves = LeafRows(leaf_values(self.text))
        scores = _booster_scores(self.booster.eval_train)
        if self.rows.eval_sets:
            scores += _booster_scores(self.booster.eval_valid)
        pairs = zip(self.booster_scores, scores, strict=True)
        self.places = [self.leaves.places(before, after) for before, after in pairs]
        self.booster_scores = scores
        self.leaf_sums = self.leaves.sums(self.places[0], gradient, hessian)

    def set_leaf_values(self, sums: FloatArray) -> None:
        """Give the last tree's leaves the Newton steps of true gradients, whose sums are those of all machines."""
        steps = -self.stage.learning_rate * sums[0] / (sums[1] + self.plan.parameters["lambda_l2"])
        for scores, places in zip(self.rounds.scores, self.places, strict=True):
            scores += steps[places]
        self.rounds.trees.append(self._tree_text(steps, sums))

    def _tree_text(self, steps: FloatArray, sums: FloatArray) -> str:
        """The last tree with these values, given by place."""
        return with_leaf_values(self.text, steps[self.leaves.place_of_leaf])

    def evaluate(self) -> list[float]:
        """The metric on each eval_set."""
        eval_sets = zip(self.rows.eval_sets, self.rounds.scores[1:], strict=True)
        return [eval_set.value(self.plan.metric, scores) for eval_set, scores in eval_sets]

    def fetch_trees(self) -> None:
        """Bring the trees of `rounds` up to date."""
        rounds = self.rounds
        text = self.booster.model_to_string(start_iteration=rounds.n_done - self.first_round)
        rounds.header, new_trees = split_trees(text)
        if self.noise is None:  # else each is written there when it has its values
            rounds.trees += new_trees

    def fetch(self) -> None:
        """Bring trees and scores of `rounds` up to date."""
        self.fetch_trees()
        if self.noise is None:
            self.rounds.scores[:1] = _booster_scores(self.booster.eval_train)


def exact_sum_step(largest: float) -> float:
    """The power of two that numbers of up to this size are rounded to multiples of, up to 2^24 of it.

    LightGBM keeps 24 bits of a gradient and adds in 53. On a common grid no sum of up to 2^29 of them is ever rounded.
    """
    return float(2.0 ** (np.frexp(largest)[1] - 24))


def round_for_exact_sums(numbers: FloatArray, largest: float) -> Float32Array:
    """Round numbers to what LightGBM keeps and adds up exactly; `largest` is of all, on all machines.

    The array is overwritten, since a second one of many rows is large.
    """
    step = exact_sum_step(largest)
    numbers /= step
    np.rint(numbers, out=numbers)
    numbers *= step
    return numbers.astype(np.float32)


def max_abs(numbers: FloatArray) -> float:
    """The largest of them, in size."""
    return float(max(numbers.max(initial=0.0), -numbers.min(initial=0.0)))


def _set_init_score(dataset: lgb.Dataset, scores: FloatArray) -> None:
    """Let boosters on these rows begin at some scores; where these are 0, LightGBM need not hold them."""
    if scores.any() or dataset.get_field("init_score") is not None:
        dataset.set_init_score(scores)
        dataset.init_score = None  # a second copy


def _booster_scores(evaluate_by: Callable[..., object], copied: bool = True) -> list[FloatArray]:
    """The engine shows its running scores only to functions that evaluate them; they are its own unless copied."""
    running: list[FloatArray] = []

    def look(scores: FloatArray, _: lgb.Dataset) -> tuple[str, float, bool]:
        running.append(scores.copy() if copied else scores)
        return "seen", 0.0, True

    evaluate_by(look)
    return running


def _product(*factors: FloatArray | None) -> FloatArray | None:
    present = [factor for factor in factors if factor is not None]
    return np.prod(present, axis=0) if present else None


def _root(weight: FloatArray | None) -> FloatArray | None:
    return None if weight is None else np.sqrt(weight)
