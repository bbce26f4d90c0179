"""The page in a real browser: labelling by keys, by clicks and by Tab, from round to round."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from rankwise.labels import LabelStore
from tests.serve.labelling.browsing import done, expect, grade_by_key, in_trouble, marked_item, open_page, states
from tests.serve.labelling.factories import make_session, served, serving, settled, truth

pytestmark = pytest.mark.browser

ROUNDS = ("--per-round", "3", "--per-query", "5", "--sampler", "lossmin")


def test_label_by_key_undo_reload_kill_restart(page: Any, folder: Path) -> None:
    grades, given = truth(), {}
    with served(folder, *ROUNDS) as server:
        open_page(page, server.url)
        for _ in range(15):
            expect(page.locator(".doc[aria-current]")).to_be_visible()
            item = grade_by_key(page, grades)
            given[item] = int(grades[item])
        done(page, 2, 0)
        for _ in range(15):
            expect(page.locator(".doc[aria-current]")).to_be_visible()
            item = grade_by_key(page, grades)
            given[item] = int(grades[item])
        done(page, 3, 0)
        assert len(given) == 30
        expect(page.locator("#curve circle")).to_have_count(2)
        expect(page.locator("#gain")).to_have_text("Not known yet")
        expect(page.locator("#labels")).to_contain_text("30 of 154 documents")

        page.keyboard.press("u")
        expect(page.locator("#query")).to_contain_text("from an earlier round")
        undone = marked_item(page)
        assert undone == list(given)[-1]
        del given[undone]
        page.reload()
        done(page, 3, 0)
        expect(page.locator("#curve circle")).to_have_count(2)
        expect(page.locator("#labels")).to_contain_text("29 of 154 documents")
        with page.expect_response("**/api/grade"):
            given[marked_item(page)] = 3
            page.keyboard.press("3")
        done(page, 3, 1)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        page.keyboard.press("2")
        in_trouble(page, "Not saved")
        assert "grade 2, not saved" in states(page)
    with LabelStore.open(folder / "labels.db") as store:
        held = {item: int(grade) for item, grade in enumerate(store.labels()) if grade >= 0}
    assert held == given
    with served(folder, *ROUNDS, "--port", str(urlsplit(server.url).port)) as server:
        page.keyboard.press("r")  # the page that was open all the time goes on
        done(page, 3, 2)
        expect(page.locator("#trouble")).to_be_hidden()
        page.reload()
        done(page, 3, 2)
        assert states(page)[:2] == ["grade 3", "grade 2"]
        expect(page.locator("#curve circle")).to_have_count(2)
        expect(page.locator("#labels")).to_contain_text("31 of 154 documents")


def test_labels_by_click_skip_note_and_going_back(page: Any, folder: Path) -> None:
    session = settled(make_session(folder))
    with serving(session) as url:
        open_page(page, url)
        items = session.handout.queries[0]
        page.get_by_role("button", name="Grade 3").click()
        done(page, 1, 1)
        page.get_by_role("button", name="Skip").click()
        done(page, 1, 2)
        assert states(page)[:3] == ["grade 3", "skipped", ""]
        page.locator(f"#doc-{items[4]}").click()
        page.locator("#note").fill("second\nhalf")
        page.get_by_role("button", name="Grade 1").click()
        done(page, 1, 3)
        expect(page.locator(f"#doc-{items[4]} .note")).to_have_text("Note: second\nhalf")
        page.keyboard.press("u")
        expect(page.locator(f"#doc-{items[4]} .state")).to_have_text("")
        page.keyboard.press("4")
        expect(page.locator("#said")).to_contain_text("Document 3 of 5")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("k")
        expect(page.locator(f"#doc-{items[0]}")).to_have_attribute("aria-current", "true")
        expect(page.get_by_role("button", name="Grade 3")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("0")
        expect(page.locator(f"#doc-{items[0]} .state")).to_have_text("grade 0")
        page.keyboard.press("1")
        page.keyboard.press("1")
        expect(page.locator("#query")).to_contain_text("2 of 3")
        page.keyboard.press("k")
        expect(page.locator("#query")).to_contain_text("1 of 3")
        assert [session.held(item, "ana").grade for item in items] == [0, None, 1, 1, 4]  # type: ignore[union-attr]
        assert session.held(items[4], "ana").note == "second\nhalf"  # type: ignore[union-attr]
        page.keyboard.press("j")
        expect(page.locator(f"#doc-{items[1]}")).to_have_attribute("aria-current", "true")


def test_keys_that_are_not_meant_grade_nothing(page: Any, folder: Path) -> None:
    """One key too many after a query's last document, a key held down, with Ctrl, in a note or in the help."""
    session = settled(make_session(folder))
    with serving(session) as url:
        open_page(page, url)
        page.keyboard.press("Control+2")
        page.keyboard.press("9")
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
        page.keyboard.press("3")
        page.keyboard.press("Escape")
        expect(page.locator("#help")).to_be_hidden()
        page.keyboard.press("t")
        page.keyboard.type("4 stars")
        page.keyboard.press("Escape")
        expect(page.locator("#note")).to_have_value("")
        page.evaluate(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '2', repeat: true, bubbles: true}))"
        )
        assert session.store.labellers() == []
        held: list[Any] = []
        page.route("**/api/work", lambda route: held.append(route))
        for key in "32104":
            page.keyboard.press(key)
        expect(page.locator("#said")).to_contain_text("This query is done")
        done(page, 1, 5)
        page.keyboard.press("0")
        page.keyboard.press("s")
        held.pop().continue_()
        expect(page.locator("#query")).to_contain_text("2 of 3")
        assert [session.held(item, "ana").grade for item in session.handout.queries[0]] == [3, 2, 1, 0, 4]  # type: ignore[union-attr]
        assert session.handout.n_judged() == 5


