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

from rankwise.cli.commands._label import _open_store
from rankwise.data import RankingData, read, write
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
    options = ("--labelled", "known.txt", "--ranker", "ranksvm", "--queries", "4", "--port", "0", "--no-open")
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
        with _open_store(tmp_path / "labels.db", data, None, []) as store:
            store.judge(0, 1, "ana")
    assert len(LabelStore.open(tmp_path / "labels.db").history(0)) == 2
