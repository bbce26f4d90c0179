"""The parser against Python's float: every feature must equal np.float32(float(text))."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.io._letor_chunk import Chunk
from rankwise.kernels import _letor_text as kernel


def parse(text: str, base: int = 1, has_qid: bool = False, skip_bad: bool = False):
    chunk = Chunk(len(text) + 8)
    chunk.text[: len(text)] = text.encode()
    chunk.text[len(text)] = ord("\n")
    chunk.size = len(text)
    return chunk, chunk.parse(base, has_qid, skip_bad)


def feature(text: str) -> np.float32:
    chunk, parsed = parse(f"0 1:{text}")
    assert parsed.problem is None, parsed.problem
    return chunk.values[0]


def label(text: str) -> float:
    chunk, parsed = parse(text)
    assert parsed.problem is None, parsed.problem
    return chunk.labels[0]


def same(a, b) -> bool:
    return np.asarray(a).tobytes() == np.asarray(b, dtype=np.asarray(a).dtype).tobytes()


digits = st.text("0123456789", min_size=1, max_size=25)
numbers = st.builds(
    lambda sign, whole, part, power: sign + whole + part + power,
    st.sampled_from(["", "-", "+"]),
    digits,
    st.one_of(st.just(""), st.just("."), digits.map(lambda d: "." + d)),
    st.one_of(st.just(""), st.integers(-60, 12).map(lambda e: f"e{e}"), st.integers(0, 9).map(lambda e: f"E+{e}")),
)


@pytest.mark.slow
@given(numbers)
@settings(max_examples=400)
def test_any_number_is_read_as_python_reads_it(text) -> None:
    value = float(text)
    if abs(value) < 3.4e38:
        assert same(feature(text), np.float32(value))
    assert same(label(text), value)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@settings(max_examples=300)
def test_float32_survives_its_shortest_text(value) -> None:
    assert same(feature(str(np.float32(value))), np.float32(value))


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e38, max_value=1e38))
@settings(max_examples=300)
def test_doubles_with_17_digits(value) -> None:
    assert same(feature(repr(value)), np.float32(value))
    assert same(label(repr(value)), value)


@given(st.integers(0x00000001, 0x7F7FFFFE), st.sampled_from([-1, 0, 1]))
@settings(max_examples=300)
def test_halfway_between_two_float32(bits, nudge) -> None:
    """Exact midpoints, and one unit in their last digit beside them: the cases that need Python's float."""
    low, high = np.array([bits, bits + 1], dtype=np.uint32).view(np.float32)
    with localcontext(prec=200):
        midpoint = (Decimal(float(low)) + Decimal(float(high))) / 2
    _, places, exponent = midpoint.as_tuple()
    text = f"{int(''.join(map(str, places))) + nudge}e{exponent}"
    assert same(feature(text), np.float32(float(text)))


@pytest.mark.parametrize("text", ["0.5", ".5", "5.", "-0", "+1", "1e5", "1E-5", "000123", "1e-400", "0e999", "1e+10"])
def test_spellings(text) -> None:
    assert same(feature(text), np.float32(float(text)))


@pytest.mark.parametrize("text", ["nan", "NaN", "NAN"])
def test_missing_values(text) -> None:
    assert np.isnan(feature(text))


@pytest.mark.parametrize(
    "text", ["", ".", "e5", "1e", "1e+", "--1", "1.2.3", "1,5", "0x10", "1_0", "nanx", "na", "abc", "1:2"]
)
def test_what_is_no_number(text) -> None:
    assert parse(f"0 1:{text}")[1].problem is not None


@pytest.mark.parametrize("text", ["inf", "-inf", "1e39", "3.5e38", "1e400", "9" * 60])
def test_values_beyond_float32_are_refused(text) -> None:
    assert parse(f"0 1:{text}")[1].problem is not None


def test_hard_numbers_do_not_leak_into_later_lines_when_a_line_is_skipped() -> None:
    hard = "1.00000005960464477539062500"
    chunk, parsed = parse(f"0.12345678901234567 1:{hard} 2:bad\n1 1:0.25 2:{hard}\n", skip_bad=True)
    assert (parsed.rows, parsed.entries, parsed.skipped) == (1, 2, 1)
    assert chunk.labels[0] == 1
    assert chunk.values[:2].tolist() == [0.25, float(np.float32(float(hard)))]


def test_fill_dense_is_a_loop_of_assignments() -> None:
    X = np.zeros((2, 3), dtype=np.float32)
    kernel.fill_dense(X, np.array([2, 3]), np.array([0, 2, 1], dtype=np.int32), np.array([1, 2, 3], dtype=np.float32))
    assert X.tolist() == [[1, 0, 2], [0, 3, 0]]


@pytest.mark.parametrize(
    "text",
    [
        "1 qid:1 1:2 30:4 # http://a:80/b\n\n# x:1\n0 qid:2\n 2 qid:3 7:1\t\r\n",
        "1 qid:1 2147483647:1#d\n",
        "0 qid:1 1:1",
        "0 qid:1",
    ],
)
def test_scan_counts_what_parse_finds(text) -> None:
    chunk, parsed = parse(text, has_qid=True)
    assert parsed.problem is None
    scanned = chunk.scan(1, True)
    assert (scanned.rows, scanned.entries, scanned.features) == (parsed.rows, parsed.entries, parsed.features)
    assert scanned.has_doc_ids >= parsed.has_doc_ids


@pytest.mark.parametrize("text", ["1\n2\n3 qid:1 1:1\n", "::: 99999999999999999999:1\n", "qid:qid:\n", ":\n"])
def test_scanning_what_is_malformed_gives_counts_that_are_harmless(text) -> None:
    scanned = parse(text, skip_bad=True)[0].scan(1, True)
    assert 0 <= scanned.rows <= text.count("\n") + 1  # arrays are made for this many
    assert 0 <= scanned.entries <= text.count(":")
    assert 0 <= scanned.features < 2**31
