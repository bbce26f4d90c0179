"""From a plan to trees: stages one after the other, in each one tree per round on LightGBM's engine.

A round depends on the binned data, the scores so far, the parameters and the round's number, and on nothing else:
whatever is drawn at random follows from the round's number. So a run that is killed and resumed from saved scores
grows the same trees, bit for bit, as one that never stopped.
"""

from __future__ import annotations

import logging
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

import lightgbm as lgb
import numpy as np

from rankwise.errors import WorkerLostError
from rankwise.rankers._checkpoint import CHECKPOINT_FILE, Checkpoint, fingerprint
from rankwise.rankers.trees._plan import TrainingPlan
from rankwise.types import AnyArray, FloatArray, IntArray, JsonObject

log = logging.getLogger(__name__)

Report = Callable[[int, list[float]], None]  # called with the round, through all stages, and its values


@dataclass
class Rounds:
    """How far a stage has come: all that is needed to go on with it.

    `scores` are those of the training rows and of each eval_set, after the last of `trees`; `values` has the
    metric on each eval_set before the first round and after every one; `header` opens the model's text.
    """

    scores: list[FloatArray]
    trees: list[str] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    header: list[str] = field(default_factory=list)

    @property
    def n_done(self) -> int:
        """Rounds so far."""
        return len(self.trees)

    def best(self) -> int:
        """Rounds up to the best value on the first eval_set, the first of equals; all of them without an eval_set."""
        return int(np.argmax([values[0] for values in self.values])) if self.values[0] else self.n_done

    def to_fields(self) -> JsonObject:
        """All but the scores, as JSON."""
        return {"trees": self.trees, "values": self.values, "header": self.header}


@dataclass
class TrainingState:
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
            "finished": [rounds.to_fields() for rounds in self.finished],
            "rounds": None if rounds is None else rounds.to_fields(),
        }
        return fields, arrays

    @classmethod
    def from_arrays(cls, fields: JsonObject, arrays: dict[str, AnyArray]) -> TrainingState:
        """The state that a checkpoint holds."""
        scores = [arrays[f"scores_{k}"] for k in range(len(arrays))]
        rounds = None if fields["rounds"] is None else Rounds(scores, **fields["rounds"])
        return cls([Rounds([], **finished) for finished in fields["finished"]], rounds)


class Engine(Protocol):
    """What grows the trees of a stage, on one machine or on many, and writes them into its `rounds`."""

    rounds: Rounds

    @property
    def n_done(self) -> int:
        """Rounds so far, those of earlier engines included."""
        ...

    def grow(self) -> bool:
        """One round; False if there is nothing to split."""
        ...

    def evaluate(self) -> list[float]:
        """The metric on each eval_set."""
        ...

    def fetch(self) -> None:
        """Bring trees and scores of `rounds` up to date; until then they may be in the engine alone."""
        ...


@dataclass(frozen=True, kw_only=True)
class Trainer(ABC):
    """A plan, with the rows that it is carried out on."""

    plan: TrainingPlan
    n_rows: int
    n_queries: int
    n_eval_sets: int

    @abstractmethod
    def start_stage(self, state: TrainingState) -> Engine:
        """What grows the trees of the stage that comes next, from where the state has them."""

    def end_stage(self) -> None:  # noqa: B027 (only a cluster has something to end)
        """What is to be done after each stage."""

    def close(self) -> None:  # noqa: B027
        """What is to be done after training, however it ended."""

    @abstractmethod
    def evaluate(self, boosters: Sequence[lgb.Booster]) -> float:
        """The metric of the mean of these models on the first eval_set."""

    def propensities(self, boosters: Sequence[lgb.Booster]) -> tuple[IntArray, FloatArray] | None:
        """Positions and how likely each is looked at, where rows have positions."""
        return None

    @abstractmethod
    def row_arrays(self) -> Iterable[AnyArray | None]:
        """Arrays that tell the rows of one training from those of another."""

    def fingerprint(self, parameters: JsonObject) -> str:
        """A hash of all that decides the outcome; what is no plain parameter counts by what became of it."""
        fields = parameters | {"metric": str(self.plan.metric), "init_model": self.plan.init_trees}
        if not isinstance(fields["random_state"], int | None):
            fields["random_state"] = self.plan.seed
        return fingerprint(fields, self.row_arrays())


