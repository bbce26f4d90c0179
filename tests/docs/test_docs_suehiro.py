"""What docs/papers/suehiro.md says is what benchmarks/papers/suehiro.py wrote; published figures stand in brackets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.papers import suehiro_published, suehiro_run
from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/papers/suehiro.md"
METHODS = ("RankBoost", "LP-Pair", "Suehiro's method", "logistic regression")
GRID = ("0.05", "0.1", "0.15", "0.2", "0.25", "0.3")
ARTIFICIAL = ("balanced", "skewed")


def rows_of(table: str) -> list[Any]:
    """What is measured of a table; nothing, as long as its part of the benchmark was not run."""
    path = ROOT / "benchmarks" / "results" / f"suehiro-{table}.json"
    return json.loads(path.read_text())["rows"] if path.exists() else []


def by_data(table: str) -> dict[str, dict[str, Any]]:
    """Rows of the file by data set, in the paper's order, and by method."""
    rows = rows_of(table)
    return {
        name: {row["method"]: row for row in rows if row["data"] == name} for name in suehiro_published.TABLES[table]
    }


def with_interval(value: Any) -> str:
    return f"{value['mean']:.4f}" + ("" if value["half"] is None else f" ± {value['half']:.4f}")


def published(table: str, data: str, method: str) -> str:
    value = suehiro_published.TABLES[table][data].get(method)
    values = [one for one in (value if isinstance(value, list) else [value]) if one is not None]
    return f" ({values[0]:.4f})" if values else ""


@pytest.mark.parametrize("table", ["balanced", "skewed", "uci", "reuters"])
def test_aucs_are_those_measured(table: str) -> None:
    """By the paper's protocol: for each draw the best candidate on the test folds."""
    more = ["LP-Pair on stumps"] if table == "uci" else []
    lines = []
    for data, rows in by_data(table).items():
        cells = []
        for method in (*METHODS, *more):
            value = with_interval(rows[method]["summary"]["auc"]["best"]) if method in rows else ""
            cells.append((value + published(table, data, method)).strip())
        cells.append(published(table, data, "SoftRankBoost").strip())
        if table in ARTIFICIAL:
            row = rows["LP-Pair"]["summary"] if rows else {}
            cells += [with_interval(row["true function"]), str(row["draws"])] if row else ["", ""]
        lines.append([data, *cells])
    truth = ["true function", "draws"] if table in ARTIFICIAL else []
    check_table(DOCUMENT, f"suehiro {table}", markdown([table, *METHODS, *more, "SoftRankBoost", *truth], lines))


def test_training_aucs_are_those_measured() -> None:
    """Table 3: what the hypotheses can separate at all; and ε chosen without the test rows."""
    lines = []
    for data, rows in by_data("uci").items():
        cells = [data]
        for method in ("LP-Pair", "Suehiro's method"):
            row = rows[method]["summary"] if method in rows else {}
            cells += [f"{max(row['train auc'].values()):.4f}", with_interval(row["auc"]["chosen"])] if row else ["", ""]
        lines.append(cells)
    header = ["", "LP-Pair: training AUC", "test AUC, ε chosen", "Suehiro's method: training AUC", "test AUC, ε chosen"]
    check_table(DOCUMENT, "suehiro training", markdown(header, lines))


def test_epsilons_are_as_measured() -> None:
    """Data sets of tables 1 and 2 that both methods were measured on: the test AUC for each ε, and the best of both."""
    methods = ("LP-Pair", "Suehiro's method")
    lines = []
    for table in ARTIFICIAL:
        for data, rows in by_data(table).items():
            if all(method in rows for method in methods):
                for method in methods:
                    row = rows[method]["summary"]
                    cells = [f"{row['auc']['by candidate'][epsilon]:.4f}" for epsilon in GRID]
                    first = next((epsilon for epsilon in GRID if row["value"][epsilon] > 0.0), "none")
                    lines.append([data, method, *cells, first])
    header = ["", "", *(f"ε = {epsilon}" for epsilon in GRID), "first ε of a value above 0"]
    check_table(DOCUMENT, "suehiro epsilon", markdown(header, lines))


def test_epsilons_of_reuters_are_as_measured() -> None:
    lines = []
    for data, rows in by_data("reuters").items():
        if "Suehiro's method" in rows:
            by_epsilon = rows["Suehiro's method"]["summary"]["auc"]["by candidate"]
            figures = [published("reuters", data, "Suehiro's method").strip()]
            lines.append([data, *(f"{by_epsilon[epsilon]:.4f}" for epsilon in GRID), *figures])
    header = ["Suehiro's method", *(f"ε = {epsilon}" for epsilon in GRID), "published"]
    check_table(DOCUMENT, "suehiro reuters epsilon", markdown(header, lines))


