"""BM25 and tf-idf word by word, from the printed formulas: slow, and free of arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

K1, B = 1.2, 0.75


def bm25(query: Sequence[str], document: Sequence[str], collection: Sequence[Sequence[str]]) -> float:
    """Robertson & Zaragoza 2009 (3.15); idf, and which documents count as having the field, as in Lucene."""
    present = [words for words in collection if words]
    if not document:
        return 0.0
    mean_length = sum(map(len, present)) / len(present)
    score = 0.0
    for word in query:
        n = sum(word in words for words in present)
        idf = math.log(1 + (len(present) - n + 0.5) / (n + 0.5))
        tf = document.count(word)
        score += idf * tf / (K1 * ((1 - B) + B * len(document) / mean_length) + tf)
    return score


def ranking(query: Sequence[str], documents: dict[str, Sequence[str]], size: int) -> list[str]:
    """The ids of the best documents that have a word of the query, of equal ones the lower id first."""
    collection = list(documents.values())
    scores = {name: round(bm25(query, words, collection), 12) for name, words in documents.items()}
    return sorted((name for name in scores if scores[name] > 0), key=lambda name: (-scores[name], name))[:size]
