"""Sections that the docstrings of several classes or methods share, written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

Documented = TypeVar("Documented", bound=Callable[..., object])

SECTION = re.compile(r"^([A-Z][\w ]+)\n-+\n", re.MULTILINE)
ORDER = ("Parameters", "Attributes", "Returns", "Raises", "See Also", "Notes", "References", "Examples")


def inherit_sections(source: Callable[..., object]) -> Callable[[Documented], Documented]:
    """Add the sections of `source` that a docstring lacks; `{...}` in a section stands for that of `source`."""
    _, inherited = _sections(source)

    def inherit(documented: Documented) -> Documented:
        summary, sections = _sections(documented)
        texts = inherited | {title: text.replace("{...}", inherited.get(title, "")) for title, text in sections.items()}
        ordered = [f"{title}\n{'-' * len(title)}\n{texts[title]}" for title in ORDER if title in texts]
        documented.__doc__ = "\n\n".join([summary, *ordered])
        return documented

    return inherit


def _sections(documented: Callable[..., object]) -> tuple[str, dict[str, str]]:
    """What stands before the sections of a docstring, and their texts by title."""
    summary, *pieces = SECTION.split(inspect.getdoc(documented) or "")  # none under python -OO
    return summary.strip(), {title: text.strip() for title, text in zip(pieces[::2], pieces[1::2], strict=True)}
