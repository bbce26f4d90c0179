"""What docs/concepts.md says of defaults is what the code has, and what was measured."""

from __future__ import annotations

import json

from rankwise.rankers.trees._capacity import LARGE, MEDIUM, SMALL, SYMMETRIC, Capacity, capacity_for
from tests.doc_tables import ROOT, check_table, markdown

DATA = {
    "mq2008": "MQ2008",
    "lightgbm": "LightGBM's example",
    "mslr": "MSLR sample",
    "digits": "digits",
    "web200": "web, 10,117 rows",
    "web600": "web, 31,059 rows",
    "web1500": "web, 77,385 rows",
}


def test_capacities_are_those_of_the_code() -> None:
    def row(data: str, capacity: Capacity) -> list[str]:
        shape = f"{capacity.grow_policy}, {capacity.num_leaves} leaves"
        return [data, shape, str(capacity.n_estimators), f"{capacity.learning_rate:g}", f"{capacity.split_noise:g}"]

    rows = [
        row(f"several queries, up to {SYMMETRIC.rows:,} rows", SYMMETRIC.capacity),
        row("the same, where trees cannot be symmetric or `num_leaves` is given", SMALL.capacity),
        row(f"several queries, up to {MEDIUM.rows:,} rows", MEDIUM.capacity),
        row("more, and one list", LARGE),
    ]
    check_table("docs/concepts.md", "capacity", markdown(["data", "trees", "rounds", "rate", "split noise"], rows))
    assert capacity_for(SYMMETRIC.rows, 2, symmetric=True) == SYMMETRIC.capacity
    assert capacity_for(SYMMETRIC.rows, 2, symmetric=False) == SMALL.capacity
    assert capacity_for(SYMMETRIC.rows + 1, 2, symmetric=True) == MEDIUM.capacity
    assert capacity_for(MEDIUM.rows + 1, 2, symmetric=True) == LARGE
    assert capacity_for(10, 1, symmetric=True) == LARGE


def test_models_by_default_are_as_measured() -> None:
    found = json.loads((ROOT / "benchmarks/results/it_pays.json").read_text())["rows"]
    models = next(result["models"] for result in found if result["data"] == "MQ2008")
    judged = ("ndcg@10", "map", "auc")
    rows = []
    for model in models:
        if model["kind"] == "peer" or model["trained_on"] in judged:
            values = [model["judged"][metric] for metric in judged]
            below = [v.get("p_holm", 1.0) < 0.05 and v["difference"] < 0 for v in values]
            cells = [f"{v['mean']:.4f}{' ↓' if is_below else ''}" for v, is_below in zip(values, below, strict=True)]
            rows.append([model["model"], *cells, f"{model['cpu_seconds']:.1f}"])
    header = ["model", "NDCG@10", "MAP", "AUC", "CPU s"]
    check_table("docs/benchmarks.md", "lambdamart by default", markdown(header, rows))


def test_bags_cost_what_was_measured() -> None:
    found = json.loads((ROOT / "benchmarks/results/bags.json").read_text())
    rows = [
        [str(row["threads"]), *(f"{row[name]:.1f}" for name in ("one", "several", "ratio"))]
        for row in found["rows"]
        if row["clock"] == "CPU"
    ]
    header = ["threads", "one model", f"{found['bags']} bags", "times one"]
    check_table("docs/benchmarks.md", "bags", markdown(header, rows))


def test_surrogates_are_those_measured() -> None:
    found = json.loads((ROOT / "benchmarks/results/surrogates.json").read_text())["rows"]
    names = [name for name in DATA if any(row["data"] == name for row in found)]
    labels = list(dict.fromkeys(row["trained_by"] for row in found))
    value = {(row["trained_by"], row["data"]): row["values"]["ndcg@10"] for row in found}
    rows = [[label, *(f"{value[label, name]:.4f}" for name in names)] for label in labels]
    check_table("docs/concepts.md", "surrogates", markdown(["λ's of", *(DATA[name] for name in names)], rows))
