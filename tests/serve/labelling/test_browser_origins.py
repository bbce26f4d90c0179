"""A page of another origin in a real browser: it cannot post to the server, read from it or show it in a frame."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from rankwise.serve.labelling._session import Session
from tests.serve.labelling.factories import make_session, serving, settled

pytestmark = pytest.mark.browser

# Each attempt tells what it got to know: "blocked" where the browser gives nothing away.
ATTEMPTS = """async ({url, item}) => {
  const body = JSON.stringify({item, round: 1, grade: 4});
  const types = {json: "application/json", plain: "text/plain", form: "application/x-www-form-urlencoded"};
  const found = {};
  const attempt = async (name, make) => {
    try {
      const answer = await make();
      found[name] = answer.type === "opaque" ? "opaque" : `${answer.status} ${(await answer.text()).slice(0, 40)}`;
    } catch {
      found[name] = "blocked";
    }
  };
  for (const mode of ["cors", "no-cors"]) {
    for (const [name, type] of Object.entries(types)) {
      const options = {method: "POST", mode, credentials: "include", body, headers: {"Content-Type": type}};
      await attempt(`post ${mode} ${name}`, () => fetch(`${url}api/grade`, options));
    }
    await attempt(`post ${mode} blob`, () => fetch(`${url}api/grade`, {method: "POST", mode, body: new Blob([body])}));
    for (const path of ["", "api/work", "api/progress", "page/main.js"])
      await attempt(`read ${mode} /${path}`, () => fetch(url + path, {mode, credentials: "include"}));
  }
  found.beacon = String(navigator.sendBeacon(`${url}api/grade`, new Blob([body], {type: "text/plain"})));
  const loads = (tag, source) => new Promise((done) => {
    const element = document.createElement(tag);
    element.onload = () => done("loaded");
    element.onerror = () => done("blocked");
    element.src = url + source;
    document.body.append(element);
  });
  found.script = await loads("script", "page/dom.js");
  found.image = await loads("img", "api/work");
  return found;
}"""

FORM = """({url, item, type}) => {
  const [form, input] = [document.createElement("form"), document.createElement("input")];
  Object.assign(form, {method: "post", action: `${url}api/grade`, enctype: type});
  // What a browser writes for text/plain is JSON: {"item": …, "x": "="}
  Object.assign(input, {name: `{"item":${item},"round":1,"grade":4,"x":"`, value: '"}'});
  form.append(input);
  document.body.append(form);
  form.submit();
}"""


@contextmanager
def other_site(content: str = "<!doctype html><title>other</title><body>") -> Iterator[int]:
    """A site of somebody else on this machine; gives its port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_: object) -> None:
            pass

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def session(folder: Path) -> Session:
    return settled(make_session(folder))


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_another_origin_can_neither_post_nor_read(page: Any, session: Session, name: str) -> None:
    """Another port of 127.0.0.1 is another origin of the same site; localhost is another site."""
    item = session.now.items[0]
    with serving(session) as url, other_site() as port:
        page.goto(f"http://{name}:{port}/")
        found = page.evaluate(ATTEMPTS, {"url": url, "item": item})
        told = {key: said for key, said in found.items() if said not in ("blocked", "opaque")}
        assert told == {"beacon": "true"}  # sent, that is; what came of it is not told
        for type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            page.goto(f"http://{name}:{port}/")
            with page.expect_navigation():
                page.evaluate(FORM, {"url": url, "item": item, "type": type})
            assert "another site" in page.content(), type
        assert session.store.acts_since(0) == []
        # The page itself, in the same browser, can.
        page.goto(url)
        page.wait_for_selector(".doc[aria-current]")
        page.keyboard.press("3")
        page.wait_for_function("() => document.querySelector('#done').value === 1")
        assert len(session.store.acts_since(0)) == 1


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_another_origin_cannot_frame_the_page_nor_look_into_its_window(page: Any, session: Session, name: str) -> None:
    with serving(session) as url, other_site() as port:
        page.goto(f"http://{name}:{port}/")
        page.evaluate(
            """(url) => new Promise((done) => {
                 const frame = document.createElement("iframe");
                 Object.assign(frame, {src: url, onload: done, onerror: done});
                 document.body.append(frame);
               }).then(() => null)""",
            url,
        )
        (frame,) = page.frames[1:]
        assert frame.locator("#main, #bar, #login").count() == 0
        # A window that the site opened is cut off from it (Cross-Origin-Opener-Policy).
        with page.context.expect_page() as opened:
            page.evaluate("(url) => { window.found = window.open(url) }", url)
        opened.value.wait_for_selector(".doc[aria-current]")
        assert page.evaluate("() => window.found === null || window.found.closed")
        assert session.store.acts_since(0) == []


def test_a_name_of_somebody_else_that_leads_here_is_refused(page: Any, session: Session) -> None:
    """DNS rebinding: to the browser, page and server are of one origin, evil.example."""
    with serving(session) as url:
        answer = page.goto(f"http://evil.example:{urlsplit(url).port}/")
        assert answer.status == 403
        assert "got host 'evil.example" in page.content()
        status = page.evaluate(
            """async (body) => (await fetch("/api/grade", {method: "POST", body,
                 headers: {"Content-Type": "application/json"}})).status""",
            f'{{"item": {session.now.items[0]}, "round": 1, "grade": 4}}',
        )
        assert (status, session.store.acts_since(0)) == (403, [])
