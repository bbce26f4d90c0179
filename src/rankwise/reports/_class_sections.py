"""The sections of a classifier's page: one list of rows that are positive or not."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from rankwise import plot
from rankwise.plot._points import precision_recall_curve, roc_curve
from rankwise.plot._style import series_colour
from rankwise.plot._words import Mark
from rankwise.reports import _class_tables as tables
from rankwise.reports._figures import curve_figure, drawn, system_key
from rankwise.reports._markup import Markup, element, joined
from rankwise.reports._operating_points import (
    OperatingPoint,
    marks_a_point,
    operating_point,
    point_at,
    points_to_choose_from,
)
from rankwise.reports._page import NOTHING, figure, folded, instead, note, section
from rankwise.reports._report_data import ReportData

DEFAULT_HINDSIGHT = "f1"


def class_facts(report: ReportData) -> dict[str, object]:
    """Sizes, at the head of the page."""
    rows, positives = report.labels.size, int(np.count_nonzero(report.positive))
    first = report.first
    rules = {} if first.convention == "standard" else {"convention": first.convention}
    return {
        "rows": f"{rows:,}",
        "positives": f"{positives:,}",
        "negatives": f"{rows - positives:,}",
        "share of positives": f"{positives / rows:.3g}",
        **rules,
    }


def class_sections(report: ReportData) -> list[Markup]:
    """All that is shown of thresholds, curves and probabilities; words where there is one class only."""
    positives = int(np.count_nonzero(report.positive))
    if positives in (0, report.labels.size):
        kind = "negative: no label is above 0" if positives == 0 else "positive: every label is above 0"
        words = f"All {report.labels.size:,} rows are {kind}."
        more = (
            "Precision, recall and the curves need rows of both classes; evaluate others, or name the positive class."
        )
        return [section("Thresholds and curves", instead(f"{words} {more}"))]
    points = all_points(report)
    return [
        _decision_section(report, points),
        _curve_section(report, points),
        _threshold_section(report, points),
        _calibration_section(report),
    ]


def all_points(report: ReportData) -> list[OperatingPoint]:
    """Each system's own threshold, and the best in hindsight by its objective or by the metrics that name a point."""
    requested = [metric for metric in report.comparison.metrics if marks_a_point(metric)]
    points: list[OperatingPoint | None] = []
    for system, (name, scores) in enumerate(report.scores.items()):
        if name in report.classes.thresholds:
            points.append(point_at(report.classes.thresholds[name], report.labels, scores, system=system))
        objective = report.classes.objectives.get(name)
        trained_for = [objective] if objective is not None and marks_a_point(objective) else []
        for metric in dict.fromkeys(trained_for + requested) or [DEFAULT_HINDSIGHT]:
            points.append(operating_point(metric, report.labels, scores, system))
    return [point for point in points if point is not None]


def _decision_section(report: ReportData, points: list[OperatingPoint]) -> Markup:
    systems = list(report.scores)
    level = report.comparison.level
    known = bool(report.classes.thresholds)
    own = f"The own threshold was settled before: its rates have {level:.0%} intervals (Clopper and Pearson). "
    unknown = "No threshold of the systems is known; name one with --threshold (threshold= in Python). "
    hindsight = (
        "Hindsight is the best threshold on these very rows by the metric named: chosen with the labels in view it "
        "flatters, so it has no interval, and new rows will do worse. A row is flagged if its score is at or above "
        "the threshold."
    )
    matrices = [tables.confusion_table(point, systems) for point in points]
    return section(
        "Decisions",
        tables.decision_table(points, systems, level),
        note((own if known else unknown) + hindsight),
        element("div", *matrices, class_="matrices"),
    )


def _curve_section(report: ReportData, points: list[OperatingPoint]) -> Markup:
    labels, scores, groups = report.labels, report.scores, report.groups
    base = float(report.positive.mean())
    roc = [roc_curve(labels, values, groups, None) for values in scores.values()]
    pr = [precision_recall_curve(labels, values, groups, None) for values in scores.values()]
    words = " ".join(f"{_of(point, report)}: {point}." for point in points)
    marks = "Full dots: own thresholds; hollow: the best in hindsight. " if points else ""
    pr_marks = [_mark(point, point.recall, point.precision) for point in points if point.flagged and not point.on_roc]
    roc_marks = [_mark(point, point.fpr, point.recall) for point in points if point.is_own or point.on_roc]
    chance = "Grey: a random order."
    figures = [
        figure(
            "Precision and recall",
            curve_figure(
                "pr", f"Precision by recall. {words}", pr, "recall", "precision", pr_marks, chance=(base, base)
            ),
            f"{marks}{chance}",
        ),
        figure(
            "ROC",
            curve_figure(
                "roc",
                f"ROC curves. {words}",
                roc,
                "false positive rate",
                "true positive rate",
                roc_marks,
                chance=(0, 1),
            ),
            f"{marks}{chance}",
        ),
        figure(
            "Gain",
            drawn(
                "gain",
                "Share of the positives by share of the rows.",
                lambda ax: _without_key(plot.gain(labels, scores, ax=ax)),
            ),
            f"The share of the positives among the best rows. {chance}",
        ),
        figure(
            "Lift",
            drawn("lift", "Lift by share of the rows.", lambda ax: _without_key(plot.lift(labels, scores, ax=ax))),
            "How many times more positives are among the best rows than among as many drawn at random.",
        ),
    ]
    return section("Curves", system_key(list(scores)), element("div", *figures, class_="figures"))


