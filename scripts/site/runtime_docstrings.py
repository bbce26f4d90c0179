"""An extension of griffe: docstrings as `help` shows them, for some are put together when the code is imported."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

import griffe

SESSION = re.compile(r"^>>>.*(?:\n.+)*", re.MULTILINE)


class RuntimeDocstrings(griffe.Extension):
    """Replace docstrings in the source by those of the imported objects."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Look the object up, where it can be."""
        if obj.docstring is None or obj.is_attribute:
            return
        if obj.is_module:
            # Modules have no Examples section, without which a session would be a quotation in Markdown.
            obj.docstring.value = SESSION.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
            return
        value: Any = import_module(obj.module.path)
        for name in obj.path.removeprefix(obj.module.path + ".").split("."):
            value = getattr(value, name, None)
        if text := inspect.getdoc(value):
            obj.docstring.value = text

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Treat the root as the objects in it."""
        self.on_object(obj=pkg)
