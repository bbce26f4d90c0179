"""`rankwise eval` prints and writes what `evaluate` finds."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pytest
from pyarrow import parquet

import rankwise as rw
from rankwise.cli import _options as options
from rankwise.metrics import CONVENTIONS
from rankwise.metrics._conventions import Empty
from rankwise.metrics._evaluate import DEFAULT_METRICS
from rankwise.metrics._ranking import Ties
from tests.cli.conftest import Run


def expected(metrics: str = "ndcg@10 map mrr auc") -> rw.Evaluation:
    data = rw.read("test.txt")
    scores = [float(line) for line in Path("model.txt").read_text().split()]
    return rw.evaluate(data.y, scores, data.qid, metrics)


def test_choices_are_those_of_the_library() -> None:
    assert get_args(options.Convention) == tuple(CONVENTIONS)
    assert get_args(options.Ties) == get_args(Ties)
    assert get_args(options.Empty) == get_args(Empty)


def test_the_table_and_the_json_are_the_evaluation(run: Run) -> None:
    table = run("eval", "test.txt", "--scores", "model.txt")
    assert table.stdout.splitlines() == str(expected()).splitlines()
    assert list(expected().per_query) == list(DEFAULT_METRICS)
    as_json = run("eval", "test.txt", "--scores", "model.txt", "--json")
    assert json.loads(as_json.stdout) == expected().to_dict()


@pytest.mark.parametrize("name", ["s.txt.gz", "s.csv", "s.tsv", "s.parquet", "bare.csv"])
def test_scores_may_be_packed_or_a_table(run: Run, name: str) -> None:
    lines = Path("model.txt").read_text().split()
    if name == "s.txt.gz":
        Path(name).write_bytes(gzip.compress("\n".join([*lines, "", ""]).encode()))
    elif name == "s.parquet":
        parquet.write_table(pa.table({"id": [0] * len(lines), "score": list(map(float, lines))}), name)
    elif name == "bare.csv":
        Path(name).write_text("\n".join(lines))
    else:
        mark = "," if name == "s.csv" else "\t"
        Path(name).write_text("\n".join(f"a{mark}{cell}" for cell in ["Score", *lines]))
    result = run("eval", "test.txt", "--scores", name)
    assert result.stdout == run("eval", "test.txt", "--scores", "model.txt").stdout != ""


def test_a_feature_is_judged_as_the_score(run: Run) -> None:
    data = rw.read("test.txt")
    wanted = rw.evaluate(data.y, data.X[:, 2], data.qid, "auc", ties="worst")
    result = run("eval", "test.txt", "--feature", 3, "--metrics", "auc", "--ties", "worst", "--json")
    assert json.loads(result.stdout) == wanted.to_dict()


def test_values_by_query_and_a_report_are_written(run: Run) -> None:
    run("eval", "test.txt", "--scores", "model.txt", "--per-query", "q.csv", "--report", "r.html")
    with Path("q.csv").open() as file:
        header, *rows = csv.reader(file)
    assert header == ["qid", *DEFAULT_METRICS]
    assert [float(row[1]) for row in rows] == expected().per_query["ndcg@10"].tolist()
    assert "<!DOCTYPE html>" in Path("r.html").read_text(encoding="utf-8")


def test_a_query_left_out_is_an_empty_cell_with_a_reason(run: Run) -> None:
    Path("d.txt").write_text("1 qid:1 1:1\n0 qid:1 1:0\n0 qid:2 1:1\n")
    result = run("eval", "d.txt", "--feature", 1, "--metrics", "map pauc[0,0.1]", "--per-query", "q.csv")
    assert re.search(r"^map .* 1 +1: .*a relevant document$", result.stdout, re.M)
    assert Path("q.csv").read_text() == 'qid,map,"pauc[0,0.1]"\n1,1.0,1.0\n2,,\n'


def test_trec_judgements_with_a_run_however_it_is_named(run: Run) -> None:
    as_data = run("eval", "qrels.txt", "run2.txt", "--metrics", "map mrr")
    as_scores = run("eval", "qrels.txt", "--scores", "run2.txt", "--metrics", "map mrr")
    assert as_data.stdout == as_scores.stdout
    data = rw.read("qrels.txt", "run2.txt")
    assert data.scores is not None
    assert as_data.stdout == f"{rw.evaluate(data.y, data.scores, data.qid, 'map mrr')}\n"
    assert as_data.stderr.splitlines() == [
        "rankwise: note: 1 query left out: no judgements",
        "rankwise: note: 1 query of the judgements left out: no retrieved documents",
    ]


def test_a_run_is_matched_with_data_that_names_its_documents(run: Run) -> None:
    Path("d.txt").write_text("1 qid:1 1:0 # a\n0 qid:1 1:0 # b\n2 qid:2 1:0 # c\n0 qid:2 1:0 # a\n")
    result = run("eval", "d.txt", "--scores", "run1.txt", "--metrics", "mrr", "--json")
    assert json.loads(result.stdout)["metrics"]["mrr"]["mean"] == 1.0
    assert "1 document of run1.txt left out: not in the data" in result.stderr


def test_malformed_lines_are_skipped_if_wished(run: Run) -> None:
    Path("d.txt").write_text("1 qid:1 1:1\nnonsense\n0 qid:1 1:0\n")
    assert run("eval", "d.txt", "--feature", 1).exit_code == 2
    result = run("eval", "d.txt", "--feature", 1, "--skip-bad")
    assert result.exit_code == 0
    assert result.stderr == "rankwise: note: 1 malformed line skipped\n"


def test_metrics_are_listed_with_their_needs(run: Run) -> None:
    listed = json.loads(run("metrics", "--json").stdout)
    assert {"spelling", "meaning", "needs"} == set(listed[0])
    ndcg = next(one for one in listed if one["spelling"] == "ndcg@10")
    assert ndcg["needs"] == "a relevant document"
    assert all(one["meaning"] for one in listed)
    table = run("metrics").stdout
    assert all(one["meaning"] in table for one in listed)
