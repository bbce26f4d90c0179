"""Large CSV files, which a kernel reads where nothing is odd: the same as Arrow reads, whatever they hold."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data import read
from rankwise.data.io import _csv_table
from rankwise.errors import FormatError

NUMBERS = [
    "0.5",
    "-1e3",
    "",
    "NA",
    "nan",
    " 7 ",
    "123456789.25",
    "0.1000000014901161193847656250001",
    "-0",
    "+.5",
    "3.",
]


@pytest.fixture
def plain(monkeypatch):
    """Read by the kernel from the second row on, some lines at a time."""

    def read_plain(path, **options):
        with monkeypatch.context() as patch:
            patch.setattr(_csv_table, "PLAIN_FROM_BYTES", 0)
            patch.setattr(_csv_table, "BLOCK_BYTES", 400)
            patch.setattr(_csv_table, "CHUNK_BYTES", 160)
            return read(path, **options)

    return read_plain


def lines(count: int = 200, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    rows = [
        f"{rng.integers(3)},q{row // 9},{rng.choice(NUMBERS)},{rng.choice(['red', 'blue', ''])},d{row},{rng.random()!r}"
        for row in range(count)
    ]
    return ["label,qid,a,colour,doc_id,b", *rows]


def check_same(data, expected) -> None:
    np.testing.assert_array_equal(data.X, expected.X)
    assert data.X.tobytes() == expected.X.tobytes() or np.isnan(expected.X).any()
    for name in ("y", "qid", "doc_ids"):
        np.testing.assert_array_equal(getattr(data, name), getattr(expected, name))
    assert (data.categories, data.feature_names, data.notes) == (
        expected.categories,
        expected.feature_names,
        expected.notes,
    )


@pytest.mark.parametrize("odd", ["", '1,q1,0.5,"a, b",d,2', "1,q1,#N/A,null,,2", "1,ü,2,red,d,3", "\n"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_as_arrow_reads_it(text_file, plain, odd, ending) -> None:
    written = lines()
    path = text_file(ending.join([*written[:120], odd, *written[120:]]), "a.csv")
    check_same(plain(path), read(path))
    check_same(plain(path, drop=["b"]), read(path, drop=["b"]))


def test_every_number_is_that_of_python(text_file, plain) -> None:
    texts = [repr(number) for number in (np.random.default_rng(1).normal(0, 10.0, 300) ** 9).tolist()] + NUMBERS[5:]
    data = plain(text_file("\n".join(["y,a,b", *(f"0,1,{text}" for text in texts)]), "a.csv"))
    assert data.X[:, 1].tolist() == np.array([float(text) for text in texts], dtype=np.float32).tolist()


def test_labels_that_are_texts(text_file, plain) -> None:
    path = text_file("\n".join(["y,a", *("yes,1" if row % 3 else "no,2" for row in range(99))]), "a.csv")
    assert plain(path, positive="yes").y.tolist() == [float(row % 3 > 0) for row in range(99)]


@pytest.mark.parametrize("missing", ["", "NA", "  "])
def test_a_label_that_should_be_a_text_and_is_missing(text_file, plain, missing) -> None:
    rows = ["yes,1" if row % 3 else "no,2" for row in range(99)]
    path = text_file("\n".join(["y,a", *rows[:50], f"{missing},9", *rows[50:]]), "a.csv")
    with pytest.raises(FormatError, match="csv:52: column 'y' must be known for every row"):
        plain(path, positive="yes")
    check_same(plain(path, positive="yes", skip_bad=True), read(path, positive="yes", skip_bad=True))


def test_a_first_block_of_blank_lines(text_file, plain) -> None:
    path = text_file("label,qid,a,colour\n" + "\n" * 900 + "1,2,3,red\n0,2,4,blue\n" * 90, "a.csv")
    check_same(plain(path), read(path))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("1,q1,x,red,d,2", "csv:122: column 'a' must hold finite numbers, got 'x'"),
        ("1,q1,1e39,red,d,2", "csv:122: column 'a' must hold finite numbers, got '1e39'"),
        (",q1,1,red,d,2", "csv:122: column 'label' must be known for every row, got nothing"),
        ("1,,1,red,d,2", "csv:122: column 'qid' must be known for every row, got nothing"),
        ("1,q1,1,red,d", "csv:122: a row must have 6 values, got 5"),
    ],
)
def test_what_is_wrong_is_named_or_skipped(text_file, plain, bad, words) -> None:
    written = lines()
    path = text_file("\n".join([*written[:121], bad, *written[121:]]), "a.csv")
    with pytest.raises(FormatError, match=words):
        plain(path)
    check_same(plain(path, skip_bad=True), read(path, skip_bad=True))
