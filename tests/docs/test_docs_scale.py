"""What docs/scale.md says was measured is what benchmarks/scale.py wrote."""

from __future__ import annotations

import json

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/scale.md"
RESULTS = json.loads((ROOT / "benchmarks" / "results" / "scale.json").read_text())
SIZES = sorted(RESULTS["sizes"].values(), key=lambda one: one["rows"])


def test_the_cost_of_a_row_is_that_measured() -> None:
    rows = []
    for one in SIZES:
        cost = one["microseconds_a_row"]
        rows.append(
            [
                f"{one['rows']:,}",
                *(f"{cost[name]:.1f}" for name in ("before_rounds", "round", "predict")),
                *(f"{one[name] / 1e9:.2f}" for name in ("binned_bytes", "peak_bytes", "peak_predict_bytes")),
            ]
        )
    header = ["rows", "µs per row: both passes", "a round", "predicting", "binned, GB", "peak, GB", "predicting, GB"]
    check_table(DOCUMENT, "cost", markdown(header, rows))


def test_memory_stays_within_twice_the_binned_size_and_a_constant() -> None:
    assert all(one["within_bound"] for one in SIZES)
    small, large = SIZES[0], SIZES[-1]
    assert large["peak_bytes"] - small["peak_bytes"] <= 2 * (large["binned_bytes"] - small["binned_bytes"])


def test_the_cluster_is_as_measured() -> None:
    spread = RESULTS["cluster"]
    one = RESULTS["sizes"][str(spread["rows"])]
    mine, theirs = one["seconds"], spread["seconds"]
    peaks = one["peak_bytes"], max(spread["peak_bytes_of_workers"])
    rows = [
        ["seconds before the rounds", f"{mine['before_rounds']:.1f}", f"{theirs['before_rounds']:.1f}"],
        ["seconds of a round", f"{mine['round']:.2f}", f"{theirs['round']:.2f}"],
        ["peak of a process, GB", *(f"{peak / 1e9:.2f}" for peak in peaks)],
        ["largest difference of scores", "", f"{spread['largest_difference_of_scores']:g}"],
    ]
    check_table(DOCUMENT, "cluster", markdown([f"{spread['rows']:,} rows", "one process", "two workers"], rows))


def test_what_a_billion_rows_need_follows_from_the_cost_of_a_row() -> None:
    needs = RESULTS["billion_rows"]
    rows = [
        ["Parquet", f"{needs['parquet_gigabytes']:.0f} GB"],
        ["memory of all workers", f"{needs['memory_gigabytes']:.0f} GB"],
        ["both passes", f"{needs['core_hours_before_rounds']:.1f} core hours"],
        ["a round of 31 leaves", f"{needs['core_minutes_a_round']:.0f} core minutes"],
        ["100 rounds", f"{needs['core_hours_100_rounds']:.0f} core hours"],
        ["predicting", f"{needs['core_hours_predict']:.1f} core hours"],
    ]
    check_table(DOCUMENT, "billion", markdown(["10^9 rows of 136 features", "needed"], rows))
