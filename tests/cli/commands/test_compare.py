"""`rankwise compare` prints and writes what `compare` finds."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

import rankwise as rw
from tests.cli.conftest import Run


def test_tables_have_all_systems_metrics_and_pairs(run: Run) -> None:
    arguments = ("compare", "test.txt", "--scores", "old.txt", "--scores", "new=model.txt", "--metrics", "map auc")
    lines = run(*arguments).stdout.splitlines()
    assert lines[0].split() == ["system", "map", "auc"]
    assert [line.split()[0] for line in lines[1:3]] == ["old", "new"]
    assert lines[2].count("*") == 2
    assert [line.split()[:4] for line in lines[6:8]] == [[m, "old", "−", "new"] for m in ("map", "auc")]


def test_json_is_the_comparison(run: Run) -> None:
    data = rw.read("test.txt")
    scores = {name: np.loadtxt(f"{name}.txt") for name in ("old", "model")}
    wanted = rw.compare(data.y, scores, data.qid, "map", random_state=3)
    files = ("--scores", "old.txt", "--scores", "model.txt")
    result = run("compare", "test.txt", *files, "--metrics", "map", "--seed", 3, "--json")
    assert json.loads(result.stdout) == wanted.to_dict()


def test_runs_are_compared_on_all_documents_that_any_found(run: Run) -> None:
    files = ("--scores", "run1.txt", "--scores", "run2.txt")
    result = run("compare", "qrels.txt", *files, "--metrics", "mrr", "--per-query", "q.csv", "--report", "r.html")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "rankwise: note: 1 query left out: no judgements",
        "rankwise: note: 1 query without a retrieved document in run2, evaluated as such",
    ]
    with Path("q.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["qid", "system", "mrr"]
    assert [(q, s, round(float(v), 3)) for q, s, v in rows[1:]] == [
        ("1", "run1", 1.0),
        ("2", "run1", 1.0),
        ("3", "run1", 1.0),
        ("1", "run2", 0.333),
        ("2", "run2", 0.0),  # the relevant document was not retrieved
        ("3", "run2", 0.0),  # nothing was
    ]
    assert Path("r.html").exists()
    as_data = run("compare", "qrels.txt", "run1.txt", "run2.txt", "--metrics", "mrr")
    assert as_data.stdout == result.stdout


def test_trec_evals_own_figures_alone_and_in_a_comparison(run: Run, shared_data: Path) -> None:
    """out.test is what trec_eval prints for these files."""
    trec = shared_data / "trec_eval"
    printed = dict(line.split()[::2] for line in (trec / "out.test").read_text().splitlines())
    names = {"map": "map", "mrr": "recip_rank", "bpref": "bpref", "p@5": "P_5", "p@10": "P_10"}
    Path("worse.txt").write_text(
        "".join(
            f"{qid} Q0 {document} {rank} {rank} worse\n"
            for qid, _, document, rank, *_ in map(str.split, (trec / "results.test").read_text().splitlines())
        )
    )
    shared = ("--convention", "trec", "--metrics", " ".join(names), "--json")
    alone = json.loads(run("eval", trec / "qrels.test", trec / "results.test", *shared).stdout)
    runs = ("--scores", trec / "results.test", "--scores", "worse.txt")
    both = json.loads(run("compare", trec / "qrels.test", *runs, *shared).stdout)["systems"]["results"]
    for ours, theirs in names.items():
        assert f"{alone['metrics'][ours]['mean']:.4f}" == printed[theirs]
        assert both["metrics"][ours]["mean"] == alone["metrics"][ours]["mean"]
