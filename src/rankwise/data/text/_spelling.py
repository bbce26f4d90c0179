"""How a query and a document compare as they are spelled: phrases, places, character trigrams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from rankwise.data.text._words import words


class SpelledQuery:
    """A query, to be compared with documents one by one."""

    def __init__(self, query_words: Sequence[str]) -> None:
        self._words = frozenset(query_words)
        self._phrase = _spelled(query_words)
        self._pairs = {_spelled(pair) for pair in pairwise(query_words)} or {self._phrase}
        self._trigrams = {self._phrase[start : start + 3] for start in range(len(self._phrase) - 2)}

    def features(self, title: str, text: str) -> tuple[float, ...]:
        """Values of `phrase`, `pairs`, `first_match`, `trigrams` and `trigrams_title`."""
        title_words, text_words = words(title), words(text)
        in_title, in_text = _spelled(title_words), _spelled(text_words)
        place = next((place for place, word in enumerate(text_words, start=1) if word in self._words), None)
        return (
            float(self._phrase in in_title or self._phrase in in_text),
            _share(pair in in_title or pair in in_text for pair in self._pairs),
            0.0 if place is None else 1 / place,
            _share(trigram in in_title or trigram in in_text for trigram in self._trigrams),
            _share(trigram in in_title for trigram in self._trigrams),
        )


def _spelled(of_words: Iterable[str]) -> str:
    """Words with blanks between and around them, so that only whole words are found in others."""
    return f" {' '.join(of_words)} "


def _share(found: Iterable[bool]) -> float:
    """The share of what is true."""
    values = list(found)
    return sum(values) / len(values)
