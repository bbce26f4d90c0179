"""Scoring over HTTP: a model file, picked up anew when it changes, behind `POST /rank` and `POST /explain`."""

from rankwise.errors import need_extra

need_extra("uvicorn", "httptools", "starlette", "msgspec", "simdjson", extra="serve")
