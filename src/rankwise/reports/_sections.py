"""The sections of a ranking page, each a heading, what it shows, and a word on how to read it."""

from __future__ import annotations

import numpy as np

from rankwise.metrics.comparison._statistics import wins_ties_losses
from rankwise.plot._points import Curve, CurveFunction, precision_recall_curve, roc_curve
from rankwise.plot._style import series_colour
from rankwise.plot._words import Mark
from rankwise.reports import _figures as figures
from rankwise.reports._markup import Markup, element
from rankwise.reports._operating_points import OperatingPoint, marks_a_point, operating_point
from rankwise.reports._page import NOTHING, figure, instead, note, section
from rankwise.reports._report_data import CUTOFFS, ReportData
from rankwise.reports._tables import N_TOP_DOCUMENTS, metric_table, worst_table

# By heading: the curves, their axes, and what their mean over queries is.
CURVES: dict[str, tuple[CurveFunction, tuple[str, str], str]] = {
    "ROC": (roc_curve, ("false positive rate", "true positive rate"), "of the true positive rate"),
    "Precision and recall": (precision_recall_curve, ("recall", "precision"), "of interpolated precision"),
}


def ranking_facts(report: ReportData) -> dict[str, object]:
    """Sizes and conventions, at the head of the page."""
    first = report.first
    return {
        "documents": f"{report.labels.size:,}",
        "relevant": f"{np.count_nonzero(report.labels > 0):,}",
        "queries": f"{report.groups.n_queries:,}",
        "convention": first.convention,
        "ties": first.ties,
        "undefined queries": first.empty,
        "weights": "equal" if first.query_weight is None else "one per query",
    }


def metric_section(report: ReportData) -> Markup:
    """Means with intervals."""
    level = f"{report.comparison.level:.0%}"
    if report.groups.n_queries > 1:
        how = f"Mean over queries; below it the {level} interval if other queries had been drawn (bootstrap)."
    else:
        methods = dict.fromkeys(report.first.interval_method(metric) for metric in report.comparison.metrics)
        made_by = ", ".join(method for method in methods if not method.startswith("none")) or "none"
        drawn = f"the {level} interval if other rows of each label had been drawn ({made_by})"
        how = f"Values of one list; below each {drawn}."
    best = " The best is bold." if len(report.scores) > 1 else ""
    table = metric_table(report.comparison, of_queries=report.groups.n_queries > 1)
    return section("Metrics", table, note(how + best), *map(note, report.comparison.notes))


def figure_section(report: ReportData) -> Markup:
    """All figures under one key, or words where nothing is relevant."""
    if not report.positive.any():
        words = "No document is relevant: no label is above 0, so there is no order to judge and nothing to draw."
        return section("Figures", instead(words))
    points = _hindsight(report)
    drawn = [_ndcg(report), *(_curves(report, heading, points) for heading in CURVES), _differences(report)]
    return section("Figures", figures.system_key(list(report.scores)), element("div", *drawn, class_="figures"))


def worst_section(report: ReportData) -> Markup:
    """The queries to look at first; one list has none."""
    if report.groups.n_queries == 1 or not report.positive.any():
        return NOTHING
    by = "mean over systems" if len(report.scores) > 1 else "value"
    return section(
        "Worst queries",
        worst_table(report),
        note(
            f"The queries with the lowest {report.first_metric} ({by}) among those with a relevant document, "
            f"and the labels of their first {N_TOP_DOCUMENTS} documents: the stronger the colour, the more relevant; "
            "“?” was not judged. Documents with equal scores stand in the order of the input."
        ),
    )


