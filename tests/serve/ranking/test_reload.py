"""A new model file takes the place of the old one between two requests, and of none of them the answer is mixed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import rankwise as rw
from rankwise.serve.ranking._model import CurrentModel
from tests.serve.ranking.factories import X, command, serving, trees
from tests.serve.ranking.load import Load, put, two_models

BODY = json.dumps({"features": X.tolist()}).encode()
EXCHANGES = 4


@pytest.mark.slow
def test_models_are_exchanged_under_load(tmp_path: Path) -> None:
    """Thousands of requests at once while the file is replaced again and again: no error, no mixed answer."""
    scores = two_models(tmp_path)
    path = tmp_path / "m.rw"
    put(tmp_path / "one.rw", path)

    def is_right(status: int, said: Any) -> bool:
        return status == 200 and said["scores"] == scores[said["model"]["version"]]

    with command(path) as (process, client):
        load = Load(client, BODY, is_right)
        threads = load.start(threads=8, requests=300)
        try:
            for turn in range(EXCHANGES):
                put(tmp_path / ("one.rw" if turn % 2 else "two.rw"), path)
                while f"rankwise_model_reloads_total {turn + 1}\n" not in client.send("GET", "/metrics")[1]:
                    time.sleep(0.05)
        finally:
            load.enough.set()
            for thread in threads:
                thread.join()
        counts = client.send("GET", "/metrics")[1]
        assert process.poll() is None
    assert (load.wrong, set(load.versions)) == ([], set(scores))
    answers = sum(load.versions.values())
    assert answers >= 8 * 300
    assert "rankwise_model_reload_failures_total 0" in counts
    assert f"rankwise_model_reloads_total {EXCHANGES}\n" in counts
    assert f"rankwise_documents_scored_total {len(X) * answers}\n" in counts


def test_a_broken_file_is_reported_and_the_old_model_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    two_models(tmp_path)
    path = tmp_path / "m.rw"
    put(tmp_path / "one.rw", path)
    with serving(path) as client:
        model: CurrentModel = client.service.model
        first = client.send("GET", "/health")[1]
        assert (first["status"], first["problem"]) == ("ok", None)
        before = client.rank(BODY)[1]
        whole = path.read_bytes()
        for broken in (b"", whole[: len(whole) // 2], b"PK" + whole[5:], b"not a model"):
            path.write_bytes(broken)
            model.reload_if_changed()
            model.reload_if_changed()  # the same file is not tried again
            said = client.send("GET", "/health")[1]
            assert "m.rw" in said["problem"]
            assert client.rank(BODY)[1] == before
        path.unlink()
        model.reload_if_changed()
        assert "not there" in client.send("GET", "/health")[1]["problem"]
        put(tmp_path / "two.rw", path)
        model.reload_if_changed()
        said = client.send("GET", "/health")[1]
        assert (said["problem"], said["model"]["version"] == first["model"]["version"]) == (None, False)
        counts = client.send("GET", "/metrics")[1]
    assert "rankwise_model_reload_failures_total 4" in counts
    assert "rankwise_model_reloads_total 1\n" in counts
    assert caplog.text.count("the old model is kept") == 5


def test_the_same_file_back_again_is_no_problem(tmp_path: Path) -> None:
    two_models(tmp_path)
    path = tmp_path / "one.rw"
    with serving(path) as client:
        path.rename(tmp_path / "away.rw")
        client.service.model.reload_if_changed()
        assert client.send("GET", "/health")[1]["problem"] is not None
        (tmp_path / "away.rw").rename(path)
        client.service.model.reload_if_changed()
        assert client.send("GET", "/health")[1]["problem"] is None


def test_a_model_of_other_features_is_served_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "m.rw"
    rw.save(trees(named=False), path)
    with serving(path) as client:
        rw.save(rw.RankSVM().fit(X[:, :3], range(len(X))), path)
        assert client.rank({"features": [[1, 2, 3, 4]]})[0] == 200
        client.service.model.reload_if_changed()
        assert client.rank({"features": [[1, 2, 3, 4]]})[0] == 422
        assert client.rank({"features": [[1, 2, 3]]})[1]["model"]["features"] == 3


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = two_models(tmp_path)
    path = tmp_path / "m.rw"
    calls: list[Any] = []
    put(tmp_path / "one.rw", path)
    loaded = rw.load

    def load_late(given: Path) -> Any:
        found = loaded(given)
        if not calls:
            put(tmp_path / "two.rw", path)
        calls.append(given)
        return found

    monkeypatch.setattr("rankwise.serve.ranking._model.load", load_late)
    now = CurrentModel(path).now
    assert (len(calls), now.scores(X).tolist()) == (2, scores[now.info.version])
