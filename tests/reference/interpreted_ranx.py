"""ranx run by Python: the tables of tests have a few rows, for which its loops would compile for a minute."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numba


@contextmanager
def interpreted() -> Iterator[None]:
    """What is decorated is left as it is; numba's lists and dictionaries are those of Python."""
    numba.config.DISABLE_JIT = True  # type: ignore[attr-defined]
    try:
        yield
    finally:
        numba.config.DISABLE_JIT = False  # type: ignore[attr-defined]


for name in [name for name in sys.modules if name.partition(".")[0] == "ranx"]:
    del sys.modules[name]  # which was imported elsewhere, to be compiled
with interpreted():
    import ranx

__all__ = ["interpreted", "ranx"]
