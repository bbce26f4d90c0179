"""The pictures of docs/labelling.md; RANKWISE_WRITE_DOCS=1 makes them anew."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rankwise.labels import LabelStore
from rankwise.serve.labelling._labellers import Labellers
from tests.serve.labelling.conftest import PATIENCE
from tests.serve.labelling.factories import label_round, make_session, pool, serving, settled, truth

DOCS = Path(__file__).parents[3] / "docs"
PICTURES = DOCS / "labelling"
LARGEST = 150_000
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1100, "height": 860}},
    "dark": {"viewport": {"width": 1100, "height": 1000}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "device_scale_factor": 1.5},
}
TOPICS = "ferry,lighthouse,night bus,museum,harbour,cycle path,winter storm,island,market,tide,sailing school,old town"
GRADES = ["bad", "fair", "good", "excellent", "perfect"]
SAID = [
    "No word of the {topic} here: the page sells insurance.",
    "A list of links, one of which leads to a page about the {topic}.",
    "Opening hours of the {topic}, two years old, and a telephone number.",
    "How to reach the {topic} on foot or by bus, with times for weekdays.",
    "All about the {topic}: times for every day of this year, prices, a map, and whom to ask.",
]


def written(folder: Path) -> LabelStore:
    """The pool with texts as harmless as they are easy to grade."""
    data, grades, topics = pool(), truth(), TOPICS.split(",")
    texts = {
        f"d{row}": {
            "title": f"{topics[query].capitalize()}, page {row % 9 + 1}",
            "text": SAID[grade].format(topic=topics[query]),
        }
        for row, (query, grade) in enumerate(zip(data.groups.query_of_row(), grades.astype(int), strict=True))
        if row % 6
    }
    queries = {int(qid): f"when is the {topics[q]} open?" for q, qid in enumerate(data.groups.qids)}
    return LabelStore.create(folder / "labels.db", data, texts, queries, grade_names=GRADES)


@pytest.mark.browser
def test_pictures(browser: Any, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    target = PICTURES if os.environ.get("RANKWISE_WRITE_DOCS") == "1" else tmp_path
    target.mkdir(exist_ok=True)
    session = settled(make_session(tmp_path, written(tmp_path), queries=4, per_query=4, overlap=2))
    for _ in range(4):
        number, grades = session.round, truth()
        for item in session.now.items:
            # Ben is less sure of the grades than Ana.
            session.judge("ben", item, min(int(grades[item]) + (item % 7 == 0), 4), number)
        label_round(session, "ana")
        assert session.round == number + 1
    for item in session.now.items[:6]:
        session.judge("ana", item, int(truth()[item]), session.round)
    session.note("ana", session.now.items[4], "the times are of last year", session.round)
    with serving(session, Labellers.of(["ana=secret-of-ana", "ben=secret-of-ben"], "nobody")) as url:
        for name, view in VIEWS.items():
            context = browser.new_context(reduced_motion="reduce", **view)
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(f"{url}#token=secret-of-ana")
            expect(page.locator("#curve circle")).to_have_count(4)
            expect(page.locator(".doc[aria-current]")).to_be_visible()
            page.screenshot(path=target / f"{name}.png")
            context.close()
            check_picture(target / f"{name}.png", view)


def check_picture(file: Path, view: dict[str, Any]) -> None:
    """It has the size of the view, and shows something: text, a mark, in light or in dark."""
    pixels = np.asarray(Image.open(file).convert("RGB"))
    scale = view.get("device_scale_factor", 1)
    assert pixels.shape[:2] == (view["viewport"]["height"] * scale, view["viewport"]["width"] * scale)
    assert len(np.unique(pixels.astype(np.int64) @ [1 << 16, 1 << 8, 1])) > 50  # colours
    assert (np.median(pixels) > 128) == (view.get("color_scheme") != "dark")
    ground = np.median(pixels.reshape(-1, 3), axis=0)
    assert 0.02 < (np.abs(pixels - ground).max(axis=2) > 60).mean() < 0.5
    assert file.stat().st_size < LARGEST


@pytest.mark.parametrize("name", VIEWS)
def test_the_page_of_docs_has_every_picture(name: str) -> None:
    check_picture(PICTURES / f"{name}.png", VIEWS[name])
    shown = re.findall(r"!\[[^\]]{20,}\]\(labelling/(\w+)\.png\)", (DOCS / "labelling.md").read_text())
    assert sorted(shown) == sorted(VIEWS) == sorted(file.stem for file in PICTURES.iterdir())
