"""The page to label in: rounds that a sampler chooses, a ranker refitted after each, and a server for both."""

from rankwise.errors import need_extra

need_extra("fastapi", "uvicorn", extra="serve")
