"""Rows of numbers in JSON of a known shape, straight into a matrix.

A shape is what stands between the numbers: `pieces`, the first before the first number of a row and the last after its
last one. What does not have it byte for byte, or a number that one rounding does not give exactly, is left to a parser
of JSON; so this one need not know JSON, but what it reads is what every parser reads.
"""

from __future__ import annotations

import numpy as np

from rankwise.kernels._compile import helper, kernel
from rankwise.kernels._number_text import (
    DIGIT_0,
    DOT,
    LOWER_E,
    MAX_EXACT_POWER,
    MINUS,
    PLUS,
    TO_LOWER,
    Bytes,
)
from rankwise.kernels._words import VECTOR_BYTES, bytes_between, load_word, lowest_bit
from rankwise.types import FloatArray, IntArray

OTHERWISE = -1  # it has another shape
PADDING = bytes(VECTOR_BYTES + 8)  # after a text, whose end is thus seen by its bytes, and after pieces
COMMA, QUOTE, BACKSLASH, SPACE, LOWER_N = (ord(c) for c in ',"\\ n')
NULL, NULL_SIZE = np.frombuffer(b"null" + PADDING, dtype=np.uint8), 4
MAX_DIGITS = 19  # a mantissa of 64 bits has no room for more
MAX_EXACT_MANTISSA = np.uint64(2**53)
POWERS = np.array([float(f"1e{e}") for e in range(MAX_EXACT_POWER + 1)])
WHOLE_POWERS = 10 ** np.arange(9, dtype=np.uint64)
# Eight bytes at once, see _digits.
ZEROS, ABOVE_NINE, HIGH_BITS = (np.uint64(int(byte * 8, 16)) for byte in ("30", "76", "80"))
PAIRS, FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
TENS, HUNDREDS, TEN_THOUSANDS = (np.uint64(1 + (base << bits)) for base, bits in ((10, 8), (100, 16), (10_000, 32)))
BYTE, HALF_WORD = np.uint64(8), np.uint64(32)


@helper
def _skip(text: Bytes, i: int, pieces: Bytes, low: int, high: int) -> int:
    """The place after `pieces[low:high]`, which stands at i; not a slice, which takes as long to make as a number."""
    size = high - low
    if size < 8:
        differences = (load_word(text, i) ^ load_word(pieces, low)) << np.uint64(64 - 8 * size)
        return OTHERWISE if differences else i + size
    if i + size > text.size - 8:
        return OTHERWISE
    last = size - 8
    for k in range(0, last, 8):
        if load_word(text, i + k) != load_word(pieces, low + k):
            return OTHERWISE
    return i + size if load_word(text, i + last) == load_word(pieces, low + last) else OTHERWISE


@helper
def _up_to_eight(text: Bytes, i: int, n_digits: int) -> int:
    """The whole number of up to eight digits.

    Digits become 0 to 9 and what comes after them is shifted out; then pairs of digits, of pairs and of fours are put
    together, all of a kind by one product. A branch for each digit would take several times as long.
    """
    half = np.uint64(32 - 4 * n_digits)  # a word cannot be shifted by all of its bits at once
    word = (load_word(text, i) ^ ZEROS) << half << half
    word = (word * TENS >> BYTE) & PAIRS
    word = (word * HUNDREDS >> np.uint64(16)) & FOURS
    return word * TEN_THOUSANDS >> HALF_WORD  # type: ignore[no-any-return]


@helper
def _digits(text: Bytes, i: int, mantissa: int) -> tuple[int, int]:
    """More digits of a mantissa, and where they end."""
    n_digits = 8
    while n_digits == 8:
        word = load_word(text, i) ^ ZEROS
        others = ((word + ABOVE_NINE) | word) & HIGH_BITS
        n_digits = lowest_bit(others) >> 3
        mantissa = mantissa * WHOLE_POWERS[n_digits] + _up_to_eight(text, i, n_digits)
        i += n_digits
    return mantissa, i


