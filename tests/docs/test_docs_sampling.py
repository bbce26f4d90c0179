"""What docs and README say of samplers is what they say of themselves, and what the benchmarks wrote."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from rankwise.metrics.comparison._compare import format_p_value
from rankwise.sampling import sampler_kinds
from tests.doc_tables import ROOT, check_table, markdown

RESULTS = ROOT / "benchmarks" / "results"
CURVES = sorted(
    path.stem.removeprefix("donmez-") for path in RESULTS.glob("donmez-*.json") if path.stem != "donmez-times"
)


def results(name: str) -> Any:
    return json.loads((RESULTS / f"donmez-{name}.json").read_text())


def test_every_sampler_is_in_the_table() -> None:
    rows = []
    for kind, cls in sampler_kinds().items():
        if cls.__module__.startswith("rankwise."):
            first = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
            rows.append([f"`{kind}`", f"`{cls.__name__}`", first.replace("|", "\\|")])
    check_table("docs/sampling.md", "samplers", markdown(["name", "class", "what it chooses"], rows))


@pytest.mark.parametrize("name", [name for name in CURVES if name.startswith("topics-")])
def test_curves_are_those_measured(name: str) -> None:
    """Means over the operating range, and MAP by round."""
    found = results(name)
    rows = []
    for sampler, told in found["samplers"].items():
        curve = told["metrics"]["map"]["mean"]
        of_range = [f"{told['metrics'][metric]['over_range']:.4f}" for metric in ("map", "ndcg@10", "auc")]
        needed = told["metrics"]["map"]["labels_needed"]
        points = [f"{curve[number]:.3f}" for number in (0, 1, 2, 5, 10, 20)]
        rows.append([sampler, *of_range, *points, "–" if needed is None else f"{needed:,}"])
    rows.sort(key=lambda row: -float(row[1]))
    full = [f"{found['full'][metric]:.4f}" for metric in ("map", "ndcg@10", "auc")]
    rows.append(["all labels", *full, *[""] * 6, ""])
    header = ["mean of rounds", "MAP", "NDCG@10", "AUC", *(f"MAP, round {k}" for k in (0, 1, 2, 5, 10, 20))]
    check_table("docs/benchmarks.md", f"donmez {name}", markdown([*header, "labels to 95% of MAP"], rows))


def test_relations_are_those_measured() -> None:
    """Donmez 2009's table 1, of every data set and ranker."""
    rows = [
        [name, metric, results(name)["relations"][metric]] for name in CURVES for metric in ("map", "ndcg@10", "auc")
    ]
    check_table("docs/benchmarks.md", "donmez relations", markdown(["data and ranker", "metric", "relation"], rows))


def test_differences_are_those_measured() -> None:
    """The default against its two rivals, on every data set and ranker."""
    rows = []
    for name in CURVES:
        for test in results(name)["tests"]:
            if test["metric"] == "map" and {test["a"], test["b"]} in ({"lookahead", "top"}, {"lookahead", "lossmin"}):
                sign = 1 if test["a"] == "lookahead" else -1
                other = test["b"] if sign == 1 else test["a"]
                p = [format_p_value(test[key]) for key in ("p_rounds", "p_runs")]
                rows.append([name, other, f"{sign * test['difference']:+.4f}", *p, str(len(results(name)["seeds"]))])
    header = ["data and ranker", "lookahead against", "MAP", "p over rounds", "p over runs", "runs"]
    check_table("docs/benchmarks.md", "donmez lookahead", markdown(header, rows))


def test_times_are_those_measured() -> None:
    rows = []
    for case, times in results("times")["cases"].items():
        for sampler, one in times.items():
            cells = [f"{one[key]:.4f} s" for key in ("fit", "choose")]
            rows.append([case, sampler, *cells, f"{one['choose of fit']:.2f}", f"{one['of lossmin']:.2f}x"])
    header = ["queries × documents, labels", "sampler", "fit", "choose", "choose ÷ fit", "round ÷ LossMin's"]
    check_table("docs/benchmarks.md", "donmez times", markdown(header, rows))
