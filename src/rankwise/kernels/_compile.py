"""How plain functions become compiled loops, and how those are cached without ever going stale.

`@kernel` compiles a function of this folder. `@compiled` marks the few lines of a metric: they stay plain
Python, and `specialize` builds a compiled loop around them. numba's own disk cache looks at one source
file only, so a loop whose callee changed in another file would silently run the old code; here the
name under which a function is cached carries a fingerprint of everything that it calls.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])

# Divisions by zero give inf or nan as in numpy, and so do not block vectorizing (KERNELS section 1).
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


@functools.cache
def _sources_of_this_folder() -> bytes:
    folder = Path(__file__).parent
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py"))) + str(numba.__version__).encode()


def _code_parts(function: Any, seen: set[int]) -> list[str]:
    """Byte code, constants and, through its globals, everything else that `function` will run."""
    function = _plain(function)
    if not isinstance(function, types.FunctionType) or id(function) in seen:
        return []
    seen.add(id(function))
    code = function.__code__
    closure = [cell.cell_contents for cell in function.__closure__ or ()]
    parts = [code.co_code.hex(), repr([c for c in code.co_consts if not isinstance(c, types.CodeType)])]
    for value in [function.__globals__.get(name) for name in code.co_names] + closure:
        if isinstance(value, bool | int | float | str | tuple):
            parts.append(repr(value))
        elif isinstance(value, np.ndarray):
            parts.append(hashlib.sha256(value.tobytes()).hexdigest())
        elif callable(value):
            parts += _code_parts(value, seen)
    return parts


def fingerprint(*functions: Any) -> str:
    """A short name for the code of `functions` and of all they call, by content."""
    seen: set[int] = set()
    text = "\n".join(part for function in functions for part in _code_parts(function, seen))
    return hashlib.sha256(_sources_of_this_folder() + text.encode()).hexdigest()[:16]


def _compile(function: types.FunctionType, name: str, **options: Any) -> Any:
    function.__qualname__ = name
    return numba.njit(cache=True, **OPTIONS, **options)(function)


def kernel(function: Function, **options: Any) -> Function:
    """Compile a function of `kernels/`: no GIL, cached on disk under a name that changes with its code."""
    assert isinstance(function, types.FunctionType)
    return _compile(function, f"{function.__name__}-{fingerprint(function)}", **options)  # type: ignore[no-any-return]


def reassociating_kernel(function: Function) -> Function:
    """A kernel whose sums may be added in any order, which lets the compiler use vectors for them."""
    return kernel(function, fastmath={"reassoc", "contract", "nsz"})


def helper(function: Function) -> Function:
    """A small function that runs as plain Python from Python and is compiled into what calls it."""
    return register_jitable(error_model="numpy")(function)  # type: ignore[no-any-return,unused-ignore]


def compiled(method: Function) -> Function:
    """Mark a metric's method as compilable: numpy code on arrays, `self` used for its fields only.

    Called directly it runs as Python; `evaluate` compiles it into the loop over all queries.
    """
    method.__compiled__ = True  # type: ignore[attr-defined]
    return method


def is_compiled(method: Any) -> bool:
    """Whether `compiled` marked this method."""
    return bool(getattr(inspect.unwrap(method), "__compiled__", False))


def specialize(template: Callable[..., Any], **names: Any) -> Any:
    """Compile a copy of `template` in which the global names `names` are these functions or numbers.

    A template calls, say, `value(self, ranked, ideal)`; a metric's own `value` takes its place. A copy with its own
    globals (rather than a closure or an argument) is what numba can inline and cache; a number becomes a constant,
    which lets the compiler unroll what it counts.
    """
    raw = {name: value if _is_kernel(value) or not callable(value) else _plain(value) for name, value in names.items()}
    return _specialize(template, tuple(sorted(raw.items())))


def _is_kernel(value: Any) -> bool:
    return isinstance(value, numba.core.dispatcher.Dispatcher)


def _plain(function: Any) -> Any:
    """The Python function behind wrappers and dispatchers."""
    return inspect.unwrap(getattr(function, "py_func", function))


@functools.cache
def _specialize(template: Any, names: tuple[tuple[str, Any], ...]) -> Any:
    original = _plain(template)
    functions = {name: value for name, value in names if callable(value)}
    numbers = {name: value for name, value in names if not callable(value)}
    # A kernel is compiled once and shared; a plain function becomes part of this copy.
    bound = {name: f if _is_kernel(f) else numba.njit(**OPTIONS)(f) for name, f in functions.items()}
    copy = types.FunctionType(original.__code__, {**original.__globals__, **bound, **numbers}, original.__name__)
    copy.__module__ = original.__module__
    parts = [original.__name__, *(_plain(f).__qualname__ for f in functions.values()), *map(str, numbers.values())]
    owners = "".join(c if c.isalnum() or c in "-_." else "_" for c in "-".join(parts))[:150]
    options = getattr(template, "targetoptions", {})
    fast = {"fastmath": options["fastmath"]} if options.get("fastmath") else {}
    return _compile(copy, f"{owners}-{fingerprint(original, *functions.values())}", **fast)
