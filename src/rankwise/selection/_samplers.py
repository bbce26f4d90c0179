"""What a search tries next: at random, or by Optuna's model of what was good so far."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Literal, Protocol

import numpy as np

from rankwise._validation import check_choice
from rankwise.errors import need_extra
from rankwise.selection._space import Space
from rankwise.types import JsonObject

Sampler = Literal["auto", "tpe", "random"]


class ParameterSampler(Protocol):
    """Suggests parameters, and hears how good they were fold by fold."""

    def ask(self) -> JsonObject:
        """Parameters to try next."""

    def is_hopeless(self, fold: int, value: float) -> bool:
        """Hear the value after a fold; whether more folds are not worth it."""

    def tell(self, value: float | None) -> None:
        """Hear the value after the last fold; None if there was none."""


class RandomSampler:
    """Every draw is independent of all others; every trial takes all folds."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.rng = space, np.random.default_rng(seed)

    def ask(self) -> JsonObject:
        """Parameters drawn at random."""
        return {name: axis.draw(self.rng) for name, axis in self.space.items()}

    def is_hopeless(self, fold: int, value: float) -> bool:
        """Never."""
        return False

    def tell(self, value: float | None) -> None:
        """Nothing is learned."""


class TPESampler:
    """Optuna's tree-structured Parzen estimator; a trial below the median of those before after a fold is pruned."""

    def __init__(self, space: Space, seed: int) -> None:
        need_extra("optuna", extra="tune")
        import optuna

        self.space, self.state = space, optuna.trial.TrialState
        level = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # it would announce the study
        self.study = optuna.create_study(
            direction="maximize",
            sampler=optuna.samplers.TPESampler(seed=seed),
            pruner=optuna.pruners.MedianPruner(n_startup_trials=5),
        )
        optuna.logging.set_verbosity(level)
        self.trial: Any = None

    def ask(self) -> JsonObject:
        """Parameters that are likely better than most so far."""
        self.trial = self.study.ask()
        return {name: axis.suggested(self.trial, name) for name, axis in self.space.items()}

    def is_hopeless(self, fold: int, value: float) -> bool:
        """Whether the value is below the median of earlier trials after the same fold."""
        self.trial.report(value, fold)
        return bool(self.trial.should_prune())

    def tell(self, value: float | None) -> None:
        """A finished trial, or one that was pruned."""
        if value is None:
            self.study.tell(self.trial, state=self.state.PRUNED)
        else:
            self.study.tell(self.trial, value)


def make_sampler(name: Sampler, space: Space, seed: int) -> ParameterSampler:
    """The sampler of this name; "auto" is Optuna's where it is installed."""
    check_choice("sampler", name, Sampler)
    by_model = name == "tpe" or (name == "auto" and find_spec("optuna") is not None)
    return TPESampler(space, seed) if by_model else RandomSampler(space, seed)
