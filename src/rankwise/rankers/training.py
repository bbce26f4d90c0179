"""From a plan to trees: stages one after the other, each bag with stages of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

from rankwise.data.groups import QueryGroups
from rankwise.metrics import Metric
from rankwise.objectives.lambdas import Norm
from rankwise.rankers.boosting import Judged, Objective, Rounds, boost
from rankwise.rankers.plain import LogLoss, SquaredLoss
from rankwise.rankers.row_keys import Keys, seeded
from rankwise.rankers.scaled_lambdas import ScaledLambdas
from rankwise.rankers.tree_text import join_trees, read_booster

__all__ = ["Plan", "Stage", "State", "bag_trees", "finish_stage", "train"]

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Stage:
    """Rounds of one bag on one loss: "logloss" or "l2" to start from, "lambdas" to end with."""

    bag: int
    loss: str
    rate: float


@dataclass
class State:
    """How far training has come: what is kept of whole stages, and the rounds of the present one."""

    finished: list[Rounds] = field(default_factory=list)
    rounds: Rounds | None = None


@dataclass(frozen=True)
class Plan:
    """All that decides what is trained."""

    metric: Metric
    X: Any
    rows: lgb.Dataset
    y: Scores
    groups: QueryGroups
    keys: Keys  # what tells rows apart in whatever order they come
    row_weight: Scores | None
    query_weight: Scores | None
    start: Scores | None  # given scores, which are no part of the model
    first_trees: list[str]  # of a given model, which every bag continues
    header: list[str]  # of that model
    judged: Sequence[Judged]
    stages: Sequence[Stage]
    parameters: dict[str, Any]
    limit: int
    patience: int | None
    norm: Norm | None
    sigma: float
    query_subsample: float
    seed: int

    def query_places(self) -> NDArray[np.int64]:
        """For each row the number of its query, by what stands in it: neither names nor the order of rows matter."""
        of_query = np.add.reduceat(self.groups.grouped(self.keys), self.groups.offsets[:-1])
        return np.argsort(np.argsort(of_query, kind="stable"))[self.groups.query_of_row()]

    def ends_bag(self, stage: int) -> bool:
        """Whether a stage is the last of its bag."""
        return stage + 1 == len(self.stages) or self.stages[stage + 1].bag != self.stages[stage].bag


# The round (through all stages), its values on the judged sets, and a function that gives the state up to it.
Report = Callable[[int, list[float], Callable[[], State]], None]


def train(plan: Plan, state: State, report: Report) -> None:
    """Take `state` to the end of the plan; if anything raises, the state holds all complete rounds."""
    while len(state.finished) < len(plan.stages):
        _run_stage(plan, state, report)
        finish_stage(plan, state)


def finish_stage(plan: Plan, state: State, *, interrupted: bool = False) -> None:
    """Keep the rounds of the present stage up to the best, and go to the next one."""
    rounds, stage = state.rounds, len(state.finished)
    assert rounds is not None
    best = rounds.best() if plan.patience is not None or interrupted else rounds.done
    # The last stage of a bag shows what came after its best round, too; what later stages start from is cut.
    values = rounds.values if plan.ends_bag(stage) else rounds.values[: best + 1]
    state.finished.append(Rounds([], rounds.trees[:best], values, rounds.header))
    state.rounds = None


def bag_trees(plan: Plan, state: State, bag: int) -> list[str]:
    """The trees of a bag in its finished stages."""
    kept = [rounds.trees for rounds, stage in zip(state.finished, plan.stages, strict=False) if stage.bag == bag]
    return [*plan.first_trees, *(tree for trees in kept for tree in trees)]


def _run_stage(plan: Plan, state: State, report: Report) -> None:
    number = len(state.finished)
    stage = plan.stages[number]
    seed = int(np.random.default_rng([plan.seed, number]).integers(2**31))
    copies = _copies(plan, stage.bag)
    rows = np.flatnonzero(copies)
    query = plan.groups.query_of_row()[rows]
    if state.rounds is None:
        state.rounds = Rounds(_start_scores(plan, state, stage.bag, rows))
    rounds = state.rounds

    def up_to(fetch: Callable[[], Rounds]) -> State:
        fetch()
        return state

    def after_round(fetch: Callable[[], Rounds]) -> None:
        done = len(rounds.values) - 1
        report(number * plan.limit + done, rounds.values[-1], lambda: up_to(fetch))

    boost(
        rounds,
        plan.rows if rows.size == plan.y.size else plan.rows.subset(rows.tolist()).construct(),
        plan.judged,
        _objective(plan, stage, rows, query, copies[rows], seed),
        plan.metric,
        parameters={**plan.parameters, "learning_rate": stage.rate},
        limit=plan.limit,
        patience=plan.patience,
        sample=_query_sample(plan.query_places()[rows], plan.query_subsample, seed)
        if plan.query_subsample < 1.0
        else None,
        seed=seed,
        after_round=after_round,
    )


def _copies(plan: Plan, bag: int) -> Scores:
    """How often each row is in a bag: all once without bags, else as a bootstrap of queries draws them.

    One list has no other queries to draw, so its rows are drawn.
    """
    if plan.stages[-1].bag == 0:
        return np.ones(plan.y.size)
    places = plan.query_places() if plan.groups.n_queries > 1 else np.argsort(np.argsort(plan.keys, kind="stable"))
    units = places.max() + 1
    drawn = np.random.default_rng([plan.seed, bag, 1]).integers(units, size=units)
    return np.bincount(drawn, minlength=units).astype(np.float64)[places]


def _start_scores(plan: Plan, state: State, bag: int, rows: NDArray[np.int64]) -> list[Scores]:
    """Scores of the trees so far, for the training rows and for each judged set, on top of given scores."""
    trees = bag_trees(plan, state, bag)
    header = next((rounds.header for rounds in reversed(state.finished)), plan.header)
    model = read_booster(join_trees(header, trees, plan.rows.pandas_categorical)) if trees else None
    start = []
    for X, given in [(plan.X, plan.start), *((one.X, one.start) for one in plan.judged)]:
        scores = np.zeros(X.shape[0]) if model is None else np.asarray(model.predict(X), dtype=np.float64)
        start.append(scores if given is None else scores + given)
    return [start[0][rows], *start[1:]]


def _objective(
    plan: Plan,
    stage: Stage,
    rows: NDArray[np.int64],
    query: NDArray[np.int64],
    copies: Scores,
    seed: int,
) -> Objective:
    """The loss of a stage on the rows of its bag, weights and copies included."""
    y = plan.y[rows]
    row_weight = np.ones(rows.size) if plan.row_weight is None else plan.row_weight[rows]
    query_weight = np.ones(rows.size) if plan.query_weight is None else plan.query_weight[query]
    weighed = plan.row_weight is not None or plan.query_weight is not None or (copies != 1.0).any()
    if stage.loss != "lambdas":
        weight = row_weight * query_weight * copies if weighed else None
        return LogLoss(y, weight) if stage.loss == "logloss" else SquaredLoss(y, weight)
    # A pair weighs the product of its rows: a query that is in the bag twice counts twice, so its rows √2 each,
    # but a row of one long list counts against every copy of the others.
    times = np.sqrt(query_weight * copies) if plan.groups.n_queries > 1 else np.sqrt(query_weight) * copies
    weight = row_weight * times if weighed else None
    ties = seeded(plan.keys[rows], seed)
    return ScaledLambdas(plan.metric.for_training(), y, query, weight, norm=plan.norm, sigma=plan.sigma, tie_keys=ties)


def _query_sample(places: NDArray[np.int64], share: float, seed: int) -> Callable[[int], NDArray[np.bool_]]:
    """For each round, whether a row's query is among those that the round learns from."""
    queries, place = np.unique(places, return_inverse=True)
    count = max(1, round(share * queries.size))

    def rows_of_round(number: int) -> NDArray[np.bool_]:
        chosen = np.zeros(queries.size, dtype=bool)
        chosen[np.random.default_rng([seed, number]).permutation(queries.size)[:count]] = True
        return chosen[place]

    return rows_of_round
