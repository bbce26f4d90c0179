"""From a plan to trees: stages one after the other, each bag with stages of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import lightgbm as lgb
import numpy as np

from rankwise.metrics import Metric
from rankwise.objectives.lambdas._objective import Norm
from rankwise.rankers._checkpoint import fingerprint
from rankwise.rankers.trees._boosting import Engine, Rounds, boost
from rankwise.types import AnyArray, FloatArray, IntArray, JsonObject


@dataclass(frozen=True)
class Stage:
    """Rounds of one bag on one loss: "logloss" or "l2" to start from, "lambdas" to end with."""

    bag: int
    loss: str
    rate: float


@dataclass
class State:
    """How far training has come: what is kept of whole stages, and the rounds of the present one."""

    checkpoint_format: ClassVar[str] = "trees 2"

    finished: list[Rounds] = field(default_factory=list)
    rounds: Rounds | None = None

    def to_arrays(self) -> tuple[JsonObject, dict[str, AnyArray]]:
        """What a checkpoint holds: trees and values as JSON, running scores as arrays."""
        rounds = self.rounds
        arrays: dict[str, AnyArray] = {
            f"scores_{k}": scores for k, scores in enumerate(rounds.scores if rounds else ())
        }
        fields = {
            "finished": [_rounds_fields(rounds) for rounds in self.finished],
            "rounds": None if rounds is None else _rounds_fields(rounds),
        }
        return fields, arrays

    @classmethod
    def from_arrays(cls, fields: JsonObject, arrays: dict[str, AnyArray]) -> State:
        """The state that a checkpoint holds."""
        scores = [arrays[f"scores_{k}"] for k in range(len(arrays))]
        rounds = None if fields["rounds"] is None else Rounds(scores, **fields["rounds"])
        return cls([Rounds([], **finished) for finished in fields["finished"]], rounds)


def _rounds_fields(rounds: Rounds) -> JsonObject:
    return {"trees": rounds.trees, "values": rounds.values, "header": rounds.header}


@dataclass(frozen=True, kw_only=True)
class Course(ABC):
    """What is trained, in which stages; where the rows are is a subclass's business."""

    metric: Metric
    first_trees: list[str]  # of a given model, which every bag continues
    header: list[str]  # of that model
    stages: Sequence[Stage]
    parameters: dict[str, Any]
    limit: int
    patience: int | None
    norm: Norm | None
    sigma: float
    query_subsample: float
    seed: int

    def ends_bag(self, stage: int) -> bool:
        """Whether a stage is the last of its bag."""
        return stage + 1 == len(self.stages) or self.stages[stage + 1].bag != self.stages[stage].bag

    def stage_seed(self, number: int) -> int:
        """What is drawn in a stage follows from this."""
        return int(np.random.default_rng([self.seed, number]).integers(2**31))

    def end_stage(self) -> None:  # noqa: B027 (only a cluster has something to end)
        """What is to be done after each stage."""

    def close(self) -> None:  # noqa: B027
        """What is to be done after training, however it ended."""

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Rows and queries."""

    @property
    @abstractmethod
    def judged_sets(self) -> int:
        """How many sets the model is judged on."""

    @abstractmethod
    def engine(self, state: State) -> Engine:
        """What grows the trees of the stage that comes next, from where the state has them."""

    @abstractmethod
    def first_value(self, boosters: Sequence[lgb.Booster]) -> float:
        """The metric of the mean of these models on the first judged set."""

    def propensities(self, boosters: Sequence[lgb.Booster]) -> tuple[IntArray, FloatArray] | None:
        """Positions and how likely each is looked at, where rows have positions."""
        return None

    @abstractmethod
    def row_arrays(self) -> Iterable[AnyArray | None]:
        """Arrays that tell the rows of one training from those of another."""

    def fingerprint(self, parameters: JsonObject) -> str:
        """A hash of all that decides the outcome; what is no plain parameter counts by what became of it."""
        fields = parameters | {"metric": str(self.metric)}
        if not isinstance(fields["init"], str | None):
            fields["init"] = self.first_trees
        if not isinstance(fields["random_state"], int | None):
            fields["random_state"] = self.seed
        return fingerprint(fields, self.row_arrays())


# The round (through all stages), its values on the judged sets, and a function that gives the state up to it.
Report = Callable[[int, list[float], Callable[[], State]], None]


def train(course: Course, state: State, report: Report) -> None:
    """Take `state` to the end of the course; if anything raises, the state holds all complete rounds."""
    while len(state.finished) < len(course.stages):
        _run_stage(course, state, report)
        finish_stage(course, state)


def finish_stage(course: Course, state: State, *, interrupted: bool = False) -> None:
    """Keep the rounds of the present stage up to the best, and go to the next one."""
    rounds, stage = state.rounds, len(state.finished)
    assert rounds is not None
    best = rounds.best() if course.patience is not None or interrupted else rounds.done
    # The last stage of a bag shows what came after its best round, too; what later stages start from is cut.
    values = rounds.values if course.ends_bag(stage) else rounds.values[: best + 1]
    state.finished.append(Rounds([], rounds.trees[:best], values, rounds.header))
    state.rounds = None


def bag_trees(course: Course, state: State, bag: int) -> list[str]:
    """The trees of a bag in its finished stages."""
    kept = [rounds.trees for rounds, stage in zip(state.finished, course.stages, strict=False) if stage.bag == bag]
    return [*course.first_trees, *(tree for trees in kept for tree in trees)]


def trees_so_far(course: Course, state: State) -> tuple[list[str], list[str]]:
    """Header and trees that the next stage starts from."""
    header = next((rounds.header for rounds in reversed(state.finished)), course.header)
    return header, bag_trees(course, state, course.stages[len(state.finished)].bag)


def _run_stage(course: Course, state: State, report: Report) -> None:
    number = len(state.finished)
    engine = course.engine(state)
    rounds = state.rounds = engine.rounds

    def up_to(fetch: Callable[[], Rounds]) -> State:
        fetch()
        return state

    def after_round(fetch: Callable[[], Rounds]) -> None:
        done = len(rounds.values) - 1
        report(number * course.limit + done, rounds.values[-1], lambda: up_to(fetch))

    boost(engine, limit=course.limit, patience=course.patience, after_round=after_round)
    course.end_stage()
