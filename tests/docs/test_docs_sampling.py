"""What docs and README say of samplers is what they say of themselves, and what the benchmarks wrote."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from benchmarks.papers import donmez_published as published
from rankwise.metrics.comparison._statistics import format_p_value
from rankwise.sampling import sampler_kinds
from rankwise.sampling.simulation._curve_tests import CurveTest, relation
from tests.doc_tables import ROOT, check_table, markdown

RESULTS = ROOT / "benchmarks" / "results"
PAGE = "docs/papers/donmez.md"
OTHERS = ("times", "graded", "entropy")
CURVES = sorted(
    name for path in RESULTS.glob("donmez-*.json") if (name := path.stem.removeprefix("donmez-")) not in OTHERS
)
LINEAR = [name for name in CURVES if name.endswith(("svmlight", "ranksvm")) and not name.startswith("mslr")]
METRICS = ("map", "ndcg@10", "auc")
ROUNDS = (0, 1, 2, 5, 10, 20)


def results(name: str) -> Any:
    return json.loads((RESULTS / f"donmez-{name}.json").read_text())


def shown(result: Any, sampler: str) -> str:
    """Results without settings are older than Yu's sets."""
    return "uncertain (nearest)" if sampler == "uncertain" and "settings" not in result else sampler


def with_half(mean: float, half: float) -> str:
    return f"{mean:.3f} ±{half:.3f}"


def test_every_sampler_is_in_the_table() -> None:
    rows = []
    for kind, cls in sampler_kinds().items():
        if cls.__module__.startswith("rankwise."):
            first = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
            rows.append([f"`{kind}`", f"`{cls.__name__}`", first.replace("|", "\\|")])
    check_table("docs/sampling.md", "samplers", markdown(["name", "class", "what it chooses"], rows))


def test_what_is_left_to_gain_is_as_measured() -> None:
    rows = [
        [row["ranker"], row["sampler"], f"{row['map']:.4f}"]
        + (["", ""] if row["p"] is None else [f"{row['above_top']:+.4f}", format_p_value(row["p"])])
        for row in json.loads((RESULTS / "sampling-bound.json").read_text())["rows"]
    ]
    check_table(PAGE, "sampling bound", markdown(["ranker", "sampler", "MAP", "above `top`", "p over worlds"], rows))


def test_contested_against_top_is_as_measured() -> None:
    """What benchmarks/samplers.py states beforehand, of which one half holds, and its table."""
    runs: dict[tuple[str, str], dict[str, Any]] = {}
    for row in json.loads((RESULTS / "samplers.json").read_text())["rows"]:
        runs.setdefault((row["data"], row["ranker"]), {})[row["sampler"]] = row
    for ranker in ("ranksvm", "rankboost"):
        contested = runs["mslr", ranker]["contested"]
        assert contested["above_top"] > 0
        assert contested["p"] < 0.01
    below = [key for key, of in runs.items() if of["contested"]["above_top"] < 0 and of["contested"]["p"] < 0.01]
    assert below == [("mslr swapped", "lambdamart")]  # it was to be nowhere
    rows = []
    for (data, ranker), by_sampler in runs.items():
        cells = [data, ranker, str(by_sampler["top"]["runs"]), f"{by_sampler['top']['map']:.4f}"]
        for sampler in ("contested", "diverse"):
            row = by_sampler.get(sampler)
            cells += ["", ""] if row is None else [f"{row['above_top']:+.4f}", format_p_value(row["p"])]
        rows.append(cells)
    header = ["data", "ranker", "runs", "MAP of `top`", "`contested` above it", "p over runs", "`diverse` above it"]
    check_table(PAGE, "samplers", markdown([*header, "p over runs"], rows))


def relation_of_paper(name: str, metric: str) -> str:
    """The four samplers of Donmez 2009's table 1 and Random, from best to worst."""
    result, samplers = results(name), (*published.SAMPLERS, "random")
    means = {sampler: result["samplers"][sampler]["metrics"][metric]["over_range"] for sampler in samplers}
    tests = [CurveTest(**test) for test in result["tests"] if test["metric"] == metric]
    return relation(means, [test for test in tests if {test.a, test.b} <= set(samplers)])


def test_table_1_stands_beside_the_published_one() -> None:
    rows = [[metric, data, text] for (metric, data), text in published.TABLE_1.items()]
    rows += [[metric, f"ours: {name}", relation_of_paper(name, metric)] for name in LINEAR for metric in METRICS]
    rows.sort(key=lambda row: METRICS.index(row[0]))
    check_table(PAGE, "donmez table 1", markdown(["metric", "data and ranker", "relation"], rows))


def test_table_2_stands_beside_the_published_one() -> None:
    ours = results("topics-svmlight")["samplers"]
    rows = []
    for number, values in enumerate(published.MAP):
        curves = [ours[sampler]["metrics"]["map"] for sampler in published.SAMPLERS]
        cells = [with_half(curve["mean"][number], curve["mean"][number] - curve["low"][number]) for curve in curves]
        rows.append([str(number), *(f"{value:.3f}" for value in values), *cells])
    header = ["iteration", *published.SAMPLERS, *(f"ours: {sampler}" for sampler in published.SAMPLERS)]
    check_table(PAGE, "donmez table 2", markdown(header, rows))


