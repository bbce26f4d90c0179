"""How plain functions become compiled loops, and how those are cached without ever going stale.

`@kernel` compiles a function of this folder. `@compiled` marks the few lines of a metric: they stay plain
Python, and `specialize` builds a compiled loop around them. numba's own disk cache looks at one source
file only, so a loop whose callee changed in another file would silently run the old code; here the
name under which a function is cached carries a fingerprint (`_fingerprint.py`) of everything that it calls.
"""

from __future__ import annotations

import functools
import logging
import re
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Never, TypeVar

import numba
from numba.core import event
from numba.core.base import BaseContext
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.extending import register_jitable

from rankwise.kernels._fingerprint import fingerprint, python_function
from rankwise.kernels._interrupts import HeldInterrupts, is_main_thread
from rankwise.kernels._tiers import TieredDispatcher, has_code_on_disk

Function = TypeVar("Function", bound=Callable[..., object])
Hook = Callable[..., object]

# Divisions by zero give inf or nan as in numpy, and so do not block vectorizing.
jit = functools.partial(numba.njit, nogil=True, error_model="numpy")
REASSOCIATED = {"reassoc", "contract", "nsz"}  # sums may be added in any order

log = logging.getLogger(__name__)


class _OptionalCache(FunctionCache):
    """numba's cache of compiled code on disk; what cannot be read or written is compiled."""

    def load_overload(self, sig: object, target_context: BaseContext) -> CompileResult | None:
        """The cached code of a signature, or None."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-any-return,no-untyped-call]
        except (OSError, ImportError):  # the latter where a module that the code names was moved since
            return None

    def has_code(self) -> bool:
        """Whether code of any signature is there, which need not be that of the next call."""
        try:
            return bool(self._cache_file._load_index())  # type: ignore[no-untyped-call]
        except OSError:
            return False

    def save_overload(self, sig: object, data: CompileResult) -> None:
        """Keep the code of a signature, where there is room."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as problem:
            _log_lack_of_cache(str(problem))


@functools.cache
def _log_lack_of_cache(problem: str) -> None:
    log.info("compiled code cannot be kept (%s): each start compiles anew; set NUMBA_CACHE_DIR to a folder", problem)


def _compile(
    function: types.FunctionType, name: str, fastmath: set[str] | None = None, twin: Hook | None = None
) -> Dispatcher:
    function.__qualname__ = name
    dispatcher: Dispatcher = jit(fastmath=fastmath or False)(function)
    if twin is not None:
        dispatcher = TieredDispatcher(function, targetoptions=dispatcher.targetoptions)
        dispatcher.twin = twin
    try:
        dispatcher._cache = _OptionalCache(function)  # type: ignore[attr-defined,no-untyped-call]
    except RuntimeError:  # neither the package, nor the home folder, nor NUMBA_CACHE_DIR can be written
        _log_lack_of_cache("no folder can be written")
    return dispatcher


def _kernel(function: Function, fastmath: set[str] | None = None, twin: Hook | None = None) -> Function:
    assert isinstance(function, types.FunctionType)
    name = f"{function.__name__}-{fingerprint(function)}"
    return _compile(function, name, fastmath, twin)  # type: ignore[return-value]


def kernel(function: Function) -> Function:
    """Compile a function of `kernels/`: no GIL, cached on disk under a name that changes with its code."""
    return _kernel(function)


def has_compiled(function: Hook) -> bool:
    """Whether code of a kernel is in this process or on disk."""
    assert isinstance(function, Dispatcher)
    return bool(function.overloads) or has_code_on_disk(function)


def interpretable(template: Function) -> Function:
    """Let Python run what `specialize` makes of a template, while rows are few (`_tiers`)."""
    template.__interpretable__ = True  # type: ignore[attr-defined]
    return template


def kernel_like(twin: Hook) -> Callable[[Function], Function]:
    """A kernel in whose place Python may call `twin`, which does the same by numpy, while rows are few (`_tiers`)."""
    return functools.partial(_kernel, twin=twin)


def reassociating_kernel(function: Function) -> Function:
    """A kernel whose sums may be added in any order, which lets the compiler use vectors for them."""
    return _kernel(function, REASSOCIATED)


def helper(function: Function) -> Function:
    """Let compiled hooks call a small function.

    Parameters
    ----------
    function : callable
        Runs as plain Python when called from Python, and is compiled into compiled code that calls it.

    Returns
    -------
    callable
        The function itself.

    Examples
    --------
    >>> @helper
    ... def is_relevant(label):
    ...     return label > 0
    >>> is_relevant(2)
    True
    """
    return register_jitable(error_model="numpy")(function)  # type: ignore[no-any-return,unused-ignore]


