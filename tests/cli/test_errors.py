"""Bad input and bad luck: one sentence, the right exit code, nothing half-written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from typer.testing import Result

import rankwise.data
from tests.cli.conftest import Run

BAD = {
    "no such command": ("evl",),
    "no such option": ("eval", "test.txt", "--jsn"),
    "no data": ("eval",),
    "no such file": ("eval", "nowhere.txt", "--feature", 1),
    "a folder": ("eval", ".", "--feature", 1),
    "no scores": ("eval", "test.txt"),
    "two kinds of scores": ("eval", "test.txt", "--feature", 1, "--scores", "model.txt"),
    "feature 0": ("eval", "test.txt", "--feature", 0),
    "feature too high": ("eval", "test.txt", "--feature", 6),
    "a feature that is no number": ("eval", "test.txt", "--feature", "x"),
    "a metric that is not": ("eval", "test.txt", "--feature", 1, "--metrics", "ndgc@10"),
    "no metric": ("eval", "test.txt", "--feature", 1, "--metrics", " "),
    "a convention that is not": ("eval", "test.txt", "--feature", 1, "--convention", "tree"),
    "ties that are not": ("eval", "test.txt", "--feature", 1, "--ties", "x"),
    "no ids to order ties by": ("eval", "test.txt", "--feature", 1, "--ties", "docid"),
    "an empty file of scores": ("eval", "test.txt", "--scores", "empty.txt"),
    "too few scores": ("eval", "test.txt", "--scores", "short.txt"),
    "scores that are the data": ("eval", "test.txt", "--scores", "test.txt"),
    "binary scores": ("eval", "test.txt", "--scores", "binary.bin"),
    "a damaged archive": ("eval", "test.txt", "--scores", "cut.gz"),
    "damaged Parquet": ("eval", "test.txt", "--scores", "cut.parquet"),
    "a table without score": ("eval", "test.txt", "--scores", "table.csv"),
    "a run without ids in the data": ("eval", "test.txt", "--scores", "run1.txt"),
    "judgements alone": ("eval", "qrels.txt"),
    "judgements with plain scores": ("eval", "qrels.txt", "--scores", "model.txt"),
    "a run alone": ("eval", "run1.txt"),
    "a run of other queries": ("eval", "qrels.txt", "other_run.txt"),
    "two runs for one evaluation": ("eval", "qrels.txt", "run1.txt", "run2.txt"),
    "a report in no folder": ("eval", "test.txt", "--feature", 1, "--report", "no/r.html"),
    "a report that is a folder": ("eval", "test.txt", "--feature", 1, "--report", "."),
    "a report over the data": ("eval", "test.txt", "--feature", 1, "--report", "test.txt"),
    "a report over the data by a link": ("eval", "test.txt", "--feature", 1, "--report", "link.txt"),
    "one file for two outputs": ("eval", "test.txt", "--feature", 1, "--report", "a", "--per-query", "./a"),
    "an output that is a pipe": ("eval", "test.txt", "--feature", 1, "--per-query", "pipe"),
    "made data in a pipe's place": ("data", "make", "web", "pipe", "--queries", 2),
    "one system to compare": ("compare", "test.txt", "--scores", "model.txt"),
    "systems of one name": ("compare", "test.txt", "--scores", "model.txt", "--scores", "model.txt"),
    "converting onto itself": ("data", "convert", "test.txt", "test.txt"),
    "converting onto the sizes of the queries": ("data", "convert", "rank", "rank.query"),
    "converting a run": ("data", "convert", "qrels.txt", "run1.txt", "out.txt"),
    "packed Parquet": ("data", "convert", "test.txt", "out.parquet.gz"),
    "fractions that are no numbers": ("data", "split", "test.txt", "--out", "o", "--fractions", "a,b"),
    "fractions beyond one": ("data", "split", "test.txt", "--out", "o", "--fractions", "1,1,1"),
    "names that do not fit": ("data", "split", "test.txt", "--out", "o", "--names", "a,b"),
    "names out of the folder": ("data", "split", "test.txt", "--out", "o", "--names", "../a,b,c"),
    "a scale that is not": ("data", "normalize", "test.txt", "out.txt", "--how", "x"),
    "too many grades": ("data", "make", "cubic", "out.txt", "--grades", 9),
    "no queries": ("data", "make", "web", "out.txt", "--queries", 0),
    "r above k": ("data", "make", "r-of-k", "out.txt", "--k", 2, "--r", 3),
    "data beyond all memory": ("data", "make", "web", "out.txt", "--queries", 10**12),
}


@pytest.fixture
def bad_files(folder: Path) -> None:
    Path("empty.txt").write_text("")
    Path("short.txt").write_text("1\n2\n")
    Path("binary.bin").write_bytes(bytes(range(256)))
    Path("cut.gz").write_bytes(b"\x1f\x8b\x08\x00cut")
    Path("cut.parquet").write_bytes(b"PAR1 and nothing else")
    Path("table.csv").write_text("a,b\n1,2\n")
    Path("other_run.txt").write_text("77 Q0 a 1 0.9 x\n")
    Path("link.txt").symlink_to("test.txt")
    Path("rank").write_text("1 0:1\n0 0:2\n")
    Path("rank.query").write_text("2\n")
    os.mkfifo("pipe")


def assert_one_sentence(result: Result, code: int = 2) -> None:
    lines = result.stderr.splitlines()
    assert (result.exit_code, result.stdout, len(lines)) == (code, "", 1), result.output
    assert lines[0].startswith("rankwise: ")
    assert "Traceback" not in lines[0]


@pytest.mark.slow
@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_changes_no_file(run: Run, folder: Path, case: str) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert_one_sentence(run(*BAD[case]))
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize("bad", ["nan", "inf", "x", "1 2", ""])
def test_a_bad_score_is_named_with_its_line(run: Run, bad: str) -> None:
    Path("s.txt").write_text(f"1\n2\n{bad}\n4\n")
    result = run("eval", "test.txt", "--scores", "s.txt")
    assert_one_sentence(result)
    assert "s.txt:3: " in result.stderr
    Path("s.csv").write_text(f"id,score\na,2\nb,{bad}\nc,4\n")
    assert "s.csv:3: " in run("eval", "test.txt", "--scores", "s.csv").stderr


def test_a_disk_that_is_full_leaves_nothing(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(data: object, path: Path) -> None:
        path.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(rankwise.data, "write", full)
    result = run("data", "convert", "test.txt", "out.txt")
    assert_one_sentence(result)
    assert "No space left" in result.stderr
    assert not [path for path in folder.iterdir() if "out.txt" in path.name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "d/.0123456789ab.out.txt"), 2, "rankwise: d/out.txt "),
        (MemoryError(), 2, "rankwise: there is not enough memory"),
        (ZeroDivisionError("of ours\nin two lines"), 70, "rankwise: this is a mistake in rankwise (ZeroDiv"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 1, ""),
    ],
)
def test_exit_codes(run: Run, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, said: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.delenv("RANKWISE_DEBUG", raising=False)
    monkeypatch.setattr(rankwise.data, "read", fail)
    result = run("data", "stats", "test.txt")
    assert result.exit_code == code
    assert result.stderr.startswith(said)
    assert len(result.stderr.splitlines()) == bool(said)


def test_a_mistake_of_ours_shows_its_traceback_if_wished(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setenv("RANKWISE_DEBUG", "1")
    monkeypatch.setattr(rankwise.data, "read", fail)
    assert isinstance(run("data", "stats", "test.txt").exception, ZeroDivisionError)


def test_nothing_at_all_prints_the_help(run: Run) -> None:
    for arguments in ((), ("data",), ("data", "make")):
        result = run(*arguments)
        assert (result.exit_code, result.stderr) == (2, "")
        assert "Usage: rankwise" in result.stdout
