"""The boosting loop: one tree per round on LightGBM's engine, from gradients of ours.

A round depends on the binned data, the scores so far, the parameters and the round's number, and on nothing else:
whatever is drawn at random follows from the round's number. So a run that is killed and resumed from saved scores
grows the same trees, bit for bit, as one that never stopped. And sums over rows are exact (`on_a_grid`), so that
neither the order of the rows nor the number of threads changes a tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

from rankwise.errors import DataError
from rankwise.metrics import Metric, evaluate
from rankwise.rankers.trees._model_text import split_trees
from rankwise.types import BoolArray, FloatArray


class Objective(Protocol):
    """What trees descend.

    What it takes from the whole data set is settled from the `sums` of all its parts, of which this may be one.
    """

    sums: list[float]

    def settle(self, sums: Sequence[Sequence[float]]) -> None:
        """Take what concerns all of the data from the sums of all parts."""
        ...

    def gradients(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gradient of the cost and Hessian, one entry per row."""
        ...


@dataclass
class Judged:
    """Rows that the model is judged on after each round."""

    rows: lgb.Dataset
    X: Any
    y: FloatArray
    qid: NDArray[Any] | None
    start: FloatArray | None = None

    def value(self, metric: Metric, scores: FloatArray) -> float:
        """The metric itself, as `rankwise.evaluate` has it."""
        value = evaluate(self.y, scores, self.qid, metric)[metric]
        if math.isnan(value):
            raise DataError(f"no query of eval_set has {metric.needs}, which {metric} needs; pass other queries")
        return value


@dataclass
class Rounds:
    """Where a run of rounds stands: all that is needed to go on with it.

    `scores` are those of the training rows and of each judged set, after the last of `trees`; `values` has the
    metric on each judged set before the first round and after every one; `header` opens the model's text.
    """

    scores: list[FloatArray]
    trees: list[str] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    header: list[str] = field(default_factory=list)

    @property
    def done(self) -> int:
        """Rounds so far."""
        return len(self.trees)

    def best(self) -> int:
        """Rounds up to the best value on the first judged set, the first of equals; all of them if none is judged."""
        return int(np.argmax([values[0] for values in self.values])) if self.values[0] else self.done


class Engine(Protocol):
    """What grows trees, on one machine or on many, and writes them into its `rounds`."""

    rounds: Rounds

    @property
    def done(self) -> int:
        """Rounds so far, those of earlier engines included."""
        ...

    def grow(self) -> bool:
        """One round; False if there is nothing to split."""
        ...

    def judge(self) -> list[float]:
        """The metric on each judged set."""
        ...

    def fetch(self) -> Rounds:
        """The rounds up to now; trees and scores are taken from the engine only when somebody asks for them."""
        ...


def boost(
    engine: Engine,
    *,
    limit: int,
    patience: int | None,
    after_round: Callable[[Callable[[], Rounds]], None],
) -> None:
    """Go on from the engine's rounds to at most `limit` of them, or `patience` after the best.

    `after_round` is called after each round with a function that gives the present state, trees included. If it or
    anything else raises, the engine's rounds are all that were completed.
    """
    rounds = engine.rounds
    if not rounds.values:
        rounds.values.append(engine.judge())
    try:
        while engine.done < limit:
            if patience is not None and rounds.values[0] and engine.done - rounds.best() >= patience:
                break
            if not engine.grow():
                break  # no split is worth making
            rounds.values.append(engine.judge())
            after_round(engine.fetch)
    finally:
        engine.fetch()
        # An interruption may have come between a tree and its value.
        del rounds.trees[len(rounds.values) - 1 :]


def grid_step(largest: float) -> float:
    """The power of two that numbers of up to this size are rounded to multiples of, up to 2^24 of it.

    LightGBM keeps 24 bits of a gradient and adds in 53. On a common grid no sum of up to 2^29 of them is ever rounded.
    """
    return float(2.0 ** (np.frexp(largest)[1] - 24))


def put_on_a_grid(numbers: FloatArray, largest: float | None = None) -> NDArray[np.float32]:
    """Round numbers to what LightGBM keeps and adds up exactly; `largest` is of all, on all machines.

    The given array is overwritten, since a second one of many rows is large.
    """
    step = grid_step(largest_of(numbers) if largest is None else largest)
    numbers /= step
    np.rint(numbers, out=numbers)
    numbers *= step
    return numbers.astype(np.float32)


