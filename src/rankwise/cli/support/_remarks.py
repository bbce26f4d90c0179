"""What a person would want to know of the data before a model is trained on it, or judged by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.cli._output import print_notes

if TYPE_CHECKING:
    from rankwise.data import RankingData

WORTH_A_WORD = 0.05
"""The share of rows in both sets from which on it is said."""


def print_remarks(train: RankingData, other: RankingData | None = None, purpose: str = "") -> None:
    """Say what is odd about the training rows, and how many of the `other` rows, for this purpose, are among them."""
    from rankwise.data import describe, overlap
    from rankwise.data.prepare._stats import share_copied

    notes = describe(train).remarks
    if other is not None and share_copied(train, other) >= WORTH_A_WORD:
        notes.append(
            f"{overlap(train, other)} of {len(other)} rows to {purpose} stand in the training data too, "
            "so the model will look better than it is"
        )
    print_notes(notes)


def print_repeated(data: RankingData) -> None:
    """Say how many rows to judge by repeat a document of their query, which then counts twice."""
    from rankwise.data.prepare._stats import duplicate_documents

    if count := duplicate_documents(data):
        print_notes([f"{count} rows repeat a document of their query, which counts as often as it stands there"])
