"""When something happened."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """This moment in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
