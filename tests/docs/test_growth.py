"""The benchmark of growth: every estimator is in it, runs, and cells are counted, limited and resumed as it says."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image

import rankwise as rw
from benchmarks import growth
from benchmarks.growth_models import DOCUMENTS, LEFT_OUT, TASKS, make_rows
from benchmarks.growth_picture import write_picture

SLOW_TO_LOAD = ("ranx", "CatBoost YetiRank, depth 5")


def test_every_estimator_is_there_or_left_out_with_a_reason() -> None:
    estimators = {name for name in rw.__all__ if hasattr(getattr(rw, name), "fit")}
    here = {name.split(",")[0] for name in TASKS} & estimators
    assert here | set(LEFT_OUT) == estimators
    assert not here & set(LEFT_OUT)
    assert {task.peer for task in TASKS.values()} - {None} == {n for n, task in TASKS.items() if task.peer is None}


def test_rows_are_of_one_nature_in_any_number() -> None:
    few, many = make_rows(10 * DOCUMENTS), make_rows(200 * DOCUMENTS)
    np.testing.assert_array_equal(few.X, many.X[: len(few.X)])
    shares = np.bincount(many.grade) / len(many.grade)
    np.testing.assert_allclose(shares, [0.5, 0.25, 0.15, 0.07, 0.03], atol=0.02)
    assert np.bincount(few.qid).tolist() == [DOCUMENTS] * 10


def test_separable_rows_are() -> None:
    rows = make_rows(5000, separable=True)
    model = rw.MarginRanker(method="hard").fit(rows.X, rows.positive)
    assert model.rho_ > 0
    assert model.score(rows.X, rows.positive) == 1.0


@pytest.mark.parametrize("name", [name for name in TASKS if name not in SLOW_TO_LOAD])
@pytest.mark.filterwarnings("ignore")
def test_every_model_fits_and_predicts(name: str) -> None:
    task = TASKS[name]
    rows = make_rows(5 * DOCUMENTS, separable=task.separable)
    model = task.fit(task.given(rows))
    if task.predict is not None:
        scores = np.asarray(task.predict(model, rows.X))
        assert len(scores) == len(rows.X)
        assert np.isfinite(scores).all()


def test_a_cell_is_measured_in_a_process_of_its_own() -> None:
    gc.collect()  # or the fork would free what other tests left behind while it counts its own memory
    cell = growth.in_fresh_process("LinearSVC", 200_000)
    assert (cell["name"], cell["rows"]) == ("LinearSVC", 200_000)
    assert cell["fit_seconds"] > cell["predict_seconds"] > 0
    assert cell["fit_bytes"] > 200_000 * 20 * 4  # it makes a copy in float64, in part of memory that was held before


def test_a_cell_that_takes_too_long_is_recorded_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "SECONDS", -1)
    assert growth.in_fresh_process("HiGHS PDLP", 20_000)["exceeded"] == "-1 s"


def test_a_cell_that_fails_ends_the_run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(growth, "make_rows", lambda *_, **__: 1 / 0)
    with pytest.raises(SystemExit, match="LinearSVC failed at 100 rows"):
        growth.in_fresh_process("LinearSVC", 100)
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize("power", [0.5, 1.0, 1.7])
def test_the_slope_is_the_power_of_the_rows(power: float) -> None:
    cells = [{"name": "m", "rows": n, "fit_seconds": 3e-6 * n**power} for n in (100, 10_000, 1_000_000)]
    stopped = {"name": "m", "rows": 10**7, "exceeded": "150 s"}
    assert growth.slope([*cells, stopped], "fit_seconds") == pytest.approx(power)
    assert growth.slope(cells[:1], "fit_seconds") is None


def test_a_run_goes_on_where_it_was_and_leaves_what_was_stopped() -> None:
    cells = [{"name": "RankSVM", "rows": 10_000}, {"name": "HiGHS PDLP", "rows": 10_000, "exceeded": "150 s"}]
    names = ["RankSVM", "AUCSVM", "HiGHS PDLP", "MarginRanker, hard"]
    assert list(growth.to_measure(cells, names, (10_000, 10_000_000))) == [
        ("AUCSVM", 10_000),
        ("MarginRanker, hard", 10_000),
        ("RankSVM", 10_000_000),
        ("AUCSVM", 10_000_000),
    ]


def test_names_are_models_or_families() -> None:
    assert growth.chosen("linear;evaluate, queries") == ["RankSVM", "AUCSVM", "LinearSVC", "evaluate, queries"]
    with pytest.raises(SystemExit, match="'RankSvm' is not one of trees"):
        growth.chosen("RankSvm")


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_light_and_a_dark_ground(tmp_path: Path, dark: bool) -> None:
    path = tmp_path / "growth.png"
    write_picture(path, [{"name": "RankSVM", "rows": n, "fit_seconds": 1e-6 * n} for n in (100, 1000)], dark=dark)
    ground = image.imread(path)[0, 0, :3].mean()
    assert ground < 0.1 if dark else ground == 1.0
