"""The demo: parts of a draw share no query, a matrix whose marks say what the tests found, a page and a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import rankwise as rw
from examples import demo


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "QUERIES", 12)
    monkeypatch.setattr(demo, "DOCUMENTS", 60)
    monkeypatch.setattr(demo, "LABELLED_QUERIES", 12)
    monkeypatch.setattr(demo, "DRAWS", 2)
    monkeypatch.setattr(demo, "TREES", {"n_estimators": 5, "learning_rate": 0.1, "num_leaves": 4})
    monkeypatch.setattr(demo, "OUT", tmp_path)
    monkeypatch.setattr(demo, "find_spec", lambda name: None)  # as after a base install


@pytest.mark.usefixtures("small_demo")
def test_parts_of_a_draw_share_no_query_and_draws_differ() -> None:
    parts = [set(demo.search_digits(part)[0].qid.tolist()) for part in range(3)]
    assert [len(part) for part in parts] == [12, 12, 12]
    assert len(set.union(*parts)) == 36
    assert not parts[0] & set(demo.search_digits(0, draw=1)[0].qid.tolist())
    assert np.array_equal(demo.search_digits(2)[0].X, demo.search_digits(2)[0].X)


def test_marks_are_against_the_model_trained_on_the_judged_metric() -> None:
    rng = np.random.default_rng(0)
    y, qid = np.tile([1.0, 0, 0, 0, 0, 0], 200), np.repeat(np.arange(200), 6)
    good, middling, bad = (y * strength + rng.normal(size=y.size) for strength in (4, 2, 0))
    scores = {"auc, rankwise": middling, "ndcg@10, rankwise": good, "map, rankwise": good, "other": bad}
    console = Console(width=100, record=True)
    console.print(demo.trained_by_judged(rw.compare(y, scores, qid, demo.METRICS)))
    lines = {line.split("  ")[0]: line for line in console.export_text().splitlines()}
    assert lines["other"].count("▼") == 3
    assert lines["auc, rankwise"].count("▼") == 2
    assert lines["ndcg@10, rankwise"].count("▲") == 1
    assert "[0." in lines["auc, rankwise"].split()[2]
    assert sum(line.count("*") for line in lines.values()) == 3


@pytest.mark.slow
@pytest.mark.usefixtures("small_demo")
def test_the_demo_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    told = capsys.readouterr().out
    for name in ("auc, rankwise", "lambdarank, LightGBM", "log loss, LightGBM", "cosine of pixels", "lookahead"):
        assert name in told
    assert "24 queries × 60 images" in told
    assert (tmp_path / "demo.html").stat().st_size > 10_000
    assert (tmp_path / "labelling.png").read_bytes().startswith(b"\x89PNG")