def train(trainer: Trainer, state: TrainingState, checkpoint: Checkpoint[TrainingState], report: Report) -> None:
    """Take `state` to the end of the plan; if anything raises, the state holds all complete rounds."""
    while len(state.finished) < len(trainer.plan.stages):
        engine = trainer.start_stage(state)
        state.rounds = engine.rounds
        _boost(engine, trainer.plan, state, checkpoint, report)
        trainer.end_stage()
        finish_stage(trainer.plan, state)
    checkpoint.write(state)


def _boost(
    engine: Engine, plan: TrainingPlan, state: TrainingState, checkpoint: Checkpoint[TrainingState], report: Report
) -> None:
    """Go on from the engine's rounds to the last one of the stage, or to `patience` rounds after the best."""
    rounds, earlier = engine.rounds, len(state.finished) * plan.max_rounds
    if not rounds.values:
        rounds.values.append(engine.evaluate())
    try:
        while engine.n_done < plan.max_rounds:
            if plan.patience is not None and rounds.values[0] and engine.n_done - rounds.best() >= plan.patience:
                break
            if not engine.grow():
                break  # no split is worth making
            rounds.values.append(engine.evaluate())
            if checkpoint.is_due():
                engine.fetch()
                checkpoint.write(state)
            report(earlier + len(rounds.values) - 1, rounds.values[-1])
    finally:
        engine.fetch()
        # An interruption may have come between a tree and its value.
        del rounds.trees[len(rounds.values) - 1 :]


def finish_stage(plan: TrainingPlan, state: TrainingState, *, interrupted: bool = False) -> None:
    """Keep the rounds of the present stage up to the best, and go to the next one."""
    rounds, stage = state.rounds, len(state.finished)
    assert rounds is not None
    best = rounds.best() if plan.patience is not None or interrupted else rounds.n_done
    # The last stage of a bag shows what came after its best round, too; what later stages start from is cut.
    values = rounds.values if plan.ends_bag(stage) else rounds.values[: best + 1]
    state.finished.append(Rounds([], rounds.trees[:best], values, rounds.header))
    state.rounds = None


def keep_best_rounds(plan: TrainingPlan, state: TrainingState) -> None:
    """After an interruption: whole bags, or the best rounds so far where there is none yet."""
    complete = [stage for stage in range(len(state.finished)) if plan.ends_bag(stage)]
    if complete:
        del state.finished[complete[-1] + 1 :]
    elif state.rounds is not None and state.rounds.n_done:
        finish_stage(plan, state, interrupted=True)
    if not state.finished:
        raise KeyboardInterrupt
    log.warning("training was interrupted; the best rounds so far are kept")


def bag_trees(plan: TrainingPlan, state: TrainingState, bag: int) -> list[str]:
    """The trees of a bag in its finished stages."""
    finished = zip(state.finished, plan.stages, strict=False)
    return [*plan.init_trees, *(tree for rounds, stage in finished if stage.bag == bag for tree in rounds.trees)]


def trees_so_far(plan: TrainingPlan, state: TrainingState) -> tuple[list[str], list[str]]:
    """Header and trees that the next stage starts from."""
    header = state.finished[-1].header if state.finished else plan.init_header
    return header, bag_trees(plan, state, plan.stages[len(state.finished)].bag)


def save_after_loss(
    problem: WorkerLostError,
    trainer: Trainer,
    state: TrainingState,
    parameters: JsonObject,
    checkpoint: Checkpoint[TrainingState],
) -> WorkerLostError:
    """Write all complete rounds, without a checkpoint to a temporary folder; the error that says how to go on."""
    n_rounds = sum(rounds.n_done for rounds in (*state.finished, *filter(None, [state.rounds])))
    if not n_rounds:
        return WorkerLostError(f"{problem} before the first round; start again with the workers that are left")
    if checkpoint.path is None:
        checkpoint.path = Path(tempfile.mkdtemp(prefix="rankwise-"), CHECKPOINT_FILE)
        checkpoint.follow(trainer.plan.seed, lambda: trainer.fingerprint(parameters))
    checkpoint.write(state)
    path = checkpoint.path
    return WorkerLostError(
        f"{problem} after {n_rounds} rounds, which are in {path}; go on from there with resume=True, "
        f"checkpoint={str(path)!r} (--resume --checkpoint {path.parent})"
    )
