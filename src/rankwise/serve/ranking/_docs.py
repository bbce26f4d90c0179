"""The page at /docs: what openapi.json says, as plain HTML that loads nothing from elsewhere and runs no script."""

from __future__ import annotations

import json
from html import escape
from importlib import resources

from rankwise.types import JsonObject


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
