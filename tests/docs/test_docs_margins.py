"""What docs/benchmarks.md and README.md say of margins is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/benchmarks.md"


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def test_margin_programs_take_the_time_measured() -> None:
    found = results("margins")
    rows = [
        [row["case"], row["name"], f"{row['seconds']:.3f} s", "" if row["bar"] is None else f"{row['ratio']:.1f}x"]
        for row in found["rows"]
    ]
    check_table(DOCUMENT, "margins", markdown(["case", "solver", "time", "times ours"], rows))
    cells = [[m["method"], f"{m['rows']:,}", f"{m['bytes_a_row']:.0f}"] for m in found["memory"]]
    check_table(DOCUMENT, "margins memory", markdown(["method", "rows × 100", "bytes per row beyond the data"], cells))


@pytest.mark.parametrize("table", ["balanced", "skewed", "uci", "reuters"])
def test_aucs_are_those_measured(table: str) -> None:
    """The honest figure, published ones in brackets; RankBoost's are those of its three numbers of rounds."""
    found = results(f"suehiro-{table}")["rows"]
    methods = list(dict.fromkeys(row["method"] for row in found))
    rows = []
    for data in sorted(dict.fromkeys(row["data"] for row in found)):
        mine = {row["method"]: row for row in found if row["data"] == data}
        cells = []
        for method in methods:
            row = mine.get(method)
            cells.append("" if row is None else f"{row['auc']['chosen']:.4f}{_published(row['published'])}")
        best = [f"{row['true function']:.4f}" for row in mine.values() if "true function" in row][:1]
        rows.append([data, *cells, *best])
    truth = ["true function"] if "true function" in found[0] else []
    check_table(DOCUMENT, f"suehiro {table}", markdown([table, *methods, *truth], rows))


def _published(told: Any) -> str:
    values = [value for value in (told if isinstance(told, list) else [told]) if value is not None]
    return f" ({max(values):.4f})" if values else ""


def test_fits_take_the_time_measured() -> None:
    """Suehiro 2011's table 5; the published seconds in brackets."""
    found = results("suehiro-times")["rows"]
    methods = list(dict.fromkeys(row["method"] for row in found))
    rows = []
    for m in dict.fromkeys(row["m"] for row in found):
        mine = {row["method"]: row for row in found if row["m"] == m}
        rows.append([f"{m:,}", *(_seconds(mine.get(method)) for method in methods)])
    check_table(DOCUMENT, "suehiro times", markdown(["rows", *methods], rows))


def _seconds(row: Any) -> str:
    if row is None:
        return ""
    told = "" if row["published"] is None else f" ({row['published']})"
    return f"over {row['over']:.0f} s{told}" if row["seconds"] is None else f"{row['seconds']:.3f} s{told}"


def test_svms_by_class_are_as_measured() -> None:
    """Welleck 2016's SVM-Perf column."""
    metrics = ("mauc", "map, empty=0", "map", "ndcg@10", "auc")
    rows = [
        [row["method"], *(f"{row['means'][metric]:.4f}" for metric in metrics)]
        for row in results("suehiro-mq2008")["rows"]
    ]
    published = ["SVM-Perf as Welleck 2016 printed it", "0.737", "0.458", "", "", ""]
    header = ["MQ2008, 5 folds", "MAUC", "MAP, empty = 0", "MAP", "NDCG@10", "AUC"]
    check_table(DOCUMENT, "suehiro mq2008", markdown(header, [*rows, published]))


def test_svms_are_as_measured() -> None:
    found = results("ranksvm")
    rows = [
        [row["model"], f"{row['map letor4']:.4f}", f"{row['mauc']:.4f}", f"{row['ndcg@10']:.4f}", f"{row['auc']:.4f}"]
        for row in found["quality"]["rows"]
    ]
    check_table(DOCUMENT, "ranksvm", markdown(["MQ2008, 5 folds", "MAP (letor4)", "MAUC", "NDCG@10", "AUC"], rows))
    cells = [
        [row["case"], row["name"], f"{row['seconds']:.3f} s", f"{row['ratio']:.1f}x"]
        for part in ("pairs", "scaled-rows", "rows")
        for row in found[part]["rows"]
    ]
    check_table(DOCUMENT, "ranksvm speed", markdown(["case", "solver", "time", "times ours"], cells))
