from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest

import rankwise as rw
from rankwise.data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._evaluate import evaluate
from rankwise.metrics.comparison._compare import compare
from rankwise.reports import write_report

VOID = {"br", "meta"}
HOSTILE = "<script>alert('x')</script>\" onload=\"$x$ </style> &amp;"


class Page(HTMLParser):
    """Reads a page, fails where an element is not closed, and keeps what tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def said(self) -> str:
        return " ".join(self.words)


def some_data(queries=30, seed=0, names=("first", "second", "third")):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(500, 500 + queries), rng.integers(4, 25, queries))
    truth = rng.normal(size=qid.size)
    y = np.digitize(truth, [0.5, 1.2, 2.0]).astype(float)
    y[qid == 503] = 0
    scores = {name: truth + noise * rng.normal(size=qid.size) for noise, name in enumerate(names, 1)}
    return y, scores, qid


def page_of(tmp_path, result, y, scores, qid=None, **options) -> Page:
    return Page(write_report(tmp_path / "report.html", result, y, scores, qid, **options).read_text("utf-8"))


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Page:
    y, scores, qid = some_data()
    result = compare(y, scores, qid, ["ndcg@10", "map", "auc"])
    return page_of(tmp_path_factory.mktemp("report"), result, y, scores, qid, title="A & B")


@pytest.mark.slow
def test_the_page_has_its_tables_with_headers_of_a_scope(page) -> None:
    names = [attributes["aria-label"] for attributes in page.all("table")]
    assert names == ["Metrics", "Differences between systems", "Worst queries"]
    assert all(attributes["scope"] in {"row", "col"} for attributes in page.all("th"))


def test_figures_are_drawn_in_the_page_and_told_in_words(page) -> None:
    labels = [attributes["aria-label"] for attributes in page.all("svg") if attributes.get("role") == "img"]
    assert len(labels) == len(page.all("figure")) == 3 + 4  # a forest plot per metric, and the others
    assert all("first less second" in label for label in labels[:3])
    assert re.search(r"NDCG at 1 to 10. first: 0\.\d+ at 1", labels[3])
    assert "area 0." in labels[4]
    assert "true positive rate" in page.said  # the text of figures is text
    assert "cannot be compared" in page.said


def test_the_page_needs_nothing_from_outside(page) -> None:
    assert not re.search(r"https?:|@import|src=|<script|<link", page.text)
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page.text))
    assert page.text.isascii() or 'charset="utf-8"' in page.text


def test_ids_are_unique_and_what_refers_to_them_finds_them(page) -> None:
    ids = re.findall(r'\bid="([^"]*)"', page.text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]*)', page.text)) <= set(ids)


def test_colours_follow_the_page(page) -> None:
    figures = page.text[page.text.index("<figure") : page.text.rindex("</figure>")]
    assert "var(--series-0)" in figures
    assert not re.search(r"#(0072b2|1a1b1c|cacbcc|000000|262626)", figures)


def test_it_says_what_was_evaluated_and_what_was_left_out(page) -> None:
    for words in ("A & B", "standard", "expected", "skip", "needs", "Holm-corrected", "wins / ties / losses"):
        assert words in page.said


def test_the_best_is_bold_and_cells_say_the_labels(page) -> None:
    assert any("best" in (attributes.get("class") or "") for attributes in page.all("td"))
    cells = [attributes for attributes in page.all("span") if attributes.get("class") == "cells"]
    assert len(cells) == 10 * 3
    assert all(re.fullmatch(r"labels from the top:( [0-3])+", attributes["aria-label"]) for attributes in cells)


@pytest.mark.slow
def test_hostile_names_come_out_as_text(tmp_path) -> None:
    y, scores, qid = some_data(queries=6, names=(HOSTILE, HOSTILE + "2"))
    hostile_qid = np.array([f"{HOSTILE}{q}" for q in qid])
    result = compare(y, scores, hostile_qid, ["ndcg@10"])
    page = page_of(tmp_path, result, y, scores, hostile_qid, title=HOSTILE)
    assert page.all("script") == []
    assert not any("onload" in attributes for _, attributes in page.elements)
    assert len(page.all("style")) == 1
    assert HOSTILE in page.said
    assert HOSTILE + "505" in page.said


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes_whatever_the_users_style(tmp_path) -> None:
    y, scores, qid = some_data()
    result = compare(y, scores, qid, ["ndcg@10"])
    first = write_report(tmp_path / "a.html", result, y, scores, qid).read_bytes()
    with mpl.rc_context({"font.size": 30, "axes.grid": False, "svg.fonttype": "path"}):
        assert write_report(tmp_path / "b.html", result, y, scores, qid).read_bytes() == first
        assert mpl.rcParams["font.size"] == 30
    with ThreadPoolExecutor(4) as pool:
        written = pool.map(
            lambda k: write_report(tmp_path / f"{k}.html", result, y, scores, qid).read_bytes(), range(4)
        )
    assert set(written) == {first}


@pytest.mark.slow
def test_rows_in_another_order_tell_the_same(tmp_path) -> None:
    y, scores, qid = some_data()
    mixed = np.random.default_rng(3).permutation(y.size)
    mixed = np.concatenate([[np.flatnonzero(qid[mixed] == q)[0] for q in np.unique(qid)], np.arange(y.size)])
    # The first row of each query first, so that queries appear in the same order; then all the others.
    rows = np.array(list(dict.fromkeys(mixed.tolist())))
    other = {name: s[rows] for name, s in scores.items()}
    one = page_of(tmp_path, compare(y, scores, qid, ["ndcg@10"]), y, scores, qid)
    two = page_of(tmp_path, compare(y[rows], other, qid[rows], ["ndcg@10"]), y[rows], other, qid[rows])
    worst = [p.text[p.text.index("<h2>Worst") :] for p in (one, two)]
    assert worst[0] == worst[1]


def test_an_evaluation_of_one_system(tmp_path) -> None:
    y, scores, qid = some_data(names=("alone",))
    page = page_of(tmp_path, evaluate(y, scores["alone"], qid, ["map"]), y, scores, qid)
    assert [attributes["aria-label"] for attributes in page.all("table")] == ["Metrics", "Worst queries"]
    assert len(page.all("figure")) == 3


def test_one_list_of_grades_has_intervals_over_rows_and_no_worst_queries(tmp_path) -> None:
    y, scores, _ = some_data(names=("a", "b"))
    page = page_of(tmp_path, compare(y, scores, metrics=["auc"]), y, scores)
    assert [attributes["aria-label"] for attributes in page.all("table")] == ["Metrics", "Tests"]
    assert len(page.all("figure")) == 4
    assert "if other rows of each label had been drawn (DeLong)" in page.said
    assert "One list" in page.said
    assert len(page.all("small")) == 2


@pytest.mark.slow
def test_weights_unjudged_and_unretrieved_documents_and_another_convention(tmp_path) -> None:
    y, scores, qid = some_data()
    y[::7] = -1
    scores["second"][::5] = -np.inf
    ids = np.array([f"d{row}" for row in range(y.size)])
    weight = np.arange(1.0, 31)
    result = compare(y, scores, qid, ["ndcg@5", "mrr"], convention="trec", query_weight=weight, doc_ids=ids)
    page = page_of(tmp_path, result, y, scores, qid, doc_ids=ids)
    assert "one per query" in page.said
    assert "503" not in page.text[page.text.index("<h2>Worst") :]  # 0 by convention, but nothing to rank better
    assert any("?" in (attributes.get("aria-label") or "") for attributes in page.all("span"))


@pytest.mark.parametrize(
    ("label", "metric", "words"),
    [
        (0, "auc", ["No document is relevant", "fewer than two queries have a value of auc", "no value"]),
        (1, "ndcg@10", ["No query has both relevant and irrelevant documents"]),
    ],
)
def test_labels_without_any_contrast_are_told_in_words(tmp_path, label, metric, words) -> None:
    y, scores, qid = some_data()
    y[:] = label
    page = page_of(tmp_path, compare(y, scores, qid, [metric]), y, scores, qid)
    for some in words:
        assert some in page.said
    assert not re.search(r"\bnan\b", page.said.lower())


def test_the_page_says_what_it_was_made_from_by_which_version_and_when(tmp_path, monkeypatch) -> None:
    y, scores, qid = some_data(queries=5, names=("alone",))
    result = evaluate(y, scores["alone"], qid, ["map"])
    made = {"sources": {"data": "a.txt, b.txt", "model": "m.rw"}, "date": date(2026, 11, 18)}
    page = page_of(tmp_path, result, y, scores, qid, **made)
    for words in ("a.txt, b.txt", "m.rw", f"rankwise {rw.__version__} on 2026-11-18"):
        assert words in page.said
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "on 1970-01-02." in page_of(tmp_path, result, y, scores, qid).said
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(DataError, match="SOURCE_DATE_EPOCH must be"):
        page_of(tmp_path, result, y, scores, qid)


@pytest.mark.slow
def test_more_systems_than_colours(tmp_path) -> None:
    y, scores, qid = some_data(names=tuple("abcdefgh"))
    page = page_of(tmp_path, compare(y, scores, qid, ["mrr"]), y, scores, qid)
    assert sum(attributes.get("class") == "swatch" for attributes in page.all("svg")) == 8


@pytest.mark.slow
def test_a_million_documents_make_a_small_page(tmp_path) -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(1_000_000) < 0.2).astype(float)
    scores = {"long": y + rng.normal(size=y.size)}
    path = write_report(tmp_path / "long.html", evaluate(y, scores["long"], None, ["auc"]), y, scores)
    assert path.stat().st_size < 300_000


@pytest.mark.slow
def test_thousands_of_queries_make_a_small_page(tmp_path) -> None:
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(3000), 3)
    y, scores = rng.integers(0, 2, qid.size), {"a": rng.random(qid.size), "b": rng.random(qid.size)}
    path = write_report(tmp_path / "r.html", compare(y, scores, qid, ["ndcg@10"]), y, scores, qid)
    assert path.stat().st_size < 300_000


def test_what_does_not_fit_the_result_is_an_error_and_leaves_an_old_page_alone(tmp_path) -> None:
    y, scores, qid = some_data()
    result = compare(y, scores, qid, ["map"])
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(DataError, match="the same dictionary"):
        write_report(path, result, y, {"first": scores["first"]}, qid)
    with pytest.raises(DataError, match="one system, got scores of 3"):
        write_report(path, result.evaluations["first"], y, scores, qid)
    with pytest.raises(DataError, match="the same arrays"):
        write_report(path, result, y, scores)
    with pytest.raises(ShapeError, match="scores of 'first'"):
        write_report(path, result, y[:-1], scores, qid[:-1])
    with pytest.raises(DataError, match="no folder"):
        write_report(tmp_path / "missing" / "report.html", result, y, scores, qid)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.slow
def test_matplotlib_is_imported_only_when_a_page_is_written() -> None:
    code = "import sys, rankwise.reports, rankwise.metrics; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_ranking_data_stands_for_labels_and_queries(tmp_path) -> None:
    y, scores, qid = some_data(queries=6)
    data = RankingData(np.zeros((y.size, 1)), y, qid)
    by_arrays = write_report(tmp_path / "a.html", compare(y, scores, qid), y, scores, qid)
    by_data = write_report(tmp_path / "b.html", compare(data, scores), data, scores)
    assert by_data.read_bytes() == by_arrays.read_bytes()
