"""The page in a real browser, served by the real command."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from rankwise.labels import LabelStore
from tests.serve.made import served

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect  # noqa: E402

ROUNDS = ("--queries", "3", "--per-query", "5", "--sampler", "lossmin")


def open_page(page: Any, url: str) -> None:
    page.goto(url)
    expect(page.locator(".doc[aria-current]")).to_be_visible()


def states(page: Any) -> list[str]:
    return [text for text in page.locator(".doc .state").all_text_contents()]


def marked_item(page: Any) -> int:
    return int(page.locator(".doc[aria-current]").get_attribute("id").removeprefix("doc-"))


def done(page: Any, round: int, count: int, of: int = 15) -> None:
    expect(page.locator("#round")).to_have_text(f"Round {round} · {count} of {of}")


def grade_by_key(page: Any, truth: Any) -> int:
    """Grade the marked document as it deserves, and wait until the next one is marked or the query is left."""
    item = marked_item(page)
    with page.expect_response("**/api/grade") as answer:
        page.keyboard.press(str(int(truth[item])))
    assert answer.value.status == 200
    page.wait_for_function("item => document.querySelector('.doc[aria-current]')?.id !== `doc-${item}`", arg=item)
    return item


def test_label_by_key_undo_reload_kill_restart(page: Any, folder: Path) -> None:
    from tests.serve.made import truth

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
        expect(page.locator("#trouble")).to_contain_text("Not saved")
        assert "grade 2, not saved" in states(page)
    with LabelStore.open(folder / "labels.db") as store:
        held = {item: int(grade) for item, grade in enumerate(store.labels()) if grade >= 0}
    assert held == given
    with served(folder, *ROUNDS) as server:
        page.on("dialog", lambda dialog: dialog.accept())
        open_page(page, server.url)
        done(page, 3, 1)
        assert states(page)[0] == "grade 3"
        expect(page.locator("#curve circle")).to_have_count(2)
        expect(page.locator("#labels")).to_contain_text("30 of 154 documents")
