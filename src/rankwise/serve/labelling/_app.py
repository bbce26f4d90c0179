"""The routes: a page, its parts, and what it asks and tells."""

from __future__ import annotations

import json
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
from rankwise.labels import Judgement
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


class Answer(JSONResponse):
    """JSON in ASCII: half characters, which names of files and features may have, are no UTF-8."""

    def render(self, content: JsonObject) -> bytes:
        """The body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


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
    def work(labeller: Labeller, item: int | None = None) -> Answer:
        return Answer(work_view(session, labeller, item))

    @app.get("/api/progress", dependencies=[Depends(_labeller)])
    def progress() -> Answer:
        return Answer(progress_view(session))

    def acted(labeller: str, act: Judgement) -> Answer:
        return Answer(act_view(session, labeller, act.item))

    @app.post("/api/grade")
    def grade(labeller: Labeller, request: GradeRequest) -> Answer:
        return acted(labeller, session.judge(labeller, request.item, request.grade, request.round))

    @app.post("/api/skip")
    def skip(labeller: Labeller, request: ItemRequest) -> Answer:
        return acted(labeller, session.skip(labeller, request.item, request.round))

    @app.post("/api/note")
    def note(labeller: Labeller, request: NoteRequest) -> Answer:
        return acted(labeller, session.note(labeller, request.item, request.note, request.round))

    @app.post("/api/undo")
    def undo(labeller: Labeller, request: UndoRequest) -> Answer:
        return acted(labeller, session.undo(labeller, request.last))

    @app.post("/api/next")
    def next_round(labeller: Labeller, request: RoundRequest) -> Answer:
        session.next_round(request.round)
        return Answer(work_view(session, labeller))

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
    async def refused(request: Request, problem: Exception) -> Answer:
        status = next(STATUS_OF_ERROR[kind] for kind in type(problem).__mro__ if kind in STATUS_OF_ERROR)
        return Answer({"error": str(problem)}, status)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, problem: RequestValidationError) -> Answer:
        first = problem.errors()[0]
        place = " ".join(".".join(str(step) for step in first["loc"][1:]).split())[:60]
        reason = str(first["msg"]).lower()
        return Answer({"error": f"{place or 'the body'} is not as it should be ({reason}); correct it"}, 422)

    @app.exception_handler(HTTPException)
    async def other(request: Request, problem: HTTPException) -> Answer:
        sentence = {
            400: "the body is not JSON that can be read; send an object of a few fields",
            404: "there is no such page; open /",
            405: "this page does not take that method",
        }
        error = sentence.get(problem.status_code, str(problem.detail))
        return Answer({"error": error}, problem.status_code, headers=dict(problem.headers or {}))

    @app.exception_handler(Exception)
    async def mistaken(request: Request, problem: Exception) -> Answer:
        log.error("a request failed", exc_info=problem)
        return Answer({"error": INTERNAL_ERROR}, 500)
