"""Numbers from bytes of text.

A number is read as mantissa · 10^exponent with at most 18 digits kept. Where that gives the double that
`float(text)` gives, or a float32 that no rounding error can change, it is final; the very rare others are
left to Python's `float`. So every number equals `float(text)`, or `np.float32(float(text))`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper

Bytes = NDArray[np.uint8]

NEWLINE, DOT, PLUS, MINUS = (ord(c) for c in "\n.+-")
DIGIT_0, LOWER_E = ord("0"), ord("e")
TO_LOWER = 32  # the bit that makes an ASCII letter a small one

MAX_DIGITS = 18  # that fit into an int64
MANTISSA_ROOM = 10 ** (MAX_DIGITS - 1)  # below this another digit fits
MAX_EXACT_MANTISSA = 2**53
MAX_EXACT_POWER = 22  # 10^22 is the last power of ten that is a double
MAX_POWER = 270  # 18 digits times 10^±270 is a normal double
POWERS = np.array([float(f"1e{e}") for e in range(-MAX_POWER, MAX_POWER + 1)])
# Four roundings of 2^-53 (mantissa, power, product, digits dropped after the 18th), doubled to be safe.
ROUNDING = 2.0**-50


@helper
def digit_at(text: Bytes, i: int) -> int:
    """The digit at i; something outside 0..9 where there is none."""
    return np.int64(text[i]) - DIGIT_0  # type: ignore[return-value]


@helper
def _read_long_digits(text: Bytes, i: int) -> tuple[int, int]:
    """The first 18 digits of a number from i on, zeros in front aside, and its exponent of ten."""
    mantissa = 0
    exponent = 0
    is_fraction = False
    while text[i] == DOT or 0 <= digit_at(text, i) <= 9:
        if text[i] == DOT:
            is_fraction = True
        elif mantissa < MANTISSA_ROOM:
            mantissa = mantissa * 10 + digit_at(text, i)
            exponent -= is_fraction
        else:
            exponent += not is_fraction
        i += 1
    return mantissa, exponent


@helper
def read_number(text: Bytes, i: int) -> tuple[bool, int, int, int]:
    """Sign (true: negative), mantissa, exponent of ten, and where the number ends; -1 if it is not one."""
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    first = i
    mantissa = 0
    digit = digit_at(text, i)
    while 0 <= digit <= 9:
        mantissa = mantissa * 10 + digit
        i += 1
        digit = digit_at(text, i)
    digits = i - first
    exponent = 0
    if text[i] == DOT:
        i += 1
        dot = i
        digit = digit_at(text, i)
        while 0 <= digit <= 9:
            mantissa = mantissa * 10 + digit
            i += 1
            digit = digit_at(text, i)
        exponent = dot - i
        digits -= exponent
    if digits == 0:
        return negative, 0, 0, -1
    if digits > MAX_DIGITS:  # so rare that the loops above need not look out for it
        mantissa, exponent = _read_long_digits(text, first)
    if (text[i] | TO_LOWER) == LOWER_E:
        i += 1
        falling = text[i] == MINUS
        if falling or text[i] == PLUS:
            i += 1
        first = i
        power = 0
        digit = digit_at(text, i)
        while 0 <= digit <= 9:
            power = min(power * 10 + digit, 1_000_000_000)
            i += 1
            digit = digit_at(text, i)
        if i == first:
            return negative, 0, 0, -1
        exponent += -power if falling else power
    return negative, mantissa, exponent, i


@helper
def is_exact(mantissa: int, exponent: int) -> bool:
    """Whether one multiplication or division of two exact doubles gives the number (Clinger 1990)."""
    return mantissa <= MAX_EXACT_MANTISSA and -MAX_EXACT_POWER <= exponent <= MAX_EXACT_POWER


@helper
def exact_double(mantissa: int, exponent: int) -> float:
    """The double of a number that is exact."""
    if exponent < 0:
        return np.float64(mantissa) / POWERS[MAX_POWER - exponent]  # type: ignore[no-any-return]
    return np.float64(mantissa) * POWERS[MAX_POWER + exponent]  # type: ignore[no-any-return]


@helper
def to_float32(mantissa: int, exponent: int) -> tuple[np.float32, bool]:
    """The float32 nearest to mantissa · 10^exponent, and whether that is certain."""
    if is_exact(mantissa, exponent):
        return np.float32(exact_double(mantissa, exponent)), True
    if mantissa == 0 or exponent < -MAX_POWER:
        return np.float32(0.0), True
    if exponent > MAX_POWER:
        return np.float32(np.inf), True
    near = np.float64(mantissa) * POWERS[MAX_POWER + exponent]
    low, high = np.float32(near * (1.0 - ROUNDING)), np.float32(near * (1.0 + ROUNDING))
    return high, low == high or np.isinf(high)
