"""What comes out of a simulation, by hand and by other libraries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import image
from scipy import stats

import rankwise as rw
from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.reports._learning_curves import write_learning_curves


def made(curves: dict[str, Any], full: float = 1.0, labelled: Any = (10, 20, 30, 40), **fields: Any) -> rw.Simulation:
    """A simulation of two queries by one metric, from the curves of its runs."""
    values = {name: {"map": np.array(runs, dtype=float)} for name, runs in curves.items()}
    runs = len(next(iter(values.values()))["map"])
    counts = np.tile(np.array(labelled, dtype=float), (runs, 1))
    seconds = {"fit": np.full(counts.shape, 2.0), "choose": np.full(counts.shape, 1.0)}
    return rw.Simulation(
        values, dict.fromkeys(curves, counts), dict.fromkeys(curves, seconds), {"map": full},
        tuple(range(runs)), fields.pop("per_query", 5), 2, **fields,
    )  # fmt: skip


def noisy(runs: int = 4, rounds: int = 6, seed: int = 0) -> rw.Simulation:
    rng = np.random.default_rng(seed)
    curves = {
        name: 0.5 + lift + 0.05 * rng.normal(size=(runs, rounds + 1))
        for name, lift in (("a", 0.1), ("b", 0), ("c", 0.01))
    }
    return made(curves, labelled=10 * np.arange(1, rounds + 2))


def test_both_t_tests_are_those_of_scipy() -> None:
    found = noisy()
    assert [(test.a, test.b) for test in found.tests] == [("a", "b"), ("a", "c"), ("b", "c")]
    for test in found.tests:
        a, b = (found.values[name]["map"][:, 1:] for name in (test.a, test.b))
        assert test.p_rounds == pytest.approx(stats.ttest_rel(a.mean(axis=0), b.mean(axis=0)).pvalue, abs=1e-12)
        assert test.p_runs == pytest.approx(stats.ttest_rel(a.mean(axis=1), b.mean(axis=1)).pvalue, abs=1e-12)
        assert test.difference == pytest.approx(a.mean() - b.mean(), abs=1e-12)


def test_intervals_are_those_of_scipy() -> None:
    found = noisy()
    low, high = found.interval("a", "map", level=0.9)
    curves = found.values["a"]["map"]
    expected = stats.t.interval(0.9, 3, curves.mean(axis=0), stats.sem(curves))
    np.testing.assert_allclose([low, high], expected, atol=1e-12)
    np.testing.assert_allclose(found.mean("a", "map"), curves.mean(axis=0))


def test_one_run_has_no_interval_and_no_test_over_runs() -> None:
    found = made({"a": [[0.1, 0.2, 0.3, 0.5]], "b": [[0.1, 0.1, 0.2, 0.3]]})
    assert np.isnan(found.interval("a", "map")).all()
    assert np.isnan(found.tests[0].p_runs)
    assert found.tests[0].p_rounds == pytest.approx(stats.ttest_rel([0.2, 0.3, 0.5], [0.1, 0.2, 0.3]).pvalue)
    assert found.to_dict()["tests"][0]["p_runs"] is None
    assert "±" not in str(found)


def test_labels_needed_by_hand() -> None:
    found = made({"a": [[0.5, 0.90, 0.98, 0.7], [0.5, 0.98, 0.94, 0.7]], "b": [[0.5, 0.6, 0.7, 0.8]] * 2})
    assert found.labels_needed("a", "map") == 30  # means .5 .94 .96 .7
    assert found.labels_needed("a", "map", share=0.94) == 20
    assert found.labels_needed("b", "map", share=0.5) == 10
    assert found.labels_needed("b", "map") is None


def test_relations_are_ordered_and_marked_as_in_the_paper() -> None:
    steady = np.array([0.5, 0.60, 0.61, 0.62, 0.60, 0.61])
    close = steady - np.array([0, 0.01, -0.009, 0.01, -0.009, 0.002])  # no difference to speak of
    worse = close - np.array([0, 0.02, 0.035, 0.01, 0.03, 0.005])  # p is between .01 and .05
    worst = worse - np.array([0, 0.30, 0.31, 0.30, 0.29, 0.30])
    found = made({"worst": [worst], "close": [close], "steady": [steady], "worse": [worse]}, labelled=range(6))
    p = {(test.a, test.b): test.p_rounds for test in found.tests}
    assert 0.01 < p["close", "worse"] < 0.05 < p["close", "steady"]
    assert p["worst", "worse"] < 0.01
    assert found.relation("map") == "steady ≈ close > worse ≫ worst"
    assert "map: steady ≈ close > worse ≫ worst" in str(found)


def test_rounds_that_labelled_nothing_are_not_tested() -> None:
    a, b = [[0.1, 0.2, 0.4, 0.4, 0.4], [0.1, 0.3, 0.4, 0.4, 0.4]], [[0.1, 0.1, 0.2, 0.2, 0.2]] * 2
    found = made({"a": a, "b": b}, labelled=(10, 20, 25, 25, 25))
    assert found.last_round == 2
    assert found.tests[0].mean_a == pytest.approx((0.2 + 0.4 + 0.3 + 0.4) / 4)
    assert found.tests[0].p_rounds == pytest.approx(stats.ttest_rel([0.25, 0.4], [0.1, 0.2]).pvalue)
    found.seconds["a"]["fit"][:] = [[9, 100, 2, 0, 0], [9, 4, 6, 0, 0]]
    assert found.seconds_per_round("a") == {"fit": 5.0, "choose": 1.0}


def test_folds_are_joined_as_further_runs() -> None:
    first = made({"a": [[0.1, 0.2, 0.3, 0.4]], "b": [[0.1, 0.1, 0.1, 0.2]]}, full=0.5, notes=("odd", "both"))
    second = made({"a": [[0.3, 0.4, 0.5, 0.6]] * 3, "b": [[0.3, 0.3, 0.3, 0.3]] * 3}, full=0.9, notes=("both",))
    found = rw.Simulation.concat([first, second])
    assert found.seeds == (0, 0, 1, 2)
    assert found.full["map"] == pytest.approx(0.8)
    assert found.notes == ("part 1: odd", "both")
    np.testing.assert_allclose(found.mean("a", "map"), [0.25, 0.35, 0.45, 0.55])
    assert found.labelled["b"].shape == found.seconds["b"]["fit"].shape == (4, 4)
    for other in (made({"a": [[0.1] * 4]}), made({"a": [[0] * 4], "b": [[0] * 4]}, per_query=4)):
        with pytest.raises(ShapeError, match="must have the same samplers"):
            rw.Simulation.concat([first, other])
    with pytest.raises(DataError, match="nothing to join"):
        rw.Simulation.concat([])


def test_json_has_it_all() -> None:
    found = noisy()
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    a = told["samplers"]["a"]
    assert np.array(a["metrics"]["map"]["runs"]).tolist() == found.values["a"]["map"].tolist()
    assert a["metrics"]["map"]["labels_needed"] == found.labels_needed("a", "map")
    assert a["metrics"]["map"]["low"] == found.interval("a", "map")[0].tolist()
    assert a["seconds_per_round"] == {"fit": 2.0, "choose": 1.0}
    assert (told["rounds"], told["full"], len(told["tests"])) == (6, {"map": 1.0}, 3)


def test_the_text_has_the_figures() -> None:
    text = str(
        made({"a": [[0.5, 0.90, 0.98, 0.7], [0.5, 0.98, 0.94, 0.7]], "b": [[0.5, 0.6, 0.7, 0.8]] * 2}, notes=("so",))
    )
    line = next(line for line in text.splitlines() if line.startswith("map") and " a " in line).split()
    assert line == ["map", "a", "0.5000", "±0.0000", "0.9400", "±0.5082", "0.7000", "±0.0000", "0.8667", "30", "3.000"]
    assert "note: so" in text


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(DataError, match="no runs of 'x'"):
        noisy().mean("x", "map")
    with pytest.raises(MetricError, match="auc was not evaluated"):
        noisy().mean("a", "auc")


@pytest.mark.slow
def test_the_picture_shows_each_curve(tmp_path: Path) -> None:
    found = noisy()
    path = write_learning_curves(tmp_path / "curves.png", found)
    pixels = image.imread(path)[:, :, :3]
    for colour in ("#0072b2", "#d55e00", "#009e73"):
        red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
        assert (np.abs(pixels - [red, green, blue]).max(axis=2) < 0.02).sum() > 100, colour
    again = write_learning_curves(tmp_path / "again.png", found)
    assert again.read_bytes() == path.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.png", "curves.png"]


def test_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    odd = made({"_hidden $\\frac$": [[0.1, 0.2, 0.3, 0.4]], "b": [[0.1, 0.1, 0.1, 0.2]]})
    text = write_learning_curves(tmp_path / "curves.svg", odd).read_text()
    assert "_hidden $\\frac$" in text
    assert ">all labels<" in text
    with pytest.raises(DataError, match=r"must end in \.png or \.svg"):
        write_learning_curves(tmp_path / "curves.txt", odd)
