"""`rankwise label`: what is wrong is said before anything is served, and Ctrl-C is a proper end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from rankwise.cli.commands._label_store import NewStore, existing_store
from rankwise.data import RankingData, TextIndex, read, read_documents, read_queries, write
from rankwise.labels import LabelStore
from rankwise.labels._database import Database
from tests.cli.conftest import Run

SOURCE = Path(__file__).parents[3] / "src"


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command comes to an end as if by Ctrl-C at once."""
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)


BAD = [
    (["--sampler", "nobody"], "there is no sampler 'nobody'"),
    (["--metric", "ndgc"], "ndgc"),
    (["--ranker", "ranksvm", "--set", "depth=3"], "no parameter 'depth'"),
    (["--host", "0.0.0.0"], "--token"),
    (["--overlap", "2"], "needs as many labellers, got 1"),
    (["--token", "ana=short"], "at least 8 plain characters"),
    (["--token", "ana=secret-of-ana", "--token", "ana"], "got ana again"),
    (["--token", "ana=secret-of-ana", "--token", "ben=secret-of-ana"], "another one each"),
    (["--token", " =secret-of-ana"], "must be visible"),
    (["--token", "imported"], "choose another"),
    (["--text", "nowhere.jsonl"], "nowhere.jsonl"),
    (["--text", "model.txt"], "model.txt:1"),
    (["--test", "nowhere.txt"], "nowhere.txt"),
    (["--labelled", "test.txt"], "no document ids"),
    (["--db", "test.txt"], "test.txt cannot be written"),
    (["--db", "nowhere/labels.db"], "no folder nowhere"),
    (["--db", "model.txt"], "model.txt"),
    (["--per-query", "0"], "--per-query"),
    (["--host", "203.0.113.7", "--token", "ana"], "pass an address of this machine"),
    (["--port", "70000"], "--port"),
    (["--queries", "queries.txt"], "--queries is for texts alone, got DATA too"),
    (["--grades", "good"], "there must be 2 to 101 grades of different names, got 'good'"),
    (["--grades", "bad,good,bad"], "grades of different names, got 'bad, good, bad'"),
    (["--grades", "bad,,good"], "the name of a grade must be visible"),
]


