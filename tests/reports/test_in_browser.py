"""Pages as Chromium shows them: on a phone and a desk, light, dark and printed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.reports import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = "a system with a name that is much longer than there is room for"
TEXTS = """() => [...document.querySelectorAll('figure > svg')].map(
    svg => [...svg.querySelectorAll('text')].map(text => {
        const box = text.getBoundingClientRect();
        return [text.textContent, box.left, box.top, box.right, box.bottom];
    })
)"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    y = (rng.random(800) < 0.2).astype(float)
    base = rng.normal(size=800)
    classes = {"new": 2 * y + base, "old": 2 * y + base + 0.05 * rng.normal(size=800), LONG: y + base}
    marked = "auc r@p=0.8 r@p=0.79 p@r=0.5 tpr@fpr=0.1"
    found = rw.compare(y, classes, metrics=marked)
    one = write_report(folder / "classes.html", found, y, classes, threshold=1.2, sources={"data": "x" * 300})
    qid = np.repeat(np.arange(20), 40)
    grades = y * (1 + np.arange(800) % 3)
    ranking = rw.compare(grades, classes, qid, "ndcg@10 map")
    two = write_report(folder / "ranking.html", ranking, grades, classes, qid, title=LONG)
    none = write_report(folder / "none.html", rw.compare(0 * y, classes, metrics="auc"), 0 * y, classes)
    return {"classes": one, "ranking": two, "none": none}


@pytest.fixture(params=[(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")], ids=str)
def tab(request, browser: Any) -> Iterator[Any]:
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", ["classes", "ranking", "none"])
def test_pages_fit_the_screen_and_texts_of_figures_stay_apart(tab, pages, name) -> None:
    tab.goto(pages[name].as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.evaluate("document.querySelectorAll('details').forEach(folded => folded.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    figures = tab.evaluate(TEXTS)
    assert bool(figures) == (name != "none")
    said = [text[0] for texts in figures for text in texts]
    assert said.count("own threshold") == (6 if name == "classes" else 0)  # three systems, on two curves
    for texts in figures:
        for one, other in combinations(texts, 2):
            apart = one[3] <= other[1] + 1 or other[3] <= one[1] + 1 or one[4] <= other[2] + 1 or other[4] <= one[2] + 1
            assert apart, (one, other)


def test_colours_follow_the_scheme_and_paper_is_white(tab, pages) -> None:
    tab.goto(pages["classes"].as_uri())
    dark = tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert tab.evaluate(ground) == ("rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")
    tab.emulate_media(media="print")
    assert tab.evaluate(ground) == "rgb(255, 255, 255)"
    assert tab.evaluate("document.querySelector('details:not([open]) table').getBoundingClientRect().height") > 50
