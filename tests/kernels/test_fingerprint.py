"""The name of cached code changes with whatever the code may run or read, and with nothing else."""

from __future__ import annotations

import types

import numpy as np
import pytest

from rankwise.kernels._fingerprint import fingerprint

INNER = """
def f(x):
    def inner(v):
        return v + {}
    return inner(x)
"""
COMPREHENSION = """
def f(x):
    return [v + {} for v in x]
"""
NESTED_COMPREHENSION = """
def f(x):
    return [[v + {} for v in row] for row in x]
"""
GENERATOR = """
def f(x):
    return sum(v + {} for v in x)
"""
LAMBDA = """
def f(x):
    return (lambda v: v + {})(x)
"""
MODULE = """
def f(x):
    return x * settings.K
"""
SUBMODULE = """
def f(x):
    return x * package.settings.K
"""
CLASS = """
class Settings:
    K = {}
def f(x):
    return x * Settings.K
"""
MODULE_FUNCTION = """
def f(x):
    return settings.helper(x)
"""
DEFAULT = """
def f(x, k={}):
    return x * k
"""
ARRAY = """
TABLE = np.array([1.0, {}])
def f(x):
    return TABLE[x]
"""


def defined(source: str, number: int) -> str:
    """The fingerprint of `f` where `number` stands in the source, or is what a module holds."""
    settings, package = types.ModuleType("settings"), types.ModuleType("package")
    exec(f"K = {number}\ndef helper(x):\n    return x * {number}\n", vars(settings))
    package.settings = settings  # type: ignore[attr-defined]
    namespace = {"settings": settings, "package": package, "np": np, "__name__": "user"}
    exec(source.format(number), namespace)
    return fingerprint(namespace["f"])


@pytest.mark.parametrize(
    "source",
    [
        INNER,
        COMPREHENSION,
        NESTED_COMPREHENSION,
        GENERATOR,
        LAMBDA,
        MODULE,
        SUBMODULE,
        CLASS,
        MODULE_FUNCTION,
        DEFAULT,
        ARRAY,
    ],
    ids=[
        "an inner function",
        "a comprehension",
        "a comprehension in another",
        "a generator expression",
        "a lambda",
        "a constant of a module",
        "a constant of a module of a package",
        "a constant of a class",
        "a function of a module",
        "a default",
        "an array",
    ],
)
def test_what_the_code_runs_or_reads_is_in_its_name(source: str) -> None:
    assert defined(source, 1) == defined(source, 1)
    assert defined(source, 1) != defined(source, 2)


def test_fingerprints_follow_code_not_names() -> None:
    def plus_one(x: int) -> int:
        return x + 1

    def same(x: int) -> int:
        return x + 1

    def plus_two(x: int) -> int:
        return x + 2

    assert fingerprint(plus_one) == fingerprint(same) != fingerprint(plus_two)


def test_functions_that_call_each_other_have_a_name_too() -> None:
    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    assert fingerprint(even) == fingerprint(even) != fingerprint(odd)


def test_numbers_beside_functions_count() -> None:
    assert fingerprint(abs, 1) != fingerprint(abs, 2)
