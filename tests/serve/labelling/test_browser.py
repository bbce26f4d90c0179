"""The page in a real browser, served by the real command."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from rankwise.labels import LabelStore
from rankwise.rankers import RankSVM
from rankwise.serve.labelling._labellers import Labellers
from tests.serve.labelling.factories import SCRIPT, make_session, served, serving, settled, truth

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

ROUNDS = ("--queries", "3", "--per-query", "5", "--sampler", "lossmin")


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
        assert [session.held(item, "ana").grade for item in items] == [0, None, 1, 1, 4]
        assert session.held(items[4], "ana").note == "second\nhalf"
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
        assert [session.held(item, "ana").grade for item in session.handout.queries[0]] == [3, 2, 1, 0, 4]
        assert session.handout.n_judged() == 5


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
        assert session.held(session.handout.queries[0][0], "ana").grade == 3
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
        assert session.held(session.handout.queries[0][0], "ana").grade == 2
        page.keyboard.press("u")
        expect(page.locator("#said")).to_contain_text("is grade 3 again")


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
        assert [session.held(item, "ana").grade for item in first] == [1, None, 1]
        tab_to("keys")
        page.keyboard.press("Enter")
        expect(page.locator("#help")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.locator("#help")).to_be_hidden()


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
