"""The sections of a report, each a heading, what it shows, and a word on how to read it."""

from __future__ import annotations

import numpy as np

from rankwise.metrics.comparison._statistics import wins_ties_losses
from rankwise.reports import _figures as figures
from rankwise.reports._curves import Curve, precision_recall_curve, roc_curve
from rankwise.reports._judged import CUTOFFS, Judged
from rankwise.reports._markup import Markup, element, joined
from rankwise.reports._operating_points import OperatingPoint, marks_a_point, operating_points
from rankwise.reports._tables import TOP, metric_table, test_table, worst_table

NOTHING = Markup("")


def what_was_judged(judged: Judged) -> Markup:
    """Sizes and conventions, at the head of the page."""
    first = judged.first
    facts = {
        "documents": f"{judged.labels.size:,}",
        "relevant": f"{np.count_nonzero(judged.labels > 0):,}",
        "queries": f"{judged.groups.n_queries:,}",
        "convention": first.convention,
        "ties": first.ties,
        "undefined queries": first.empty,
        "weights": "equal" if first.query_weight is None else "one per query",
    }
    return element("dl", *(element("div", element("dt", name), element("dd", fact)) for name, fact in facts.items()))


def metric_section(judged: Judged) -> Markup:
    """Means with intervals."""
    level = f"{judged.comparison.level:.0%}"
    how = (
        f"Mean over queries; below it the {level} interval if other queries had been drawn (bootstrap)."
        if judged.groups.n_queries > 1
        else "Values of one list: without several queries there is no spread to derive an interval from."
    )
    best = " The best is bold." if len(judged.scores) > 1 else ""
    notes = [_note(note) for note in judged.comparison.notes]
    return _section("Metrics", metric_table(judged.comparison), _note(how + best), *notes)


def test_section(judged: Judged) -> Markup:
    """Tests of the differences, if there were any."""
    comparison = judged.comparison
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


def figure_section(judged: Judged) -> Markup:
    """All figures under one key."""
    key = (
        element(
            "ul",
            *(element("li", figures.swatch(i), name) for i, name in enumerate(judged.scores)),
            class_="key",
        )
        if len(judged.scores) > 1
        else NOTHING
    )
    points = operating_points(judged)
    on_roc, on_pr = ([point for point in points if point.on_roc == roc] for roc in (True, False))
    drawn = [_ndcg(judged), _roc(judged, on_roc), _precision_recall(judged, on_pr), _differences(judged)]
    return _section("Figures", key, element("div", *drawn, class_="figures"))


def worst_section(judged: Judged) -> Markup:
    """The queries to look at first; one list has none."""
    if judged.groups.n_queries == 1:
        return NOTHING
    by = "mean over systems" if len(judged.scores) > 1 else "value"
    return _section(
        "Worst queries",
        worst_table(judged),
        _note(
            f"The queries with the lowest {judged.first_metric} ({by}) among those with a relevant document, "
            f"and the labels of their first {TOP} documents: the stronger the colour, the more relevant; “?” "
            "was not judged. Documents with equal scores stand in the order of the input."
        ),
    )


def _ndcg(judged: Judged) -> Markup:
    evaluations = {name: judged.ndcg_by_cutoff(name) for name in judged.scores}
    metrics = [f"ndcg@{k}" for k in CUTOFFS]
    means = [np.array([evaluation[metric] for metric in metrics]) for evaluation in evaluations.values()]
    ends = [
        np.array([evaluation.interval(metric, judged.comparison.level, "t") for metric in metrics])
        for evaluation in evaluations.values()
    ]
    label = "NDCG at 1 to 10. " + " ".join(
        f"{name}: {mean[0]:.3f} at 1, {mean[-1]:.3f} at {CUTOFFS[-1]}."
        for name, mean in zip(evaluations, means, strict=True)
    )
    drawn = figures.cutoff_figure("ndcg", label, means, [(end[:, 0], end[:, 1]) for end in ends])
    several = judged.groups.n_queries > 1
    caption = f"Mean over queries, {judged.comparison.level:.0%} intervals (t)." if several else "One list."
    return _figure("NDCG by cut-off", drawn, caption)


def _roc(judged: Judged, points: list[OperatingPoint]) -> Markup:
    weight = judged.first.query_weight
    curves = {n: roc_curve(judged.labels, scores, judged.groups, weight) for n, scores in judged.scores.items()}
    told = _points_told(judged, points)
    label = "ROC curves. " + _areas(curves) + told
    marks = [(point.system, point.fpr, point.recall, point.metric) for point in points]
    axes = ("false positive rate", "true positive rate")
    drawn = figures.curve_figure("roc", label, list(curves.values()), *axes, marks, chance=True)
    how = _how_averaged(curves, "of the true positive rate") + " Grey: a random order."
    return _figure("ROC", drawn, how + told + _no_points_told(judged, "tpr@fpr"))


def _precision_recall(judged: Judged, points: list[OperatingPoint]) -> Markup:
    weight = judged.first.query_weight
    curves = {
        name: precision_recall_curve(judged.labels, scores, judged.groups, weight)
        for name, scores in judged.scores.items()
    }
    told = _points_told(judged, points)
    label = "Precision-recall curves. " + _areas(curves) + told
    marks = [(point.system, point.recall, point.precision, point.metric) for point in points]
    drawn = figures.curve_figure("pr", label, list(curves.values()), "recall", "precision", marks)
    how = _how_averaged(curves, "of interpolated precision")
    return _figure("Precision and recall", drawn, how + told + _no_points_told(judged, "r@p", "p@r"))


def _points_told(judged: Judged, points: list[OperatingPoint]) -> str:
    """The marked points in words, which have the thresholds too."""
    systems = list(judged.scores)
    of_whom = [f"{point.metric}, {systems[point.system]}" if len(systems) > 1 else point.metric for point in points]
    return "".join(f" {whose}: {point}." for whose, point in zip(of_whom, points, strict=True))


def _no_points_told(judged: Judged, *names: str) -> str:
    """Why metrics that were asked for are not marked."""
    asked = [metric for metric in judged.comparison.metrics if marks_a_point(metric) and metric.startswith(names)]
    if not asked or judged.groups.n_queries == 1:
        return ""
    return f" {', '.join(asked)} cannot be marked: every query has a threshold of its own."


def _differences(judged: Judged) -> Markup:
    if len(judged.scores) < 2 or judged.groups.n_queries == 1:
        return NOTHING
    metric = judged.first_metric
    (a, first), (b, second) = list(judged.comparison.evaluations.items())[:2]
    differences = first.per_query[metric] - second.per_query[metric]
    differences = differences[~np.isnan(differences)]
    if differences.size == 0:
        return NOTHING
    wins, _, losses = wins_ties_losses(differences, np.zeros_like(differences))
    says = f"{a} is better on {wins:,} of {differences.size:,} queries, {b} on {losses:,}."
    drawn = figures.difference_figure("differences", f"Sorted differences of {metric}. {says}", differences)
    return _figure(f"{metric} by query: {a} − {b}", drawn, says)


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
