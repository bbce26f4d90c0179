"""The page in several browsers: two windows of one labeller, and several labellers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.serve.labelling._labellers import Labellers
from tests.serve.labelling.browsing import done, expect, in_trouble, open_page
from tests.serve.labelling.conftest import PATIENCE
from tests.serve.labelling.factories import make_session, serving, settled

pytestmark = pytest.mark.browser


def test_two_windows_of_one_labeller(page: Any, folder: Path) -> None:
    session = settled(make_session(folder))
    with serving(session) as url:
        open_page(page, url)
        other = page.context.new_page()
        open_page(other, url)
        page.keyboard.press("3")
        done(page, 1, 1)
        other.keyboard.press("2")
        done(other, 1, 1)
        with page.expect_response("**/api/work"):  # what was judged since is on the page when this is answered
            page.keyboard.press("u")
        in_trouble(page, "something else was judged since")
        page.wait_for_load_state("networkidle")
        assert session.held(session.handout.queries[0][0], "ana").grade == 2  # type: ignore[union-attr]
        page.keyboard.press("u")
        expect(page.locator("#said")).to_contain_text("is grade 3 again")


def test_several_labellers_each_with_a_link(page: Any, browser: Any, folder: Path) -> None:
    session = settled(make_session(folder))
    labellers = Labellers.of(["ana=secret-of-ana", "ben=secret-of-ben"], "nobody")
    with serving(session, labellers) as url:
        page.goto(url)
        expect(page.get_by_label("Token")).to_be_focused()
        page.keyboard.type("a wrong one")
        page.keyboard.press("Enter")
        in_trouble(page, "This token is not known")
        page.get_by_label("Token").fill("secret-of-ana")
        page.keyboard.press("Enter")
        expect(page.locator("#who")).to_have_text("ana")
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        other = context.new_page()
        open_page(other, f"{url}#token=secret-of-ben")
        expect(other.locator("#who")).to_have_text("ben")
        assert "secret" not in other.url
        other.reload()
        expect(other.locator("#who")).to_have_text("ben")
        other.keyboard.press("2")
        done(other, 1, 1)
        page.keyboard.press("4")
        done(page, 1, 2)
        assert session.store.labellers() == ["ana", "ben"]
        assert page.locator("#query h1").text_content() != other.locator("#query h1").text_content()
        context.close()