def _threshold_section(report: ReportData, points: list[OperatingPoint]) -> Markup:
    parts = []
    for system, (name, scores) in enumerate(report.scores.items()):
        own = [point for point in points if point.system == system]
        lines = {point.title: point.threshold for point in own}
        pictures = [
            figure(
                "Precision, recall and share of rows by threshold",
                drawn(
                    f"by-threshold-{system}",
                    f"Precision, recall and share of rows by threshold of {name}.",
                    lambda ax, values=scores, at=lines: plot.precision_recall_threshold(  # type: ignore[misc]
                        report.labels, values, threshold=at, ax=ax
                    ),
                    (5, 3.9),
                ),
                "",
            ),
            figure(
                "Scores by class",
                drawn(
                    f"histogram-{system}",
                    f"Scores of positives and of negatives by {name}.",
                    lambda ax, values=scores, at=lines: plot.score_histogram(  # type: ignore[misc]
                        report.labels, values, threshold=at, ax=ax
                    ),
                    (5, 3.9),
                ),
                "Each class as shares of its own rows.",
            ),
        ]
        choices = [*own, *points_to_choose_from(report.labels, scores, system)]
        shown = joined(element("div", *pictures, class_="figures"), tables.threshold_table(choices, name))
        if len(report.scores) > 1:
            shown = element("details", element("summary", name), shown, **({"open": ""} if system == 0 else {}))
        parts.append(shown)
    words = (
        "Thresholds are written with the fewest digits that flag the same rows. “Top 1%” flags the best hundredth of "
        "the rows (and what ties with it), “recall 90%” as few as hold nine tenths of the positives."
    )
    return section("Thresholds", *parts, note(words))


def _calibration_section(report: ReportData) -> Markup:
    figures, sentences = [], []
    for system, (name, scores) in enumerate(report.scores.items()):
        proba = report.classes.probabilities.get(name)
        if proba is None:
            span = f"{scores.min():.4g} to {scores.max():.4g}"
            sentences.append(f"The scores of {name} are no probabilities: they go from {span}.")
            continue
        brier, at_random = tables.brier(report.labels, proba)
        words = f"Brier score {brier:.4f}; the share of positives for every row would have {at_random:.4f}."
        picture = drawn(
            f"calibration-{system}",
            f"Share of positives by the probability that {name} gives. {words}",
            lambda ax, values=proba: plot.calibration(report.labels, values, ax=ax),  # type: ignore[misc]
        )
        table = folded("Numbers", tables.calibration_table(report.labels, proba, name))
        figures.append(element("figure", element("h3", name), picture, element("figcaption", words), table))
    notes = []
    if figures:
        given = "In ten bins of equally many rows, 95% intervals (Wilson). Grey: what is given is what happens."
        read = [name for name in report.classes.probabilities if name not in report.classes.objectives]
        from_scores = f" Scores from 0 to 1 are read as probabilities ({', '.join(read)})." if read else ""
        notes.append(note(given + from_scores))
    if sentences:
        words = " ".join(sentences)
        notes.append(instead(f"{words} Whether they are calibrated cannot be told; evaluate probabilities for that."))
    return section("Calibration", element("div", *figures, class_="figures") if figures else NOTHING, *notes)


def _without_key(ax: Axes) -> None:
    """The page has one key for all curves."""
    key = ax.get_legend()
    if key is not None:
        key.remove()


def _of(point: OperatingPoint, report: ReportData) -> str:
    return point.title if len(report.scores) == 1 else f"{list(report.scores)[point.system]}, {point.title}"


def _mark(point: OperatingPoint, x: float, y: float) -> Mark:
    return Mark(x, y, point.title, series_colour(point.system), hollow=not point.is_own)
