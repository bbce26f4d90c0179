"""The server against everything that a page of ours would not send: a 4xx with a sentence, and nothing changed."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from rankwise.data import RankingData
from rankwise.labels import LabelStore
from rankwise.serve.labelling._app import MAX_BODY_BYTES
from rankwise.serve.labelling._labellers import Labellers
from rankwise.serve.labelling._session import Session
from tests.serve.labelling.factories import make_session, pool, served, serving, settled

TOKENS = ["ana=secret-of-ana", "ben=secret-of-ben"]


@dataclass
class Site:
    session: Session
    host: str

    def send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection(self.host, timeout=300)
        told = {"Host": self.host, "Content-Type": "application/json", **(headers or {})}
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body)
        connection.request(method, path, raw, {name: value for name, value in told.items() if value})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        is_json = (answer.headers["content-type"] or "").startswith("application/json")
        return answer.status, json.loads(text) if is_json else text.decode(), answer.headers

    def acts(self) -> int:
        """How many acts the store has."""
        return sum(len(self.session.store.history(item)) for item in range(len(self.session.store.data)))


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    session = settled(make_session(folder))
    with serving(session) as url:
        yield Site(session, urlsplit(url).netloc)


@pytest.fixture
def guarded(folder: Path) -> Iterator[Site]:
    session = settled(make_session(folder))
    with serving(session, Labellers.of(TOKENS, "nobody")) as url:
        yield Site(session, urlsplit(url).netloc)


def good(site: Site, **more: Any) -> dict[str, Any]:
    return {"item": site.session.now.items[0], "round": 1, "grade": 2, **more}


def is_sentence(body: Any) -> bool:
    return list(body) == ["error"] and len(body["error"]) > 20 and "\n" not in body["error"]


def test_a_judgement_is_there_when_it_is_acknowledged(site: Site) -> None:
    status, body, _ = site.send("POST", "/api/grade", good(site))
    item = site.session.now.items[0]
    assert (status, body["item"]["grade"], body["done"]) == (200, 2, 1)
    assert [(act.labeller, act.grade) for act in site.session.store.history(item)] == [("ana", 2)]
    status, body, _ = site.send("POST", "/api/note", {"item": item, "round": 1, "note": "ß\u2028<b>"})
    assert (status, body["item"]["note"]) == (200, "ß\u2028<b>")
    status, body, _ = site.send("POST", "/api/undo", {"last": body["last"]})
    assert (status, body["item"]) == (200, {"item": item, "grade": 2, "skipped": False, "note": ""})
    status, body, _ = site.send("POST", "/api/skip", {"item": item, "round": 1})
    assert (status, body["item"]["skipped"], body["item"]["grade"]) == (200, True, None)


BAD = [
    ("grade", {"item": 10_000}, 404),
    ("grade", {"item": -1}, 404),
    ("grade", {"item": 2**80}, 404),
    ("grade", {"grade": 5}, 422),
    ("grade", {"grade": -1}, 422),
    ("grade", {"grade": 10**30}, 422),
    ("grade", {"grade": "2"}, 422),
    ("grade", {"grade": 2.0}, 422),
    ("grade", {"grade": True}, 422),
    ("grade", {"grade": None}, 422),
    ("grade", {"round": 0}, 409),
    ("grade", {"round": 2}, 409),
    ("grade", {"round": "1"}, 422),
    ("grade", {"who": "ben"}, 422),
    ("skip", {"grade": 1}, 422),
    ("note", {"grade": 1, "note": "x"}, 422),
    ("undo", {"last": 1}, 422),
    ("next", {"round": 1}, 422),
]


@pytest.mark.parametrize(("act", "change", "status"), BAD)
def test_bad_values(site: Site, act: str, change: dict[str, Any], status: int) -> None:
    body = change if act in ("undo", "next") else good(site, **change)
    found, said, _ = site.send("POST", f"/api/{act}", body)
    assert (found, is_sentence(said), site.acts()) == (status, True, 0), said


def test_values_that_the_store_refuses(site: Site) -> None:
    item = site.session.now.items[0]
    for note in ("x" * 10_001, "\ud800"):
        raw = json.dumps({"item": item, "round": 1, "note": note}).encode()
        status, said, _ = site.send("POST", "/api/note", raw)
        assert (status, is_sentence(said)) == (422, True), said
    status, said, _ = site.send("POST", "/api/undo", {"last": 5})
    assert (status, said["error"]) == (422, "ana has nothing to undo; judge something first")
    site.send("POST", "/api/grade", good(site))
    status, said, _ = site.send("POST", "/api/undo", {"last": 5})
    assert (status, is_sentence(said), site.acts()) == (409, True, 1)


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"null", b'{"item": NaN}', b"\xff\xfe", b"[" * 50_000, b'{"a":' * 9_000, b"0" * 5_000]
)
def test_bodies_that_are_no_object(site: Site, raw: bytes) -> None:
    status, said, _ = site.send("POST", "/api/grade", raw)
    assert (status in (400, 422), is_sentence(said), site.acts()) == (True, True, 0), said


@pytest.mark.parametrize(
    "raw",
    [
        b'{"item": ' + b"9" * 5_000 + b', "round": 1, "grade": 1}',
        b'{"item": ' + b"9" * 4_000 + b', "round": 1, "grade": 1}',
        b'{"item": 0, "round": 1, "grade": 1, "\\ud800": 1}',
        b'{"item": 0, "round": 1, "grade": 1, "a\\nb": 1}',
        b'{"item": 0, "round": 1, "grade": 1, "' + b"x" * 9_000 + b'": 1}',
    ],
)
def test_refusals_are_short_whatever_they_tell_of(site: Site, raw: bytes) -> None:
    status, said, _ = site.send("POST", "/api/grade", raw)
    assert (400 <= status < 500, is_sentence(said), len(said["error"]) < 200) == (True, True, True), said
    status, said, _ = site.send("GET", f"/api/work?item={'9' * 4_000}")
    assert (status, len(said["error"]) < 200) == (404, True)


def test_a_full_disk_is_a_sentence_and_the_grade_can_be_sent_again(site: Site) -> None:
    database = site.session.store._database
    pages = database.rows("PRAGMA page_count")[0][0]
    database.rows(f"PRAGMA max_page_count = {pages}")
    note = {"item": site.session.now.items[0], "round": 1, "note": "x" * 10_000}
    for _ in range(2):
        status, said, _ = site.send("POST", "/api/note", note)
        assert (status, is_sentence(said), site.acts()) == (503, True, 0)
        assert "free some space" in said["error"]
    database.rows("PRAGMA max_page_count = 1000000")
    for _ in range(2):
        assert site.send("POST", "/api/note", note)[0] == 200
    assert site.acts() == 1


def test_names_with_half_a_character_are_shown(folder: Path) -> None:
    data = pool()
    named = RankingData(data.X, data.y, data.qid, data.doc_ids, feature_names=[*"abcdefg", "\ud800"])
    session = settled(make_session(folder, LabelStore.create(folder / "labels.db", named)))
    with serving(session) as url:
        status, said, _ = Site(session, urlsplit(url).netloc).send("GET", "/api/work")
    assert (status, len(said["items"])) == (200, 5)


def test_oversized_bodies(site: Site) -> None:
    status, said, _ = site.send("POST", "/api/grade", b" " * (MAX_BODY_BYTES + 1))
    assert (status, is_sentence(said)) == (413, True)
    # a body whose length is not told beforehand
    connection = http.client.HTTPConnection(site.host, timeout=300)
    piece = b" " * 8192
    connection.putrequest("POST", "/api/grade")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    for _ in range(MAX_BODY_BYTES // len(piece) + 1):
        connection.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
    answer = connection.getresponse()
    assert (answer.status, is_sentence(json.loads(answer.read()))) == (413, True)
    connection.close()
    assert site.acts() == 0
    longest = {"item": site.session.now.items[0], "round": 1, "note": "😀" * 10_000}
    status, said, _ = site.send("POST", "/api/note", json.dumps(longest, ensure_ascii=False).encode())
    assert status == 200, said


def test_a_length_that_is_not_true_or_none(site: Site) -> None:
    host, port = site.host.split(":")
    for length in ("-5", "99999999999999999999", "abc"):
        with socket.create_connection((host, int(port)), timeout=300) as raw:
            request = f"POST /api/grade HTTP/1.1\r\nHost: {site.host}\r\nContent-Type: application/json\r\n"
            raw.sendall(f"{request}Content-Length: {length}\r\n\r\n".encode())
            assert b" 4" in raw.recv(1000).split(b"\r\n")[0]
    assert site.acts() == 0


CROSS_SITE = [
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://127.0.0.1:1"}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Host": "evil.example"}, 403),
    ({"Host": "127.0.0.1.evil.example:80"}, 403),
    ({"Host": "[::1"}, 403),
    ({"Content-Type": "text/plain"}, 415),
    ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ({"Content-Type": ""}, 415),
]


@pytest.mark.parametrize(("headers", "status"), CROSS_SITE)
def test_what_other_sites_can_send(site: Site, headers: dict[str, str], status: int) -> None:
    found, said, answer = site.send("POST", "/api/grade", good(site), headers)
    assert (found, is_sentence(said), site.acts()) == (status, True, 0), said
    assert "access-control-allow-origin" not in answer


def test_other_sites_cannot_read_either(site: Site) -> None:
    for headers in ({"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}):
        assert site.send("GET", "/api/work", headers=headers)[0] == 403
    # but a link may lead here
    assert site.send("GET", "/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})[0] == 200


@pytest.mark.parametrize("host", ["localhost:{port}", "[::1]:{port}", "127.0.0.1:9", "LOCALHOST"])
def test_names_of_this_machine(site: Site, host: str) -> None:
    """A tunnel may end at another port."""
    named = host.format(port=site.host.split(":")[1])
    headers = {"Host": named, "Origin": f"http://{named}", "Sec-Fetch-Site": "same-origin"}
    assert site.send("POST", "/api/grade", good(site), headers)[0] == 200


@pytest.mark.parametrize(
    "sent",
    ["", "Bearer", "Bearer wrong-secret", "Bearer secret-of-an", "Basic secret-of-ana", "secret-of-ana", "Bearer é"],
)
def test_a_wrong_token(guarded: Site, sent: str) -> None:
    for method, path, body in (
        ("POST", "/api/grade", good(guarded)),
        ("GET", "/api/work", None),
        ("GET", "/api/progress", None),
        ("POST", "/api/next", {"round": 1}),
    ):
        status, said, _ = guarded.send(method, path, body, {"Authorization": sent.encode().decode("latin-1")})
        assert (status, is_sentence(said)) == (401, True), (method, path, said)
    assert guarded.acts() == 0


def test_each_token_has_its_name(guarded: Site) -> None:
    first = guarded.send("GET", "/api/work", headers={"Authorization": "Bearer secret-of-ana"})[1]
    second = guarded.send("GET", "/api/work", headers={"Authorization": "bearer secret-of-ben"})[1]
    assert (first["labeller"], second["labeller"]) == ("ana", "ben")
    assert first["query"]["qid"] != second["query"]["qid"]
    assert guarded.send("GET", "/")[0] == 200  # the page itself asks for the token


def test_every_answer_has_the_headers(site: Site) -> None:
    for path in ("/", "/page/main.js", "/page/label.css", "/api/work", "/nowhere"):
        headers = site.send("GET", path)[2]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
    assert site.send("GET", "/", headers={"Host": "evil.example"})[2]["content-security-policy"]


def test_other_paths_and_methods(site: Site) -> None:
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("GET", "/page/../app.py", 404),
        ("GET", "/page/%2e%2e%2fapp.py", 404),
        ("GET", "/docs", 404),
        ("GET", "/openapi.json", 404),
        ("GET", "/api/grade", 405),
        ("DELETE", "/api/grade", 405),
        ("GET", "/api/work?item=x", 422),
        ("GET", "/api/work?item=100000", 404),
    ):
        found, said, _ = site.send(method, path)
        assert (found, is_sentence(said)) == (status, True), (method, path, said)


def test_a_mistake_of_ours_shows_no_traceback(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(site.session.store, "last_act", lambda who: 1 / 0)
    status, said, _ = site.send("GET", "/api/work")
    assert (status, is_sentence(said)) == (500, True)
    assert "ZeroDivision" not in said["error"]
    assert "a request failed" in caplog.text


def test_the_page_asks_nobody_else() -> None:
    """No address in what we serve leads elsewhere, and no data become markup."""
    page = Path(__file__).parents[3] / "src" / "rankwise" / "serve" / "labelling" / "page"
    for file in page.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        for word in (
            "http:",
            "https:",
            "//cdn",
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
        ):
            assert word not in text, (file.name, word)


@pytest.mark.slow
def test_the_command_line_of_several(folder: Path) -> None:
    with served(folder, "--token", "ana", "--token", "ben=a-secret-of-his", "--overlap", "2") as server:
        assert list(server.links) == ["ana", "ben"]
        assert server.links["ben"] == f"{server.url}#token=a-secret-of-his"
        site = Site(None, urlsplit(server.url).netloc)  # type: ignore[arg-type]
        assert site.send("GET", "/api/work")[0] == 401
        secret = server.links["ana"].partition("=")[2]
        assert len(secret) >= 32
        assert site.send("GET", "/api/work", headers={"Authorization": f"Bearer {secret}"})[1]["labeller"] == "ana"
