"""HTML from Python: text is escaped unless it was made here, so that no query id can smuggle in a script."""

from __future__ import annotations

from html import escape

VOID = {"br", "meta"}
"""Elements that HTML closes by itself."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """One element; children are escaped unless they are `Markup`.

    An attribute that Python cannot spell ends in an underscore or has one for its hyphen.

    >>> element("td", "<b>", element("b", 7), class_="number", aria_label='a "b"')
    '<td class="number" aria-label="a &quot;b&quot;">&lt;b&gt;<b>7</b></td>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for name, value in attributes.items()
    )
    return Markup(f"<{tag}{written}>" if tag in VOID else f"<{tag}{written}>{joined(*children)}</{tag}>")


def joined(*parts: object) -> Markup:
    """Parts one after the other, escaped unless they are `Markup`."""
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part)) for part in parts))