def test_differences_are_as_measured() -> None:
    """The method less LP-Pair, best ε of each draw, by whether LP-Pair's best ε is the last of the grid."""
    differences: dict[bool, list[float]] = {True: [], False: []}
    for table in ARTIFICIAL:
        for rows in by_data(table).values():
            if "LP-Pair" in rows and "Suehiro's method" in rows:
                ours = {draw["draw"]: _means(draw) for draw in rows["Suehiro's method"]["draws"]}
                for draw in rows["LP-Pair"]["draws"]:
                    pairs = _means(draw)
                    if draw["draw"] in ours:
                        at_edge = max(pairs, key=pairs.__getitem__) == GRID[-1]
                        differences[at_edge].append(max(ours[draw["draw"]].values()) - max(pairs.values()))
    lines = [
        [name, str(len(values)), str(sum(value > 0.0 for value in values)), f"{sum(values) / len(values):+.4f}"]
        for name, values in (("ε = 0.3, the last", differences[True]), ("a smaller ε", differences[False]))
    ]
    header = [
        "LP-Pair is best at",
        "data sets × draws",
        "of these the method ahead",
        "mean difference of the best AUCs",
    ]
    check_table(DOCUMENT, "suehiro edge", markdown(header, lines))


def test_larger_epsilons_are_as_measured() -> None:
    """LP-Pair on the paper's grid, the method, and LP-Pair with ε up to .8: the highest mean over draws and folds."""
    lines = []
    for table in ARTIFICIAL:
        for data, rows in by_data(table).items():
            if "LP-Pair at larger ε" in rows:
                aucs = {name: rows[name]["summary"]["auc"]["by candidate"] for name in rows}
                wide = aucs["LP-Pair"] | aucs["LP-Pair at larger ε"]
                best = max(wide, key=wide.__getitem__)
                cells = [f"{max(aucs[name].values()):.4f}" for name in ("LP-Pair", "Suehiro's method")]
                lines.append([data, *cells, f"{wide[best]:.4f}", best])
    header = ["", "LP-Pair, ε to .3", "Suehiro's method, ε to .3", "LP-Pair, ε to .8", "at ε"]
    check_table(DOCUMENT, "suehiro wide", markdown(header, lines))


def _means(draw: Any) -> dict[str, float]:
    return {name: sum(one["auc"]) / len(one["auc"]) for name, one in draw["candidates"].items()}


def test_programs_were_solved_to_the_gap_that_is_stated() -> None:
    for table in ("balanced", "skewed", "uci", "reuters"):
        for row in rows_of(table):
            assert row["summary"].get("largest gap", 0.0) <= 1e-4, (row["data"], row["method"])


def test_summaries_are_those_of_the_draws() -> None:
    for table in ("balanced", "skewed", "uci", "reuters"):
        for row in rows_of(table):
            assert row["summary"] == suehiro_run.summary(row["draws"])


def test_fits_take_the_time_measured() -> None:
    """Table 5."""
    rows = rows_of("times")
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = []
    for m in dict.fromkeys(row["m"] for row in rows):
        at = {row["method"]: row for row in rows if row["m"] == m}
        lines.append([f"{m:,}", *(_seconds(at.get(method)) for method in methods)])
    check_table(DOCUMENT, "suehiro times", markdown(["rows", *methods], lines))


def _seconds(row: Any) -> str:
    if row is None:
        return ""
    printed = "" if row["published"] is None else f" ({row['published']})"
    return f"over {row['over']:.0f} s{printed}" if row["seconds"] is None else f"{row['seconds']:.3f} s{printed}"


def test_svms_by_class_are_as_measured() -> None:
    """Welleck 2016's SVM-Perf column."""
    metrics = ("mauc", "map, empty=0", "map", "ndcg@10", "auc")
    lines = [[row["method"], *(f"{row['means'][m]:.4f}" for m in metrics), ", ".join(f"{C:g}" for C in row["C"])]
             for row in rows_of("mq2008")]  # fmt: skip
    lines.append(["SVM-Perf as Welleck 2016 printed it", "0.737", "0.458", "", "", "", ""])
    header = ["MQ2008, 5 folds", "MAUC", "MAP, empty = 0", "MAP", "NDCG@10", "AUC", "C of the five folds"]
    check_table(DOCUMENT, "suehiro mq2008", markdown(header, lines))
