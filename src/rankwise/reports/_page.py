"""The frame of every page: one HTML file that needs nothing beside it, neither scripts nor the network."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

from rankwise._version import __version__
from rankwise.data._atomic import atomic_path
from rankwise.errors import DataError
from rankwise.reports._markup import Markup, element, joined

NOTHING = Markup("")


def write_page(
    path: str | os.PathLike[str],
    title: str,
    facts: Mapping[str, object],
    sources: Mapping[str, str] | None,
    main: Markup,
    made_on: date,
) -> Path:
    """Write a page with its heading, what it is about, what it was made from, by which version and when."""
    header = element("header", element("h1", title), _list(facts, "facts"), _list(sources or {}, "sources"))
    footer = element("footer", f"Made by rankwise {__version__} on {made_on.isoformat()}.")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(files("rankwise.reports").joinpath("page.css").read_text(encoding="utf-8"))),
    )
    html = element("html", head, Markup("\n"), element("body", header, main, footer), lang="en")
    with atomic_path(path) as temporary:
        page = joined(Markup("<!DOCTYPE html>\n"), html, Markup("\n"))
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)


def today() -> date:
    """The date of SOURCE_DATE_EPOCH, by which builds are made the same again, or else that of today (UTC)."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).date()
    try:
        return datetime.fromtimestamp(int(epoch), UTC).date()
    except (ValueError, OverflowError, OSError) as problem:
        raise DataError(f"SOURCE_DATE_EPOCH must be seconds since 1970, got {epoch!r}; unset it") from problem


def section(heading: str, *parts: Markup) -> Markup:
    """A part of the page with a heading of its own."""
    return joined(element("section", element("h2", heading), *parts), Markup("\n"))


def figure(heading: str, drawn: Markup, caption: str) -> Markup:
    """A picture, or words in its place, with a heading and a caption."""
    return element("figure", element("h3", heading), drawn, element("figcaption", caption) if caption else NOTHING)


def folded(heading: str, *parts: Markup) -> Markup:
    """What is shown when it is asked for, and in print."""
    return element("details", element("summary", heading), *parts)


def note(text: str) -> Markup:
    """A word on how to read what stands above it."""
    return element("p", text, class_="note")


def instead(text: str) -> Markup:
    """Words in the place of a picture that would be empty."""
    return element("p", text, class_="instead")


def _list(facts: Mapping[str, object], kind: str) -> Markup:
    if not facts:
        return NOTHING
    pairs = (element("div", element("dt", name), element("dd", fact)) for name, fact in facts.items())
    return element("dl", *pairs, class_=kind)
