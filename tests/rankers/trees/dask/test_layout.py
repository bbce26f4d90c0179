"""Queries are dealt whole, and about as many rows to each worker."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from rankwise.rankers.trees.dask._layout import PieceSurvey, assign_queries, lay_out


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("shape", ["even", "skewed", "one huge", "few"])
def test_parts_have_about_as_many_rows(shape, parts) -> None:
    rng = np.random.default_rng(0)
    rows = {
        "even": np.full(1000, 10),
        "skewed": (rng.pareto(1.2, size=1000) * 10 + 1).astype(int),
        "one huge": np.append(np.full(500, 3), 5000),
        "few": np.array([5, 1, 9, 2] * 10),
    }[shape]
    part = assign_queries(rows, parts)
    load = np.bincount(part, weights=rows, minlength=parts)
    assert part.min() >= 0
    assert part.max() < parts
    # No part is above what one must hold at least: its share, or the largest query.
    least = max(rows.sum() / parts, rows.max())
    assert load.max() <= 1.35 * least
    if shape == "even" and parts < 40:
        assert load.max() <= 1.05 * least
        assert (np.diff(part) >= 0).all()  # what stands together stays together


def test_queries_are_numbered_by_first_appearance_over_all_pieces() -> None:
    surveys = [
        PieceSurvey(pa.array(["7", "b"]), np.array([2, 1]), np.array([0.0, 1.0]), np.array([2, 1])),
        PieceSurvey(pa.array([3, 7]), np.array([4, 5]), np.array([1.0]), np.array([9])),
    ]
    layout = lay_out(surveys)
    assert [numbers.tolist() for numbers in layout.numbers] == [[0, 1], [2, 0]]
    assert layout.rows.tolist() == [7, 1, 4]
    assert (layout.labels.tolist(), layout.label_rows.tolist()) == ([0.0, 1.0], [2, 10])
    assert list(layout.piece_rows) == [3, 9]
