"""LETOR / SVM-rank text from bytes to numbers: `label qid:ID index:value ... # comment`.

Numbers that are not certain (`_number_text`) are listed in `hard`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel
from rankwise.kernels._number_text import (
    MANTISSA_ROOM,
    MAX_POWER,
    MINUS,
    NEWLINE,
    TO_LOWER,
    Bytes,
    digit_at,
    exact_double,
    is_exact,
    read_number,
    to_float32,
)
from rankwise.types import FloatArray, IntArray

# What can be wrong with a line (0 is a good line).
BAD_LABEL = 1
BAD_QID = 2
QID_MISSING = 3
QID_UNEXPECTED = 4
BAD_FEATURE = 5
BAD_INDEX = 6
INDEX_ZERO = 7
INDEX_NOT_RISING = 8
BAD_VALUE = 9
VALUE_TOO_LARGE = 10

HASH, COLON, EQUALS = (ord(c) for c in "#:=")
MAX_INDEX = 2**31 - 1


@helper
def _is_blank(c: int) -> bool:
    return c == 32 or (9 <= c <= 13 and c != NEWLINE)


@helper
def _ends_token(c: int) -> bool:
    return c == 32 or (9 <= c <= 13) or c == HASH


@helper
def _skip_blanks(text: Bytes, i: int) -> int:
    while _is_blank(text[i]):
        i += 1
    return i


@helper
def _skip_token(text: Bytes, i: int) -> int:
    while not (text[i] == 32 or 9 <= text[i] <= 13):
        i += 1
    return i


@helper
def _skip_line(text: Bytes, i: int) -> int:
    while text[i] != NEWLINE:
        i += 1
    return i + 1


@helper
def _starts_with(text: Bytes, i: int, word: Bytes) -> bool:
    """Whether `word` (small letters) stands at i, in letters of any size; a line's end stops it."""
    k = 0
    while k < len(word) and (text[i + k] | TO_LOWER) == word[k]:
        k += 1
    return k == len(word)


NAN_WORD = np.frombuffer(b"nan", dtype=np.uint8)
DOCID_WORD = np.frombuffer(b"docid", dtype=np.uint8)


@helper
def _doc_id(text: Bytes, i: int) -> tuple[int, int]:
    """Where the document's id stands in a comment: `docid = ID ...`, or a comment of one word."""
    i = _skip_blanks(text, i)
    if _starts_with(text, i, DOCID_WORD):
        after = _skip_blanks(text, i + len(DOCID_WORD))
        if text[after] == EQUALS:
            start = _skip_blanks(text, after + 1)
            return start, _skip_token(text, start)
    end = _skip_token(text, i)
    if text[_skip_blanks(text, end)] == NEWLINE:
        return i, end
    return i, i


@helper
def _read_label(text: Bytes, i: int, row: int, labels: FloatArray, hard: IntArray, n_hard: int) -> tuple[int, int, int]:
    """Problem (or 0), where the label ends (or the problem lies), and the count of hard numbers."""
    negative, mantissa, exponent, end = read_number(text, i)
    if end < 0 or not _ends_token(text[end]) or exponent > MAX_POWER:
        return BAD_LABEL, i, n_hard
    if mantissa == 0 or is_exact(mantissa, exponent):
        value = exact_double(mantissa, exponent) if mantissa != 0 else 0.0
        labels[row] = -value if negative else value
    else:
        hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = -1 - row, i, end
        n_hard += 1
    return 0, end, n_hard


@helper
def _read_qid(text: Bytes, i: int, row: int, wants_qid: bool, qids: IntArray) -> tuple[int, int]:
    """Problem (or 0), and where the query id ends (or the problem lies)."""
    has_qid = text[i] == 113 and text[i + 1] == 105 and text[i + 2] == 100 and text[i + 3] == COLON  # "qid:"
    if not has_qid:
        return (QID_MISSING if wants_qid else 0), i
    if not wants_qid:
        return QID_UNEXPECTED, i
    j = i + 4
    negative = text[j] == MINUS
    if negative:
        j += 1
    first = j
    value = 0
    digit = digit_at(text, j)
    while 0 <= digit <= 9 and value < MANTISSA_ROOM:
        value = value * 10 + digit
        j += 1
        digit = digit_at(text, j)
    if j == first or not _ends_token(text[j]):
        return BAD_QID, i
    qids[row] = -value if negative else value
    return 0, j


