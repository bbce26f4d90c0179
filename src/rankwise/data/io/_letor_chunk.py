"""One chunk of LETOR text: its bytes, the arrays it is parsed into, and what to say of a bad line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import _letor_text as kernel
from rankwise.kernels._number_text import NEWLINE

# What is wrong, then what to do; the text found goes between.
PROBLEMS = {
    kernel.BAD_LABEL: ("a line must begin with a finite label", "write a number such as 0 or 2.5"),
    kernel.BAD_QID: ("a qid must be a whole number of at most 18 digits", "number the queries"),
    kernel.QID_MISSING: (
        "this line has no qid although the first line has one",
        "add qid:ID after the label",
    ),
    kernel.QID_UNEXPECTED: (
        "this line has a qid although the first line has none",
        "give every line a qid or none",
    ),
    kernel.BAD_FEATURE: ("a feature must be index:value", "mend the line, or put # before a comment"),
    kernel.BAD_INDEX: ("a feature index must be at most 2147483647", "renumber the features"),
    kernel.INDEX_ZERO: (
        "feature indices start at 1",
        "add 1 to every index, or, if LightGBM wrote the file, put its group sizes beside it in a file "
        "of the same name with .query added",
    ),
    kernel.INDEX_NOT_RISING: ("feature indices must rise within a line", "sort them and drop repeated ones"),
    kernel.BAD_VALUE: ("a feature value must be a number or nan", "write nan for a missing value"),
    kernel.VALUE_TOO_LARGE: ("a feature value must be within ±3.4e38 (float32)", "scale the feature down"),
}


@dataclass(frozen=True)
class Parsed:
    """How much a chunk holds; `problem` is a message and a column, for its last line."""

    rows: int
    entries: int
    features: int
    has_doc_ids: bool
    lines: int = 0
    skipped: int = 0
    problem: tuple[str, int] | None = None


class Chunk:
    """A buffer of text and buffers for what it may hold at most; used again and again.

    Pages of a buffer that are never reached cost no memory, so the bounds may be generous.
    """

    def __init__(self, text_bytes: int) -> None:
        self.text = bytearray(text_bytes)
        self.size = 0
        self._make_room()

    def _make_room(self) -> None:
        self._room = len(self.text)
        rows, entries = self._room // 2 + 1, self._room // 4 + 1  # "0\n" and "1:2 " are the shortest
        self.labels = np.empty(rows)
        self.qids = np.empty(rows, dtype=np.int64)
        self.row_ends = np.empty(rows, dtype=np.int64)
        self._doc_spans = np.empty((rows, 2), dtype=np.int64)
        self.columns = np.empty(entries, dtype=np.int32)
        self.values = np.empty(entries, dtype=np.float32)
        self._hard = np.empty((rows + entries, 3), dtype=np.int64)

    def scan(self, base: int, has_qid: bool) -> Parsed:
        """Count what `parse` will find if every line is well-formed, several times faster."""
        # numpy looks for a byte many times faster than any loop over them.
        text = np.frombuffer(self.text, dtype=np.uint8, count=self.size + 1)
        newlines = np.flatnonzero(text == NEWLINE)
        has_hash = self.text.find(b"#", 0, self.size) >= 0
        hashes = np.flatnonzero(text == kernel.HASH) if has_hash else newlines[:0]
        rows, comment_colons, largest, comments = kernel.scan_lines(text, newlines, hashes)
        colons = int(np.count_nonzero(text == kernel.COLON)) - comment_colons
        entries = max(0, colons - rows) if has_qid else colons
        return Parsed(rows, entries, largest + 1 - base if entries else 0, has_doc_ids=comments > 0)

    def parse(self, base: int, has_qid: bool, skip_bad: bool) -> Parsed:
        """Parse the text into the other buffers."""
        if len(self.text) > self._room:  # a long line made the text grow
            self._make_room()
        rows, entries, hard, lines, skipped, problem, place = kernel.parse_lines(
            np.frombuffer(self.text, dtype=np.uint8),
            self.size,
            base,
            has_qid,
            skip_bad,
            self.labels,
            self.qids,
            self.row_ends,
            self._doc_spans,
            self.columns,
            self.values,
            self._hard,
        )
        for where, start, end in self._hard[:hard]:
            value = float(self.text[start:end])
            if where < 0:
                self.labels[-1 - where] = value
            else:
                self.values[where] = value
        features = int(self.columns[:entries].max()) + 1 if entries else 0
        found = self._problem(problem, place) if problem else None
        has_doc_ids = bool((self._doc_spans[:rows, 0] != self._doc_spans[:rows, 1]).any())
        return Parsed(rows, entries, features, has_doc_ids, lines, skipped, found)

    def _problem(self, problem: int, place: int) -> tuple[str, int]:
        rest = self.text[place : self.text.find(b"\n", place)].split(maxsplit=1)
        got = rest[0][:40].decode(errors="replace") if rest else ""
        wrong, remedy = PROBLEMS[problem]
        column = place - (self.text.rfind(b"\n", 0, place) + 1) + 1
        return f"{wrong}, got {got!r}; {remedy}", column

    def fill(self, X: NDArray[np.float32], rows: int) -> None:
        """Put the features into rows of zeros."""
        kernel.fill_dense(X, self.row_ends[:rows], self.columns, self.values)

    def doc_ids(self, rows: int) -> list[str]:
        """The document ids, "" for a row without."""
        spans = self._doc_spans[:rows].tolist()
        return [self.text[start:end].decode(errors="replace") for start, end in spans]
