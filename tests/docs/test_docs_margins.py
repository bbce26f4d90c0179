"""What docs/benchmarks.md says of margins is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

from rankwise.metrics.comparison._statistics import format_p_value
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


def test_quantiles_are_as_measured() -> None:
    rows = []
    for row in results("quantiles")["rows"]:
        for model in row["models"]:
            cells = [
                f"{judged['mean']:.4f}" + ("" if judged["p"] is None else f" ({format_p_value(judged['p'])})")
                for judged in model["judged"].values()
            ]
            rows.append([row["data"], model["model"], *cells, f"{model['cpu_seconds']:.2g}"])
    web = next(row for row in results("quantiles")["rows"] if row["data"] == "web")["models"][0]
    ndcg, auc = (f"{web['judged'][metric]['mean']:.4f}" for metric in ("ndcg@10", "auc"))
    check_table(
        "README.md",
        "quantiles on web",
        "`rw.RankSVM(quantiles=True)`, which also learns from [quantiles of features](docs/margins.md),\n"
        f"has {ndcg} and {auc} on `web` after {web['cpu_seconds']:.0f} CPU s.",
    )
    heads = ["data", "model", "NDCG@10 (p)", "MAP (p)", "AUC (p)", "CPU s"]
    check_table("docs/margins.md", "quantiles", markdown(heads, rows))
