"""The sections of a report, each a heading, what it shows, and a word on how to read it."""

from __future__ import annotations

import numpy as np

from rankwise.metrics.comparison._statistics import wins_ties_losses
from rankwise.reports import _figures as figures
from rankwise.reports._curves import Curve, CurveFunction, precision_recall_curve, roc_curve
from rankwise.reports._markup import Markup, element, joined
from rankwise.reports._operating_points import OperatingPoint, marks_a_point, operating_points
from rankwise.reports._report_data import CUTOFFS, ReportData
from rankwise.reports._tables import N_TOP_DOCUMENTS, metric_table, test_table, worst_table

NOTHING = Markup("")

# By heading: the curves, their axes, what their mean over queries is, and how metrics begin that are points on them.
CURVES: dict[str, tuple[CurveFunction, tuple[str, str], str, tuple[str, ...]]] = {
    "ROC": (roc_curve, ("false positive rate", "true positive rate"), "of the true positive rate", ("tpr@fpr",)),
    "Precision and recall": (
        precision_recall_curve,
        ("recall", "precision"),
        "of interpolated precision",
        ("r@p", "p@r"),
    ),
}


def facts_section(report: ReportData) -> Markup:
    """Sizes and conventions, at the head of the page."""
    first = report.first
    facts = {
        "documents": f"{report.labels.size:,}",
        "relevant": f"{np.count_nonzero(report.labels > 0):,}",
        "queries": f"{report.groups.n_queries:,}",
        "convention": first.convention,
        "ties": first.ties,
        "undefined queries": first.empty,
        "weights": "equal" if first.query_weight is None else "one per query",
    }
    return element("dl", *(element("div", element("dt", name), element("dd", fact)) for name, fact in facts.items()))


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
    notes = [_note(note) for note in report.comparison.notes]
    return _section("Metrics", metric_table(report.comparison), _note(how + best), *notes)


def test_section(report: ReportData) -> Markup:
    """Tests of the differences, if there were any."""
    comparison = report.comparison
    if not comparison.tests:
        return NOTHING
    chance = f"{1 - comparison.level:.2g}"
    return _section(
        "Differences between systems",
        test_table(comparison.tests, comparison.level),
        _note(
            f"Difference of the means with its {comparison.level:.0%} interval (t). p is the chance of so "
            f"large a difference between equal systems, two-sided; below {chance} it is bold. The t-test and "
            "Fisher’s randomization test are Holm-corrected for the pairs of one metric; Tukey’s accounts "
            "for them by itself. Effect size: mean difference by the standard deviation of the differences. "
            "Wins, ties and losses count queries."
        ),
    )


def figure_section(report: ReportData) -> Markup:
    """All figures under one key."""
    key = (
        element(
            "ul",
            *(element("li", figures.swatch(i), name) for i, name in enumerate(report.scores)),
            class_="key",
        )
        if len(report.scores) > 1
        else NOTHING
    )
    points = operating_points(report)
    drawn = [_ndcg(report), *(_curves(report, heading, points) for heading in CURVES), _differences(report)]
    return _section("Figures", key, element("div", *drawn, class_="figures"))


def worst_section(report: ReportData) -> Markup:
    """The queries to look at first; one list has none."""
    if report.groups.n_queries == 1:
        return NOTHING
    by = "mean over systems" if len(report.scores) > 1 else "value"
    return _section(
        "Worst queries",
        worst_table(report),
        _note(
            f"The queries with the lowest {report.first_metric} ({by}) among those with a relevant document, "
            f"and the labels of their first {N_TOP_DOCUMENTS} documents: the stronger the colour, the more relevant; "
            "“?” was not judged. Documents with equal scores stand in the order of the input."
        ),
    )


def _ndcg(report: ReportData) -> Markup:
    evaluations = {name: report.ndcg_by_cutoff(name) for name in report.scores}
    metrics = [f"ndcg@{k}" for k in CUTOFFS]
    means = [np.array([evaluation[metric] for metric in metrics]) for evaluation in evaluations.values()]
    ends = [
        np.array([evaluation.interval(metric, report.comparison.level, "t") for metric in metrics])
        for evaluation in evaluations.values()
    ]
    label = "NDCG at 1 to 10. " + " ".join(
        f"{name}: {mean[0]:.3f} at 1, {mean[-1]:.3f} at {CUTOFFS[-1]}."
        for name, mean in zip(evaluations, means, strict=True)
    )
    drawn = figures.cutoff_figure("ndcg", label, means, [(end[:, 0], end[:, 1]) for end in ends])
    several = report.groups.n_queries > 1
    caption = f"Mean over queries, {report.comparison.level:.0%} intervals (t)." if several else "One list."
    return _figure("NDCG by cut-off", drawn, caption)


def _curves(report: ReportData, heading: str, points: list[OperatingPoint]) -> Markup:
    """The curves of all systems, with the operating points on them."""
    curve, axes, averaged, names = CURVES[heading]
    weight, systems, is_roc = report.first.query_weight, list(report.scores), curve is roc_curve
    curves = {name: curve(report.labels, scores, report.groups, weight) for name, scores in report.scores.items()}
    points = [point for point in points if point.metric.startswith(names)]
    in_words = ""
    for point in points:  # with their thresholds, which the figure does not show
        in_words += f" {point.metric}{f', {systems[point.system]}' if len(systems) > 1 else ''}: {point}."
    label = f"{heading} curves. {_areas(curves)}{in_words}"
    marks = [(point.system, *point.place, point.metric) for point in points]
    figure_id = "roc" if is_roc else "pr"
    drawn = figures.curve_figure(figure_id, label, list(curves.values()), *axes, marks, chance=is_roc)
    caption = _how_averaged(curves, averaged) + " Grey: a random order." * is_roc + in_words
    metrics = [metric for metric in report.comparison.metrics if marks_a_point(metric) and metric.startswith(names)]
    if metrics and report.groups.n_queries > 1:
        caption += f" {', '.join(metrics)} cannot be marked: every query has a threshold of its own."
    return _figure(heading, drawn, caption)


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
    return _figure(f"{metric} by query: {a} − {b}", drawn, summary)


def _how_averaged(curves: dict[str, Curve | None], of_what: str) -> str:
    queries = max((curve.queries for curve in curves.values() if curve is not None), default=0)
    if queries == 0:
        return "No query has both relevant and irrelevant documents."
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


def _figure(heading: str, drawn: Markup, caption: str) -> Markup:
    return element("figure", element("h3", heading), drawn, element("figcaption", caption))


def _section(heading: str, *parts: Markup) -> Markup:
    return joined(element("section", element("h2", heading), *parts), Markup("\n"))


def _note(text: str) -> Markup:
    return element("p", text, class_="note")
