"""LETOR / SVM-rank text from bytes to numbers: `label qid:ID index:value ... # comment`.

A number is read as mantissa · 10^exponent with at most 18 digits kept. Where that gives the double that
`float(text)` gives, or a float32 that no rounding error can change, it is final; the very rare others are
listed in `hard` and left to Python's `float`. So every feature equals `np.float32(float(text))`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel
from rankwise.types import FloatArray, IntArray

Bytes = NDArray[np.uint8]

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

NEWLINE, HASH, COLON, DOT, PLUS, MINUS, EQUALS = (ord(c) for c in "\n#:.+-=")
DIGIT_0, LOWER_E = ord("0"), ord("e")
TO_LOWER = 32  # the bit that makes an ASCII letter a small one

MANTISSA_ROOM = 10**17  # below this another digit fits into 18 digits, and so into an int64
MAX_EXACT_MANTISSA = 2**53
MAX_EXACT_POWER = 22  # 10^22 is the last power of ten that is a double
MAX_POWER = 270  # 18 digits times 10^±270 is a normal double
MAX_INDEX = 2**31 - 1
POWERS = np.array([float(f"1e{e}") for e in range(-MAX_POWER, MAX_POWER + 1)])
# Four roundings of 2^-53 (mantissa, power, product, digits dropped after the 18th), doubled to be safe.
ROUNDING = 2.0**-50


@helper
def _is_blank(c: int) -> bool:
    return c == 32 or (9 <= c <= 13 and c != NEWLINE)


@helper
def _ends_token(c: int) -> bool:
    return c == 32 or (9 <= c <= 13) or c == HASH


@helper
def _digit(text: Bytes, i: int) -> int:
    """The digit at i; something outside 0..9 where there is none."""
    return np.int64(text[i]) - DIGIT_0  # type: ignore[return-value]


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
def _read_number(text: Bytes, i: int) -> tuple[bool, int, int, int]:
    """Sign (true: negative), mantissa, exponent of ten, and where the number ends; -1 if it is not one."""
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    first = i
    mantissa = 0
    exponent = 0
    digit = _digit(text, i)
    while 0 <= digit <= 9:
        if mantissa < MANTISSA_ROOM:
            mantissa = mantissa * 10 + digit
        else:
            exponent += 1
        i += 1
        digit = _digit(text, i)
    digits = i - first
    if text[i] == DOT:
        i += 1
        first = i
        digit = _digit(text, i)
        while 0 <= digit <= 9:
            if mantissa < MANTISSA_ROOM:
                mantissa = mantissa * 10 + digit
                exponent -= 1
            i += 1
            digit = _digit(text, i)
        digits += i - first
    if digits == 0:
        return negative, 0, 0, -1
    if (text[i] | TO_LOWER) == LOWER_E:
        i += 1
        falling = text[i] == MINUS
        if falling or text[i] == PLUS:
            i += 1
        first = i
        power = 0
        digit = _digit(text, i)
        while 0 <= digit <= 9:
            power = min(power * 10 + digit, 1_000_000_000)
            i += 1
            digit = _digit(text, i)
        if i == first:
            return negative, 0, 0, -1
        exponent += -power if falling else power
    if not _ends_token(text[i]):
        return negative, 0, 0, -1
    return negative, mantissa, exponent, i


@helper
def _is_exact(mantissa: int, exponent: int) -> bool:
    """Whether one multiplication or division of two exact doubles gives the number (Clinger 1990)."""
    return mantissa <= MAX_EXACT_MANTISSA and -MAX_EXACT_POWER <= exponent <= MAX_EXACT_POWER


@helper
def _exact_double(mantissa: int, exponent: int) -> float:
    if exponent < 0:
        return np.float64(mantissa) / POWERS[MAX_POWER - exponent]  # type: ignore[no-any-return]
    return np.float64(mantissa) * POWERS[MAX_POWER + exponent]  # type: ignore[no-any-return]


@helper
def _to_float32(mantissa: int, exponent: int) -> tuple[np.float32, bool]:
    """The float32 nearest to mantissa · 10^exponent, and whether that is certain."""
    if _is_exact(mantissa, exponent):
        return np.float32(_exact_double(mantissa, exponent)), True
    if mantissa == 0 or exponent < -MAX_POWER:
        return np.float32(0.0), True
    if exponent > MAX_POWER:
        return np.float32(np.inf), True
    near = np.float64(mantissa) * POWERS[MAX_POWER + exponent]
    low, high = np.float32(near * (1.0 - ROUNDING)), np.float32(near * (1.0 + ROUNDING))
    return high, low == high or np.isinf(high)


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
    negative, mantissa, exponent, end = _read_number(text, i)
    if end < 0 or exponent > MAX_POWER:
        return BAD_LABEL, i, n_hard
    if mantissa == 0 or _is_exact(mantissa, exponent):
        value = _exact_double(mantissa, exponent) if mantissa != 0 else 0.0
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
    digit = _digit(text, j)
    while 0 <= digit <= 9 and value < MANTISSA_ROOM:
        value = value * 10 + digit
        j += 1
        digit = _digit(text, j)
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
        digit = _digit(text, i)
        while 0 <= digit <= 9:
            index = min(index * 10 + digit, MAX_INDEX + 1)
            i += 1
            digit = _digit(text, i)
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
        negative, mantissa, exponent, end = _read_number(text, i)
        if end >= 0:
            value, certain = _to_float32(mantissa, exponent)
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
    while i >= 0 and 0 <= _digit(text, i) <= 9 and scale <= MAX_INDEX:
        index += scale * _digit(text, i)
        scale *= 10
        i -= 1
    return min(index, MAX_INDEX)


@kernel
def scan_lines(text: Bytes, size: int) -> tuple[int, int, int, int]:
    """Count what `parse_lines` will find, if all is well: rows, colons, the largest index, comments behind rows.

    Looking for the last colon of a line costs a fraction of reading its numbers. Nothing is checked here.
    """
    i = rows = colons = comments = 0
    largest = 0
    while i < size:
        i = _skip_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            i = _skip_line(text, i)
            continue
        rows += 1
        last_colon = -1
        while text[i] != NEWLINE and text[i] != HASH:
            is_colon = text[i] == COLON
            colons += is_colon
            last_colon = i if is_colon else last_colon  # no branch: where colons stand cannot be foretold
            i += 1
        comments += text[i] == HASH
        if last_colon >= 0:
            largest = max(largest, _index_before(text, last_colon))
        i = _skip_line(text, i)
    return rows, colons, largest, comments


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