@helper
def _short_number(text: Bytes, i: int) -> tuple[float, int]:
    """A number of up to eight digits on each side of its point, or `OTHERWISE`: most are, and it has no branches.

    All signs are looked at together, so that where the number ends is known before its digits are.
    """
    negative = int(text[i] == MINUS)
    others = ~bytes_between(text, i, DIGIT_0, DIGIT_0 + 9) ^ np.uint64(negative)
    point = others & (~others + np.uint64(1)) & bytes_between(text, i, DOT, DOT)  # of the first that is no digit
    has_point = int(point != 0)
    whole_end, end = lowest_bit(others), lowest_bit(others ^ point)
    n_whole, n_part = whole_end - negative, end - whole_end - has_point
    is_short = (n_whole > 0) & (n_whole <= 8) & (n_part >= has_point) & (n_part <= 8)
    starts_well = (text[i + negative] != DIGIT_0) | (n_whole == 1)
    if not (is_short & starts_well & ((text[i + end] | TO_LOWER) != LOWER_E)):
        return 0.0, OTHERWISE
    part = _up_to_eight(text, i + whole_end + 1, n_part)
    mantissa = _up_to_eight(text, i + negative, n_whole) * WHOLE_POWERS[n_part] + part
    if (mantissa > MAX_EXACT_MANTISSA) | ((mantissa == 0) & (negative != 0)):
        return 0.0, OTHERWISE
    value = np.float64(np.int64(mantissa)) / POWERS[n_part]
    return -value if negative else value, i + end


@helper
def _number(text: Bytes, i: int) -> tuple[float, int]:
    """A number as JSON writes it, and the place after it."""
    negative = text[i] == MINUS
    first = i + negative
    mantissa, i = _digits(text, first, np.uint64(0))  # type: ignore[arg-type]
    n_digits = i - first
    if n_digits == 0 or (text[first] == DIGIT_0 and n_digits > 1):
        return 0.0, OTHERWISE
    power = 0
    if text[i] == DOT:
        mantissa, end = _digits(text, i + 1, mantissa)
        power = i + 1 - end
        n_digits, i = n_digits - power, end
        if power == 0:
            return 0.0, OTHERWISE
    if (text[i] | TO_LOWER) == LOWER_E:
        i += 1
        falling = text[i] == MINUS
        first = i + (falling or text[i] == PLUS)
        exponent, i = _digits(text, first, np.uint64(0))  # type: ignore[arg-type]
        if not 0 < i - first <= 3:
            return 0.0, OTHERWISE
        power += -np.int64(exponent) if falling else np.int64(exponent)  # type: ignore[assignment]
    is_exact = n_digits <= MAX_DIGITS and mantissa <= MAX_EXACT_MANTISSA and abs(power) <= MAX_EXACT_POWER
    if not is_exact or (negative and mantissa == 0):
        return 0.0, OTHERWISE
    value = np.float64(mantissa)
    value = value * POWERS[power] if power >= 0 else value / POWERS[-power]
    return -value if negative else value, i


@helper
def _skip_id(text: Bytes, i: int) -> int:
    """The place after a text without escapes, or after digits."""
    first = i
    if text[i] == QUOTE:
        i += 1
        while text[i] != QUOTE:
            if text[i] == BACKSLASH or text[i] < SPACE:
                return OTHERWISE
            i += 1
        return i + 1
    while DIGIT_0 <= text[i] <= DIGIT_0 + 9:
        i += 1
    return i if i > first else OTHERWISE


@kernel
def read_rows(
    text: Bytes, i: int, pieces: Bytes, starts: IntArray, spaced: bool, has_ids: bool, takes_null: bool,
    values: FloatArray, ids: IntArray,
) -> tuple[int, int]:  # fmt: skip
    """Read rows from place i of a text, with `PADDING` after it as after `pieces`, into `values`; number and end.

    The number is `OTHERWISE` if one has another shape, or there are more than `values` has. With ids the first number
    of a row is an id, a text or a whole number, whose ends are written to `ids`. Rows are parted by a comma, and a
    space if `spaced`.
    """
    n_holes, n_rows = starts.size - 2, 0
    while n_rows < len(values):
        for k in range(n_holes):
            i = _skip(text, i, pieces, starts[k], starts[k + 1])
            if i == OTHERWISE:
                return OTHERWISE, i
            if has_ids and k == 0:
                ids[n_rows, 0] = i
                i = _skip_id(text, i)
                ids[n_rows, 1] = i
            elif text[i] == LOWER_N and takes_null:
                i = _skip(text, i, NULL, 0, NULL_SIZE)
                values[n_rows, k - has_ids] = np.nan
            else:
                value, after = _short_number(text, i)
                if after == OTHERWISE:
                    value, after = _number(text, i)
                values[n_rows, k - has_ids], i = value, after
            if i == OTHERWISE:
                return OTHERWISE, i
        i = _skip(text, i, pieces, starts[n_holes], starts[n_holes + 1])
        if i == OTHERWISE:
            return OTHERWISE, i
        n_rows += 1
        if text[i] != COMMA:
            return n_rows, i
        i += 1
        if spaced:
            if text[i] != SPACE:
                return OTHERWISE, i
            i += 1
    return OTHERWISE, i
