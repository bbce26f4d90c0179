"""Sections that the docstrings of several classes or methods share, written once."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import TypeVar

Documented = TypeVar("Documented", bound=Callable[..., object])

SECTION = re.compile(r"^([A-Z][\w ]+)\n-+\n", re.MULTILINE)
PLACE = re.compile(r"^( *)\{([A-Z][\w ]+)\}", re.MULTILINE)  # such as {Parameters}, alone in its line


def fill_docstring(source: Callable[..., object]) -> Callable[[Documented], Documented]:
    """Fill places such as `{Parameters}` in a docstring with the sections of these names in that of `source`."""
    _, *pieces = SECTION.split(inspect.getdoc(source) or "")  # none under python -OO
    texts = dict(zip(pieces[::2], pieces[1::2], strict=True))

    def fill(documented: Documented) -> Documented:
        doc = documented.__doc__ or ""
        documented.__doc__ = PLACE.sub(lambda place: textwrap.indent(texts.get(place[2], "").strip(), place[1]), doc)
        return documented

    return fill