def compiled(method: Function) -> Function:
    """Mark a hook of a metric as compilable: numpy code on arrays, `self` used for its fields only.

    Parameters
    ----------
    method : callable
        Called directly it runs as Python; `evaluate` compiles it into the loop over all queries.

    Returns
    -------
    callable
        The method itself.

    Examples
    --------
    >>> from rankwise.metrics import Metric
    >>> class TopLabel(Metric, register=False):
    ...     @compiled
    ...     def _value(self, ranked, ideal):
    ...         return ranked[0]
    >>> TopLabel().value([2, 1])
    2.0
    """
    method.__compiled__ = True  # type: ignore[attr-defined]
    return method


def hook(*arguments: object) -> Never:
    """Stands in a template where `specialize` puts a function."""
    raise NotImplementedError


def is_compiled(method: Hook) -> bool:
    """Whether `compiled` marks this method."""
    return getattr(method, "__compiled__", False)


def compiled_hooks(cls: type, *names: str) -> dict[str, Hook] | None:
    """The hooks `_name` of a metric class by name, if `compiled` marks all of them."""
    hooks = {name: getattr(cls, f"_{name}") for name in names}
    return hooks if all(map(is_compiled, hooks.values())) else None


def specialize(template: Function, **names: Hook | int) -> Function:
    """Compile a copy of `template` in which the global names `names` are these functions or numbers.

    A template calls, say, `value(self, ranked, ideal)`; a metric's own `_value` takes its place. A copy with its own
    globals (rather than a closure or an argument) is what numba can inline and cache; a number becomes a constant,
    which lets the compiler unroll what it counts.
    """
    return _specialize(template, tuple(sorted(names.items())))  # type: ignore[return-value]


@functools.cache
def _specialize(template: Hook, names: tuple[tuple[str, Hook | int], ...]) -> Dispatcher:
    original = python_function(template)
    functions = {name: value for name, value in names if callable(value)}
    numbers = {name: value for name, value in names if isinstance(value, int)}
    # A kernel is compiled once and shared; a plain function becomes part of this copy.
    jitted = {name: f if isinstance(f, Dispatcher) else jit()(f) for name, f in functions.items()}
    copy = types.FunctionType(original.__code__, {**original.__globals__, **jitted, **numbers}, original.__name__)
    copy.__module__ = original.__module__
    words = [original.__name__, *(python_function(f).__qualname__ for f in functions.values())]
    name = re.sub(r"[^\w.-]", "_", "-".join([*words, *map(str, numbers.values())]))[:150]
    fastmath = template.targetoptions.get("fastmath") if isinstance(template, Dispatcher) else None
    twin = None
    if getattr(original, "__interpretable__", False) and all(
        f.__module__.startswith("rankwise.") for f in functions.values()
    ):
        twin = types.FunctionType(original.__code__, {**original.__globals__, **functions, **numbers})
    return _compile(copy, f"{name}-{fingerprint(original, *functions.values(), *numbers.values())}", fastmath, twin)


class _DepthListener(event.Listener):
    """Counts how deep nested events are, and says when the outermost begins and ends."""

    def __init__(self, on_begin: Callable[[], None], on_finish: Callable[[], None]) -> None:
        self.depth, self.on_begin, self.on_finish = 0, on_begin, on_finish

    def on_start(self, _: event.Event) -> None:
        """An event has begun."""
        self.depth += 1
        if self.depth == 1:
            self.on_begin()

    def on_end(self, _: event.Event) -> None:
        """An event has ended."""
        self.depth -= 1
        if self.depth == 0:
            self.on_finish()


@contextmanager
def on_compile(callback: Callable[[bool], None]) -> Iterator[None]:
    """Call `callback(True)` whenever a compilation begins and `callback(False)` when it ends, in any thread."""
    with event.install_listener("numba:compile", _DepthListener(lambda: callback(True), lambda: callback(False))):
        yield


class _InterruptLater(_DepthListener):
    """Holds Ctrl-C back while the main thread compiles.

    KeyboardInterrupt in the middle of it would come up in LLVM's callbacks, which print it and go on, or leave
    half of a function's code behind.
    """

    def __init__(self) -> None:
        held = HeldInterrupts()
        super().__init__(held.hold, held.release)

    def notify(self, event: event.Event) -> None:
        """Other threads compile without a hold."""
        if is_main_thread():
            super().notify(event)  # type: ignore[no-untyped-call]


event.register("numba:compiler_lock", _InterruptLater())  # type: ignore[no-untyped-call]
