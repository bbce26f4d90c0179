"""What `eval` and `compare` are told of the page that `--report` writes, and what they tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from rankwise.cli._options import option
from rankwise.errors import DataError

MAX_FILES = 6  # that are named on a page

TitleOption = Annotated[str | None, option("--title", "Heading of the report.", "TEXT")]


def check_report_options(report: Path | None, **given: object) -> None:
    """Options of the report mean nothing without it."""
    for name, value in given.items():
        if report is None and value is not None and value != []:
            raise DataError(f"--{name} is for the page that --report writes, got {value}; add --report FILE.html")


def report_sources(
    data: Iterable[Path], scores: Mapping[str, Path], models: Mapping[str, Path] | None = None
) -> dict[str, str]:  # fmt: skip
    """The files that a report was made from, as they were named."""
    files = [str(path) for path in data]
    more = f" and {len(files) - MAX_FILES} more" if len(files) > MAX_FILES else ""
    named = {f"scores of {name}": str(path) for name, path in scores.items()}
    named |= {f"model {name}": str(path) for name, path in (models or {}).items()}
    return {"data": ", ".join(files[:MAX_FILES]) + more, **named}


def thresholds_by_name(texts: list[str] | None, systems: Iterable[str]) -> dict[str, float]:
    """`[NAME=]NUMBER`, once per system or one for all."""
    thresholds: dict[str, float] = {}
    for text in texts or []:
        name, equals, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise DataError(f"--threshold must be a number or NAME=NUMBER, got {text!r}; write one") from None
        thresholds |= {name: value} if equals else dict.fromkeys(systems, value)
    return thresholds
