"""What a search tries: values of parameters, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise._validation import is_finite_number
from rankwise.errors import DataError
from rankwise.types import JsonObject

FORMS = 'a list of values, (low, high) or (low, high, "log")'


@dataclass(frozen=True)
class Choices:
    """One of some values."""

    values: tuple[Any, ...]

    def draw(self, rng: np.random.Generator) -> Any:
        """A value, each as likely as the others."""
        return self.values[rng.integers(len(self.values))]

    def suggested(self, trial: Any, name: str) -> Any:
        """A value that Optuna suggests; it knows them by number, since they may be of any type."""
        return self.values[trial.suggest_categorical(name, list(range(len(self.values))))]


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, whole ones if `whole`; evenly, or evenly in their logarithms."""

    low: float
    high: float
    log: bool
    whole: bool

    def draw(self, rng: np.random.Generator) -> float | int:
        """A number."""
        widened = 0.5 if self.whole else 0.0  # so that both ends are as likely as the numbers between
        low, high = self.low - widened, self.high + widened
        drawn = math.exp(rng.uniform(math.log(low), math.log(high))) if self.log else rng.uniform(low, high)
        drawn = min(max(drawn, self.low), self.high)
        return round(drawn) if self.whole else float(drawn)

    def suggested(self, trial: Any, name: str) -> float | int:
        """A number that Optuna suggests."""
        if self.whole:
            return int(trial.suggest_int(name, int(self.low), int(self.high), log=self.log))
        return float(trial.suggest_float(name, self.low, self.high, log=self.log))


Space = dict[str, Choices | Range]


def as_space(space: object, parameters: JsonObject) -> Space:
    """A checked space of some of these parameters."""
    if not isinstance(space, Mapping) or not space:
        raise DataError(f"space must map names of parameters to {FORMS}, got {space!r:.60}; name at least one")
    for name in space:
        if name not in parameters:
            known = ", ".join(parameters)
            raise DataError(f"space has the parameter {name!r}, which the estimator lacks; name one of {known}")
    return {name: _axis(name, values) for name, values in space.items()}


def _axis(name: str, values: object) -> Choices | Range:
    if isinstance(values, list) and values:
        return Choices(tuple(values))
    if isinstance(values, tuple) and len(values) in (2, 3) and all(map(is_finite_number, values[:2])):
        low, high = values[:2]
        log = len(values) == 3
        if low < high and (not log or (values[2] == "log" and low > 0)):
            return Range(low, high, log, isinstance(low, int) and isinstance(high, int))
    raise DataError(
        f"space must give {name} {FORMS}, low below high and above 0 for log, got {values!r:.60}; write it so"
    )
