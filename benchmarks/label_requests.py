"""Requests that a page of ours would not send, by the thousand: no 5xx, and memory stays as it is.

Bodies are made from sound ones: values of other types, huge numbers, text that is none, unknown items, markup, other
fields, cut and repeated bytes; some go with odd headers, paths or methods.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.label_servers import listen, pool, secret, start
from rankwise.labels import LabelStore

SCRIPT = "<script>document.title = 'owned'</script>"
VALUES = (
    *(None, True, False, -1, 0, 1, 2, 4, 5, 10**9, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, 1e308, -0.0),
    *("", "1", "é", "\0", "\u2028", "\ud800", SCRIPT, "=1+1", "x" * 9_999, "x" * 10_001, "😀" * 10_000),
    *([], [1], {}, {"item": 1}, [[[[[[1]]]]]], ["x"] * 100),
)
RAW = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "9" * 5_000,
    "0x10",
    "01",
    '"\\ud800"',
    "[" * 2_000,
    '{"a":' * 500,
    "tru",
)
KEYS = (
    "item",
    "round",
    "grade",
    "note",
    "last",
    "who",
    "labeller",
    "__proto__",
    "",
    "a\nb",
    SCRIPT,
    "\ud800",
    "x" * 5_000,
)
PATHS = ("grade", "skip", "note", "undo", "next")
FIELDS = {"grade": ("item", "round", "grade"), "skip": ("item", "round"), "note": ("item", "round", "note")}
HEADERS = (
    *({"Content-Type": "text/plain"}, {"Content-Type": "application/json; charset=utf-16"}, {"Origin": "null"}),
    *({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example"}, {"Host": ""}),
    *({"Authorization": "Bearer wrong-secret"}, {"Authorization": "Bearer \xff"}, {"Authorization": "x" * 5_000}),
    *({"Content-Encoding": "gzip"}, {"Accept": "\xff"}, {"X-Odd": "y" * 10_000}, {"Cookie": "a=b;" * 1_000}),
)


def body_of(draw: random.Random, path: str, items: list[int], round: int) -> bytes:
    """A body for a path, wrong in one way or another, or sound."""
    sound: dict[str, Any] = {
        "item": draw.choice(items),
        "round": round,
        "grade": draw.randrange(5),
        "note": "n",
        "last": 1,
    }
    body = {name: sound[name] for name in FIELDS.get(path, ("last",) if path == "undo" else ("round",))}
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        change = draw.randrange(4)
        if change == 0 and body:
            body[draw.choice(list(body))] = draw.choice(VALUES)
        elif change == 1:
            body[draw.choice(KEYS)] = draw.choice(VALUES)
        elif change == 2 and body:
            del body[draw.choice(list(body))]
        else:
            body[draw.choice(list(body) or ["item"])] = "@RAW@"
    text = json.dumps(body, ensure_ascii=draw.random() < 0.5).encode(errors="surrogatepass")
    text = text.replace(b'"@RAW@"', draw.choice(RAW).encode())
    if draw.random() < 0.15:
        data, at = bytearray(text), draw.randrange(len(text) + 1)
        data[at : at + draw.choice((0, 1, 5))] = draw.randbytes(draw.choice((1, 3, 40)))
        text = bytes(data)
    if draw.random() < 0.03:
        text *= draw.choice((2, 30_000 // max(1, len(text)), 200_000 // max(1, len(text))))
    return text


def request_of(draw: random.Random, items: list[int], round: int) -> tuple[str, str, bytes | None, dict[str, str]]:
    """Method, path, body and headers of a request."""
    headers = {"Authorization": f"Bearer {secret('ana')}", "Content-Type": "application/json"}
    if draw.random() < 0.1:
        headers |= draw.choice(HEADERS)
    if draw.random() < 0.15:
        item = draw.choice(("", "x", "-1", "9" * 4_000, "%ff%fe", "1e3", str(draw.choice(items)), "0&item=1", "%00"))
        path = draw.choice(
            (f"/api/work?item={item}", f"/page/{item}", "/api/progress", "/", "/%2e%2e/x", "//x", "/api/")
        )
        return draw.choice(("GET", "GET", "HEAD", "OPTIONS", "DELETE", "PUT", "TRACE")), path, None, headers
    path = draw.choice(PATHS)
    return "POST", f"/api/{path}", body_of(draw, path, items, round), headers


def resident(process: int) -> int:
    """Bytes of memory that a process holds."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def hostile_requests(folder: Path, requests: int, seed: int = 0) -> dict[str, Any]:
    """Statuses of so many requests, examples of those that should not be, and memory over the time."""
    path = folder / "requests.db"
    data = pool(40)
    texts = {doc: {"title": SCRIPT, SCRIPT: SCRIPT, "text": "x" * 1_000} for doc in data.doc_ids.tolist()[::2]}  # type: ignore[union-attr]
    LabelStore.create(path, data, texts).close()
    listener = listen()
    server, port = start(path, listener), listener.getsockname()[1]
    items, open_round = [], 0
    statuses, bad, memory = Counter[str](), [], []
    draw = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    for number in range(requests):
        if number % 50 == 0:
            open_round, offered = _offered(path)
            items = [*offered, *range(0, len(data), 50)]
        if number % max(1, requests // 10) == 0 and number:
            memory.append(round(resident(server) / 1e6, 1))
        method, target, body, headers = request_of(draw, items, open_round)
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            said = answer.read()
            status = str(answer.status)
            if answer.status >= 500 or (answer.status >= 400 and method != "HEAD" and not _is_sentence(said)):
                bad.append([status, method, target[:80], repr(body)[:200], repr(said)[:200]])
        except (http.client.HTTPException, OSError) as problem:
            status = type(problem).__name__
            connection.close()
        statuses[status] += 1
    memory.append(round(resident(server) / 1e6, 1))
    connection.close()
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    with LabelStore.open(path) as store:
        assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
        acts = len(store.acts_since(0))
    return {
        "requests": requests,
        "statuses": dict(sorted(statuses.items())),
        "5xx": sum(count for status, count in statuses.items() if status.startswith("5")),
        "bad": bad[:10],
        "recorded": acts,
        "megabytes": memory,
    }


def _offered(path: Path) -> tuple[int, tuple[int, ...]]:
    """The open round and its items, as soon as there is one."""
    with LabelStore.open(path) as store:
        while store.position[0] == 0:
            time.sleep(0.05)
        return store.position[0], store.rounds()[-1].items


def _is_sentence(said: bytes) -> bool:
    if not said.startswith(b"{"):
        return b"\n" not in said.strip()  # of the HTTP reader itself
    error = json.loads(said)["error"]
    return len(error) < 400 and "\n" not in error
