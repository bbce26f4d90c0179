"""The tables of a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from rankwise.metrics._evaluation import Evaluation, format_value
from rankwise.metrics.comparison._compare import Comparison, PairTest
from rankwise.metrics.comparison._statistics import format_p_value
from rankwise.reports._markup import Markup, element, joined
from rankwise.reports._report_data import ReportData
from rankwise.types import FloatArray

N_WORST_QUERIES = 10
N_TOP_DOCUMENTS = 10
N_SHADES = 4
"""Shades of a relevant label in page.css, g1 to g4."""


def metric_table(comparison: Comparison, *, of_queries: bool) -> Markup:
    """Metrics down, systems across; the best of several in bold."""
    several = len(comparison.evaluations) > 1
    rows = []
    for metric in comparison.metrics:
        best = comparison.best(metric) if several else None
        best = None if best is None or math.isnan(comparison.evaluations[best][metric]) else best
        cells = [
            element(
                "td",
                *_mean(evaluation, metric, comparison.level),
                class_="number best" if name == best else "number",
            )
            for name, evaluation in comparison.evaluations.items()
        ]
        head = element("th", metric, scope="row", class_="number")
        rows.append([head, *cells, *_counted_cells(comparison, metric, of_queries)])
    heads = ["queries", "left out"] if of_queries else ["interval by"]
    return table("Metrics", ["metric", *comparison.evaluations, *heads], rows)


def _counted_cells(comparison: Comparison, metric: str, of_queries: bool) -> list[Markup]:
    """What a value rests on: queries, or how the interval over rows was made."""
    evaluations = list(comparison.evaluations.values())
    if not of_queries:
        return [text_cell("; ".join(dict.fromkeys(e.interval_method(metric) for e in evaluations)))]
    # Which queries are left out depends on labels, so that systems seldom differ in it.
    counted = dict.fromkeys(str(e.queries_counted(metric)) for e in evaluations)
    left_out = dict.fromkeys(_left_out(e, metric) for e in evaluations)
    return [number_cell("; ".join(counted)), text_cell("; ".join(left_out))]


def test_table(tests: Iterable[PairTest], level: float) -> Markup:
    """A row per pair of systems and metric; p-values below 1 − level are bold."""

    def p_cell(p: float) -> Markup:
        return element("td", format_p_value(p), class_="number clear" if p < 1 - level else "number")

    rows = [
        [
            element("th", test.metric, scope="row", class_="number"),
            text_cell(f"{test.a} − {test.b}"),
            element("td", _signed(test.difference), small_interval(test.interval, _signed), class_="number"),
            p_cell(test.t_p_holm),
            p_cell(test.fisher_p_holm),
            p_cell(test.tukey_p),
            number_cell(_signed(test.effect_size, 2)),
            number_cell(f"{test.wins} / {test.ties} / {test.losses}"),
        ]
        for test in tests
    ]
    heads = ["metric", "systems", "difference", "p, t-test", "p, Fisher", "p, Tukey", "effect size"]
    return table("Differences between systems", [*heads, "wins / ties / losses"], rows)


def worst_table(report: ReportData) -> Markup:
    """The queries with the lowest values, with the labels at the top of each system's list."""
    largest = float(report.labels.max())
    rows = []
    for query in report.worst_queries(N_WORST_QUERIES):
        labels = report.labels[report.rows_of(query)]
        cells = []
        for name, evaluation in report.comparison.evaluations.items():
            value = evaluation.per_query[report.first_metric][query]
            top = report.ranked_labels(name, query)[:N_TOP_DOCUMENTS]
            cells.append(element("td", f"{value:.4f} ", element("br"), _label_cells(top, largest), class_="number"))
        rows.append(
            [
                element("th", report.groups.qids[query], scope="row"),
                number_cell(f"{labels.size:,}"),
                number_cell(f"{np.count_nonzero(labels > 0):,}"),
                *cells,
            ]
        )
    return table("Worst queries", ["query", "documents", "relevant", *report.scores], rows)


def plain_table(name: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """A table of texts, the first of each row its head."""
    cells = [[element("th", head, scope="row", class_="number"), *map(number_cell, others)] for head, *others in rows]
    return table(name, heads, cells)


def _label_cells(labels: FloatArray, largest: float) -> Markup:
    """Labels as shaded cells; a label below 0 was not judged."""
    texts = ["?" if label < 0 else f"{label:g}" for label in labels]
    shades = [math.ceil(N_SHADES * label / largest) if label > 0 else 0 for label in labels]
    cells = [element("i", text, class_=f"g{shade}") for text, shade in zip(texts, shades, strict=True)]
    return element("span", *cells, class_="cells", role="img", aria_label=f"labels from the top: {' '.join(texts)}")


def _mean(evaluation: Evaluation, metric: str, level: float) -> tuple[str, Markup]:
    mean = evaluation[metric]
    interval = small_interval(evaluation.interval(metric, level), "{:.4f}".format)
    return format_value(mean), interval


def small_interval(interval: tuple[float, float], text: Callable[[float], str]) -> Markup:
    """Both ends, small, below a value; nothing where there is no interval."""
    low, high = interval
    return Markup("") if math.isnan(low) else element("small", f"{text(low)} to {text(high)}")


def _left_out(evaluation: Evaluation, metric: str) -> str:
    left_out = evaluation.left_out[metric]
    return f"{left_out.count}: {left_out.why}" if left_out.count else "0"


def _signed(value: float, digits: int = 4) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:+.{digits}f}".replace("-", "−")


def text_cell(text: object) -> Markup:
    """Words in a table."""
    return element("td", text, class_="text")


def number_cell(text: object) -> Markup:
    """A number in a table."""
    return element("td", text, class_="number")


def table(name: str, heads: Sequence[object], rows: Sequence[Sequence[Markup]]) -> Markup:
    """A table that scrolls by itself on a narrow screen, also by the keyboard."""
    head = element("thead", element("tr", *(element("th", text, scope="col") for text in heads)))
    body = element("tbody", *(joined(element("tr", *row), Markup("\n")) for row in rows))
    return element(
        "div",
        element("table", head, body, aria_label=name),
        class_="scroll",
        role="region",
        aria_label=name,
        tabindex=0,
    )
