"""Everything public has numpydoc sections that name every parameter and every result."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType

import pytest
from numpydoc.validate import validate

PACKAGES = (
    "rankwise rankwise.checks rankwise.data rankwise.errors rankwise.labels rankwise.losses rankwise.metrics".split()
)
PACKAGES += "rankwise.models rankwise.objectives rankwise.rankers rankwise.reports rankwise.sampling".split()
# What numpydoc checks beyond sections: where quotes stand, verbs of summaries, "See Also" and extended summaries.
STYLE = {"GL01", "GL02", "GL03", "ES01", "SA01", "SS05", "EX01", "PR06", "RT02"}


def public_objects(package: ModuleType) -> Iterator[str]:
    """Dotted names of what a package makes public: functions, classes, and the public methods that they define."""
    for name in package.__all__:
        value = getattr(package, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)) or not value.__module__.startswith("rankwise"):
            continue
        yield f"{package.__name__}.{name}"
        if inspect.isclass(value):
            for method, attribute in vars(value).items():
                if not method.startswith("_") and (
                    inspect.isfunction(attribute) or isinstance(attribute, classmethod | staticmethod | property)
                ):
                    yield f"{package.__name__}.{name}.{method}"


def public_names() -> list[str]:
    return [name for package in PACKAGES for name in public_objects(importlib.import_module(package))]


def problems(name: str) -> list[str]:
    """What numpydoc finds wrong with a docstring."""
    return [f"{code} {text}" for code, text in validate(name)["errors"] if code not in STYLE]


@pytest.mark.parametrize("name", public_names())
def test_the_docstring_has_its_sections(name: str) -> None:
    assert problems(name) == []