def largest_of(numbers: FloatArray) -> float:
    """The largest of them, in size."""
    return float(max(numbers.max(initial=0.0), -numbers.min(initial=0.0)))


class LocalEngine:
    """LightGBM on the rows of this machine, going on from the scores of `rounds`.

    `sample(round)` says which rows a round learns from.
    """

    def __init__(
        self,
        rounds: Rounds,
        rows: lgb.Dataset,
        judged: Sequence[Judged],
        objective: Objective,
        metric: Metric,
        *,
        parameters: dict[str, Any],
        sample: Callable[[int], BoolArray] | None,
        seed: int,
    ) -> None:
        self.rounds, self.judged, self.objective, self.metric = rounds, judged, objective, metric
        self.sample, self.seed = sample, seed
        # The booster knows of earlier rounds by their scores alone.
        for data, scores in zip([rows, *(one.rows for one in judged)], rounds.scores, strict=True):
            _start_from(data, scores)
        rounds.scores[0] = np.empty(0)  # they are in the engine now, until it is asked for them
        self.booster = lgb.Booster(parameters, rows)
        for number, one in enumerate(judged):
            self.booster.add_valid(one.rows, f"valid_{number}")
        self.draws = parameters["feature_fraction"] < 1.0
        if self.draws:
            # The first round of a booster draws columns otherwise than later ones: let it be one that learns nothing.
            self.booster.update(fobj=lambda scores, _: (np.zeros_like(scores), np.ones_like(scores)))
        self.first = rounds.done - self.booster.current_iteration()

    @property
    def done(self) -> int:
        """Rounds so far, those of earlier boosters included."""
        return self.first + self.booster.current_iteration()

    def grow(self) -> bool:
        """One round; False if there is nothing to split."""
        descent = list(self.gradients())
        return self.grow_by(*(put_on_a_grid(descent.pop(0)) for _ in range(2)))

    def gradients(self) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian at the present scores."""
        (scores,) = _scores(self.booster.eval_train, copied=False)
        gradient, hessian = self.objective.gradients(scores)
        if self.sample is not None:
            left_out = ~self.sample(self.done)
            gradient[left_out] = hessian[left_out] = 0.0
        return gradient, hessian

    def grow_by(self, gradient: NDArray[np.float32], hessian: NDArray[np.float32]) -> bool:
        """One round by these; False if there is nothing to split."""
        if self.draws:
            # Else its random numbers would go on from the last round, which a resumed run has not made.
            drawn = int(np.random.default_rng([self.seed, self.done]).integers(2**31))
            self.booster.reset_parameter({"feature_fraction_seed": drawn})
        grown = not self.booster.update(fobj=lambda *_: (gradient, hessian))
        if grown and self.judged:
            self.rounds.scores[1:] = _scores(self.booster.eval_valid)
        return grown

    def judge(self) -> list[float]:
        """The metric on each judged set."""
        return [one.value(self.metric, its) for one, its in zip(self.judged, self.rounds.scores[1:], strict=True)]

    def fetch(self) -> Rounds:
        """The rounds up to now."""
        rounds = self.rounds
        rounds.header, new = split_trees(self.booster.model_to_string(start_iteration=rounds.done - self.first))
        rounds.trees += new
        rounds.scores[:1] = _scores(self.booster.eval_train)
        return rounds


def _start_from(data: lgb.Dataset, scores: FloatArray) -> None:
    """Let boosters on these rows begin at some scores; where these are 0, LightGBM need not hold them."""
    if scores.any() or data.get_field("init_score") is not None:
        data.set_init_score(scores)
        data.init_score = None  # a second copy


def _scores(evaluate_by: Callable[..., Any], copied: bool = True) -> list[FloatArray]:
    """The engine shows its running scores only to functions that evaluate them; they are its own unless copied."""
    seen: list[FloatArray] = []

    def look(scores: FloatArray, _: lgb.Dataset) -> tuple[str, float, bool]:
        seen.append(scores.copy() if copied else scores)
        return "seen", 0.0, True

    evaluate_by(look)
    return seen
