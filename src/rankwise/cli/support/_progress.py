"""What is seen of training while it runs: a bar for a person, notes for everybody."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rankwise.cli._output import print_notes

Callback = Callable[[int, dict[str, float]], None]


@contextmanager
def progress_bar(rounds: int) -> Iterator[list[Callback]]:
    """Callbacks that move a bar on stderr up to `rounds`, if a person is looking; what is logged becomes notes."""
    with logged_as_notes():
        if not sys.stderr.isatty():
            yield []
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from rankwise.kernels._compile import on_compile

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            # Its own text, not markup: ndcg[linear] has brackets.
            TextColumn("{task.fields[value]}", markup=False),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("training", total=rounds, value="")

            def show(number: int, values: dict[str, float]) -> None:
                text = " ".join(f"validation {metric} {value:.4f}" for metric, value in values.items())
                progress.update(task, completed=number, value=text)

            def show_compiling(compiling: bool) -> None:
                progress.update(task, description="compiling" if compiling else "training", refresh=True)

            with on_compile(show_compiling):
                yield [show]


class _Notes(logging.Handler):
    """Prints to whatever stderr is at the time: while there is a bar, that is what puts lines above it."""

    def __init__(self) -> None:
        super().__init__()
        self.printed: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message when it first comes: a hint on a slow metric is logged in every round."""
        message = record.getMessage()
        if message not in self.printed:
            self.printed.add(message)
            print_notes([message])


@contextmanager
def logged_as_notes() -> Iterator[None]:
    """While this lasts, what is logged becomes notes on stderr, each once."""
    log, handler = logging.getLogger("rankwise"), _Notes()
    level, propagate = log.level, log.propagate
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = propagate
