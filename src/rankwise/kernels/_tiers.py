"""Kernels that Python itself runs while that is sooner than compiling them.

Compiling takes about a second per kernel, and so a first `evaluate` in a new container many. A few thousand rows take
Python milliseconds. So a kernel that is marked interpretable is compiled only once there are many rows, or once Python
has spent more time on it than it is worth. What it computes must not depend on who runs it: interpretable code adds up
in a stated order, takes logarithms and powers from `math`, and tests compare both, bit for bit.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher

MAX_ROWS = 20_000  # of the longest array, up to which Python is tried
PATIENCE = 2.0  # seconds that Python may spend on a kernel, about what compiling it takes, before that is done


@contextmanager
def compiled_always() -> Iterator[None]:
    """Within this, few rows are as many."""
    global MAX_ROWS
    before, MAX_ROWS = MAX_ROWS, -1
    try:
        yield
    finally:
        MAX_ROWS = before


def has_code_on_disk(function: Dispatcher) -> bool:
    """Whether there is compiled code of this function, whose loading takes milliseconds."""
    has_code = getattr(getattr(function, "_cache", None), "has_code", None)
    return has_code is not None and bool(has_code())


def _as_python(argument: object) -> object:
    """A record with its fields as attributes, as compiled code reads them; anything else as it is."""
    if not isinstance(argument, np.void):
        return argument
    return types.SimpleNamespace(**{name: argument[name] for name in argument.dtype.names or ()})


class TieredDispatcher(CPUDispatcher):
    """A compiled function whose first calls on few rows are made by Python; `twin` is what it runs then."""

    twin: Callable[..., object]
    patience = PATIENCE
    _in_cache: bool | None = None

    def __call__(self, *arguments: object) -> object:
        """Call the twin, or the compiled function."""
        if self.overloads or self.patience <= 0.0 or not self._is_small(arguments) or self._is_cached():
            return super().__call__(*arguments)
        start = time.perf_counter()
        try:
            with np.errstate(all="ignore"):
                return self.twin(*map(_as_python, arguments))
        except (ArithmeticError, ValueError):  # of Python's own numbers, where compiled code has NaN or infinity
            self.patience = 0.0
            return super().__call__(*arguments)
        finally:
            self.patience -= time.perf_counter() - start

    def _is_small(self, arguments: tuple[object, ...]) -> bool:
        return all(len(argument) <= MAX_ROWS for argument in arguments if isinstance(argument, np.ndarray))

    def _is_cached(self) -> bool:
        if self._in_cache is None:
            self._in_cache = has_code_on_disk(self)
        return self._in_cache
