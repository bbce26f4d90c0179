"""Micro and macro precision of predicted grades against scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_score

from rankwise.errors import DataError, ShapeError
from rankwise.metrics import macro_precision, micro_precision

grades = st.integers(0, 3)
tables = st.lists(st.tuples(grades, grades), min_size=1, max_size=30).filter(lambda rows: max(map(max, rows)) > 0)
AVERAGES: dict[str, Callable[..., float]] = {"micro": micro_precision, "macro": macro_precision}


@pytest.mark.parametrize("average", AVERAGES)
@given(rows=tables)
def test_agrees_with_scikit_learn(average: str, rows: list[tuple[int, int]]) -> None:
    y, predicted = ([row[column] for row in rows] for column in (0, 1))
    positive = sorted({grade for row in rows for grade in row if grade > 0})
    for classes, labels in ((None, positive), ([0, 1, 2, 3], [0, 1, 2, 3]), ([2], [2])):
        expected = precision_score(y, predicted, labels=labels, average=average, zero_division=0)
        assert AVERAGES[average](y, predicted, classes) == pytest.approx(expected, abs=1e-15)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ShapeError, match="got 2 and 1"):
        micro_precision([1, 2], [1])
    with pytest.raises(DataError, match="a grade above 0"):
        macro_precision([0, 0], [0, 0])
