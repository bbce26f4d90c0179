"""What looks like a mistake in what is evaluated, though every figure can be computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rankwise.data._groups import QueryGroups
from rankwise.metrics._base import Metric
from rankwise.types import FloatArray

MANY_ROWS = 20  # from so many on it is no accident that no two labels are equal
SOME_ROWS = 1_000  # are enough to tell grades from scores


def remarks(labels: FloatArray, scores: FloatArray, groups: QueryGroups, metrics: Iterable[Metric]) -> Iterator[str]:
    """Sentences about labels, scores and queries that are hardly meant so."""
    if groups.n_queries > 1 and groups.sizes.max() == 1:
        yield "every query has one row, so there is nothing to rank; check qid"
    blind = [metric for metric in metrics if metric.told_apart_by == "relevance"]
    if blind and labels.min() > 0.0:
        yield f"no label is 0 or below, so every document is relevant to {blind[0]}; subtract the lowest grade"
    step = max(1, labels.size // SOME_ROWS)
    if labels.size >= MANY_ROWS and _are_scores(labels[::step]) and _are_grades(scores[::step]):
        yield "the labels look like scores and the scores like labels; pass labels first, scores second"


def _are_scores(values: FloatArray) -> bool:
    """Whether hardly two are equal, and none needs to be whole: no grades."""
    return bool(np.count_nonzero(values % 1.0) * 2 > values.size and np.unique(values).size * 10 > values.size * 9)


def _are_grades(values: FloatArray) -> bool:
    """Whether all are whole numbers, few of them different."""
    return bool((values >= 0.0).all() and (values % 1.0 == 0.0).all() and values.max() <= 10.0)
