"""Tables of docs/growth.md are what benchmarks/growth.py wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.growth import FAMILIES, SIZES, TASKS, cells_of, slope
from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/growth.md"
CELLS: list[dict[str, Any]] = json.loads((ROOT / "benchmarks" / "results" / "growth.json").read_text())["cells"]
FIELDS = {"fit_seconds": "fit, µs", "predict_seconds": "predict, µs", "fit_bytes": "peak of fit, bytes"}
LEAST_BYTES = 20_000_000
"""Growth of memory below it is mostly what a library sets up once."""


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_row_costs_is_as_measured(family: str) -> None:
    rows = []
    for field, title in FIELDS.items():
        for name in FAMILIES[family]:
            mine = cells_of(CELLS, name)
            if any(field in cell for cell in mine):
                costs = {cell["rows"]: per_row(cell, field) for cell in mine}
                rows.append([title, name, *(costs.get(size, "") for size in SIZES), number(slope(mine, field))])
    header = ["per row", "by", *(f"{size:,}" for size in SIZES), "slope"]
    check_table(DOCUMENT, family, markdown(header, rows))


def test_ours_beside_the_peer_is_as_measured() -> None:
    rows = []
    for name, task in TASKS.items():
        mine = {cell["rows"]: cell for cell in cells_of(CELLS, name)}
        theirs = {cell["rows"]: cell for cell in cells_of(CELLS, task.peer or "")}
        both = [size for size in mine if "fit_seconds" in mine[size] and "fit_seconds" in theirs.get(size, {})]
        if task.peer is not None:
            slopes = [number(slope([*cells.values()], "fit_seconds")) for cells in (mine, theirs)]
            at = both[-1] if both else 0
            ratios = [ratio(mine[at], theirs[at], field) if both else "" for field in FIELDS]
            rows.append([name, task.peer, *slopes, f"{at:,}" if both else "", *ratios])
    header = ["ours", "peer", "slope", "peer's slope", "rows", "fit, times ours", "predict, times ours"]
    check_table(DOCUMENT, "growth", markdown([*header, "memory, times ours"], rows))


def per_row(cell: dict[str, Any], field: str) -> str:
    if "exceeded" in cell:
        return f"over {cell['exceeded']}"
    scale = 1 if field == "fit_bytes" else 1e6
    return significant(scale * cell[field] / cell["rows"])


def ratio(mine: dict[str, Any], theirs: dict[str, Any], field: str) -> str:
    if not (mine.get(field) and theirs.get(field)):
        return ""
    if field == "fit_bytes" and max(mine[field], theirs[field]) < LEAST_BYTES:
        return ""
    return f"{significant(theirs[field] / mine[field])}x"


def significant(value: float) -> str:
    """Two digits, and all that stand before the point."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
