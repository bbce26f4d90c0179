"""What docs/papers/burges.md says was measured is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/papers/burges.md"
NETS = ("linear", "two layers")
LAYERS = ("one layer", "two layers")
TRAINED = ("RankNet", "LambdaRank", "LambdaRank, ours")
READINGS = ("one query", "1,000 queries")


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def interval(values: list[float]) -> str:
    return f"{values[0]:+.4f} to {values[1]:+.4f}"


def rows_by_key(found: Any) -> dict[tuple[str, str, str], Any]:
    return {(row["net"], row["trainer"], row["metric"]): row for row in found["rows"]}


def slopes_by_key(found: Any) -> dict[tuple[str, str, str], Any]:
    return {(row["reading"], row["layers"], row["trainer"]): row for row in found["slopes"]}


def steepness(row: Any) -> str:
    return "–" if row["slope"] is None else f"{row['slope']:.2f}"


def compared(found: Any, net: str) -> list[Any]:
    """LambdaRank's ten rows."""
    return [row for row in found["rows"] if row["net"] == net and row["trainer"] == "LambdaRank"]


def said_of(found: Any, net: str) -> str:
    rows = compared(found, net)
    above = sum(row["difference"] > 0 for row in rows)
    sure = sum(row["difference interval"][0] > 0 for row in rows)
    worse = sum(row["difference interval"][1] < 0 for row in rows)
    first, last = rows[0]["difference"], rows[-1]["difference"]
    text = f"above at {above} of 10 levels, by {first:+.4f} at 1 and {last:+.4f} at 10; the 95% interval of the"
    return f"{text} difference is above 0 at {sure} and below at {worse}"


def test_what_came_of_each_figure_is_as_measured() -> None:
    speed, cubic, mq2008 = results("burges_speed"), results("burges_ndcg-cubic"), results("burges_ndcg-mq2008")
    ratio = {row["layers"]: row for row in speed["epochs"] if row["trainer"] == "V1"}
    rows = [
        [f"figure 1: V1 / V2, {layers}", f"{ratio[layers]['published']}", f"{ratio[layers]['times V2']:.1f}"]
        for layers in LAYERS
    ]
    by_key = slopes_by_key(speed)
    for trainer in ("V1", "V2"):
        told = [
            f"{reading}: " + ", ".join(f"{steepness(by_key[reading, layers, trainer])} ({layers})" for layers in LAYERS)
            for reading in READINGS
        ]
        rows.append(
            [
                f"figure 1: slope of {trainer}",
                f"{by_key['one query', 'one layer', trainer]['published']}",
                "; ".join(told),
            ]
        )
    claim = "LambdaRank clearly above RankNet at levels 1 to 10, the more the higher in the list"
    rows += [[f"figure 2, left: {net}", claim, said_of(cubic, net)] for net in NETS]
    claim = "LambdaRank above RankNet at every level, not significantly; with two layers closer still"
    rows += [[f"figure 2, right, on MQ2008: {net}", claim, said_of(mq2008, net)] for net in NETS]
    claim = (
        "LambdaRank above RankNet with both nets; linear LambdaRank on top of two-layer RankNet at the larger levels"
    )
    rows.append(
        ["figure 3 (web data)", claim, "not public; `python benchmarks/papers/letor.py` runs it on your MSLR-WEB"]
    )
    check_table(DOCUMENT, "outcome", markdown(["what", "published", "measured"], rows))


def test_an_epoch_is_that_measured() -> None:
    rows = [
        [
            row["layers"],
            row["trainer"],
            f"{row['seconds']:.3f} s",
            f"{row['times V2']:.1f}",
            str(row["published"] or ""),
        ]
        for row in results("burges_speed")["epochs"]
    ]
    check_table(DOCUMENT, "epoch", markdown(["net", "trainer", "CPU seconds", "times V2", "published"], rows))


def test_slopes_are_those_measured() -> None:
    rows = []
    for row in results("burges_speed")["slopes"]:
        longest, seconds = row["points"][-1]
        steps = " ".join(f"{step:.2f}" for step in row["local slopes"])
        name = "V2, net alone" if row["trainer"] == "net" else row["trainer"]
        cells = [row["reading"], row["layers"], name, steepness(row), str(row["published"] or ""), steps]
        rows.append([*cells, f"{seconds:.2f} s for {longest:,}"])
    header = ["documents of", "net", "trainer", "slope", "published", "from size to size", "the longest epoch"]
    check_table(DOCUMENT, "slopes", markdown(header, rows))


def test_the_share_of_the_net_is_that_measured() -> None:
    """How much of V2 is linear, at 1,000 queries of so many documents."""
    by_key = slopes_by_key(results("burges_speed"))
    sizes = [size for size, _ in by_key["1,000 queries", "one layer", "net"]["points"]]
    rows = []
    for layers in LAYERS:
        net, whole = (dict(by_key["1,000 queries", layers, trainer]["points"]) for trainer in ("net", "V2"))
        rows.append([layers, *(f"{min(1.0, net[size] / whole[size]):.0%}" if size in whole else "" for size in sizes)])
    header = ["the net's share of V2 at documents per query", *(f"{size // 1000:,}" for size in sizes)]
    check_table(DOCUMENT, "share", markdown(header, rows))


def comparison(found: Any) -> list[list[str]]:
    by_key = rows_by_key(found)
    rows = []
    for net in NETS:
        for level in (row["metric"] for row in compared(found, net)):
            ranknet, lambdarank, ours = (by_key[net, trainer, level] for trainer in TRAINED)
            cells = [
                f"{row['mean']:.4f} ({row['interval'][0]:.4f}–{row['interval'][1]:.4f})"
                for row in (ranknet, lambdarank)
            ]
            cells.append(f"{lambdarank['difference']:+.4f} ({interval(lambdarank['difference interval'])})")
            cells.append(f"{ours['mean']:.4f}, {ours['difference']:+.4f} ({interval(ours['difference interval'])})")
            rows.append([net, level.removeprefix("ndcg@"), *cells])
    return rows


HEADER = ["net", "level", "RankNet", "LambdaRank", "difference, 95% over queries", "ours, and over RankNet"]


def test_ndcg_on_cubic_data_is_that_measured() -> None:
    found = results("burges_ndcg-cubic")
    rows = comparison(found)
    for row, by_polynomial in zip(rows, found["by polynomial"], strict=True):
        assert (row[0], f"ndcg@{row[1]}") == (by_polynomial["net"], by_polynomial["metric"])
        row.insert(5, " ".join(f"{difference:+.4f}" for difference in by_polynomial["differences"]))
    sizes = "/".join(f"{size:,}" for size in found["queries"])
    header = [*HEADER[:5], f"in each of {found['polynomials']} polynomials ({sizes} queries)", HEADER[5]]
    check_table(DOCUMENT, "cubic", markdown(header, rows))


def test_ndcg_on_mq2008_is_that_measured() -> None:
    check_table(DOCUMENT, "mq2008", markdown(HEADER, comparison(results("burges_ndcg-mq2008"))))


def test_what_was_chosen_is_as_measured() -> None:
    rows = []
    for net in NETS:
        for trainer in TRAINED:
            cells = []
            for name in ("burges_ndcg-cubic", "burges_ndcg-mq2008"):
                fits = [fit for fit in results(name)["fits"] if (fit["net"], fit["trainer"]) == (net, trainer)]
                cells.append(", ".join(f"{fit['learning rate']:g} at {fit['epoch']}" for fit in fits))
            rows.append([net, trainer, *cells])
    check_table(DOCUMENT, "chosen", markdown(["net", "trainer", "cubic", "MQ2008"], rows))