def test_ending_a_round_takes_two_keys(page: Any, folder: Path) -> None:
    session = settled(make_session(folder))
    with serving(session) as url:
        open_page(page, url)
        page.keyboard.press("3")
        done(page, 1, 1)
        page.keyboard.press("n")
        expect(page.locator("#said")).to_contain_text("14 documents of this round are not judged")
        page.keyboard.press("j")
        page.keyboard.press("n")
        assert session.round == 1
        page.keyboard.press("n")
        done(page, 2, 0)


def test_the_whole_flow_by_tab_and_enter_alone(page: Any, folder: Path) -> None:
    """Everything is reached by Tab, shows that it has the focus, and does what it says on Enter."""
    session = settled(make_session(folder, queries=1, per_query=3))
    outline = "() => getComputedStyle(document.activeElement).outlineStyle"

    def tab_to(id: str) -> None:
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement.value || document.activeElement.id") == id:
                assert page.evaluate(outline) == "solid"
                return
        raise AssertionError(f"Tab does not reach {id}")

    with serving(session) as url:
        open_page(page, url)
        tab_to("3")
        page.keyboard.press("Enter")
        done(page, 1, 1, 3)
        tab_to("undo")
        page.keyboard.press("Enter")
        done(page, 1, 0, 3)
        tab_to("forth")
        page.keyboard.press("Enter")
        expect(page.locator(".doc").nth(1)).to_have_attribute("aria-current", "true")
        tab_to("skip")
        page.keyboard.press("Enter")
        done(page, 1, 1, 3)
        tab_to("note")
        page.keyboard.type("odd")
        page.keyboard.press("Enter")
        expect(page.locator(".doc .note").nth(2)).to_have_text("Note: odd")
        tab_to("1")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        done(page, 2, 0, 3)
        first = session.store.rounds()[1].items
        assert [session.held(item, "ana").grade for item in first] == [1, None, 1]  # type: ignore[union-attr]
        tab_to("keys")
        page.keyboard.press("Enter")
        expect(page.locator("#help")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.locator("#help")).to_be_hidden()
