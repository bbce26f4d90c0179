"""Rankers with a parameter that may have several values, of which an eval_set chooses one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rankwise.errors import DataError
from rankwise.metrics import parse
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers.pairs._base import Attributes, PairRanker, Step
from rankwise.rankers.pairs._matrix import Matrix
from rankwise.types import FloatArray


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model in training, for one value of the parameter."""

    learned: Callable[[], Attributes]
    scores: Callable[[Matrix], FloatArray]
    done: bool


class TunedPairRanker(PairRanker):
    """A ranker that trains a model for each value of a parameter, and keeps the best on the first eval_set."""

    tuned_parameter: ClassVar[str]

    @abstractmethod
    def _candidates(self, rows: PairRows, values: list[float]) -> Iterator[Candidate]:
        """Train the models one after the other; yield each after every step, and when it is done."""

    def _tuned_values(self) -> list[float]:
        """The values of the parameter, one or several."""
        values: float | Sequence[float] = getattr(self, self.tuned_parameter)
        return [float(value) for value in values] if isinstance(values, Sequence) else [float(values)]

    def _steps(self, rows: PairRows, eval_sets: list[EvalSet]) -> Iterator[Step]:
        values = self._tuned_values()
        if len(values) > 1 and not eval_sets:
            raise DataError(
                f"{self.tuned_parameter} has {len(values)} values, but there is nothing to choose one by; "
                "pass an eval_set, or one value"
            )
        best: Step | None = None
        for model in self._candidates(rows.counted, values):
            if not model.done:
                yield Step(model.learned) if best is None else replace(best, values=[])
                continue
            scored = [eval_set.value(parse(self.metric), model.scores(eval_set.X)) for eval_set in eval_sets]
            if best is None or scored[0] > best.best_values[0]:
                best = Step(model.learned, scored, scored)
            yield replace(best, values=scored)
