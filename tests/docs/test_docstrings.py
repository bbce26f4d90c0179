"""Everything public has numpydoc sections that name every parameter and every result."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator

import pytest
from numpydoc.validate import validate

PACKAGES = (
    "rankwise rankwise.checks rankwise.data rankwise.errors rankwise.labels rankwise.losses rankwise.metrics".split()
)
PACKAGES += "rankwise.models rankwise.objectives rankwise.rankers rankwise.reports rankwise.sampling".split()
# What numpydoc checks beyond sections: where quotes stand, verbs of summaries, "See Also" and extended summaries.
STYLE = {"GL01", "GL02", "GL03", "ES01", "SA01", "SS05", "EX01", "PR06", "RT02"}


ELSEWHERE = {"RowSource.with_features", "LinearPairRanker.to_score_function"}  # without sections of their own


def public_methods(cls: type) -> Iterator[tuple[str, str]]:
    """Where each public method and property of a class is written, a class of ours, and its name."""
    seen: set[str] = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("rankwise"):
            continue
        for name, attribute in vars(base).items():
            is_method = inspect.isfunction(attribute) or isinstance(attribute, classmethod | staticmethod | property)
            if is_method and not name.startswith("_") and name not in seen:
                seen.add(name)
                yield f"{base.__module__}.{base.__qualname__}.{name}", name


def public_names() -> list[str]:
    """Dotted names of what is public: functions, classes and their methods, each docstring by one name."""
    names: dict[str, str] = {}
    for package in map(importlib.import_module, PACKAGES):
        for name in package.__all__:
            value, dotted = getattr(package, name), f"{package.__name__}.{name}"
            if not (inspect.isclass(value) or inspect.isfunction(value)) or not value.__module__.startswith("rankwise"):
                continue
            names.setdefault(f"{value.__module__}.{value.__qualname__}", dotted)
            if inspect.isclass(value):
                for place, method in public_methods(value):
                    names.setdefault(place, f"{dotted}.{method}")
    return [name for place, name in names.items() if not place.endswith(tuple(ELSEWHERE))]


def problems(name: str) -> list[str]:
    """What numpydoc finds wrong with a docstring."""
    return [f"{code} {text}" for code, text in validate(name)["errors"] if code not in STYLE]


@pytest.mark.parametrize("name", public_names())
def test_the_docstring_has_its_sections(name: str) -> None:
    assert problems(name) == []
