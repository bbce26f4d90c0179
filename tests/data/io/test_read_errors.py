"""Everything that can be wrong with a file: a clear error of one sentence, never a raw traceback."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from functools import cache

import pyarrow as pa
import pytest

from rankwise.data import read
from rankwise.errors import DataError, FormatError

GOOD = "1 qid:1 1:0.5\n"
# What is wrong, the second line of a file, the column, and words of the message.
BAD_LINES = [
    ("label", "x qid:1 1:0.5", 1, "finite label, got 'x'"),
    ("nan label", "nan qid:1 1:0.5", 1, "finite label, got 'nan'"),
    ("infinite label", "inf qid:1 1:0.5", 1, "finite label, got 'inf'"),
    ("huge label", "1e999 qid:1 1:0.5", 1, "finite label, got '1e999'"),
    ("missing qid", "1 1:0.5", 3, "no qid although the first line has one, got '1:0.5'"),
    ("missing qid and features", "1", 2, "no qid although the first line has one"),
    ("text qid", "1 qid:abc 1:0.5", 3, "whole number of at most 18 digits, got 'qid:abc'"),
    ("empty qid", "1 qid: 1:0.5", 3, "whole number of at most 18 digits, got 'qid:'"),
    ("long qid", "1 qid:1234567890123456789 1:0.5", 3, "whole number of at most 18 digits"),
    ("index 0", "1 qid:1 0:0.5", 9, "start at 1, got '0:0.5'; add 1 to every index, or, if LightGBM"),
    ("falling index", "1 qid:1 2:1 1:1", 13, "must rise within a line, got '1:1'"),
    ("repeated index", "1 qid:1 2:1 2:1", 13, "must rise within a line, got '2:1'"),
    ("huge index", "1 qid:1 99999999999:1", 9, "at most 2147483647, got '99999999999:1'"),
    ("no colon", "1 qid:1 0.5", 9, "must be index:value, got '0.5'"),
    ("second qid", "1 qid:1 qid:2", 9, "must be index:value, got 'qid:2'"),
    ("negative index", "1 qid:1 -1:2", 9, "must be index:value, got '-1:2'"),
    ("no value", "1 qid:1 1:", 9, "number or nan, got '1:'"),
    ("text value", "1 qid:1 1:abc", 9, "number or nan, got '1:abc'"),
    ("large value", "1 qid:1 1:1e39", 9, "float32), got '1:1e39'"),
    ("infinite value", "1 qid:1 1:inf", 9, "number or nan, got '1:inf'"),
]


@pytest.mark.parametrize(("line", "column", "words"), [case[1:] for case in BAD_LINES], ids=[c[0] for c in BAD_LINES])
@pytest.mark.parametrize("before", ["", "\n# comment\n"], ids=["second line", "fourth line"])
def test_a_bad_line(text_file, line, column, words, before) -> None:
    path = text_file(GOOD + before + line + "\n" + GOOD)
    with pytest.raises(FormatError) as caught:
        read(path)
    number = 2 + before.count("\n")
    assert str(caught.value).startswith(f"{path}:{number}:{column}: ")
    assert words in str(caught.value)
    assert (caught.value.path, caught.value.line, caught.value.column) == (path, number, column)


@pytest.mark.parametrize("line", [case[1] for case in BAD_LINES], ids=[c[0] for c in BAD_LINES])
def test_a_bad_line_is_skipped_and_counted(text_file, line) -> None:
    data = read(text_file(GOOD + line + "\n" + "0 qid:2 1:0.25 2:1\n"), skip_bad=True)
    assert data.X.tolist() == [[0.5, 0], [0.25, 1]]
    assert data.qid.tolist() == [1, 2]
    assert data.notes == ("1 malformed line skipped",)


def test_a_skipped_line_does_not_widen_the_data(text_file) -> None:
    data = read(text_file(GOOD + "1 qid:1 1:0.5 70000:abc\n"), skip_bad=True)
    assert data.X.shape == (1, 1)


def test_the_first_line_may_be_bad(text_file) -> None:
    path = text_file("garbage\n" + GOOD)
    with pytest.raises(FormatError, match=r"data.txt:1:1: a line must begin with a finite label, got 'garbage'"):
        read(path)
    assert len(read(path, skip_bad=True)) == 1


def test_qid_on_later_lines_only(text_file) -> None:
    with pytest.raises(FormatError, match=r":2:3: this line has a qid although the first line has none"):
        read(text_file("1 1:0.5\n" + GOOD))


def test_the_line_number_counts_over_chunks(text_file) -> None:
    path = text_file(GOOD * 200_000 + "oops\n" + GOOD * 100_000 + "again\n")
    with pytest.raises(FormatError, match=r":200001:1: .* got 'oops'"):
        read(path)
    assert read(path, skip_bad=True).notes == ("2 malformed lines skipped",)


@pytest.mark.parametrize("content", ["", "\n\n", "# only\n# comments\n"], ids=["empty", "blank", "comments"])
@pytest.mark.parametrize("packed", [False, True])
def test_files_without_rows(text_file, content, packed) -> None:
    raw = content.encode()
    path = text_file(gzip.compress(raw), "data.txt.gz") if packed else text_file(raw)
    with pytest.raises(FormatError, match=r"is empty|no rows"):
        read(path)


def test_only_bad_lines(text_file) -> None:
    with pytest.raises(FormatError, match=r"2 malformed lines were skipped"):
        read(text_file("x 1:2\ny 1:2\n"), skip_bad=True)


def test_an_unknown_format(text_file) -> None:
    with pytest.raises(FormatError, match="format cannot be told from the first line, got 'hello there'"):
        read(text_file("hello there\n"))


def test_a_missing_file_a_folder_and_nothing(tmp_path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read(tmp_path / "absent.txt")
    with pytest.raises(DataError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(DataError, match="name at least one file"):
        read()


LONG = "".join(f"{i % 3} qid:{i} 1:{i * 0.37:.5f} 2:{i * 17 % 1000}\n" for i in range(60_000)).encode()
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
}


@cache
def packed_rows(kind: str) -> bytes:
    return PACK[kind](LONG)


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("keep", [0.6, 0.01])
def test_a_truncated_archive(text_file, kind, keep) -> None:
    content = packed_rows(kind)
    path = text_file(content[: int(len(content) * keep)], f"data.txt.{kind}")
    with pytest.raises(FormatError, match=f"this .{kind} archive is cut off or damaged"):
        read(path)


@pytest.mark.parametrize("kind", PACK)
def test_a_corrupt_archive(text_file, kind) -> None:
    content = bytearray(packed_rows(kind))
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    with pytest.raises(FormatError, match=f"this .{kind} archive is cut off or damaged"):
        read(text_file(bytes(content), f"data.txt.{kind}"))


@pytest.mark.parametrize("kind", PACK)
def test_a_name_that_promises_an_archive(text_file, kind) -> None:
    with pytest.raises(FormatError, match=f"this is not a .{kind} archive"):
        read(text_file(GOOD, f"data.txt.{kind}"))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ("1\n1\n", "must add up to the rows of the data, got 2 for 3 rows"),
        ("3\nx\n", "query:2: a query size must be a positive whole number, got 'x'"),
        ("3\n0\n", "query:2: a query size must be a positive whole number, got '0'"),
        ("", "must add up to the rows of the data, got 0 for 3 rows"),
    ],
)
def test_query_sizes(text_file, sizes, words) -> None:
    text_file(sizes, "rank.query")
    with pytest.raises(FormatError, match=words):
        read(text_file("1 0:1\n0 1:1\n0 2:1\n", "rank"))


def test_lines_that_a_query_file_counts_cannot_be_skipped(text_file) -> None:
    text_file("3\n", "rank.query")
    with pytest.raises(DataError, match=r"cannot be skipped, because its \.query file counts them"):
        read(text_file("1 0:1\nx 1:1\n0 2:1\n", "rank"), skip_bad=True)


def test_files_that_do_not_go_together(text_file) -> None:
    letor, bare = text_file(GOOD, "a.txt"), text_file("1 1:2\n", "b.txt")
    table = text_file("label,f\n1,2\n", "c.csv")
    with pytest.raises(DataError, match="all files or none must name their queries"):
        read(letor, bare)
    with pytest.raises(DataError, match=r"must have one format, .*c\.csv \(csv\)"):
        read(letor, table)


@pytest.mark.parametrize("case", BAD_LINES, ids=[c[0] for c in BAD_LINES])
def test_messages_are_one_sentence_with_a_remedy(text_file, case) -> None:
    with pytest.raises(FormatError) as caught:
        read(text_file(GOOD + case[1] + "\n"))
    message = str(caught.value)
    assert "; " in message
    assert "\n" not in message
