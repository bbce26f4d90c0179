"""The means of an evaluation as a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.metrics import Evaluation

HEADER = ("metric", "mean", "95% interval", "queries", "left out")


def evaluation_table(result: Evaluation) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows: the mean of each metric, its interval, and how many queries it is of."""
    rows: list[tuple[str, ...]] = []
    for metric in result.per_query:
        low, high = result.interval(metric)
        left_out = result.left_out[metric]
        rows.append(
            (
                metric,
                f"{result[metric]:.4f}",
                "–" if math.isnan(low) else f"{low:.4f}–{high:.4f}",
                str(result.queries_counted(metric)),
                f"{left_out.count}: {left_out.why}" if left_out.count else "0",
            )
        )
    return HEADER, rows
