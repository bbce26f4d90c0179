"""Why an act of a labeller is refused, where that is more than bad data."""

from __future__ import annotations

from rankwise.errors import DataError


class StaleError(DataError):
    """What the labeller sees is not what is there any more: another round, another last act."""


class NotOfferedError(DataError):
    """An item that is not there, or that this labeller was not asked to judge."""
