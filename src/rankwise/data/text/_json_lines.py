"""JSON lines: an object per line, each checked, and what is wrong said by file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from rankwise.data.io._streams import open_stream
from rankwise.errors import FormatError
from rankwise.types import JsonObject

MAX_LINE_BYTES = 1 << 26  # a line that never ends would fill the memory


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file that are not blank, by number from 1; packed files are unpacked."""
    with open_stream(path) as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise FormatError(
                    f"a line may have {MAX_LINE_BYTES >> 20} MB, got a longer one; cut its text", path=path, line=number
                )
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as problem:
                raise FormatError(
                    f"this line is not UTF-8 text ({problem}); convert the file", path=path, line=number
                ) from None
            if text.strip():
                yield number, text.rstrip("\r\n")


def json_lines(path: Path) -> Iterator[tuple[int, JsonObject]]:
    """The objects of a file of JSON lines, by number of the line."""
    for number, line in text_lines(path):
        try:
            fields = json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError) as problem:
            raise FormatError(f"a line must be JSON ({problem}); fix the line", path=path, line=number) from None
        if not isinstance(fields, dict):
            raise FormatError(f"a line must be a JSON object, got {line[:40]!r}; fix the line", path=path, line=number)
        yield number, fields


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