@pytest.mark.usefixtures("no_server")
@pytest.mark.parametrize(
    ("options", "sentence"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bad_input_is_one_sentence(run: Run, options: list[str], sentence: str) -> None:
    db = [] if "--db" in options else ["--db", "labels.db"]
    done = run("label", "test.txt", "--port", "0", "--no-open", *db, *options)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.output
    assert sentence in done.stderr


DOCUMENTS = """\
{"id": "d1", "title": "Ferry times", "text": "Every day at eight and at noon."}
{"id": "d2", "text": "The night bus leaves at noon."}
{"id": "d3", "text": ""}
"""
TEXTS = ("--text", "docs.jsonl", "--queries", "queries.txt", "--db", "labels.db", "--port", "0", "--no-open")


@pytest.fixture
def texts(folder: Path) -> None:
    Path("docs.jsonl").write_text(DOCUMENTS)
    Path("queries.txt").write_text("7\tnight ferry\n3\tat noon\n9\tzebra\n")


@pytest.mark.usefixtures("no_server", "texts")
def test_texts_alone_are_enough(run: Run) -> None:
    done = run("label", *TEXTS, "--grades", "bad, fair,good")
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [
        "rankwise: note: no document has a word of 1 query, left out: 9",
        "rankwise: note: 1 document without a word: no query can find them",
    ]
    assert "labels.db holds 0 labels of 4 documents" in done.stdout
    with LabelStore.open("labels.db") as store:
        assert store.data.qid.tolist() == [7, 7, 3, 3]
        assert store.data.feature_names == TextIndex({"x": "y"}).feature_names
        assert store.grade_names == ["bad", "fair", "good"]
        assert store.item(0).query_fields == {"text": "night ferry"}
        assert store.item(1).fields == {"title": "Ferry times", "text": "Every day at eight and at noon."}
        for item in range(4):
            store.judge(item, item % 3, "ana")
        assert store.export_judgements("judged.parquet") == store.export_judgements("judged.txt") == 4
        judged = store.training_data()
    again = TextIndex(read_documents("docs.jsonl")).pool(read_queries("queries.txt"))
    for file in ("judged.parquet", "judged.txt"):
        np.testing.assert_array_equal(read(file).X, again.X)  # what new queries get is what was learned from
        assert read(file).y.tolist() == judged.y.tolist()


@pytest.mark.usefixtures("no_server", "texts")
def test_a_second_start_needs_the_store_alone(run: Run) -> None:
    assert run("label", *TEXTS, "--pool", "1", "--grades", "bad,good").exit_code == 0
    Path("docs.jsonl").unlink()
    done = run("label", "--db", "labels.db", "--port", "0", "--no-open", "--grades", "bad, good")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "labels.db holds 0 labels of 2 documents" in done.stdout
    done = run("label", *TEXTS)
    assert (done.exit_code, done.stderr) == (
        0,
        "rankwise: note: labels.db keeps the documents, queries and texts that it was made with; "
        "--text and --queries are not read again\n",
    )
    done = run("label", *TEXTS, "--grades", "good,bad")
    assert done.exit_code == 2
    assert "labels.db was made with the grades bad,good, got --grades good,bad; leave out --grades" in done.stderr


@pytest.mark.usefixtures("no_server", "texts")
def test_grades_of_a_store_without_words(run: Run) -> None:
    assert run("label", *TEXTS).exit_code == 0
    done = run("label", *TEXTS, "--grades", "bad,good")
    assert "labels.db was made with the grades 0,1,2,3,4, got --grades bad,good" in done.stderr


BAD_TEXTS = {
    "no documents": (["--text", "nowhere.jsonl"], "", "nowhere.jsonl does not exist"),
    "documents that are none": (["--text", "queries.txt"], "", "queries.txt:1: a line must be JSON"),
    "no queries": (["--queries", "nowhere.txt"], "", "nowhere.txt does not exist"),
    "a query without words": ([], "?!\n", "query '1' must have a word"),
    "queries of another language": ([], "trajekt\n", "no document has a word of any query, got 1 of these"),
    "an empty pool": (["--pool", "0"], "", "--pool"),
}


@pytest.mark.usefixtures("no_server", "texts")
@pytest.mark.parametrize("name", BAD_TEXTS)
def test_bad_texts_are_one_sentence(run: Run, name: str) -> None:
    options, queries, sentence = BAD_TEXTS[name]
    if queries:
        Path("queries.txt").write_text(queries)
    done = run("label", *TEXTS, *options)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.output
    assert sentence in done.stderr
    assert not Path("labels.db").exists()


@pytest.mark.usefixtures("no_server", "texts")
@pytest.mark.parametrize("options", [[], ["--text", "docs.jsonl"], ["--queries", "queries.txt"]], ids=len)
def test_nothing_to_label(run: Run, options: list[str]) -> None:
    done = run("label", "--db", "labels.db", *options)
    assert done.exit_code == 2
    assert "nothing to make it of; name DATA, or --text and --queries to start from texts alone" in done.stderr


@pytest.mark.usefixtures("no_server")
def test_a_port_that_is_taken(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("label", "test.txt", "--db", "labels.db", "--port", taken.getsockname()[1], "--no-open")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "pass another --port" in done.stderr
    assert not Path("labels.db").exists()


@pytest.mark.usefixtures("no_server")
def test_a_store_of_other_data_is_refused(run: Run) -> None:
    assert run("label", "test.txt", "--db", "labels.db", "--port", "0", "--no-open").exit_code == 0
    data = read("test.txt")
    write(data.rows(np.arange(10)), "other.txt")
    done = run("label", "other.txt", "--db", "labels.db", "--port", "0", "--no-open")
    assert done.exit_code == 2
    assert "was made from other data" in done.stderr


@pytest.mark.usefixtures("no_server")
def test_labels_that_are_there_already_teach_the_first_model(run: Run) -> None:
    data = read("test.txt")
    named = RankingData(data.X, data.y, data.qid, [f"d{row}" for row in range(len(data))])
    write(named, "pool.txt")
    write(named.rows(np.arange(60)), "known.txt")
    options = ("--labelled", "known.txt", "--ranker", "ranksvm", "--per-round", "4", "--port", "0", "--no-open")
    done = run("label", "pool.txt", "--db", "labels.db", *options)
    assert done.exit_code == 0, done.output
    assert f"labels.db holds 60 labels of {len(data)} documents" in done.stdout
    with LabelStore.open("labels.db") as store:
        assert (store.labels()[:60] == data.y[:60]).all()
        assert store.labellers() == ["imported"]


@pytest.mark.usefixtures("no_server")
def test_links_and_json(run: Run) -> None:
    options = ("--db", "labels.db", "--port", "0", "--token", "ana=secret/of#ana")
    done = run("label", "test.txt", *options)
    assert "#token=secret%2Fof%23ana" in done.stdout
    done = run("label", "test.txt", *options, "--json")
    told = json.loads(done.stdout)
    assert told["labellers"] == {"ana": f"{told['url']}#token=secret%2Fof%23ana"}


@pytest.mark.usefixtures("no_server")
def test_the_browser_is_opened_for_who_labels_alone_and_has_a_screen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    options = ("label", "test.txt", "--db", "labels.db", "--port", "0")
    run(*options, "--no-open")
    run(*options, "--token", "ana")
    assert opened == []
    done = run(*options)
    assert opened == [done.stdout.split()[2]]


@pytest.mark.slow
def test_ctrl_c_ends_it_with_a_count(folder: Path) -> None:
    script = (
        "import signal, rankwise.cli\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # which a run in the background may ignore
        "rankwise.cli.app(['label', 'test.txt', '--db', 'labels.db', '--port', '0', '--no-open'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[-1]
    with urllib.request.urlopen(url, timeout=30) as answer:  # it answers, so that Ctrl-C meets a running server
        assert answer.status == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.splitlines()[-1].startswith("labels.db holds 0 labels of ")


@pytest.mark.slow
def test_without_the_extra_the_remedy_is_named() -> None:
    code = (
        "import importlib.machinery as machinery\n"
        "found = machinery.PathFinder.find_spec\n"
        "machinery.PathFinder.find_spec = lambda name, *more: None if name == 'fastapi' else found(name, *more)\n"
        "from rankwise.cli import app\n"
        "app(['label', 'test.txt', '--db', 'labels.db'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "rankwise: fastapi is not installed; run: pip install 'rankwise[serve]'\n"


def test_a_store_that_was_killed_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    data = RankingData([[1.0]], [-1], [1], ["d"])
    Database.create(tmp_path / "labels.db").close()  # as far as it comes before its tables
    assert (tmp_path / "labels.db").stat().st_size > 0
    for _ in range(2):
        store = existing_store(tmp_path / "labels.db") or NewStore(data, {}, {}, None).create(tmp_path / "labels.db")
        with store:
            store.judge(0, 1, "ana")
    assert len(LabelStore.open(tmp_path / "labels.db").history(0)) == 2
