"""TREC judgements and runs."""

from __future__ import annotations

import gzip
import math

import pytest

from rankwise.data import read
from rankwise.errors import DataError, FormatError

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq3 0 d1 1\n"
RUN = "q1 Q0 d2 1 0.9 tag\nq1\tQ0\td9\t2\t 0.5\ttag\r\nq2 Q0 d1 1 1.0 tag\nq1 Q0 d1 3 -1e-3 tag\n"


@pytest.mark.parametrize("run_first", [False, True])
def test_union_of_judged_and_retrieved(text_file, run_first) -> None:
    qrels, run = text_file(QRELS, "qrels"), text_file(RUN, "run")
    data = read(run, qrels) if run_first else read(qrels, run)
    assert data.qid.tolist() == ["q1"] * 4
    assert data.doc_ids.tolist() == ["d2", "d9", "d1", "d3"]  # type: ignore[union-attr]
    assert data.y.tolist() == [0, -1, 1, 2]
    assert data.scores.tolist() == [0.9, 0.5, -0.001, -math.inf]  # type: ignore[union-attr]
    assert data.X.shape == (4, 0)
    assert data.notes == (
        "1 query left out: no judgements",
        "1 query of the judgements left out: no retrieved documents",
    )


def test_packed(text_file) -> None:
    packed = text_file(gzip.compress(RUN.encode()), "run.gz")
    assert len(read(text_file(QRELS, "qrels"), packed)) == 4


@pytest.mark.parametrize(
    ("qrels", "run", "words"),
    [
        (QRELS + "q1 0 d2 1\n", RUN, r"qrels:5: document d2 stands twice in query q1"),
        (QRELS, RUN + "q1 Q0 d9 7 0.1 tag\n", r"run:5: document d9 stands twice in query q1"),
        (QRELS + "q1 0 d7\n", RUN, r"qrels:5: a line must be qid iteration document grade, got 3 words"),
        (QRELS, RUN + "q1 Q0 d7 1 x tag\n", r"run:5: a score must be a finite number, got 'x'"),
        (QRELS, RUN + "q1 Q0 d7 1 nan tag\n", r"run:5: a score must be a finite number, got 'nan'"),
        (QRELS + "q1 0 d7 inf\n", RUN, r"qrels:5: a grade must be a finite number, got 'inf'"),
    ],
)
def test_bad_lines(text_file, qrels, run, words) -> None:
    paths = text_file(qrels, "qrels"), text_file(run, "run")
    with pytest.raises(FormatError, match=words):
        read(*paths)
    data = read(*paths, skip_bad=True)
    assert len(data) == 4
    assert "1 malformed line of" in data.notes[0]


def test_files_that_do_not_belong_together(text_file) -> None:
    other = text_file(QRELS.replace("q", "z"), "qrels")
    with pytest.raises(FormatError, match=r"have no query in common with .*, got 'z1' and 'q1'"):
        read(other, text_file(RUN, "run"))


def test_judgements_alone(text_file) -> None:
    with pytest.raises(DataError, match="one TREC qrels and one run"):
        read(text_file(QRELS, "qrels"))


def test_the_files_of_trec_eval(shared_data) -> None:
    """Counts as trec_eval prints them: num_q, num_ret, num_rel, num_rel_ret."""
    printed = {}
    for line in (shared_data / "trec_eval" / "out.test").read_text().splitlines():
        name, _, value = line.split()
        printed[name] = value
    data = read(shared_data / "trec_eval" / "qrels.test", shared_data / "trec_eval" / "results.test")
    retrieved = data.scores > -math.inf  # type: ignore[operator]
    assert data.groups.n_queries == int(printed["num_q"])
    assert retrieved.sum() == int(printed["num_ret"])  # type: ignore[union-attr]
    assert (data.y > 0).sum() == int(printed["num_rel"])
    assert ((data.y > 0) & retrieved).sum() == int(printed["num_rel_ret"])
