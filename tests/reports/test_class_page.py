"""A classifier's page: its words, and numbers that are those of scikit-learn on the same rows."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

import rankwise as rw
from rankwise.errors import DataError
from rankwise.reports import write_report
from tests.reports.test_report import HOSTILE, Page


@cache
def rows() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.2).astype(float)
    return y, {
        "margins": 2 * y + rng.normal(size=600),
        "probabilities": 1 / (1 + np.exp(2 - 2 * y - rng.normal(size=600))),
    }


THRESHOLDS = {"margins": 1.5, "probabilities": 0.6}


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Page:
    y, scores = rows()
    result = rw.compare(y, scores, metrics="auc r@p=0.8 p@r=0.5 tpr@fpr=0.1")
    path = write_report(tmp_path_factory.mktemp("page") / "r.html", result, y, scores, threshold=THRESHOLDS)
    return Page(path.read_text("utf-8"))


def table(page: Page, name: str) -> list[list[str]]:
    """The body of a table: texts of cells, and of small print in them after a bar."""
    (body,) = re.findall(rf'<table aria-label="{re.escape(name)}">.*?<tbody>(.*?)</tbody>', page.text, re.S)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
    return [[cell.replace("<small>", "|").replace("</small>", "") for cell in row] for row in cells]


def test_it_speaks_of_classes(page) -> None:
    for words in ("Classifier report", "positives", "negatives", "Precision and recall", "Lift", "Gain", "flagged"):
        assert words in page.said
    for words in ("NDCG", "document", "relevant", "queries"):
        assert words not in page.said
    assert re.findall(r"<h2>(.*?)</h2>", page.text) == [
        "Metrics", "Differences between systems", "Decisions", "Curves", "Thresholds", "Calibration",
    ]  # fmt: skip


def test_both_thresholds_are_marked_and_named(page) -> None:
    figure = page.text[page.text.index("<h3>Precision and recall</h3>") :]
    figure = figure[: figure.index("</figure>")]
    for words in ("own threshold", "hindsight, r@p=0.8", "hindsight, p@r=0.5"):
        assert figure.count(f">{words}</text>") == 2
    assert "hindsight, tpr@fpr=0.1" in page.text[page.text.index("<h3>ROC</h3>") :]


def test_decisions_and_matrices_are_those_of_scikit_learn(page) -> None:
    y, scores = rows()
    decisions = table(page, "Decisions")
    assert len(decisions) == 2 * 4
    for system, by, threshold, *cells in decisions:
        flagged = scores[system] >= float(threshold)
        precision, recall, fpr, count, share = (cell.split("|")[0] for cell in cells)
        assert float(precision) == pytest.approx(sk.precision_score(y, flagged), abs=5e-5)
        assert float(recall) == pytest.approx(sk.recall_score(y, flagged), abs=5e-5)
        assert float(fpr) == pytest.approx(1 - sk.recall_score(1 - y, ~flagged), abs=5e-5)
        assert int(count) == flagged.sum()
        assert float(share[:-1]) == pytest.approx(100 * flagged.mean(), rel=5e-3)
        (_, tp, fn), (_, fp, tn) = table(page, f"Confusion matrix: {system}: {by}")
        assert [[int(tn), int(fp)], [int(fn), int(tp)]] == sk.confusion_matrix(y, flagged).tolist()
        if by == "own threshold":
            assert float(threshold) == THRESHOLDS[system]
            low, high = cells[1].split("|")[1].split(" to ")
            assert float(low) < float(recall) < float(high)
        else:
            assert "|" not in "".join(cells)  # chosen on these rows: an interval would not hold
            metric = by.removeprefix("hindsight, ")
            value = {"r": recall, "p": precision, "t": recall}[metric[0]]
            assert float(value) == pytest.approx(rw.evaluate(y, scores[system], metrics=metric)[metric], abs=5e-5)


@pytest.mark.parametrize("system", ["margins", "probabilities"])
def test_the_table_of_thresholds_is_that_of_scikit_learn(page, system) -> None:
    y, scores = rows()
    found = table(page, f"Thresholds of {system}")
    assert 12 <= len(found) <= 18
    assert [float(row[0]) for row in found] == sorted((float(row[0]) for row in found), reverse=True)
    for threshold, _, count, _, precision, recall, _, lift in found:
        flagged = scores[system] >= float(threshold)
        expected = sk.precision_score(y, flagged)
        assert int(count) == flagged.sum()
        assert float(precision) == pytest.approx(expected, abs=5e-5)
        assert float(recall) == pytest.approx(sk.recall_score(y, flagged), abs=5e-5)
        assert float(lift) == pytest.approx(expected / y.mean(), abs=5e-3)


def test_calibration_is_that_of_scikit_learn_and_only_of_probabilities(page) -> None:
    y, scores = rows()
    share, given = calibration_curve(y, scores["probabilities"], n_bins=10, strategy="quantile")
    shown = np.array([[float(cell) for cell in row[:2]] for row in table(page, "Calibration of probabilities")])
    np.testing.assert_allclose(shown, np.transpose([given, share]), atol=5e-5)
    assert f"Brier score {sk.brier_score_loss(y, scores['probabilities']):.4f}" in page.said
    assert "The scores of margins are no probabilities: they go from -" in page.said
    assert "Calibration of margins" not in page.text


def test_differences_are_a_forest_and_a_folded_table(page) -> None:
    tests = table(page, "Tests")
    assert [row[0] for row in tests] == ["auc", "r@p=0.8", "p@r=0.5", "tpr@fpr=0.1"]
    assert "DeLong" in tests[0]
    labels = [svg["aria-label"] for svg in page.all("svg") if "Differences of" in (svg.get("aria-label") or "")]
    assert len(labels) == 4
    assert re.search(r'<details><summary>All tests as a table</summary><div [^>]*aria-label="Tests"', page.text)


def test_without_a_threshold_it_says_so_and_hindsight_is_by_f1(tmp_path) -> None:
    y, scores = rows()
    one = {"margins": scores["margins"]}
    result = rw.evaluate(y, one["margins"], metrics="auc")
    page = Page(write_report(tmp_path / "r.html", result, y, one).read_text("utf-8"))
    assert "No threshold of the systems is known" in page.said
    ((by, threshold, *_),) = table(page, "Decisions")
    assert by == "hindsight, f1"
    precision, recall, _ = sk.precision_recall_curve(y, one["margins"])
    best = np.max(2 * precision * recall / (precision + recall))
    assert sk.f1_score(y, one["margins"] >= float(threshold)) == pytest.approx(best)


@pytest.mark.slow
def test_a_classifier_brings_its_threshold_objective_and_probabilities(tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    kind = np.where(X[:, 0] + 0.4 * rng.normal(size=600) > 1.2, "fraud", "ok")
    model = rw.RateClassifier("r@p=0.7", model="linear", pos_label="fraud", random_state=0, n_jobs=1)
    model.fit(X[:300], kind[:300])
    data = rw.RankingData(X[300:], (kind[300:] == "fraud").astype(float), np.zeros(300, dtype=int))
    scores = {"m": model.scores(data)}
    result = rw.evaluate(data, scores["m"], metrics="auc")
    path = write_report(tmp_path / "r.html", result, data, scores, models={"m": model})
    page = Page(path.read_text("utf-8"))
    own, hindsight = table(page, "Decisions")
    assert (own[0], hindsight[0]) == ("own threshold", "hindsight, r@p=0.7")
    said_yes = model.predict(X[300:]) == "fraud"
    assert int(own[5]) == said_yes.sum() > 0
    proba = model.predict_proba(X[300:])[:, list(model.classes_).index("fraud")]
    assert f"Brier score {sk.brier_score_loss(data.y, proba):.4f}" in page.said
    with pytest.raises(DataError, match=r"must be what model\.scores"):
        write_report(path, rw.evaluate(data, -scores["m"]), data, {"m": -scores["m"]}, models={"m": model})
    with pytest.raises(DataError, match="pass RankingData as y"):
        write_report(path, result, data.y, scores, models={"m": model})
    with pytest.raises(DataError, match="a threshold of its own"):
        write_report(path, result, data, scores, models={"m": model}, threshold=1.0)


def test_a_threshold_that_flags_nothing_has_no_precision(tmp_path) -> None:
    y, scores = rows()
    one = {"margins": scores["margins"]}
    result = rw.evaluate(y, one["margins"], metrics="auc")
    page = Page(write_report(tmp_path / "r.html", result, y, one, threshold=99).read_text("utf-8"))
    own = table(page, "Decisions")[0]
    assert own[:3] == ["own threshold", "99", "no value"]
    assert own[3].startswith("0.0000|")
    assert not re.search(r"\bnan\b", page.said.lower())


@pytest.mark.parametrize(("label", "words"), [(0.0, "rows are negative"), (1.0, "rows are positive")])
def test_one_class_is_told_in_words(tmp_path, label, words) -> None:
    _, scores = rows()
    y = np.full(600, label)
    result = rw.compare(y, scores, metrics="auc r@p=0.9")
    page = Page(write_report(tmp_path / "r.html", result, y, scores, threshold=0.5).read_text("utf-8"))
    assert f"All 600 {words}" in page.said
    assert page.all("figure") == []
    assert "no value" in page.said
    assert not re.search(r"\bnan\b", page.said.lower())


def test_a_threshold_for_something_else_is_refused(tmp_path) -> None:
    y, scores = rows()
    qid = np.repeat([1, 2], 300)
    path = tmp_path / "r.html"
    with pytest.raises(DataError, match="for one list of two classes, got 2 queries"):
        write_report(path, rw.compare(y, scores, qid, "map"), y, scores, qid, threshold=0.5)
    result = rw.compare(y, scores, metrics="auc")
    with pytest.raises(DataError, match="thresholds must be of the systems, margins, probabilities, got other"):
        write_report(path, result, y, scores, threshold={"other": 0.5})
    with pytest.raises(DataError, match="must be a finite number, got nan"):
        write_report(path, result, y, scores, threshold=float("nan"))
    assert not path.exists()


@pytest.mark.slow
def test_hostile_names_come_out_as_text(tmp_path) -> None:
    y, (first, second) = rows()[0], rows()[1].values()
    scores = {HOSTILE: first, HOSTILE + "2": second}
    path = write_report(tmp_path / "r.html", rw.compare(y, scores, metrics="auc"), y, scores, title=HOSTILE)
    page = Page(path.read_text("utf-8"))
    assert page.all("script") == []
    assert not any("onload" in attributes for _, attributes in page.elements)
    assert len(page.all("style")) == 1
