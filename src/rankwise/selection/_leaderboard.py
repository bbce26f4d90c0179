"""What AutoRanker reports: every candidate and blend, what it is worth on queries held out, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rankwise._validation import is_finite_number
from rankwise.errors import ModelFileError
from rankwise.metrics._evaluation import format_table
from rankwise.types import JsonObject

NUMBERS = ("value", "low", "high")


@dataclass(frozen=True)
class Entry:
    """A candidate or a blend.

    Parameters
    ----------
    name : str
        What it is called.
    value : float or None
        Mean of the metric over all queries, each held out once; None if it was dropped before.
    low : float or None
        Lower end of the 95% interval of the value.
    high : float or None
        Upper end of it.
    fits : int
        Folds that were fitted.
    cpu_seconds : float
        CPU seconds of these fits.
    outcome : str
        Why it was chosen, not chosen or dropped.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    fits: int
    cpu_seconds: float
    outcome: str


@dataclass(frozen=True)
class Leaderboard:
    """The entries, the chosen first; `str` is a table.

    Parameters
    ----------
    metric : str
        What they were judged by.
    entries : tuple of Entry
        Candidates and blends.
    """

    metric: str
    entries: tuple[Entry, ...]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of a table.

        Returns
        -------
        tuple
            The header, and a row of texts for each entry.
        """
        rows: list[tuple[str, ...]] = []
        for entry in self.entries:
            value = "–" if entry.value is None else f"{entry.value:.4f}"
            interval = "–" if entry.low is None else f"{entry.low:.4f}–{entry.high:.4f}"
            rows.append((entry.name, value, interval, f"{entry.cpu_seconds:.2f}", entry.outcome))
        return ("candidate", self.metric, "95% interval", "CPU s", "outcome"), rows

    def to_dict(self) -> list[JsonObject]:
        """Return the entries in plain Python types that `json.dumps` takes.

        Returns
        -------
        list of dict
            An object for each entry.
        """
        return [asdict(entry) for entry in self.entries]

    def __str__(self) -> str:
        header, rows = self.table()
        return format_table([header, *rows])

    __repr__ = __str__


def read_leaderboard(metric: str, entries: Any) -> Leaderboard:
    """The leaderboard of a model file, all of it checked."""
    return Leaderboard(metric, tuple(_entry(fields) for fields in entries)) if _is_list(entries) else _unsound(entries)


def _is_list(entries: object) -> bool:
    return isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)


def _entry(fields: JsonObject) -> Entry:
    texts = isinstance(fields.get("name"), str) and isinstance(fields.get("outcome"), str)
    numbers = all(fields.get(name) is None or is_finite_number(fields[name]) for name in NUMBERS)
    counts = isinstance(fields.get("fits"), int) and is_finite_number(fields.get("cpu_seconds"))
    interval = (fields.get("low") is None) == (fields.get("high") is None)
    if set(fields) != set(Entry.__dataclass_fields__) or not (texts and numbers and counts and interval):
        _unsound(fields)
    return Entry(**fields)


def _unsound(entries: object) -> Any:
    raise ModelFileError(f"the leaderboard of the model must be a list of entries, got {entries!r:.60}; save it again")
