"""What docs/nets.md says was measured is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/nets.md"


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def test_ndcg_of_the_two_is_that_measured() -> None:
    rows = []
    for data, name in (("cubic", "burges_ndcg-cubic"), ("cubic, Burges 2006's size", "burges_ndcg-cubic-full")):
        for system in results(name)["systems"]:
            levels = {point["metric"]: point for point in system["points"]}
            told = []
            for level in ("ndcg@1", "ndcg@3", "ndcg@10"):
                low, high = levels[level]["interval"]
                told.append(f"{levels[level]['mean']:.4f} ({low:.4f}–{high:.4f})")
            rows.append([f"{data}, {system['net']}", system["trainer"], *told])
    of_folds = results("burges_ndcg-mq2008")["means"]
    rows += [
        ["MQ2008", name, "", f"{means['ndcg@3']:.4f}", f"{means['ndcg@10']:.4f}"] for name, means in of_folds.items()
    ]
    check_table(DOCUMENT, "ndcg", markdown(["data", "trained by", "NDCG@1", "NDCG@3", "NDCG@10"], rows))


def test_speed_of_ranknet_is_that_measured() -> None:
    rows = []
    for row in results("burges_speed")["rows"]:
        longest, seconds = row["points"][-1]
        published = row["published"]
        rows.append(
            [
                row["layers"],
                row["trainer"],
                f"{row['times V2']:.1f}" + (f" ({published['ratio']})" if "ratio" in published else ""),
                f"{row['slope']:.2f}" + (f" ({published['slope']})" if published["slope"] else ""),
                f"{seconds:.2f} s for {longest:,}",
            ]
        )
    header = ["net", "trainer", "epoch, times V2 (published)", "slope (published)", "a step at the longest list"]
    check_table(DOCUMENT, "ranknet", markdown(header, rows))


def test_steps_of_losses_are_those_measured() -> None:
    rows = results("nets")["rows"]
    lengths = sorted({row["length"] for row in rows})
    told: dict[str, list[str]] = {}
    for row in rows:
        cell = row["how"]
        if row["seconds"] is not None:
            cell = f"{1e6 * row['seconds'] / row['documents']:.2f} µs, {row['bytes'] / 2**20:,.0f} MB"
        told.setdefault(row["loss"], []).append(cell)
    header = ["a document's share of a step, and memory", *(f"lists of {length:,}" for length in lengths)]
    check_table(DOCUMENT, "steps", markdown(header, [[loss, *cells] for loss, cells in told.items()]))


def test_long_lists_are_as_measured() -> None:
    found = results("long_lists")
    hidden = [list(shape) for shape in dict.fromkeys(tuple(row["hidden"]) for row in found["epoch"])]
    rows = [
        [loss, *(f"{one['seconds']:.2f} s ({one['ratio']:.2f}x)" for one in found["epoch"] if one["loss"] == loss)]
        for loss in dict.fromkeys(row["loss"] for row in found["epoch"])
    ]
    check_table(DOCUMENT, "epoch", markdown(["an epoch", *(f"hidden {tuple(shape)}" for shape in hidden)], rows))
    judged = [[row["loss"], f"{row['auc']:.5f}", f"{row['ap']:.4f}"] for row in found["quality"]]
    check_table(DOCUMENT, "long list", markdown(["trained on", "AUC", "AP"], judged))
