"""`rankwise info --report`: one page about a model, with and without data."""

from __future__ import annotations

import re

import numpy as np

import rankwise as rw
from rankwise.reports import write_model_report
from tests.plot.pictures import queries, ranker


def test_the_page_has_pictures_of_the_model_and_needs_nothing_beside_it(tmp_path, run) -> None:
    rw.save(ranker(), tmp_path / "m.rw")
    rw.write(queries(), tmp_path / "test.csv")
    page = tmp_path / "model.html"
    result = run("info", "m.rw", "--report", page, "--data", "test.csv")
    assert result.exit_code == 0, result.output
    text = page.read_text()
    headings = re.findall(r"<h3>(.*?)</h3>", text)
    assert headings == ["Learning curve", "Features", "Permutation", *["Dependence"] * 4, "A query explained"]
    assert text.count("<svg") == len(headings)
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "Model m.rw" in text
    assert "test.csv" in text
    assert f"rankwise {rw.__version__} on 20" in text


def test_one_list_of_two_classes_has_thresholds_and_calibration(tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 1).astype(int)
    model = rw.RateClassifier("r@p=0.7", model="linear", random_state=0, n_jobs=1).fit(X, y)
    text = write_model_report(tmp_path / "page.html", model, rw.RankingData(X, y, np.zeros(300, dtype=int))).read_text()
    for heading in ("Scores by class", "Thresholds", "ROC", "Gain", "Lift", "Calibration"):
        assert f"<h3>{heading}</h3>" in text
    assert "DeLong" in text
    assert ">threshold 0</text>" in text  # scores are less the threshold


def test_data_without_a_page_are_refused(tmp_path, run) -> None:
    rw.save(ranker(), tmp_path / "m.rw")
    result = run("info", "m.rw", "--data", "test.txt")
    assert result.exit_code != 0
    assert "add --report" in result.output
