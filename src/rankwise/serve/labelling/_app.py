"""The routes: a page, its parts, and what it asks and tells."""

from __future__ import annotations

import logging
from importlib import resources
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from rankwise.errors import DataError, StoreError
from rankwise.serve._guard import INTERNAL_ERROR, Guard, RequestPolicy, WholeBody
from rankwise.serve.labelling._labellers import Labellers
from rankwise.serve.labelling._session import NotOfferedError, Session, StaleError
from rankwise.serve.labelling._views import act_view, progress_view, work_view
from rankwise.types import JsonObject

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 64 << 10  # the longest note fits, in any script
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
STATUS_OF_ERROR = {StaleError: 409, NotOfferedError: 404, DataError: 422, StoreError: 503}


class PageRequest(BaseModel):
    """What the page sends: exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ItemRequest(PageRequest):
    """An item, and the round in which the labeller saw it."""

    item: int
    round: int


class GradeRequest(ItemRequest):
    """A grade."""

    grade: int


class NoteRequest(ItemRequest):
    """A remark."""

    note: str


class UndoRequest(PageRequest):
    """The act to take back, by its id."""

    last: int


class RoundRequest(PageRequest):
    """The round to end."""

    round: int


def _labeller(request: Request) -> str:
    labellers: Labellers = request.app.state.labellers
    name = labellers.named_by(request.headers.get("authorization"))
    if name is None:
        raise HTTPException(401, "this token is not known; open the link that you were given, or type its token")
    return name


Labeller = Annotated[str, Depends(_labeller)]


def make_app(session: Session, labellers: Labellers, *, loopback_only: bool = True) -> ASGIApp:
    """The application, behind its guard."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.labellers = labellers

    @app.get("/api/work")
    def work(labeller: Labeller, item: int | None = None) -> JsonObject:
        return work_view(session, labeller, item)

    @app.get("/api/progress", dependencies=[Depends(_labeller)])
    def progress() -> JsonObject:
        return progress_view(session)

    @app.post("/api/grade")
    def grade(labeller: Labeller, request: GradeRequest) -> JsonObject:
        return act_view(session, labeller, session.judge(labeller, request.item, request.grade, request.round).item)

    @app.post("/api/skip")
    def skip(labeller: Labeller, request: ItemRequest) -> JsonObject:
        return act_view(session, labeller, session.skip(labeller, request.item, request.round).item)

    @app.post("/api/note")
    def note(labeller: Labeller, request: NoteRequest) -> JsonObject:
        return act_view(session, labeller, session.note(labeller, request.item, request.note, request.round).item)

    @app.post("/api/undo")
    def undo(labeller: Labeller, request: UndoRequest) -> JsonObject:
        return act_view(session, labeller, session.undo(labeller, request.last).item)

    @app.post("/api/next")
    def next_round(labeller: Labeller, request: RoundRequest) -> JsonObject:
        session.next_round(request.round)
        return work_view(session, labeller)

    _add_page(app)
    _add_refusals(app)
    policy = RequestPolicy(loopback_only, MAX_BODY_BYTES, "shorten the note")
    return Guard(WholeBody(app, policy), policy)


def _add_page(app: FastAPI) -> None:
    """The files of the page; they hold nothing that a token should protect."""
    files = {file.name: file.read_bytes() for file in resources.files(__package__).joinpath("page").iterdir()}

    @app.get("/page/{name}")
    def page_file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        return Response(files[name], media_type=MEDIA_TYPES[name[name.rindex(".") :]])

    @app.get("/")
    def page() -> Response:
        return page_file("index.html")


def _add_refusals(app: FastAPI) -> None:
    """Everything that goes wrong is a status and one sentence."""

    @app.exception_handler(DataError)
    @app.exception_handler(StoreError)
    async def refused(request: Request, problem: Exception) -> JSONResponse:
        status = next(STATUS_OF_ERROR[kind] for kind in type(problem).__mro__ if kind in STATUS_OF_ERROR)
        return JSONResponse({"error": str(problem)}, status)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        place = ".".join(str(step) for step in first["loc"][1:])
        reason = str(first["msg"]).lower()
        return JSONResponse({"error": f"{place or 'the body'} is not as it should be ({reason}); correct it"}, 422)

    @app.exception_handler(HTTPException)
    async def other(request: Request, problem: HTTPException) -> JSONResponse:
        sentence = {404: "there is no such page; open /", 405: "this page does not take that method"}
        error = sentence.get(problem.status_code, str(problem.detail))
        return JSONResponse({"error": error}, problem.status_code, headers=dict(problem.headers or {}))

    @app.exception_handler(Exception)
    async def mistaken(request: Request, problem: Exception) -> JSONResponse:
        log.error("a request failed", exc_info=problem)
        return JSONResponse({"error": INTERNAL_ERROR}, 500)
