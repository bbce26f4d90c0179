"""Which format a file has, by its name and its first line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rankwise.data._columns import LABEL_NAMES, TableOptions
from rankwise.data.io._streams import open_stream, without_compression
from rankwise.errors import FormatError

PARQUET_MAGIC = b"PAR1"
PARQUET_ENDINGS = (".parquet", ".pq")
TABLE_ENDINGS = {".csv": ",", ".tsv": "\t"}
HEAD_BYTES = 1 << 16


@dataclass(frozen=True)
class Detected:
    """A file's format: `letor`, `qrels`, `run`, `parquet` or `csv`, with what else its first line tells."""

    path: Path
    format: str
    has_qid: bool = False
    delimiter: str = ","


def detect(path: Path, options: TableOptions | None = None) -> Detected:
    """Look at a file's name and its first line that is neither blank nor a comment.

    A table without the ending of one is told by the label among its names; one without a header by its delimiters.
    """
    options = options or TableOptions()
    labels = LABEL_NAMES if options.label is None else (options.label.lower(),)
    with open_stream(path) as file:
        head = file.read(HEAD_BYTES)
    if not head:
        raise FormatError("this file is empty; check how it was made", path=path)
    if head.startswith(PARQUET_MAGIC):
        return Detected(path, "parquet")
    ending = without_compression(path).suffix.lower()
    if ending in PARQUET_ENDINGS:
        raise FormatError(f"this is not a Parquet file, got first bytes {head[:4]!r}; rename it", path=path)
    if ending in TABLE_ENDINGS:
        return Detected(path, "csv", delimiter=TABLE_ENDINGS[ending])
    lines = head.decode(errors="replace").removeprefix("\ufeff").splitlines()
    if len(head) == HEAD_BYTES and len(lines) > 1:
        lines.pop()  # it may be cut off
    lines = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    if not lines:
        raise FormatError("this file has no rows, got blank lines and comments only; check the file", path=path)
    for delimiter in TABLE_ENDINGS.values():
        names = lines[0].split(delimiter)
        if len(names) > 1 and (not options.header or any(name.strip('" ').lower() in labels for name in names)):
            return Detected(path, "csv", delimiter=delimiter)
    # The first line may be malformed: then a later one tells the format, and its reader names the bad one.
    recognized = next(filter(None, (_text_format(path, line) for line in lines)), None)
    if recognized is None:
        raise FormatError(
            f"the format cannot be told from the first line, got {lines[0][:60]!r}; pass LETOR text "
            "(label qid:1 1:0.5), Parquet, a CSV or TSV file with a header, or TREC judgements with a run",
            path=path,
        )
    return recognized


def _text_format(path: Path, line: str) -> Detected | None:
    words = line.partition("#")[0].split()
    if re.match(r"(qid|\d+):", words[1]) if len(words) > 1 else is_number(words[0]):
        return Detected(path, "letor", has_qid=len(words) > 1 and words[1].startswith("qid:"))
    words = line.split()
    if len(words) == 4 and is_number(words[3]):
        return Detected(path, "qrels")
    if len(words) == 6 and is_number(words[4]):
        return Detected(path, "run")
    return None


def numbered_columns(count: int) -> list[str]:
    """What tables call features that have no names, those of LETOR text."""
    return [f"feature_{number}" for number in range(1, count + 1)]


def is_number(word: str) -> bool:
    """Whether Python reads this word as a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True
