"""What tests in a browser do again and again."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect as expect


def open_page(page: Any, url: str) -> None:
    page.goto(url)
    expect(page.locator(".doc[aria-current]")).to_be_visible()


def states(page: Any) -> list[str]:
    return list(page.locator(".doc .state").all_text_contents())


def cut_off(page: Any, answer: Any) -> None:
    """From here on grades are answered by `answer`; Chromium may let a request pass before it takes notice."""
    page.route("**/api/grade", answer)
    page.wait_for_function("() => fetch('/api/grade', {method: 'POST'}).then(() => false, () => true)")


def in_trouble(page: Any, sentence: str) -> None:
    expect(page.locator("#trouble")).to_be_visible()
    expect(page.locator("#trouble")).to_contain_text(sentence)


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
