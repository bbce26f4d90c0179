"""What is said of training while it runs, and what ends it early."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

log = logging.getLogger(__name__)

Callback: TypeAlias = Callable[[int, dict[str, float]], object]
LOSS = "logloss"  # by the name that LambdaMART's `init` has for it


class Report:
    """Counts rounds through all models, tells callbacks and the log of them, and takes note of Ctrl-C."""

    def __init__(self, callbacks: Iterable[Callback] = (), verbose: int = 0) -> None:
        self.callbacks, self.verbose = list(callbacks), verbose
        self.n_rounds = 0
        self.interrupted = False

    def round(self, loss: float | None = None) -> None:
        """A round is over; `loss` is the mean cross entropy of rows that are not trained on, where there are some."""
        self.n_rounds += 1
        values = {} if loss is None else {LOSS: loss}
        if self.verbose and self.n_rounds % self.verbose == 0:
            log.info("round %d %s", self.n_rounds, " ".join(f"{name} {value:.5f}" for name, value in values.items()))
        for callback in self.callbacks:
            callback(self.n_rounds, values)

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Do what follows until Ctrl-C, after which nothing more is trained."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True
