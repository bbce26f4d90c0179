"""How far training has come, bag by bag: what a checkpoint holds, and what is kept of it after an interruption."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import ClassVar

import numpy as np

from rankwise.rankers.trees._plan import TrainingPlan
from rankwise.rankers.trees._tree_checks import check_trees
from rankwise.types import AnyArray, FloatArray, JsonObject

log = logging.getLogger(__name__)


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
class BagState:
    """What is kept of the whole stages of a bag, and the rounds of the present one."""

    bag: int
    finished: list[Rounds] = field(default_factory=list)
    rounds: Rounds | None = None

    def header_and_trees(self, plan: TrainingPlan) -> tuple[list[str], list[str]]:
        """Header and trees of the finished stages, and of a model that the bag continues."""
        header = self.finished[-1].header if self.finished else plan.init_header
        return header, [*plan.init_trees, *(tree for rounds in self.finished for tree in rounds.trees)]

    def finish_stage(self, plan: TrainingPlan, *, interrupted: bool = False) -> None:
        """Keep the rounds of the present stage up to the best, and go to the next one."""
        rounds = self.rounds
        assert rounds is not None
        best = rounds.best() if plan.patience is not None or interrupted else rounds.n_done
        # The last stage of a bag shows what came after its best round, too; what later stages start from is cut.
        is_last = len(self.finished) + 1 == plan.stages_per_bag
        values = rounds.values if is_last else rounds.values[: best + 1]
        self.finished.append(Rounds([], rounds.trees[:best], values, rounds.header))
        self.rounds = None


@dataclass
class TrainingState:
    """How far training has come: the bags that were begun."""

    checkpoint_format: ClassVar[str] = "trees 3"

    bags: list[BagState] = field(default_factory=list)

    def begin(self, bag: int) -> BagState:
        """The state of a bag, new unless it was begun before; bags are begun in their order."""
        if bag == len(self.bags):
            self.bags.append(BagState(bag))
        return self.bags[bag]

    @property
    def n_rounds(self) -> int:
        """Rounds so far, of all bags."""
        return sum(rounds.n_done for bag in self.bags for rounds in (*bag.finished, *filter(None, [bag.rounds])))

    def to_arrays(self) -> tuple[JsonObject, dict[str, AnyArray]]:
        """What a checkpoint holds: trees and values as JSON, running scores as arrays."""
        arrays: dict[str, AnyArray] = {}
        fields = []
        for state in self.bags:
            finished = [rounds.to_fields() for rounds in state.finished]
            fields.append({"finished": finished, "rounds": state.rounds and state.rounds.to_fields()})
            scores = state.rounds.scores if state.rounds else []
            arrays |= {f"scores_{state.bag}_{k}": of_set for k, of_set in enumerate(scores)}
        return {"bags": fields}, arrays

    @classmethod
    def from_arrays(cls, fields: JsonObject, arrays: Mapping[str, AnyArray]) -> TrainingState:
        """The state that a checkpoint holds."""
        bags = []
        for bag, entry in enumerate(fields["bags"]):
            names = takewhile(arrays.__contains__, (f"scores_{bag}_{k}" for k in count()))
            rounds = None if entry["rounds"] is None else Rounds([arrays[name] for name in names], **entry["rounds"])
            finished = [Rounds([], **stage) for stage in entry["finished"]]
            for part in (*finished, *filter(None, [rounds])):
                check_trees(part.header, part.trees)  # LightGBM trusts what it reads
            bags.append(BagState(bag, finished, rounds))
        return cls(bags)

    def keep_best_rounds(self, plan: TrainingPlan) -> None:
        """After an interruption: whole bags, or the best rounds so far of those begun where there is none yet."""
        complete = [state for state in self.bags if len(state.finished) == plan.stages_per_bag]
        if not complete:
            for state in self.bags:
                if state.rounds is not None and state.rounds.n_done:
                    state.finish_stage(plan, interrupted=True)
        self.bags = complete or [state for state in self.bags if state.finished]
        if not self.bags:
            raise KeyboardInterrupt
        log.warning("training was interrupted; the best rounds so far are kept")
