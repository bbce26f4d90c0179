"""Lines of a CSV or TSV table from bytes to numbers, where nothing in them is odd; `_number_text` has the numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel
from rankwise.kernels._number_text import (
    NEWLINE,
    Bytes,
    exact_double,
    is_exact,
    read_number,
    to_float32,
)
from rankwise.types import FloatArray, IntArray

# What a column holds.
UNREAD, FEATURE, LABEL, TEXT = range(4)
SPACE, TAB, RETURN = (ord(c) for c in " \t\r")
MAX_HARD = 4096  # numbers of a chunk that are left to Python's `float`


@helper
def _skip_spaces(text: Bytes, i: int, delimiter: int) -> int:
    while text[i] == SPACE or (text[i] == TAB and delimiter != TAB):
        i += 1
    return i


@helper
def _field_end(text: Bytes, i: int, delimiter: int) -> int:
    while text[i] != delimiter and text[i] != NEWLINE and text[i] != RETURN:
        i += 1
    return i


@helper
def _is_missing(text: Bytes, start: int, end: int, words: Bytes, word_ends: IntArray) -> bool:
    """Whether a field is one of the words that stand for a missing value, or has none."""
    begin = 0
    for stop in word_ends:
        if stop - begin == end - start:
            k = 0
            while k < end - start and text[start + k] == words[begin + k]:
                k += 1
            if k == end - start:
                return True
        begin = stop
    return False


@kernel
def parse_rows(
    text: Bytes,
    size: int,
    delimiter: int,
    kinds: NDArray[np.int8],
    places: IntArray,
    words: Bytes,
    word_ends: IntArray,
    X: NDArray[np.float32],
    y: FloatArray,
    texts: Bytes,
    text_ends: NDArray[np.int32],
    hard: IntArray,
) -> tuple[int, int]:
    """Parse `text[:size]`, whole lines, of which X has room for all; `text[size]` must be a newline, as a stop.

    Column k holds what `kinds[k]` says: a feature of column `places[k]` of X, or a text of row `places[k]` of `texts`.
    Gives the rows, or -1 where a line has other than these many fields or one that is no number, and the hard numbers.
    """
    i = row = n_hard = 0
    columns = len(kinds)
    text_ends[:, 0] = 0
    while i < size:
        if text[i] == NEWLINE:
            i += 1
            continue
        for column in range(columns):
            kind = kinds[column]
            place = places[column]
            if kind in (FEATURE, LABEL):
                start = i
                i = _skip_spaces(text, i, delimiter)
                negative, mantissa, exponent, end = read_number(text, i)
                stop = _skip_spaces(text, end, delimiter) if end >= 0 else i
                is_number = end >= 0 and (text[stop] == delimiter or text[stop] == NEWLINE or text[stop] == RETURN)
                if not is_number:
                    stop = _field_end(text, i, delimiter)
                    if kind == LABEL or (stop > i and not _is_missing(text, start, stop, words, word_ends)):
                        return -1, n_hard
                    X[row, place] = np.nan
                elif kind == LABEL:
                    if is_exact(mantissa, exponent):
                        value = exact_double(mantissa, exponent)
                        y[row] = -value if negative else value
                    else:
                        if n_hard == MAX_HARD:
                            return -1, n_hard
                        hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2], hard[n_hard, 3] = row, -1, i, end
                        n_hard += 1
                else:
                    single, certain = to_float32(mantissa, exponent)
                    if np.isinf(single):
                        return -1, n_hard
                    if not certain:
                        if n_hard == MAX_HARD:
                            return -1, n_hard
                        hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2], hard[n_hard, 3] = row, place, i, end
                        n_hard += 1
                    X[row, place] = -single if negative else single
                i = stop
            elif kind == TEXT:
                written = text_ends[place, row]
                while text[i] != delimiter and text[i] != NEWLINE and text[i] != RETURN:
                    texts[place, written] = text[i]
                    written += 1
                    i += 1
                text_ends[place, row + 1] = written
            else:
                i = _field_end(text, i, delimiter)
            if column + 1 < columns:
                if text[i] != delimiter:
                    return -1, n_hard
                i += 1
        if text[i] == RETURN:
            i += 1
        if text[i] != NEWLINE:
            return -1, n_hard
        i += 1
        row += 1
    return row, n_hard
