"""One stage on the rows of one machine: what it draws, what it descends, and where its scores start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data._row_hashes import RowHashes, document_hashes, seeded_hashes
from rankwise.objectives.lambdas._position_bias import PositionBias
from rankwise.rankers.trees._boosting import LocalEngine, Objective, Rounds
from rankwise.rankers.trees._model_text import join_trees, read_booster
from rankwise.rankers.trees._objectives import ScaledLambdas
from rankwise.rankers.trees._plain import LogLoss, SquaredLoss
from rankwise.rankers.trees._predict import mean_scores
from rankwise.rankers.trees._training import Course
from rankwise.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from rankwise.rankers.trees._local_plan import Plan


@dataclass(frozen=True)
class Draw:
    """What a stage draws by queries: how often each is in its bag, and its place among the `count` that are in it.

    `one_list` is data without other queries to draw: its rows are drawn.
    """

    copies: FloatArray
    places: IntArray
    count: int
    one_list: bool

    @classmethod
    def of(cls, query_keys: RowHashes, course: Course, bag: int) -> Draw:
        """Drawn by what stands in the queries, in whatever order they come; all once where there are no bags."""
        queries = query_keys.size
        copies = np.ones(queries)
        if course.stages[-1].bag > 0 and queries > 1:
            copies = _bootstrap(query_keys, [course.seed, bag, 1])
        within = np.flatnonzero(copies)
        places = np.full(queries, -1)
        places[within] = _places(query_keys[within])
        return cls(copies, places, within.size, queries == 1)

    def of_queries(self, which: NDArray[Any]) -> Draw:
        """What concerns some of the queries."""
        return replace(self, copies=self.copies[which], places=self.places[which])


class StageWork:
    """A stage of a plan: the rows of its bag and its loss on them, which is to be settled before it is descended."""

    def __init__(self, plan: Plan, number: int, draw: Draw) -> None:
        self.plan, self.draw, self.stage = plan, draw, plan.stages[number]
        self.seed = plan.stage_seed(number)
        self.copies: FloatArray | None = None  # of each row in the bag; None where there are no bags
        self.rows: IntArray | None = None  # in the bag; None is all
        if plan.stages[-1].bag > 0:
            by_row = _bootstrap(plan.keys, [plan.seed, self.stage.bag, 1]) if draw.one_list else None
            copies = draw.copies[plan.groups.query_of_row()] if by_row is None else by_row
            self.rows = np.flatnonzero(copies)
            self.copies = copies[self.rows]

    @property
    def size(self) -> int:
        """Rows in the bag."""
        return self.plan.y.size if self.rows is None else self.rows.size

    def in_bag(self, values: NDArray[Any]) -> NDArray[Any]:
        """Those of the rows in the bag; without bags the same array, since a copy of many rows is large."""
        return values if self.rows is None else values[self.rows]

    @cached_property
    def objective(self) -> Objective:
        """The loss on the rows of the bag, weights and copies included."""
        plan = self.plan
        y, query = self.in_bag(plan.y), self.in_bag(plan.groups.query_of_row())
        of_rows = None if plan.row_weight is None else self.in_bag(plan.row_weight)
        of_queries = None if plan.query_weight is None else plan.query_weight[query]
        if self.stage.loss != "lambdas":
            weight = _product(of_rows, of_queries, self.copies)
            return LogLoss(y, weight) if self.stage.loss == "logloss" else SquaredLoss(y, weight)
        # A pair weighs the product of its rows: a query that is in the bag twice counts twice, so its rows √2 each,
        # but a row of one long list counts against every copy of the others.
        if self.draw.one_list:
            weight = _product(of_rows, _root(of_queries), self.copies)
        else:
            weight = _product(of_rows, _root(_product(of_queries, self.copies)))
        ties = seeded_hashes(self.in_bag(plan.keys), self.seed)
        metric = plan.metric.for_training()
        bias = None
        if plan.positions is not None:
            bias = position_bias(plan, slice(None) if self.rows is None else self.rows, self.copies)
        return ScaledLambdas(metric, y, query, weight, norm=plan.norm, sigma=plan.sigma, tie_keys=ties, bias=bias)

    def start_scores(self, header: Sequence[str], trees: Sequence[str]) -> list[FloatArray]:
        """Scores of the trees so far, for the rows of the bag and for each judged set, on top of given scores."""
        plan, start = self.plan, []
        model = [read_booster(join_trees(header, trees))] if trees else []
        for X, given in [(plan.X, plan.start), *((one.X, one.start) for one in plan.judged)]:
            scores = mean_scores(model, X, plan.parameters["num_threads"]) if model else np.zeros(X.shape[0])
            start.append(scores if given is None else scores + given)
        return [self.in_bag(start[0]), *start[1:]]

    def engine(self, rounds: Rounds) -> LocalEngine:
        """LightGBM on the rows of the bag, going on from these rounds."""
        plan, places = self.plan, self.draw.places
        sample = None
        if plan.query_subsample < 1.0:
            of_row = places[self.in_bag(plan.groups.query_of_row())]
            sample = _query_sample(of_row, self.draw.count, plan.query_subsample, self.seed)
        return LocalEngine(
            rounds,
            plan.rows if self.rows is None else plan.rows.subset(self.rows.tolist()).construct(),
            plan.judged,
            self.objective,
            plan.metric,
            parameters={**plan.parameters, "learning_rate": self.stage.rate},
            sample=sample,
            seed=self.seed,
        )


def position_bias(plan: Plan, rows: Any, copies: FloatArray | None = None) -> PositionBias:
    """The clicks on these rows of a plan that knows where they were shown."""
    assert plan.positions is not None
    documents = document_hashes(plan.keys[rows], plan.y[rows], plan.X.shape[1])
    return PositionBias(plan.positions[rows], plan.y[rows] > 0, documents, copies)


def _product(*factors: FloatArray | None) -> FloatArray | None:
    given = [factor for factor in factors if factor is not None]
    return np.prod(given, axis=0) if given else None


def _root(weight: FloatArray | None) -> FloatArray | None:
    return None if weight is None else np.sqrt(weight)


def _places(keys: RowHashes) -> IntArray:
    return np.argsort(np.argsort(keys, kind="stable"))


def _bootstrap(keys: RowHashes, seed: list[int]) -> FloatArray:
    """How often each is drawn, by what tells them apart."""
    drawn = np.random.default_rng(seed).integers(keys.size, size=keys.size)
    return np.bincount(drawn, minlength=keys.size).astype(np.float64)[_places(keys)]


def _query_sample(places: IntArray, queries: int, share: float, seed: int) -> Callable[[int], NDArray[Any]]:
    """For each round, whether a row's query is among those that the round learns from."""
    count = max(1, round(share * queries))

    def rows_of_round(number: int) -> BoolArray:
        chosen = np.zeros(queries, dtype=bool)
        chosen[np.random.default_rng([seed, number]).permutation(queries)[:count]] = True
        return chosen[places]

    return rows_of_round
