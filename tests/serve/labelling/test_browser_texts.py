"""How the page shows texts: hostile ones, long ones, and all of them readable, on a phone too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.data import RankingData
from rankwise.labels import LabelStore
from rankwise.serve.labelling._labellers import Labellers
from tests.serve.labelling.browsing import done, expect, open_page
from tests.serve.labelling.conftest import PATIENCE
from tests.serve.labelling.factories import SCRIPT, make_session, pool, serving, settled

pytestmark = pytest.mark.browser


def test_hostile_texts_are_text(page: Any, folder: Path) -> None:
    session = settled(make_session(folder, queries=12, per_query=2))
    hostile = next(item for item in session.now.items if "script" in str(session.store.item(item).fields.get("text")))
    place = session.handout.query_of(hostile)
    assert place is not None
    with serving(session) as url:
        for earlier in session.handout.queries[:place]:
            for item in earlier:
                session.judge("ana", item, 0, 1)
        session.note("ana", hostile, SCRIPT, 1)
        open_page(page, url)
        card = page.locator(f"#doc-{hostile}")
        expect(card.locator(".text").first).to_contain_text(SCRIPT)
        expect(card.locator("h3")).to_contain_text("<b>")
        expect(card.locator(".note")).to_contain_text(SCRIPT)
        assert card.locator("script, img, b").count() == 0
        assert "owned" not in page.title()


def test_hostile_names_are_text(page: Any, folder: Path) -> None:
    """Names of fields, documents, queries, features and labellers, what is odd in objects of JavaScript included."""
    data = pool()
    qids, names = [f"{SCRIPT} {qid}" for qid in data.qid], [f"{SCRIPT} {column}" for column in range(7)]
    hostile = RankingData(
        data.X, data.y, qids, [f"{SCRIPT} {row}" for row in range(len(data))], feature_names=[*names, "\ud800"]
    )
    fields = {
        SCRIPT: SCRIPT,
        "__proto__": SCRIPT,
        "constructor": {SCRIPT: [SCRIPT]},
        "title": None,
        "hasOwnProperty": 1,
    }
    texts = {doc: fields for row, doc in enumerate(hostile.doc_ids.tolist()) if row % 2}  # type: ignore[union-attr]
    store = LabelStore.create(
        folder / "labels.db", hostile, texts, {qid: {"title": SCRIPT, SCRIPT: SCRIPT} for qid in qids}
    )
    session = settled(make_session(folder, store))
    for name in (SCRIPT, "=1+1"):
        session.judge(name, session.now.items[0], 2, 1)
    with serving(session, Labellers.of([], SCRIPT)) as url:
        open_page(page, url)
        expect(page.locator("#who")).to_contain_text(SCRIPT)
        expect(page.locator("#query")).to_contain_text(SCRIPT)
        expect(page.locator("#kappas")).to_contain_text(SCRIPT)
        expect(page.locator("#per-query li").first).to_contain_text(SCRIPT)
        page.keyboard.press("t")
        page.keyboard.type(SCRIPT)
        page.keyboard.press("Enter")
        expect(page.locator(".doc[aria-current] .note")).to_contain_text(SCRIPT)
        assert "__proto__" in page.locator("#docs").text_content()
        assert page.locator("main script, main img, main b, header script, header img").count() == 0
        assert "owned" not in page.title()


def test_a_long_text_is_cut_until_it_is_asked_for(page: Any, folder: Path) -> None:
    session = settled(make_session(folder, queries=12, per_query=3))
    texts = {item: str(session.store.item(item).fields.get("text", "")) for item in session.now.items}
    long = next(item for item, text in texts.items() if len(text) > 2000)
    with serving(session) as url:
        for earlier in session.handout.queries[: session.handout.query_of(long)]:
            for item in earlier:
                session.judge("ana", item, 0, 1)
        open_page(page, url)
        card = page.locator(f"#doc-{long}")
        assert len(card.locator(".text").first.text_content()) == 1501
        card.click()
        page.keyboard.press("x")
        expect(card.locator(".text").first).to_have_text(texts[long])
        expect(card.locator("button.more")).to_have_count(0)


CONTRAST = """() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => parse(color).slice(0, 3)
    .map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((parse(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || !element.getClientRects().length || element.closest("svg")) continue;
    const pair = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
    found.push([(pair[0] + 0.05) / (pair[1] + 0.05), element.tagName, element.textContent.slice(0, 20)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_on_a_phone_too(browser: Any, folder: Path, scheme: str) -> None:
    session = settled(make_session(folder))
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme, has_touch=True)
    context.set_default_timeout(PATIENCE)
    with serving(session) as url:
        page = context.new_page()
        open_page(page, url)
        expect(page.locator("#per-query li")).to_have_count(3)
        page.locator("#grades button").nth(3).tap()
        done(page, 1, 1)
        found = page.evaluate(CONTRAST)
        assert len(found) > 20
        assert min(found)[0] >= 4.5, min(found)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
        sizes = page.locator("#bar button").evaluate_all("all => all.map((one) => one.getBoundingClientRect().height)")
        assert min(sizes) >= 44
        ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
        marked = page.locator(".doc[aria-current]").bounding_box()
        bar = page.locator("#bar").bounding_box()
        assert 0 <= marked["y"] < bar["y"], "the marked document must be in sight above the bar"
        page.set_viewport_size({"width": 740, "height": 360})  # lying on its side there is no room for what stays
        assert page.locator("#bar").evaluate("bar => getComputedStyle(bar).position") == "static"
    context.close()