def test_ratios_of_table_2_stand_beside_the_published_ones() -> None:
    ours = results("times")["cases"]["30 × 1000, round 1"]
    seconds = dict(zip(published.SAMPLERS, published.SECONDS[1], strict=True))
    rows = []
    for sampler in (*published.SAMPLERS, "entropy, all pairs"):
        first = seconds.get(sampler)
        printed = ["", ""] if first is None else [f"{first:.3f} s", f"{first / seconds['lossmin']:.2f}x"]
        measured = [f"{ours[sampler]['round']:.4f} s", f"{ours[sampler]['of lossmin']:.2f}x"]
        rows.append([shown(results("times"), sampler), *printed, *measured])
    header = ["first iteration", "published", "÷ LossMin", "ours", "÷ LossMin"]
    check_table(PAGE, "donmez ratios", markdown(header, rows))


@pytest.mark.parametrize("name", [name for name in CURVES if name.startswith("topics-")])
def test_curves_are_those_measured(name: str) -> None:
    """Means over the operating range, and MAP by round with its interval."""
    found = results(name)
    rows = []
    for sampler, told in found["samplers"].items():
        curve = told["metrics"]["map"]
        of_range = [f"{told['metrics'][metric]['over_range']:.4f}" for metric in METRICS]
        needed = curve["labels_needed"]
        points = [with_half(curve["mean"][k], curve["mean"][k] - curve["low"][k]) for k in ROUNDS]
        rows.append([shown(found, sampler), *of_range, *points, "–" if needed is None else f"{needed:,}"])
    rows.sort(key=lambda row: -float(row[1]))
    full = [f"{found['full'][metric]:.4f}" for metric in METRICS]
    rows.append(["all labels", *full, *[""] * len(ROUNDS), ""])
    header = ["mean of rounds", "MAP", "NDCG@10", "AUC", *(f"MAP, round {k}" for k in ROUNDS), "labels to 95% of MAP"]
    check_table(PAGE, f"donmez {name}", markdown(header, rows))


def test_relations_are_those_measured() -> None:
    """All samplers, on every data set and ranker."""
    rows = []
    for name in CURVES:
        found = results(name)
        for metric in METRICS:
            text = found["relations"][metric].replace("uncertain", shown(found, "uncertain"))
            rows.append([name, str(len(found["seeds"])), metric, text])
    check_table(PAGE, "donmez relations", markdown(["data and ranker", "runs", "metric", "relation"], rows))


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
    check_table(PAGE, "donmez lookahead", markdown(header, rows))


def test_readings_of_entropy_are_those_measured() -> None:
    rows = [
        [name, *(f"{row[metric]:.4f}" for metric in METRICS), f"{row['relevant']:.1%}"]
        for name, row in results("entropy")["rows"].items()
    ]
    rows.sort(key=lambda row: -float(row[1]))
    header = ["chosen by", "MAP", "NDCG@10", "AUC", "relevant among what was labelled"]
    check_table(PAGE, "donmez entropy", markdown(header, rows))


@pytest.mark.parametrize("name", ["mq2008", "mslr"])
def test_graded_curves_are_those_measured(name: str) -> None:
    """LossMin by grades, and answers that are orders."""
    found, rows = results("graded")["data"][name], []
    last = found["rounds"]
    for answer in ("grades", "order"):
        for sampler, metrics in found[answer]["samplers"].items():
            of_range = [f"{metrics[metric]['over_range']:.4f}" for metric in METRICS]
            curve = metrics["ndcg@10"]
            points = [with_half(curve["mean"][k], curve["half"][k]) for k in (0, 1, last // 2, last)]
            rows.append([answer, sampler, *of_range, *points])
    rows.append(["", "all labels", *(f"{found['grades']['full'][metric]:.4f}" for metric in METRICS), *[""] * 4])
    points = [f"NDCG@10, round {k}" for k in (0, 1, last // 2, last)]
    check_table(
        PAGE, f"donmez graded {name}", markdown(["answers", "mean of rounds", "MAP", "NDCG@10", "AUC", *points], rows)
    )


def test_differences_of_thresholds_and_answers_are_those_measured() -> None:
    rows = []
    for name, found in results("graded")["data"].items():
        for answer in ("grades", "order"):
            for test in found[answer]["tests"]:
                if {test["a"], test["b"]} == {"lossmin, one threshold", "lossmin, by grades"}:
                    sign = 1 if test["a"] == "lossmin, by grades" else -1
                    cells = [f"{sign * test['difference']:+.4f}", format_p_value(test["p_runs"])]
                    rows.append([name, answer, test["metric"], *cells])
    header = ["data", "answers", "metric", "by grades less one threshold", "p over runs"]
    check_table(PAGE, "donmez thresholds", markdown(header, rows))


def test_times_are_those_measured() -> None:
    rows = []
    for case, times in results("times")["cases"].items():
        for sampler, one in times.items():
            cells = [f"{one[key]:.4f} s" for key in ("fit", "choose")]
            name = shown(results("times"), sampler)
            rows.append([case, name, *cells, f"{one['choose of fit']:.2f}", f"{one['of lossmin']:.2f}x"])
    header = ["queries × documents, labels", "sampler", "fit", "choose", "choose ÷ fit", "round ÷ LossMin's"]
    check_table(PAGE, "donmez times", markdown(header, rows))
