"""The routes of the ranking service.

A plain ASGI application: `/rank` takes about as long as the model itself, so nothing stands around it that it can do
without.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

import orjson
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from rankwise.errors import DataError
from rankwise.serve._guard import Door, Guard, Refused
from rankwise.serve._tokens import is_same, sent_by
from rankwise.serve.ranking._answers import explain, rank
from rankwise.serve.ranking._arrow import ARROW
from rankwise.serve.ranking._docs import docs_page, docs_style
from rankwise.serve.ranking._metrics import GONE, ROUTES, Metrics
from rankwise.serve.ranking._model import CurrentModel
from rankwise.serve.ranking._openapi import openapi

JSON = "application/json"
POSTED = ("/rank", "/explain")
OPEN = ("/health", "/metrics")  # while requests are still being finished
LONG = 1 << 19  # bytes of a body that others need not wait for


@dataclass(frozen=True)
class Limits:
    """What a request may bring."""

    most_bytes: int = 16 << 20
    most_documents: int = 10_000


class RankingService:
    """The application: counts what comes, refuses what must not, and answers the rest."""

    def __init__(
        self, model: CurrentModel, metrics: Metrics, limits: Limits, token: str | None, *, loopback_only: bool
    ) -> None:
        self.model, self.metrics, self.limits, self._token = model, metrics, limits, token
        self.draining = False
        self._guarded = Guard(
            self._route,
            Door(
                loopback_only,
                limits.most_bytes,
                "send fewer documents at a time",
                kinds=(JSON, ARROW),
                kinds_named=f"JSON or an Arrow stream, with content type {JSON} or {ARROW}",
                admit=self._admit,
            ),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, and count it."""
        if scope["type"] != "http":
            return
        status, began = GONE, time.perf_counter()

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self.metrics.begin()
        try:
            await self._guarded(scope, receive, noting)
        finally:
            route = scope["path"] if scope["path"] in ROUTES else "other"
            self.metrics.end(route, status, time.perf_counter() - began)

    def _admit(self, scope: Scope, headers: Headers) -> None:
        """Whether there is such a route, and it is open to the sender now."""
        path, method = scope["path"], scope["method"]
        if path not in ROUTES or path == "other":
            raise Refused(404, "there is no such page; /docs says which there are")
        allowed = "POST" if path in POSTED else "GET"
        if method != allowed and not (method == "HEAD" and allowed == "GET"):
            raise Refused(405, f"{path} takes {allowed}, got {method[:20]}; use that", (b"allow", allowed.encode()))
        if path != "/health" and not self._is_known(headers):
            raise Refused(
                401,
                "this needs the token that the service was started with; send it as Authorization: Bearer TOKEN",
                (b"www-authenticate", b"Bearer"),
            )
        if self.draining and path not in OPEN:
            raise Refused(503, "this service is being stopped; send it to another one, or later")

    def _is_known(self, headers: Headers) -> bool:
        return self._token is None or is_same(self._token, sent_by(headers.get("authorization")))

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        body: bytes = (await receive())["body"]
        status, kind = 200, JSON
        try:
            match scope["path"]:
                case "/rank":
                    found = await self._rank(body, _kind(scope))
                case "/explain":
                    found = await self._explain(body, _kind(scope))
                case "/health":
                    status, found = self._health(self._is_known(Headers(scope=scope)))
                case "/metrics":
                    model = self.model.now
                    kind = "text/plain; version=0.0.4; charset=utf-8"
                    found = self.metrics.text(model.version, model.features.kind, model.loaded).encode()
                case "/openapi.json":
                    found = orjson.dumps(openapi(self.limits.most_bytes, self.limits.most_documents))
                case "/docs":
                    kind, found = "text/html; charset=utf-8", docs_page(openapi(*vars(self.limits).values()))
                case _:
                    kind, found = "text/css; charset=utf-8", docs_style()
        except DataError as problem:
            status, found = 422, orjson.dumps({"error": str(problem)})
        except Refused as problem:
            status, found = problem.status, orjson.dumps({"error": str(problem)})
        headers = [(b"content-type", kind.encode()), (b"content-length", str(len(found)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": found})

    async def _rank(self, body: bytes, kind: str) -> bytes:
        now, most = self.model.now, self.limits.most_documents
        if len(body) < LONG:
            found, documents = rank(body, kind == ARROW, now, most)
        else:
            found, documents = await asyncio.to_thread(rank, body, kind == ARROW, now, most)
        self.metrics.scored(documents)
        return found

    async def _explain(self, body: bytes, kind: str) -> bytes:
        if kind == ARROW:
            raise Refused(415, f"/explain takes JSON, got an Arrow stream; send content type {JSON}")
        return await asyncio.to_thread(explain, body, self.model.now, self.limits.most_documents)

    def _health(self, known: bool) -> tuple[int, bytes]:
        """Whether requests are taken; more than that is for those who have the token."""
        told: dict[str, object] = {"status": "stopping" if self.draining else "ok"}
        if known:
            now = self.model.now
            told |= {"model": {**now.described(), "loaded": now.loaded}, "problem": self.model.problem}
        return 503 if self.draining else 200, orjson.dumps(told)


def _kind(scope: Scope) -> str:
    """The content type, which the guard has found to be one of ours."""
    return Headers(scope=scope)["content-type"].partition(";")[0].strip().lower()
