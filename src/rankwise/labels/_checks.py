"""What comes from outside, checked before it comes near the database."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from typing import SupportsIndex

from rankwise.errors import DataError

MAX_NAME_LENGTH = 100
MAX_NOTE_LENGTH = 10_000
MAX_DEPTH = 20
MAX_HIGHEST_GRADE = 100


def whole_number(value: object, what: str, minimum: int, maximum: int) -> int:
    """`value` as an int from `minimum` to `maximum`; True and 2.0 are no whole numbers."""
    try:
        number = operator.index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None
    except TypeError:  # an array
        number = None
    if number is None or not minimum <= number <= maximum:
        raise DataError(
            f"{what} must be a whole number from {minimum} to {maximum}, got {str(value)[:40]!r}; correct it"
        )
    return number


def plain_text(value: object, what: str, max_length: int = MAX_NOTE_LENGTH) -> str:
    """`value` if it is text that a file can hold."""
    if not isinstance(value, str):
        raise DataError(f"{what} must be text, got {type(value).__name__}; pass a str")
    if len(value) > max_length:
        raise DataError(f"{what} must have at most {max_length} characters, got {len(value)}; shorten it")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DataError(f"{what} must be Unicode text, got half a character in {value[:40]!a}; remove it") from None
    return value


def check_name(value: object, what: str = "a labeller") -> str:
    """`value` if it can name somebody or something: short, visible, with no blanks around it."""
    text = plain_text(value, f"the name of {what}", MAX_NAME_LENGTH)
    if not text or text != text.strip() or not text.isprintable():
        raise DataError(f"the name of {what} must be visible, with no blanks around it, got {text!r}; pass another")
    return text


def check_grade_names(names: Sequence[str] | None) -> list[str] | None:
    """Words for grades, from 0 up: two or more, all different."""
    if names is None:
        return None
    words = [check_name(name, "a grade") for name in names]
    if not 2 <= len(words) <= MAX_HIGHEST_GRADE + 1 or len(set(words)) < len(words):
        raise DataError(
            f"there must be 2 to {MAX_HIGHEST_GRADE + 1} grades of different names, got {', '.join(words)[:80]!r}; "
            "correct them"
        )
    return words


def check_depth(value: object, depth: int = MAX_DEPTH) -> None:
    """Refuse fields of fields of fields … that a page, or Python's JSON, could not go down to."""
    if depth == 0:
        raise ValueError(f"they are nested deeper than {MAX_DEPTH}")
    for part in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        check_depth(part, depth - 1)


def fields_json(value: object, what: str) -> str:
    """A text, or a mapping of fields, as JSON; half characters, which files cannot hold, become question marks."""
    fields = {"text": value} if isinstance(value, str) else value
    if not isinstance(fields, Mapping):
        raise DataError(f"{what} must have a text or a mapping of fields, got {type(value).__name__}; correct it")
    try:
        check_depth(fields)
        text = json.dumps(dict(fields), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise DataError(f"{what} has fields that are not JSON ({problem}); correct them") from None
    return text.encode(errors="replace").decode()
