"""Queries of rows: by first appearance, whatever their ids are."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data._groups import QueryGroups

RISING = [1, 1, 2, 5, 5]


@pytest.mark.parametrize("ids", [RISING, RISING[::-1], [5, 5, 2, 7, 7], [4]], ids=str)
@pytest.mark.parametrize("kind", [np.int64, np.float64, str, "datetime64[D]", [("a", "i4"), ("b", "i4")]], ids=str)
def test_rows_that_stand_together_stay_where_they_are(ids, kind) -> None:
    values = np.array([(i, 0) for i in ids], dtype=kind) if isinstance(kind, list) else np.array(ids).astype(kind)
    groups = QueryGroups.from_qid(values)
    assert groups.order is None
    assert np.array_equal(groups.qids[groups.query_of_row()], values)
    assert groups.n_queries == len(set(ids))
    assert groups.n_rows == len(ids)


def test_rows_that_lie_apart_are_put_together() -> None:
    groups = QueryGroups.from_qid([1, 2, 3, 2, 4])
    assert groups.qids.tolist() == [1, 2, 3, 4]
    assert groups.order is not None
    assert groups.order.tolist() == [0, 1, 3, 2, 4]
    assert groups.offsets.tolist() == [0, 1, 3, 4, 5]
