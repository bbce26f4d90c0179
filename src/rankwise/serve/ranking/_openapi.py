"""The description of the service: in OpenAPI, with the schemas of the models that check requests, and as a page.

The page at /docs is plain HTML that loads nothing from elsewhere and runs no script.
"""

from __future__ import annotations

import json
from html import escape
from importlib import resources

import msgspec
from msgspec import Struct

from rankwise._version import __version__
from rankwise.serve.ranking._arrow import ARROW
from rankwise.serve.ranking._schemas import ExplainAnswer, Health, ModelAnswer, RankAnswer, Refusal
from rankwise.types import JsonObject

JSON = "application/json"
EXAMPLE_MODEL = {"version": "0f3c5a9d1e42", "kind": "lambdamart", "features": 2}
EXAMPLE_REASON = {
    "above": "d2",
    "below": "d1",
    "difference": 0.75,
    "parts": [{"feature": "bm25", "above": 2.5, "below": 1.5, "adds": 0.75}],
}
EXAMPLE_REQUESTS = {
    "documents": {
        "summary": "Features by name, or as lists (of a model with the features bm25 and age):",
        "value": {
            "documents": [{"id": "d1", "features": {"bm25": 1.5, "age": 3}}, {"id": "d2", "features": {"bm25": 2.5}}]
        },
    },
    "compact": {
        "summary": "The same, shorter:",
        "value": {"features": [[1.5, 3], [2.5, None]], "ids": ["d1", "d2"]},
    },
}
REFUSALS = {
    "400": "This is not HTTP/1.1.",
    "401": "The token is missing or wrong.",
    "403": "Another host name, or a page of another site.",
    "408": "The headers or the body took too long.",
    "413": "The body is too long.",
    "415": "Another content type, or the body is compressed.",
    "422": "The body is not right; the sentence names the document and the feature.",
    "431": "The headers are too long.",
    "503": "The service is being stopped, or has too much under way.",
}
ARROW_STREAM = {
    "schema": {
        "type": "string",
        "format": "binary",
        "description": "An uncompressed Arrow IPC stream: a column of numbers for each feature by name, or one "
        "column of fixed-size lists; and ids in a column id, if there are any.",
    }
}


def openapi(request_types: tuple[type[Struct], ...], max_bytes: int, max_documents: int) -> JsonObject:
    """The whole description, for the features of one model."""
    types = (*request_types, RankAnswer, ExplainAnswer, ModelAnswer, Health, Refusal)
    refs, schemas = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    rank, explain, ranked, explained, model, health, refused = refs
    for request in request_types:  # of fields that may be left out, one must be there
        schemas[request.__name__]["oneOf"] = [{"required": ["documents"]}, {"required": ["features"]}]
    limits = f"At most {max_documents:,} documents and {max_bytes:,} bytes."

    def body(request: JsonObject, **others: JsonObject) -> JsonObject:
        content = {JSON: {"schema": request, "examples": EXAMPLE_REQUESTS}, **others}
        return {"requestBody": {"required": True, "description": limits, "content": content}}

    def responses(answer: JsonObject, example: JsonObject, description: str, *statuses: str) -> JsonObject:
        answers = {"200": (description, {"schema": answer, "example": example})}
        answers |= {status: (REFUSALS[status], {"schema": refused}) for status in statuses}
        return {
            "responses": {status: _response(sentence, JSON, content) for status, (sentence, content) in answers.items()}
        }

    order = ["d2", "d1"]
    paths = {
        "/rank": {
            "post": {
                "summary": "Order documents by score; equal scores stay in the order of the request.",
                **body(rank, **{ARROW: ARROW_STREAM}),
                **responses(
                    ranked,
                    {"order": order, "scores": [0.5, 1.25], "model": EXAMPLE_MODEL},
                    "The order, and the scores in the order of the request.",
                    *REFUSALS,
                ),
            }
        },
        "/explain": {
            "post": {
                "summary": "Why each of the top documents is above the next, or one document above another (pair).",
                **body(explain),
                **responses(
                    explained,
                    {"order": order, "reasons": [EXAMPLE_REASON], "model": EXAMPLE_MODEL},
                    "What each feature adds to the difference of two scores, largest first.",
                    *REFUSALS,
                ),
            }
        },
        "/model": {
            "get": {
                "summary": "The model that is served, and the names of its features.",
                **responses(
                    model,
                    {**EXAMPLE_MODEL, "loaded": 1700000000.5, "names": ["bm25", "age"], "takes_missing": True},
                    "The features, in the order of the lists that /rank takes.",
                    "401",
                    "503",
                ),
            }
        },
        "/health": {
            "get": {
                "summary": "Whether requests are taken, and what is wrong with a new model file; needs no token.",
                **responses(
                    health,
                    {"status": "ok", "model": {**EXAMPLE_MODEL, "loaded": 1700000000.5}, "problem": None},
                    "Requests are taken.",
                    "503",
                ),
            }
        },
        "/metrics": {
            "get": {
                "summary": "Counts and times for Prometheus.",
                "responses": {
                    "200": _response("Counts in Prometheus' text format.", "text/plain", {"schema": {"type": "string"}})
                },
            }
        },
    }
    description = 'Ranks documents by a model. Refusals are a status and one sentence, {"error": …}.'
    return {
        "openapi": "3.1.0",
        "info": {"title": "rankwise serve", "version": __version__, "description": description},
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
        "paths": paths,
    }


def _response(description: str, kind: str, content: JsonObject) -> JsonObject:
    return {"description": description, "content": {kind: content}}


def docs_page(description: JsonObject) -> bytes:
    """All routes, with what they take and answer."""
    info = description["info"]
    pieces = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(info['title'])}</title><link rel=stylesheet href=docs.css>",
        f"<h1>{escape(info['title'])}</h1><p>{escape(info['description'])}</p>",
        "<p>For programs: <a href=openapi.json>openapi.json</a></p>",
    ]
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            pieces.append(f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(route['summary'])}</p>")
            request = route.get("requestBody", {"description": "", "content": {}})
            pieces.append(f"<p>{escape(request['description'])}</p>")
            for kind, body in request["content"].items():
                pieces.append(f"<h3>{escape(kind)}</h3><p>{escape(body['schema'].get('description', ''))}</p>")
                for example in body.get("examples", {}).values():
                    pieces.append(f"<p>{escape(example['summary'])}</p>{_code(example['value'])}")
            pieces.append("<table><tr><th>status<th>answer</tr>")
            for status, answer in route["responses"].items():
                shown = next(
                    (_code(kind["example"]) for kind in answer.get("content", {}).values() if "example" in kind), ""
                )
                pieces.append(f"<tr><td>{status}<td>{escape(answer['description'])}{shown}</tr>")
            pieces.append("</table>")
    return "".join(pieces).encode()


def docs_style() -> bytes:
    """The page's style sheet."""
    return resources.files(__package__).joinpath("docs.css").read_bytes()


def _code(value: object) -> str:
    return f"<pre>{escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))}</pre>"
