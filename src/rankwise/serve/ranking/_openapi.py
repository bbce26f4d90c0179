"""The description of the service in OpenAPI, written by hand beside the code that checks bodies by hand."""

from __future__ import annotations

from typing import Any

from rankwise._version import __version__
from rankwise.serve.ranking._arrow import ARROW

ID = {"type": ["string", "integer"]}
LIST = {"type": "array", "items": {"type": ["number", "null"]}, "description": "All features, in the model's order."}
FEATURES = {
    "oneOf": [
        LIST,
        {
            "type": "object",
            "additionalProperties": {"type": ["number", "null"]},
            "description": "Features by name; null, or left out, is missing.",
        },
    ]
}
DOCUMENT = {
    "type": "object",
    "required": ["features"],
    "properties": {"id": ID, "features": FEATURES},
    "additionalProperties": False,
}
MODEL = {
    "type": "object",
    "required": ["version", "kind", "features"],
    "properties": {
        "version": {"type": "string", "description": "The start of the SHA-256 of the model file."},
        "kind": {"type": "string"},
        "features": {"type": "integer"},
    },
}
EXAMPLE_MODEL = {"version": "0f3c5a9d1e42", "kind": "lambdamart", "features": 2}
BY_NAME = {"documents": [{"id": "d1", "features": {"bm25": 1.5, "age": 3}}, {"id": "d2", "features": {"bm25": 2.5}}]}
COMPACT = {"features": [[1.5, 3], [2.5, None]], "ids": ["d1", "d2"]}
SENTENCES = {
    "401": "The token is missing or wrong.",
    "403": "Another host name, or a page of another site.",
    "413": "The body is too long.",
    "415": "Another content type.",
    "422": "The body is not right; the sentence names the document and the feature.",
    "503": "The service is being stopped.",
}


def _object(required: dict[str, Any], more: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    properties = {**required, **optional, **more}
    return {"type": "object", "required": list(required), "properties": properties, "additionalProperties": False}


def _body(limits: str, more: dict[str, Any]) -> dict[str, Any]:
    documents = _object({"documents": {"type": "array", "minItems": 1, "items": DOCUMENT}}, more, {})
    compact = _object(
        {"features": {"type": "array", "minItems": 1, "items": FEATURES}},
        more,
        {"ids": {"type": "array", "items": ID}},
    )
    return {
        "schema": {"oneOf": [documents, compact], "description": limits},
        "examples": {
            "documents": {"summary": "Features by name, or as lists:", "value": BY_NAME},
            "compact": {"summary": "The same, shorter:", "value": COMPACT},
        },
    }


def _answers(description: str, schema: dict[str, Any], example: Any, statuses: tuple[str, ...]) -> dict[str, Any]:
    refused = {
        "schema": {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}},
    }
    return {
        "200": {"description": description, "content": {"application/json": {"schema": schema, "example": example}}},
        **{status: {"description": SENTENCES[status], "content": {"application/json": refused}} for status in statuses},
    }


def openapi(most_bytes: int, most_documents: int) -> dict[str, Any]:
    """The whole description."""
    limits = f"At most {most_documents:,} documents and {most_bytes:,} bytes."
    order = {"type": "array", "items": ID, "description": "Ids, or positions from 0, from the best down."}
    ranked = _object({"order": order, "scores": {"type": "array", "items": {"type": "number"}}, "model": MODEL}, {}, {})
    reasons = _object(
        {"order": order, "reasons": {"type": "array", "items": {"type": "object"}}, "model": MODEL}, {}, {}
    )
    reason = {
        "above": "d2",
        "below": "d1",
        "difference": 0.75,
        "parts": [{"feature": "bm25", "above": 2.5, "below": 1.5, "adds": 0.75}],
    }
    refused = tuple(SENTENCES)
    asked = {
        "top": {"type": "integer", "minimum": 1, "maximum": 100, "default": 5},
        "pair": {"type": "array", "items": ID, "minItems": 2, "maxItems": 2},
    }
    stream = {
        "schema": {
            "type": "string",
            "format": "binary",
            "description": "An uncompressed Arrow IPC stream: a column of numbers for each feature by name, or one "
            "column of fixed-size lists; and ids in a column id, if there are any.",
        }
    }
    text = {
        "description": "Counts in Prometheus' text format.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rankwise serve",
            "version": __version__,
            "description": 'Ranks documents by a model. Refusals are a status and one sentence, {"error": …}.',
        },
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
        "paths": {
            "/rank": {
                "post": {
                    "summary": "Order documents by score; equal scores stay in the order of the request.",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": _body(limits, {}), ARROW: stream},
                    },
                    "responses": _answers(
                        "The order, and the scores in the order of the request.",
                        ranked,
                        {"order": ["d2", "d1"], "scores": [0.5, 1.25], "model": EXAMPLE_MODEL},
                        refused,
                    ),
                }
            },
            "/explain": {
                "post": {
                    "summary": "Why each of the top documents is above the next, or one document above another (pair).",
                    "requestBody": {"required": True, "content": {"application/json": _body(limits, asked)}},
                    "responses": _answers(
                        "What each feature adds to the difference of two scores, largest first.",
                        reasons,
                        {"order": ["d2", "d1"], "reasons": [reason], "model": EXAMPLE_MODEL},
                        refused,
                    ),
                }
            },
            "/health": {
                "get": {
                    "summary": "Whether requests are taken, and what is wrong with a new model file; needs no token.",
                    "responses": _answers(
                        "Requests are taken.",
                        {"type": "object", "required": ["status"]},
                        {"status": "ok", "model": EXAMPLE_MODEL, "problem": None},
                        ("503",),
                    ),
                }
            },
            "/metrics": {"get": {"summary": "Counts and times for Prometheus.", "responses": {"200": text}}},
        },
    }
