"""HTTP: scoring, and the page to label in."""

from rankwise.errors import need_extra

need_extra("uvicorn", "httptools", extra="serve")
