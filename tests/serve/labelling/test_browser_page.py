"""What a labeller reads: query words marked, words for grades, a panel and a heading that stay, an honest gain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankwise.data import TextIndex
from rankwise.data.text._words import words
from rankwise.labels import LabelStore
from rankwise.serve.labelling._session import Session
from rankwise.serve.labelling._views import progress_view
from tests.data.text.test_words import TEXTS
from tests.serve.labelling.browsing import done, expect, open_page
from tests.serve.labelling.conftest import PATIENCE
from tests.serve.labelling.factories import SCRIPT, make_session, serving, settled
from tests.serve.labelling.test_browser_texts import CONTRAST

pytestmark = pytest.mark.browser

GRADES = ["bad", "fair", "good", "excellent", "perfect"]
QUERY = "When does the <b>ferry</b> to Straßburg leave? 東京都"
DOCUMENTS = {
    "hostile": {
        "title": "<i>FERRY</i> & <script>ferry</script>",
        "text": f"{SCRIPT} Strassburg, ferryman; the B. 京都へ東京 leave&lt;ferry&gt;",
        "place": "ferry <b>",
    },
    **{
        f"d{n}": {"title": f"Ferry {n}", "text": "A ferry may leave. " + "Other words follow it. " * 60}
        for n in range(8)
    },
}
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1100, "height": 800}},
    "dark": {"viewport": {"width": 1100, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    data = TextIndex(DOCUMENTS).pool({1: QUERY})
    store = LabelStore.create(tmp_path / "labels.db", data, DOCUMENTS, {1: QUERY}, grade_names=GRADES)
    return settled(make_session(tmp_path, store, per_query=9))


@pytest.fixture(params=VIEWS)
def shown(request: pytest.FixtureRequest, browser: Any, session: Session) -> Iterator[Any]:
    """The page in each view."""
    context = browser.new_context(reduced_motion="reduce", **VIEWS[request.param])
    context.set_default_timeout(PATIENCE)
    with serving(session) as url:
        page = context.new_page()
        open_page(page, url)
        yield page
        context.close()


def test_words_grades_panel_and_heading(shown: Any, session: Session) -> None:
    check_marks(shown, next(item for item in session.now.items if session.store.item(item).doc_id == "hostile"))
    check_grade_words(shown, session)
    contrasts = shown.evaluate(CONTRAST)
    assert any(tag == "MARK" for _, tag, _ in contrasts)
    assert min(contrasts)[0] >= 4.5, min(contrasts)
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= shown.viewport_size["width"]
    check_what_stays(shown)


def check_marks(page: Any, hostile: int) -> None:
    card = page.locator(f"#doc-{hostile}")
    marked = card.locator("mark").all_text_contents()
    assert marked == ["FERRY", "ferry", "Strassburg", "B", "京都", "東京", "leave", "ferry", "ferry", "b"]
    expect(card.locator("h3")).to_have_text(DOCUMENTS["hostile"]["title"])
    expect(card.locator(".text").first).to_have_text(DOCUMENTS["hostile"]["text"])
    assert card.locator("script, img, b, i").count() == 0
    assert "owned" not in page.title()
    assert page.locator("#query mark").count() == 0


def check_grade_words(page: Any, session: Session) -> None:
    buttons = page.locator("#grades button")
    assert buttons.evaluate_all("all => all.map((one) => one.innerText.split(/\\s+/))") == [
        [str(grade), name] for grade, name in enumerate(GRADES)
    ]
    first, second = session.now.items[:2]
    page.keyboard.press("3")
    done(page, 1, 1, of=9)
    expect(page.locator(f"#doc-{first} .state")).to_have_text("grade 3, excellent")
    expect(page.locator("#said")).to_have_text("Grade 3, excellent. Document 2 of 9.")
    page.get_by_role("button", name="Grade 0, bad").click()
    done(page, 1, 2, of=9)
    assert [session.held(item, "ana").grade for item in (first, second)] == [3, 0]  # type: ignore[union-attr]
    page.keyboard.press("5")  # no grade has this key
    page.keyboard.press("?")
    expect(page.locator("#help")).to_contain_text("0–4")
    expect(page.locator("#help")).to_contain_text("0 is bad, 1 is fair, 2 is good, 3 is excellent, 4 is perfect")
    page.keyboard.press("Escape")
    assert session.handout.n_done() == 2


# What is seen in the column of documents from the header down to the end of the query's heading.
ABOVE = """() => {
  const [header, heading] = ["header", "#query h1"].map((name) => document.querySelector(name).getBoundingClientRect());
  const found = new Set();
  for (let y = 1; y < heading.bottom; y += 0.5)
    for (const x of [heading.left + 1, (heading.left + heading.right) / 2, heading.right - 1])
      found.add(document.elementFromPoint(x, y)?.closest("header, h1, p, .doc")?.className ?? "nothing");
  return { found: [...found], gap: heading.top - header.bottom };
}"""


def check_what_stays(page: Any) -> None:
    panel = page.locator("#progress")
    for scrolled in (30, 60, 700):
        page.evaluate("to => scrollTo(0, to)", scrolled)
        page.wait_for_function("to => Math.abs(scrollY - to) <= 1", arg=scrolled)
        above = page.evaluate(ABOVE)
        assert above["found"] == [""], "only the header and the heading, no document"
        assert above["gap"] <= 0
    box = panel.bounding_box()
    docs = page.locator("#docs").bounding_box()
    if page.viewport_size["width"] < 600:
        assert panel.evaluate("panel => getComputedStyle(panel).position") == "static"  # below the documents
    else:
        assert box["y"] == pytest.approx(page.locator("header").bounding_box()["height"] + 12, abs=1)
        assert box["y"] + box["height"] <= page.viewport_size["height"]
        assert box["x"] > docs["x"] + docs["width"]


def tell_instead(page: Any, session: Session, **change: object) -> None:
    """From here on the page is told of other progress."""
    page.unroute("**/api/progress")
    body = json.dumps({**progress_view(session), **change})
    page.route("**/api/progress", lambda route: route.fulfill(body=body, content_type="application/json"))


def test_a_panel_longer_than_the_window_scrolls_by_key(page: Any, session: Session) -> None:
    page.set_viewport_size({"width": 1100, "height": 600})
    with serving(session) as url:
        tell_instead(page, session, notice="no model " * 300)
        open_page(page, url)
        panel = page.locator("#progress")
        expect(panel).to_have_attribute("tabindex", "0")
        assert panel.bounding_box()["y"] + panel.bounding_box()["height"] <= 600
        panel.focus()
        page.keyboard.press("End")
        page.wait_for_function("() => document.querySelector('#progress').scrollTop > 50")


GAINS = [
    ({"value": -0.016, "error": 0.020}, "No measurable change yet: −0.0160 ± 0.0200", False),
    ({"value": 0.016, "error": 0.020}, "No measurable change yet: +0.0160 ± 0.0200", False),
    ({"value": 0.031, "error": 0.010}, "+0.0310 ± 0.0100", False),
    ({"value": -0.0156, "error": 0.0067}, "−0.0156 ± 0.0067", True),
]


def test_a_gain_within_its_error_is_not_claimed(page: Any, session: Session) -> None:
    with serving(session) as url:
        for gain, sentence, falls in GAINS:
            tell_instead(page, session, gain={**gain, "labels": 20})
            open_page(page, url)
            expect(page.locator("#gain")).to_have_text(sentence)
            expect(page.locator("#gain-is")).to_contain_text("What 20 more labels should add to ndcg@10")
            assert ("has fallen" in page.locator("#gain-is").text_content()) == falls


def test_words_of_the_page_are_words_of_the_features(page: Any, session: Session) -> None:
    """The page marks what BM25 counts: two definitions of a word, held together here."""
    texts = [text for text, _ in TEXTS.values() if "\ud800" not in text] + [QUERY, "the of", "The Who, the ferry"]
    with serving(session) as url:
        open_page(page, url)
        found = page.evaluate(
            "async (texts) => { const { queryWords } = await import('/page/highlight.js');"
            " return texts.map((text) => [...queryWords(text)]); }",
            texts,
        )
    common = {"when", "does", "the", "to", "who"}
    for text, of_page in zip(texts, found, strict=True):
        expected = set(words(text)) - (common if "ferry" in text else set())
        # Lower case of Greek has two of its s, folded case one.
        assert {word.replace("ς", "σ") for word in of_page} == expected
