"""What comes from outside, checked before it comes near the database."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from typing import Any

from rankwise.errors import DataError

LONGEST_NAME = 100
LONGEST_NOTE = 10_000


def whole_number(value: Any, what: str, least: int, most: int) -> int:
    """`value` as an int between `least` and `most`; True and 2.0 are no whole numbers."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise DataError(f"{what} must be a whole number from {least} to {most}, got {str(value)[:40]!r}; correct it")
    return number


def plain_text(value: Any, what: str, longest: int = LONGEST_NOTE) -> str:
    """`value` if it is text that a file can hold."""
    if not isinstance(value, str):
        raise DataError(f"{what} must be text, got {type(value).__name__}; pass a str")
    if len(value) > longest:
        raise DataError(f"{what} must have at most {longest} characters, got {len(value)}; shorten it")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DataError(f"{what} must be Unicode text, got half a character in {value[:40]!a}; remove it") from None
    return value


def check_name(value: Any, what: str = "a labeller") -> str:
    """`value` if it can name somebody or something: short, visible, with no blanks around it."""
    text = plain_text(value, f"the name of {what}", LONGEST_NAME)
    if not text or text != text.strip() or not text.isprintable():
        raise DataError(f"the name of {what} must be visible, with no blanks around it, got {text!r}; pass another")
    return text


def fields_json(value: Any, what: str) -> str:
    """A text, or a mapping of fields, as JSON; half characters, which files cannot hold, become question marks."""
    fields = {"text": value} if isinstance(value, str) else value
    if not isinstance(fields, Mapping):
        raise DataError(f"{what} must have a text or a mapping of fields, got {type(value).__name__}; correct it")
    try:
        text = json.dumps(dict(fields), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise DataError(f"{what} has fields that are not JSON ({problem}); correct them") from None
    return text.encode(errors="replace").decode()
