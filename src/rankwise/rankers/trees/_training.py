"""From a plan to trees: stages one after the other, in each one tree per round on LightGBM's engine.

A round depends on the binned data, the scores so far, the parameters and the round's number, and on nothing else:
whatever is drawn at random follows from the round's number. So a run that is killed and resumed from saved scores
grows the same trees, bit for bit, as one that never stopped, and so do bags whose rounds are grown at once.
"""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import lightgbm as lgb

from rankwise.errors import WorkerLostError
from rankwise.rankers._checkpoint import CHECKPOINT_FILE, Checkpoint, fingerprint
from rankwise.rankers.trees._plan import TrainingPlan
from rankwise.rankers.trees._training_state import BagState, Rounds, TrainingState
from rankwise.types import AnyArray, FloatArray, IntArray, JsonObject

Report = Callable[[int, list[float]], None]  # called with the round, through all stages, and its values
Grow = Callable[[Sequence["BagRun"]], list[list[float] | None]]


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
    bags_at_once: int = 1

    @abstractmethod
    def start_stage(self, state: BagState) -> Engine:
        """What grows the trees of the stage of a bag that comes next, from where the state has them."""

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


class BagRun:
    """The training of a bag, from where its state has it."""

    def __init__(self, trainer: Trainer, state: BagState) -> None:
        self.trainer, self.plan, self.state = trainer, trainer.plan, state
        self.engine: Engine | None = None

    def next_round(self) -> bool:
        """Get ready for a round, of the next stage where one has ended; False if there is none left."""
        while len(self.state.finished) < self.plan.stages_per_bag:
            if self.engine is None:
                self.engine = self.trainer.start_stage(self.state)
                self.state.rounds = self.engine.rounds
                if not self.engine.rounds.values:
                    self.engine.rounds.values.append(self.engine.evaluate())
            if not self._is_over(self.engine):
                return True
            self.end_stage()
        return False

    def _is_over(self, engine: Engine) -> bool:
        """Whether the stage has all its rounds, or `patience` of them after the best."""
        rounds, patience = engine.rounds, self.plan.patience
        is_stuck = patience is not None and bool(rounds.values[0]) and engine.n_done - rounds.best() >= patience
        return is_stuck or engine.n_done >= self.plan.max_rounds

    def grow(self) -> list[float] | None:
        """The values of one more round; None where no split is worth making."""
        assert self.engine is not None
        return self.engine.evaluate() if self.engine.grow() else None

    def end_stage(self) -> None:
        """Keep what is best of the stage."""
        self.fetch()
        self.engine = None
        self.trainer.end_stage()
        self.state.finish_stage(self.plan)

    def fetch(self) -> None:
        """Bring the state up to date."""
        if self.engine is not None:
            self.engine.fetch()
            # An interruption may have come between a tree and its value.
            del self.engine.rounds.trees[len(self.engine.rounds.values) - 1 :]

    @property
    def n_rounds(self) -> int:
        """Rounds through the stages of the bag, as if all had been made of those that are over."""
        rounds = self.state.rounds
        return len(self.state.finished) * self.plan.max_rounds + (len(rounds.values) - 1 if rounds else 0)


def train(trainer: Trainer, state: TrainingState, checkpoint: Checkpoint[TrainingState], report: Report) -> None:
    """Take `state` to the end of the plan; if anything raises, the state holds all complete rounds."""
    width, n_bags = trainer.bags_at_once, trainer.plan.n_bags
    for first in range(0, n_bags, width):
        runs = [BagRun(trainer, state.begin(bag)) for bag in range(first, min(first + width, n_bags))]
        try:
            with _growing(len(runs)) as grow:
                _boost(runs, grow, state, checkpoint, report)
        finally:
            for run in runs:
                run.fetch()
    checkpoint.write(state)


def _boost(
    runs: Sequence[BagRun],
    grow: Grow,
    state: TrainingState,
    checkpoint: Checkpoint[TrainingState],
    report: Report,
) -> None:
    """Take bags to their ends, round by round."""
    plan = runs[0].plan
    earlier = runs[0].state.bag * plan.stages_per_bag * plan.max_rounds
    while active := [run for run in runs if run.next_round()]:
        grown = grow(active)
        reports = []
        for run, values in zip(active, grown, strict=True):
            if values is None:
                run.end_stage()
            else:
                assert run.state.rounds is not None
                run.state.rounds.values.append(values)
                reports.append((earlier + (run.n_rounds - 1) * len(runs) + runs.index(run) + 1, values))
        if checkpoint.is_due():
            for run in active:
                run.fetch()
            checkpoint.write(state)
        for number, values in reports:
            report(number, values)


@contextmanager
def _growing(n_threads: int) -> Iterator[Grow]:
    """What grows a round of each of several bags, in so many threads; however that ends, none is left at work."""
    if n_threads == 1:
        yield lambda runs: [run.grow() for run in runs]
        return
    with ThreadPoolExecutor(n_threads, thread_name_prefix="rankwise-bag") as threads:
        yield lambda runs: list(threads.map(BagRun.grow, runs))


def save_after_loss(
    problem: WorkerLostError,
    trainer: Trainer,
    state: TrainingState,
    parameters: JsonObject,
    checkpoint: Checkpoint[TrainingState],
) -> WorkerLostError:
    """Write all complete rounds, without a checkpoint to a temporary folder; the error that says how to go on."""
    if not state.n_rounds:
        return WorkerLostError(f"{problem} before the first round; start again with the workers that are left")
    if checkpoint.path is None:
        checkpoint.path = Path(tempfile.mkdtemp(prefix="rankwise-"), CHECKPOINT_FILE)
        checkpoint.follow(trainer.plan.seed, lambda: trainer.fingerprint(parameters))
    checkpoint.write(state)
    path = checkpoint.path
    return WorkerLostError(
        f"{problem} after {state.n_rounds} rounds, which are in {path}; go on from there with resume=True, "
        f"checkpoint={str(path)!r} (--resume --checkpoint {path.parent})"
    )
