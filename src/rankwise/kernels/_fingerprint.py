"""A name for the code of a function by content: all that it calls and every constant that it reads."""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Iterator, Mapping
from pathlib import Path

import numba
import numpy as np

VERSIONED = ("numpy", "numba", "math", "builtins")  # their code changes with their versions alone


@functools.cache
def _sources_of_this_folder() -> bytes:
    sources = [path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py"))]
    return hashlib.sha256(b"".join(sources) + f"{numba.__version__} {np.__version__}".encode()).digest()


def python_function(value: object) -> types.FunctionType:
    """The Python function behind wrappers and dispatchers; anything else as it is."""
    return inspect.unwrap(getattr(value, "py_func", value))  # type: ignore[arg-type,no-any-return]


def fingerprint(*values: object) -> str:
    """A short name for constants and for the code of functions with all that they call, by content."""
    digest, visited = hashlib.sha256(_sources_of_this_folder()), set[int]()
    for value in values:
        for content in _contents(value, visited):
            digest.update(content.encode() + b"\n")
    return digest.hexdigest()[:16]


def _contents(value: object, visited: set[int]) -> Iterator[str]:
    """What makes a value: for a function its code and all values that the code may read."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _contents(item, visited)
    elif isinstance(value, frozenset):
        yield repr(sorted(map(repr, value)))
    elif isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        yield repr(value)
    elif isinstance(function := python_function(value), types.FunctionType):
        if id(function) in visited or (function.__module__ or "").split(".")[0] in VERSIONED:
            return
        visited.add(id(function))
        yield from _contents((function.__defaults__ or (), *(function.__kwdefaults__ or {}).items()), visited)
        yield from _contents([cell.cell_contents for cell in function.__closure__ or ()], visited)
        for code in _nested(function.__code__):
            yield code.co_code.hex()
            yield repr(code.co_names)
            yield from _contents([const for const in code.co_consts if not isinstance(const, types.CodeType)], visited)
            for name, constant in _readable(function.__globals__, code.co_names):
                yield name
                yield from _contents(constant, visited)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code and that of inner functions, comprehensions and generator expressions."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _nested(const)


def _readable(namespace: Mapping[str, object], names: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    """Values that code with these names may read from a namespace, and through modules and classes in it."""
    for name in names:
        value = namespace.get(name)
        if isinstance(value, types.ModuleType):
            if value.__name__.split(".")[0] not in VERSIONED:
                yield from _readable(vars(value), tuple(other for other in names if other != name))
        elif isinstance(value, type):
            yield from ((other, getattr(value, other)) for other in names if hasattr(value, other))
        elif value is not None:
            yield name, value
