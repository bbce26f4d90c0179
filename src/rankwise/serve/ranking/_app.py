"""The ranking service as a chain of plain ASGI applications, in this order: count, guard, authorize, read, answer.

`/rank` takes about as long as the model itself, so nothing stands around it that it can do without.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankwise.errors import DataError
from rankwise.serve._guard import Guard, HTTPRefusal, RequestPolicy, WholeBody, headers_of, media_type
from rankwise.serve._tokens import is_same, sent_by
from rankwise.serve.ranking._answers import explain, rank
from rankwise.serve.ranking._arrow import ARROW
from rankwise.serve.ranking._metrics import CLIENT_LEFT, ROUTES, Metrics
from rankwise.serve.ranking._model import CurrentModel
from rankwise.serve.ranking._openapi import JSON, docs_page, docs_style, openapi
from rankwise.serve.ranking._schemas import Health, LoadedModelInfo, ModelAnswer, Refusal

POST_ROUTES = ("/rank", "/explain")
DRAINING_ROUTES = ("/health", "/metrics")  # open while requests are still being finished
THREAD_MIN_BYTES = 1 << 19  # of a body that others need not wait for
encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class Limits:
    """What a request may bring."""

    max_bytes: int = 16 << 20
    max_documents: int = 10_000


@dataclass
class RankingService:
    """What all requests share."""

    model: CurrentModel
    metrics: Metrics
    limits: Limits
    token: str | None
    draining: bool = False

    def knows(self, scope: Scope) -> bool:
        """Whether a request has the token, if there is one."""
        return self.token is None or is_same(self.token, sent_by(headers_of(scope).get("authorization")))


def make_app(service: RankingService, *, loopback_only: bool) -> ASGIApp:
    """The application, from the first of the chain to the last."""
    policy = RequestPolicy(
        loopback_only,
        service.limits.max_bytes,
        "send fewer documents at a time",
        content_types=(JSON, ARROW),
    )
    authorized = Authorization(WholeBody(RankingRoutes(service), policy), service)
    return RequestCounter(Guard(authorized, policy), service.metrics)


class RequestCounter:
    """Counts what comes, how it is answered, and how long that takes."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and count it."""
        if scope["type"] != "http":
            return
        status, began = CLIENT_LEFT, time.perf_counter()

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.begin()
        try:
            await self._app(scope, receive, send_noting)
        finally:
            route = scope["path"] if scope["path"] in ROUTES else "other"
            self._metrics.end(route, status, time.perf_counter() - began)


class Authorization:
    """Lets through what goes to a route that is there, by its method, with the token, and while it is open."""

    def __init__(self, app: ASGIApp, service: RankingService) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, or refuse it."""
        self.authorize(scope)
        await self._app(scope, receive, send)

    def authorize(self, scope: Scope) -> None:
        """Refuse a request that must not pass."""
        path, method = scope["path"], scope["method"]
        if path not in ROUTES or path == "other":
            raise HTTPRefusal(404, "there is no such page; /docs says which there are")
        allowed = "POST" if path in POST_ROUTES else "GET"
        if method != allowed and not (method == "HEAD" and allowed == "GET"):
            raise HTTPRefusal(405, f"{path} takes {allowed}, got {method[:20]}; use that", (b"allow", allowed.encode()))
        if path != "/health" and not self._service.knows(scope):
            raise HTTPRefusal(
                401,
                "this needs the token that the service was started with; send it as Authorization: Bearer TOKEN",
                (b"www-authenticate", b"Bearer"),
            )
        if self._service.draining and path not in DRAINING_ROUTES:
            raise HTTPRefusal(503, "this service is being stopped; send it to another one, or later")


class RankingRoutes:
    """Answers requests that were let through."""

    def __init__(self, service: RankingService) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body: bytes = (await receive())["body"]
        service, model = self._service, self._service.model.now
        status, kind = 200, JSON
        try:
            match scope["path"]:
                case "/rank":
                    answer = await self._rank(body, media_type(headers_of(scope)) == ARROW)
                case "/explain":
                    if media_type(headers_of(scope)) == ARROW:
                        raise HTTPRefusal(415, f"/explain takes JSON, got an Arrow stream; send content type {JSON}")
                    answer = await asyncio.to_thread(explain, body, model, service.limits.max_documents)
                case "/model":
                    features = model.features
                    answer = encode(
                        ModelAnswer(
                            **model.described(),
                            loaded=model.loaded,
                            names=features.names,
                            takes_missing=features.takes_missing,
                        )
                    )
                case "/health":
                    status, answer = self._health(service.knows(scope))
                case "/metrics":
                    kind = "text/plain; version=0.0.4; charset=utf-8"
                    answer = service.metrics.text(model.info.version, model.info.kind, model.loaded).encode()
                case "/openapi.json":
                    answer = encode(openapi(model.json.types, **vars(service.limits)))
                case "/docs":
                    kind = "text/html; charset=utf-8"
                    answer = docs_page(openapi(model.json.types, **vars(service.limits)))
                case _:
                    kind, answer = "text/css; charset=utf-8", docs_style()
        except DataError as problem:
            status, answer = 422, encode(Refusal(str(problem)))
        headers = [(b"content-type", kind.encode()), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _rank(self, body: bytes, is_arrow: bool) -> bytes:
        model, max_documents = self._service.model.now, self._service.limits.max_documents
        if len(body) < THREAD_MIN_BYTES:
            answer, n_documents = rank(body, is_arrow, model, max_documents)
        else:
            answer, n_documents = await asyncio.to_thread(rank, body, is_arrow, model, max_documents)
        self._service.metrics.scored(n_documents)
        return answer

    def _health(self, is_known: bool) -> tuple[int, bytes]:
        """Whether requests are taken; more than that is for those who have the token."""
        health = Health("stopping" if self._service.draining else "ok")
        if is_known:
            model = self._service.model
            health.model = LoadedModelInfo(**model.now.described(), loaded=model.now.loaded)
            health.problem = model.problem
        return 503 if self._service.draining else 200, encode(health)
