"""The description of the service in OpenAPI: the schemas are those of the models that check requests."""

from __future__ import annotations

import msgspec

from rankwise._version import __version__
from rankwise.serve.ranking._arrow import ARROW
from rankwise.serve.ranking._requests import JsonReader
from rankwise.serve.ranking._schemas import ExplainAnswer, Health, RankAnswer, Refusal
from rankwise.types import JsonObject

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
    "401": "The token is missing or wrong.",
    "403": "Another host name, or a page of another site.",
    "413": "The body is too long.",
    "415": "Another content type.",
    "422": "The body is not right; the sentence names the document and the feature.",
    "503": "The service is being stopped.",
}
ARROW_STREAM = {
    "schema": {
        "type": "string",
        "format": "binary",
        "description": "An uncompressed Arrow IPC stream: a column of numbers for each feature by name, or one "
        "column of fixed-size lists; and ids in a column id, if there are any.",
    }
}


def openapi(reader: JsonReader, max_bytes: int, max_documents: int) -> JsonObject:
    """The whole description, for the features of one model."""
    types = (*reader.types, RankAnswer, ExplainAnswer, Health, Refusal)
    refs, schemas = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    rank, explain, ranked, explained, health, refused = refs
    for request in reader.types:  # of fields that may be left out, one must be there
        schemas[request.__name__]["oneOf"] = [{"required": ["documents"]}, {"required": ["features"]}]

    def responses(answer: JsonObject, description: str, example: JsonObject, *statuses: str) -> JsonObject:
        content = {"200": (description, {"schema": answer, "example": example})}
        content |= {status: (REFUSALS[status], {"schema": refused}) for status in statuses}
        return {
            status: {"description": sentence, "content": {"application/json": body}}
            for status, (sentence, body) in content.items()
        }

    def post(summary: str, request: JsonObject, others: JsonObject, answers: JsonObject) -> JsonObject:
        content = {"application/json": {"schema": request, "examples": EXAMPLE_REQUESTS}, **others}
        limits = f"At most {max_documents:,} documents and {max_bytes:,} bytes."
        body = {"required": True, "description": limits, "content": content}
        return {"post": {"summary": summary, "requestBody": body, "responses": answers}}

    order = ["d2", "d1"]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rankwise serve",
            "version": __version__,
            "description": 'Ranks documents by a model. Refusals are a status and one sentence, {"error": …}.',
        },
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
        "paths": {
            "/rank": post(
                "Order documents by score; equal scores stay in the order of the request.",
                rank,
                {ARROW: ARROW_STREAM},
                responses(
                    ranked,
                    "The order, and the scores in the order of the request.",
                    {"order": order, "scores": [0.5, 1.25], "model": EXAMPLE_MODEL},
                    *REFUSALS,
                ),
            ),
            "/explain": post(
                "Why each of the top documents is above the next, or one document above another (pair).",
                explain,
                {},
                responses(
                    explained,
                    "What each feature adds to the difference of two scores, largest first.",
                    {"order": order, "reasons": [EXAMPLE_REASON], "model": EXAMPLE_MODEL},
                    *REFUSALS,
                ),
            ),
            "/health": {
                "get": {
                    "summary": "Whether requests are taken, and what is wrong with a new model file; needs no token.",
                    "responses": responses(
                        health,
                        "Requests are taken.",
                        {"status": "ok", "model": {**EXAMPLE_MODEL, "loaded": 1700000000.5}, "problem": None},
                        "503",
                    ),
                }
            },
            "/metrics": {
                "get": {
                    "summary": "Counts and times for Prometheus.",
                    "responses": {
                        "200": {
                            "description": "Counts in Prometheus' text format.",
                            "content": {"text/plain": {"schema": {"type": "string"}}},
                        }
                    },
                }
            },
        },
    }
