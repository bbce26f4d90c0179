"""What thresholds do, and where a ranking page marks them on its curves."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.metrics import compare, evaluate
from rankwise.reports import write_report
from rankwise.reports._operating_points import operating_point, points_to_choose_from, short_threshold
from tests.reference.thresholds import count

METRICS = ["r@p=0.9", "p@r=0.5", "tpr@fpr=0.1"]
LISTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), min_size=2, max_size=40)


@given(LISTS, st.sampled_from(METRICS))
def test_the_threshold_is_the_one_that_the_value_is_of(rows, metric) -> None:
    labels, scores = np.array(rows, dtype=float).T
    point, value = operating_point(metric, labels, scores), evaluate(labels, scores, None, metric)[metric]
    if point is None:
        assert value == 0 or len(set(labels > 0)) == 1
        return
    tp, fp, fn, tn = count(labels, scores, point.threshold)
    assert (point.precision, point.recall) == (tp / (tp + fp), tp / (tp + fn))
    assert point.fpr == pytest.approx(fp / (fp + tn))
    assert value == (point.precision if metric.startswith("p@r") else point.recall)


def one_list():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(float)
    return y, {"good": 2 * y + rng.normal(size=400), "poor": y + rng.normal(size=400)}


def figure_of(page: str, heading: str) -> str:
    figure = page[page.index(f"<h3>{heading}</h3>") :]
    return figure[: figure.index("</figure>")]


def captions(page: str) -> dict[str, str]:
    """The words under each figure, by its heading."""
    return dict(re.findall(r"<figure><h3>(.*?)</h3>.*?<figcaption>(.*?)</figcaption>", page, re.S))


def dots(page: str, heading: str) -> int:
    """Large markers in a figure: one <use> each."""
    return len(re.findall(r"<use [^>]*var\(--series", figure_of(page, heading)))


def graded(y):
    """One list of several grades, which has a ranking page."""
    return np.where(y > 0, 1.0 + np.arange(y.size) % 2, 0.0)


def test_points_are_marked_and_told_with_their_thresholds(tmp_path) -> None:
    y, scores = one_list()
    y = graded(y)
    result = compare(y, scores, None, ["auc", *METRICS])
    page = write_report(tmp_path / "r.html", result, y, scores).read_text("utf-8")
    said = captions(page)
    for metric, heading in zip(METRICS, ["Precision and recall", "Precision and recall", "ROC"], strict=True):
        for name, system in scores.items():
            assert f"hindsight, {metric}, {name}: {operating_point(metric, y, system)}." in said[heading]
        assert f">hindsight, {metric}</text>" in page  # beside the dot
    assert (dots(page, "Precision and recall"), dots(page, "ROC")) == (4, 2)


def test_the_point_lies_where_it_should(tmp_path) -> None:
    """The same threshold by two metrics is one place; more recall is further right, less precision further down."""
    y, scores = np.array([1.0, 2, 1, 0, 1, 0, 0, 0]), np.arange(8.0)[::-1]
    metrics = ["r@p=1", "p@r=1", "r@p=0.5"]
    result = evaluate(y, scores, None, metrics)
    page = write_report(tmp_path / "r.html", result, y, {"a": scores}).read_text("utf-8")
    places = [
        (float(x), float(y))
        for x, y in re.findall(
            r'<use [^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*var\(--series', figure_of(page, "Precision and recall")
        )
    ]
    assert len(places) == 3
    (x0, y0), (x1, y1), third = places  # (0.75, 1), (1, 0.8) and (1, 0.8) once more
    assert third == (x1, y1)
    assert x1 > x0
    assert y1 > y0  # SVG counts from the top
    caption = captions(page)["Precision and recall"]
    assert "r@p=1: recall 0.75 at precision 1, threshold 5." in caption
    assert "p@r=1: recall 1 at precision 0.8, threshold 3." in caption


@pytest.mark.slow
def test_nothing_is_marked_without_such_metrics_or_with_several_queries(tmp_path) -> None:
    y, scores = one_list()
    y = graded(y)
    plain = write_report(tmp_path / "a.html", compare(y, scores, None, "auc"), y, scores).read_text("utf-8")
    assert dots(plain, "ROC") == dots(plain, "Precision and recall") == 0
    assert "threshold" not in captions(plain)["ROC"]
    qid = np.repeat([1, 2], 200)
    several = write_report(tmp_path / "b.html", compare(y, scores, qid, METRICS), y, scores, qid).read_text("utf-8")
    assert dots(several, "ROC") == dots(several, "Precision and recall") == 0
    said = captions(several)
    for heading in ("ROC", "Precision and recall"):
        assert (
            "r@p=0.9, p@r=0.5, tpr@fpr=0.1 cannot be marked: every query has a threshold of its own." in said[heading]
        )


@pytest.mark.slow
def test_a_value_of_nought_has_no_point(tmp_path) -> None:
    y, scores = np.array([0.0, 1, 0, 1]), np.array([4.0, 3, 2, 1])
    assert operating_point("r@p=0.9", y, scores) is None


SCORES = st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=30)


def test_a_threshold_of_one_digit_stays_as_it_is() -> None:
    assert short_threshold(-1e-05, np.array([0.0, -1e-05])) == -1e-05


@given(SCORES, st.data())
def test_a_short_threshold_flags_the_same_rows(values, data) -> None:
    scores = np.array(values)
    threshold = data.draw(st.sampled_from(values))
    short = short_threshold(threshold, scores)
    assert ((scores >= short) == (scores >= threshold)).all()
    assert len(repr(short)) <= len(repr(threshold)) + 1


@given(LISTS)
def test_points_to_choose_from_flag_or_find_at_least_what_they_are_named_for(rows) -> None:
    labels, scores = np.array(rows, dtype=float).T
    if len(set(labels > 0)) == 1:
        return
    for point in points_to_choose_from(labels, scores):
        assert (point.tp, point.fp, point.fn, point.tn) == count(labels, scores, point.threshold)
        for name in point.name.split(", "):
            kind, percent = name.rstrip("%").split()
            reached = point.recall if kind == "recall" else point.share
            assert reached >= float(percent) / 100 - 1e-9