@helper
def _read_features(
    text: Bytes, i: int, base: int, entry: int, columns: NDArray[np.int32], values: NDArray[np.float32], hard: IntArray,
    n_hard: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Problem (or 0), where the features end (or the problem lies), entries and hard numbers so far."""
    previous = -1
    while True:
        i = _skip_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            return 0, i, entry, n_hard
        start = i
        index = 0
        digit = digit_at(text, i)
        while 0 <= digit <= 9:
            index = min(index * 10 + digit, MAX_INDEX + 1)
            i += 1
            digit = digit_at(text, i)
        if i == start or text[i] != COLON:
            return BAD_FEATURE, start, entry, n_hard
        if index > MAX_INDEX:
            return BAD_INDEX, start, entry, n_hard
        column = index - base
        if column < 0:
            return INDEX_ZERO, start, entry, n_hard
        if column <= previous:
            return INDEX_NOT_RISING, start, entry, n_hard
        previous = column
        i += 1
        negative, mantissa, exponent, end = read_number(text, i)
        if end >= 0 and _ends_token(text[end]):
            value, certain = to_float32(mantissa, exponent)
            if np.isinf(value):
                return VALUE_TOO_LARGE, start, entry, n_hard
            if not certain:
                hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = entry, i, end
                n_hard += 1
            values[entry] = -value if negative else value
        elif _starts_with(text, i, NAN_WORD) and _ends_token(text[i + 3]):
            end = i + 3
            values[entry] = np.nan
        else:
            return BAD_VALUE, start, entry, n_hard
        columns[entry] = column
        entry += 1
        i = end


@kernel
def parse_lines(
    text: Bytes,
    size: int,
    base: int,
    wants_qid: bool,
    skip_bad: bool,
    labels: FloatArray,
    qids: IntArray,
    row_ends: IntArray,
    doc_spans: IntArray,
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    hard: IntArray,
) -> tuple[int, int, int, int, int, int, int]:
    """Parse `text[:size]`, whole lines, into CSR pieces; `text[size]` must be a newline, as a stop.

    `base` is the index of the first column (1, or 0 for LightGBM's files). Gives the counts of rows,
    entries, hard numbers, lines and skipped lines, then the problem met (0: none) and where it lies.
    """
    i = row = entry = n_hard = lines = skipped = 0
    while i < size:
        lines += 1
        i = _skip_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            i = _skip_line(text, i)
            continue
        line_hard, line_entry = n_hard, entry
        problem, i, n_hard = _read_label(text, i, row, labels, hard, n_hard)
        if problem == 0:
            i = _skip_blanks(text, i)
            problem, i = _read_qid(text, i, row, wants_qid, qids)
        if problem == 0:
            problem, i, entry, n_hard = _read_features(text, i, base, entry, columns, values, hard, n_hard)
        if problem != 0:
            if not skip_bad:
                return row, entry, n_hard, lines, skipped, problem, i
            n_hard, entry = line_hard, line_entry
            skipped += 1
        else:
            doc_spans[row, 0], doc_spans[row, 1] = (0, 0) if text[i] == NEWLINE else _doc_id(text, i + 1)
            row_ends[row] = entry
            row += 1
        i = _skip_line(text, i)
    return row, entry, n_hard, lines, skipped, 0, 0


@helper
def _index_before(text: Bytes, colon: int) -> int:
    """The whole number that ends before a colon, at most `MAX_INDEX`; 0 where there is none."""
    index = 0
    scale = 1
    i = colon - 1
    while i >= 0 and 0 <= digit_at(text, i) <= 9 and scale <= MAX_INDEX:
        index += scale * digit_at(text, i)
        scale *= 10
        i -= 1
    return min(index, MAX_INDEX)


@kernel
def scan_lines(text: Bytes, newlines: IntArray, hashes: IntArray) -> tuple[int, int, int, int]:
    """Look at the lines that end at `newlines`: rows, colons in comments, the largest index, comments behind rows.

    `hashes` is where text has a #. Together with the number of colons this is what `parse_lines` will find, if all is
    well; the last colon of a line costs a fraction of reading its numbers. Nothing is checked here.
    """
    start = h = rows = comment_colons = comments = largest = 0
    for newline in newlines:
        i = _skip_blanks(text, start)
        end = newline
        if h < len(hashes) and hashes[h] < newline:
            end = hashes[h]
            for k in range(end, newline):
                comment_colons += text[k] == COLON
            while h < len(hashes) and hashes[h] < newline:
                h += 1
        start = newline + 1
        if i == end:
            continue
        rows += 1
        comments += end < newline
        colon = end - 1
        while colon > i and text[colon] != COLON:
            colon -= 1
        largest = max(largest, _index_before(text, colon))
    return rows, comment_colons, largest, comments


@kernel
def fill_dense(
    X: NDArray[np.float32], row_ends: IntArray, columns: NDArray[np.int32], values: NDArray[np.float32]
) -> None:
    """`X[row, columns[k]] = values[k]` for the entries k of each row; absent ones stay as they are."""
    k = 0
    for row in range(len(row_ends)):
        while k < row_ends[row]:
            X[row, columns[k]] = values[k]
            k += 1
