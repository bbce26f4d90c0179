"""What docs/reliability.md says of kills, Ctrl-C and absurd settings is what the benchmarks wrote."""

from __future__ import annotations

import json
from typing import Any

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/reliability.md"
BAD_ENDS = ("traceback", "swallowed", "hang", "half a file", "other exit")
BAD_SETTINGS = ("killed by a signal", "hang", "exit", "raw exception")


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def test_kills_are_those_made() -> None:
    rows = results("faults")["kills"]
    columns = ("killed", "with_checkpoint", "bit-equal", "refused by a sentence", "wrong", "other exception")
    table = [[name, *(str(row[column]) for column in columns)] for name, row in sorted(rows.items())]
    header = ["", "kills", "with a checkpoint", "bit-equal", "refused by a sentence", "wrong", "other exception"]
    check_table(DOCUMENT, "kills", markdown(header, table))
    assert all(row["wrong"] == row["other exception"] == 0 for row in rows.values())


def test_interrupts_are_those_sent() -> None:
    rows = results("faults")["interrupts"]
    table = [
        [
            name,
            str(row["interrupted"]),
            str(row["a model"]),
            str(row["nothing, exit 130"]),
            str(sum(row[bad] for bad in BAD_ENDS)),
            f"{row['median_seconds_to_end']:.2f}",
            f"{row['most_seconds_to_end']:.2f}",
        ]
        for name, row in sorted(rows.items())
    ]
    header = ["", "sent", "a model", "no model, exit 130", "anything else", "seconds to the end, median", "most"]
    check_table(DOCUMENT, "interrupts", markdown(header, table))


def test_settings_are_those_tried() -> None:
    rows = results("fuzz_settings")["by_estimator"]
    rows["**all**"] = {name: sum(row[name] for row in rows.values()) for name in next(iter(rows.values()))}
    table = [
        [
            name,
            f"{row['parameters']:,}",
            f"{row['refused']:,}",
            f"{row['accepted']:,}",
            f"{row['interrupted']:,}",
            f"{sum(row[bad] for bad in BAD_SETTINGS):,}",
        ]
        for name, row in rows.items()
    ]
    header = ["", "parameters", "refused by a sentence", "work", "ended at Ctrl-C", "crash, hang or other exception"]
    check_table(DOCUMENT, "fuzz settings", markdown(header, table))
