"""Every parameter of every model states in its docstring what the class checks: its range, its choices, None."""

from __future__ import annotations

import inspect
import math
import re

import pytest
from numpydoc.docscrape import ClassDoc

from rankwise.rankers._base import model_kinds
from rankwise.rankers._parameters import BOOLEAN, NONE, Constraint, Integer, OneOf, OneOrMore, Real
from tests.contract.test_settings import KINDS, constraints_of, parameters_of


def number(value: float) -> str:
    """A number as docstrings write it: 100, 0.99, 1e6."""
    if value >= 1e5 and math.log10(value) % 1 == 0:
        return f"1e{round(math.log10(value))}"
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:g}".replace("e-0", "e-")


def words(constraint: Constraint) -> list[str]:
    """What a docstring must hold for a constraint."""
    if isinstance(constraint, OneOrMore):
        return words(constraint.element)
    if isinstance(constraint, Integer):
        return [f"int in [{number(constraint.low)}, {number(constraint.high)}]"]
    if isinstance(constraint, Real):
        return [f"float in {'(' if constraint.open_low else '['}{number(constraint.low)}, {number(constraint.high)}]"]
    if isinstance(constraint, OneOf):
        return constraint.quoted
    if constraint in (NONE, BOOLEAN):
        return ["None" if constraint is NONE else "bool"]
    return [
        number(float(found)) for found in re.findall(r"\d+", str(constraint))
    ]  # a list, a text, a number of threads


def entries_of(kind: str) -> dict[str, str]:
    """By parameter its whole entry of the section Parameters."""
    listed = ClassDoc(model_kinds()[kind])["Parameters"]
    return {name.strip(): f"{one.type}\n{' '.join(one.desc)}" for one in listed for name in one.name.split(",")}


@pytest.mark.parametrize("kind", KINDS)
def test_every_docstring_states_the_ranges(kind: str) -> None:
    entries = entries_of(kind)
    assert list(entries) == parameters_of(kind)
    missing = [
        f"{name}: {word}"
        for name in parameters_of(kind)
        for constraint in constraints_of(kind)[name]
        for word in words(constraint)
        if word not in entries[name]
    ]
    assert not missing, f"{inspect.getfile(model_kinds()[kind])}: {missing}"
