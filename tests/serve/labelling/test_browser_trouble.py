"""The page in a real browser when something goes wrong: what is not saved, rounds that ended, fits that fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.rankers import RankSVM
from tests.serve.labelling.browsing import cut_off, done, expect, in_trouble, open_page, states
from tests.serve.labelling.factories import make_session, serving, settled

pytestmark = pytest.mark.browser


def test_what_cannot_be_saved_stays_and_is_saved_later(page: Any, folder: Path) -> None:
    session = settled(make_session(folder))
    with serving(session) as url:
        open_page(page, url)
        cut_off(page, lambda route: route.abort())
        page.keyboard.press("3")
        page.keyboard.press("2")
        in_trouble(page, "Not saved: the server does not answer")
        assert states(page)[:3] == ["grade 3, not saved", "grade 2, not saved", ""]
        page.keyboard.press("u")
        expect(page.locator("#said")).to_contain_text("it had not been saved")
        assert states(page)[:2] == ["grade 3, not saved", ""]
        page.keyboard.press("r")
        in_trouble(page, "Not saved")
        page.unroute("**/api/grade")
        page.get_by_role("button", name="Try again").click()
        expect(page.locator("#trouble")).to_be_hidden()
        done(page, 1, 1)
        assert states(page)[:2] == ["grade 3", ""]
        assert session.held(session.handout.queries[0][0], "ana").grade == 3  # type: ignore[union-attr]
        # an answer that got lost: the grade was saved, and sending it again makes no second act
        cut_off(page, lambda route: (route.fetch(), route.abort()))
        page.keyboard.press("1")
        in_trouble(page, "Not saved")
        page.unroute("**/api/grade")
        page.keyboard.press("r")
        done(page, 1, 2)
        assert len(session.store.history(session.handout.queries[0][1])) == 1


def test_a_round_that_ended_elsewhere(page: Any, folder: Path) -> None:
    session = settled(make_session(folder))
    with serving(session) as url:
        open_page(page, url)
        page.keyboard.press("3")
        done(page, 1, 1)
        session.next_round(1)
        settled(session)
        page.keyboard.press("4")
        in_trouble(page, "round 1 is not open, round 2 is")
        done(page, 2, 0)
        assert sum(session.store.labels() >= 0) == 1
        page.get_by_role("button", name="Close").click()
        expect(page.locator("#trouble")).to_be_hidden()
        page.keyboard.press("4")
        done(page, 2, 1)


def test_a_fit_that_fails_is_told_and_can_be_tried_again(page: Any, folder: Path) -> None:
    broken = True

    def make() -> Any:
        if broken:
            raise RuntimeError("out of luck")
        return RankSVM(metric="ndcg@10")

    session = settled(make_session(folder, ranker=make))
    with serving(session) as url:
        open_page(page, url)
        page.keyboard.press("3")
        page.keyboard.press("0")
        done(page, 1, 2)
        page.keyboard.press("n")
        page.keyboard.press("n")
        expect(page.locator("#phase")).to_contain_text("RuntimeError: out of luck")
        page.keyboard.press("1")
        done(page, 1, 3)
        broken = False
        page.get_by_role("button", name="Fit again").click()
        done(page, 2, 0)
        expect(page.locator("#phase")).to_be_hidden()
