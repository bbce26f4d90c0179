"""What docs/reliability.md says was tried is what the fuzzers wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/reliability.md"
BAD = ("killed by a signal", "hang", "exit", "raw exception")


def results(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def table(by_kind: dict[str, dict[str, int]], outcomes: dict[str, int]) -> str:
    counted = [*by_kind.items(), ("**all**", outcomes)]
    rows = [
        [
            kind,
            f"{sum(by_outcome.values()):,}",
            f"{by_outcome.get('refused', 0):,}",
            f"{by_outcome.get('accepted', 0):,}",
            f"{sum(by_outcome.get(name, 0) for name in BAD):,}",
        ]
        for kind, by_outcome in counted
    ]
    return markdown(["", "files", "refused by a sentence", "work", "crash, hang or other exception"], rows)


def test_memory_is_what_was_measured() -> None:
    measured = results("extreme_numbers")["memory"]
    rows = [
        [
            f"{of['rows']:,} rows: {case}",
            f"{of['inputs'] / 1e9:.1f} GB",
            f"{of['growth'] / 1e9:.1f} GB",
            f"{of['bytes_per_row']:.0f}",
        ]
        for case, of in measured.items()
    ]
    check_table(DOCUMENT, "numbers memory", markdown(["", "inputs", "beyond them", "bytes per row"], rows))
    assert all(of["bytes_per_row"] <= (20 if "queries" in case else 80) for case, of in measured.items())


def test_pairs_are_what_was_measured() -> None:
    found = results("extreme_numbers")["pairs"]
    rows = [[f"`{name}`", f"{found['pairs']:,}", f"{error:.0e}"] for name, error in found["errors"].items()]
    rows.append(
        ["λ's of `auc`, their sum over that of their sizes", f"{found['pairs']:,}", f"{found['sum_of_lambdas']:.0e}"]
    )
    check_table(DOCUMENT, "numbers pairs", markdown(["", "pairs", "off the exact value by"], rows))
    assert found["lambdas_finite"]
    assert max(found["errors"].values()) < 1e-11


def test_kinds_are_what_was_tried() -> None:
    found = results("extreme_numbers")["kinds"]
    counts = found["by_function"].values()
    total = {outcome: sum(of.get(outcome, 0) for of in counts) for outcome in ("right", "refused", "wrong")}
    row = [f"{len(counts)}", f"{sum(total.values()):,}", *(f"{count:,}" for count in total.values())]
    header = ["functions", "arguments in a kind", "right", "refused by a sentence", "wrong or another exception"]
    check_table(DOCUMENT, "numbers kinds", markdown(header, [row]))
    assert not found["wrong"]


def test_model_files_are_those_tried() -> None:
    written = results("fuzz_models")
    check_table(DOCUMENT, "fuzz models", table(written["by_model"], written["outcomes"]))
    assert sum(written["outcomes"].values()) == written["files"]
    assert not any(written["outcomes"][name] for name in BAD)


def test_inputs_are_those_tried() -> None:
    written = results("fuzz_inputs")
    check_table(DOCUMENT, "fuzz inputs", table(written["by_format"], written["outcomes"]))
    assert sum(written["outcomes"].values()) == written["files"]
    assert not any(written["outcomes"][name] for name in BAD)


def fault_rows(parts: dict[str, Any]) -> list[list[str]]:
    """What was tried and what came of it, in words."""
    kills, two, servers = parts["kills"], parts["servers"], parts["server-kills"]
    full, clocks, flips, requests = (parts[name] for name in ("full-disk", "clocks", "flipped-bytes", "requests"))
    refused = {name: parts[name]["refused"] for name in ("read-only", "versions")}
    first, last = requests["megabytes"][0], requests["megabytes"][-1]
    return [
        [
            "writers killed",
            f"{kills['kills']:,}",
            f"{kills['acknowledged']:,} acknowledged judgements, {kills['rounds']:,} rounds and {kills['exports']:,} "
            "exports: 0 lost, 0 twice",
        ],
        ["killed while a store is made", f"{kills['creations']:,}", f"{kills['whole']} whole, others made again"],
        ["servers killed", f"{servers['kills']:,}", _lost(servers)],
        ["two servers on one store", f"{two['found']:,} grades", f"{_lost(two)}, {two['rounds']} rounds"],
        [
            "disk full, freed, full again",
            f"{full['cycles']:,}",
            f"{full['refused']:,} judgements refused by a sentence, {full['lost']} acknowledged ones lost",
        ],
        [
            "clock set back",
            f"{clocks['clock went back']:,}",
            f"{clocks['wrong']} of {clocks['acts']:,} acts out of order",
        ],
        ["file or folder not to be written", f"{refused['read-only']}", "refused by a sentence"],
        ["store of another version", f"{refused['versions']}", "refused by a sentence, unchanged"],
        ["log cut at any byte", f"{sum(parts['cut-logs'].values()):,}", _counted(parts["cut-logs"])],
        ["byte flipped", f"{sum(flips.values()):,}", _counted(flips)],
        [
            "hostile requests",
            f"{requests['requests']:,}",
            f"{requests['5xx']} answered by 5xx; {first:.0f} MB held after a tenth of them, {last:.0f} MB at the end",
        ],
    ]


def _lost(found: dict[str, int]) -> str:
    return f"{found['acknowledged']:,} acknowledged grades: {found['lost']} lost, {found['twice']} twice"


def _counted(outcomes: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items()))


def test_label_faults_are_those_tried() -> None:
    parts = results("label_faults")["parts"]
    check_table(DOCUMENT, "label faults", markdown(["", "times", "what came of it"], fault_rows(parts)))
    assert parts["kills"]["found"] >= parts["kills"]["acknowledged"]
    for name in ("servers", "server-kills"):
        assert (parts[name]["lost"], parts[name]["twice"]) == (0, 0)
    assert (parts["full-disk"]["lost"], parts["full-disk"]["other"], parts["clocks"]["wrong"]) == (0, {}, 0)
    assert set(parts["read-only"]) == set(parts["versions"]) == {"refused"}
    assert set(parts["cut-logs"]) == {"as it was at the cut"}
    assert set(parts["flipped-bytes"]) <= {"refused", "no effect", "log ends at the damage"}
    assert (parts["requests"]["5xx"], parts["requests"]["bad"]) == (0, [])


def test_pythons_and_versions_are_those_tried() -> None:
    if not (ROOT / "benchmarks" / "results" / "versions-matrix.json").exists():
        pytest.skip("make test-matrix has not been run")
    shown = ("numpy", "scipy", "numba", "scikit-learn", "lightgbm", "pyarrow", "torch")
    rows = [
        [
            cell["python"],
            cell["dependencies"],
            f"{cell['tests']:,} passed, {cell['skipped']:,} skipped" if cell["passed"] else "failed",
            *(cell["packages"].get(package, "–").partition("+")[0] for package in shown),
        ]
        for cell in results("versions-matrix")["cells"].values()
    ]
    check_table(DOCUMENT, "matrix", markdown(["Python", "versions", "tests", *shown], rows))