def _ndcg(report: ReportData) -> Markup:
    evaluations = {name: report.ndcg_by_cutoff(name) for name in report.scores}
    metrics, heading = [f"ndcg@{k}" for k in CUTOFFS], "NDCG by cut-off"
    means = [np.array([evaluation[metric] for metric in metrics]) for evaluation in evaluations.values()]
    ends = [
        np.clip([evaluation.interval(metric, report.comparison.level, "t") for metric in metrics], 0.0, 1.0)
        for evaluation in evaluations.values()
    ]
    if all(np.isnan(mean).all() for mean in means):
        return figure(heading, instead("No query has a value of NDCG."), "")
    label = "NDCG at 1 to 10. " + " ".join(
        f"{name}: {mean[0]:.3f} at 1, {mean[-1]:.3f} at {CUTOFFS[-1]}."
        for name, mean in zip(evaluations, means, strict=True)
    )
    drawn = figures.cutoff_figure("ndcg", label, means, [(end[:, 0], end[:, 1]) for end in ends])
    several = report.groups.n_queries > 1
    caption = f"Mean over queries, {report.comparison.level:.0%} intervals (t)." if several else "One list."
    return figure(heading, drawn, caption)


def _hindsight(report: ReportData) -> list[OperatingPoint]:
    """The best thresholds of one list by the metrics that name a point; every query would have one of its own."""
    if report.groups.n_queries > 1:
        return []
    points = [
        operating_point(metric, report.labels, scores, system)
        for metric in filter(marks_a_point, report.comparison.metrics)
        for system, scores in enumerate(report.scores.values())
    ]
    return [point for point in points if point is not None]


def _curves(report: ReportData, heading: str, points: list[OperatingPoint]) -> Markup:
    """The curves of all systems, with the operating points on them."""
    curve, axes, averaged = CURVES[heading]
    weight, systems, is_roc = report.first.query_weight, list(report.scores), curve is roc_curve
    curves = {name: curve(report.labels, scores, report.groups, weight) for name, scores in report.scores.items()}
    if not any(curves.values()):
        return figure(heading, instead("No query has both relevant and irrelevant documents."), "")
    points = [point for point in points if point.on_roc == is_roc]
    in_words = ""
    for point in points:  # with their thresholds, which the figure does not show
        in_words += f" {point.title}{f', {systems[point.system]}' if len(systems) > 1 else ''}: {point}."
    label = f"{heading} curves. {_areas(curves)}{in_words}"
    places = [(point.fpr, point.recall) if is_roc else (point.recall, point.precision) for point in points]
    marks = [
        Mark(x, y, point.title, series_colour(point.system), hollow=True)
        for point, (x, y) in zip(points, places, strict=True)
    ]
    picture = figures.curve_figure(
        "roc" if is_roc else "pr", label, list(curves.values()), *axes, marks, chance=(0, 1) if is_roc else None
    )
    caption = _how_averaged(curves, averaged) + " Grey: a random order." * is_roc + in_words
    metrics = [metric for metric in report.comparison.metrics if marks_a_point(metric)]
    if metrics and report.groups.n_queries > 1:
        caption += f" {', '.join(metrics)} cannot be marked: every query has a threshold of its own."
    return figure(heading, picture, caption)


def _differences(report: ReportData) -> Markup:
    if len(report.scores) < 2 or report.groups.n_queries == 1:
        return NOTHING
    metric = report.first_metric
    (a, first), (b, second) = list(report.comparison.evaluations.items())[:2]
    differences = first.per_query[metric] - second.per_query[metric]
    differences = differences[~np.isnan(differences)]
    if differences.size == 0:
        return NOTHING
    wins, _, losses = wins_ties_losses(differences, np.zeros_like(differences))
    summary = f"{a} is better on {wins:,} of {differences.size:,} queries, {b} on {losses:,}."
    drawn = figures.difference_figure("differences", f"Sorted differences of {metric}. {summary}", differences)
    return figure(f"{metric} by query: {a} − {b}", drawn, summary)


def _how_averaged(curves: dict[str, Curve | None], of_what: str) -> str:
    queries = max(curve.queries for curve in curves.values() if curve is not None)
    relevant = "Relevant: a label above 0."
    if queries == 1:
        return f"One list. {relevant}"
    return (
        f"Mean over {queries:,} queries {of_what}, each query by itself: scores of different queries "
        f"cannot be compared. {relevant}"
    )


def _areas(curves: dict[str, Curve | None]) -> str:
    """Curves in words, for those who cannot see them."""
    return " ".join(
        f"{name}: no curve." if curve is None else f"{name}: area {np.trapezoid(curve.y, curve.x):.3f}."
        for name, curve in curves.items()
    )
