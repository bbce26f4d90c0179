"""The tables of a classifier's page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankwise.metrics.certification._certify import share_interval
from rankwise.plot._classes import calibration_points
from rankwise.reports._markup import Markup, element
from rankwise.reports._operating_points import OperatingPoint, plain_number
from rankwise.reports._tables import number_cell, plain_table, small_interval, table, text_cell
from rankwise.types import FloatArray

CALIBRATION_BINS = 10


def decision_table(points: Sequence[OperatingPoint], systems: Sequence[str], level: float) -> Markup:
    """What each threshold does; intervals for those that were settled before the rows were seen."""
    several = len(systems) > 1
    rows = [
        [
            *([element("th", systems[point.system], scope="row")] if several else []),
            text_cell(point.title) if several else element("th", point.title, scope="row"),
            number_cell(plain_number(point.threshold)),
            _rate(point, point.tp, point.flagged, level),
            _rate(point, point.tp, point.tp + point.fn, level),
            _rate(point, point.fp, point.fp + point.tn, level),
            number_cell(f"{point.flagged:,}"),
            number_cell(_percent(point.share)),
        ]
        for point in points
    ]
    heads = ["decisions by", "threshold", "precision", "recall", "false positive rate", "flagged", "of rows"]
    return table("Decisions", ["system", *heads] if several else heads, rows)


def confusion_table(point: OperatingPoint, systems: Sequence[str]) -> Markup:
    """Rows by class and by decision."""
    name = point.title if len(systems) == 1 else f"{systems[point.system]}: {point.title}"
    cells = {"positive": (point.tp, point.fn), "negative": (point.fp, point.tn)}
    rows = [
        [
            element("th", kind, scope="row"),
            element("td", f"{flagged:,}", class_="number right" if kind == "positive" else "number wrong"),
            element("td", f"{others:,}", class_="number wrong" if kind == "positive" else "number right"),
        ]
        for kind, (flagged, others) in cells.items()
    ]
    shown = table(f"Confusion matrix: {name}", ["", "flagged", "not flagged"], rows)
    caption = f"Score ≥ {plain_number(point.threshold)}"
    return element("figure", element("h3", name), shown, element("figcaption", caption), class_="matrix")


def threshold_table(points: Sequence[OperatingPoint], system: str) -> Markup:
    """Thresholds from the highest down, each with what it does."""
    rows = [
        (
            plain_number(point.threshold),
            point.title if point.is_own or "@" in point.name or point.name.startswith("f") else point.name,
            f"{point.flagged:,}",
            _percent(point.share),
            _share(point.precision),
            _share(point.recall),
            _share(point.fpr),
            "no value" if math.isnan(point.lift) else f"{point.lift:.2f}",
        )
        for point in sorted(points, key=lambda point: -point.threshold)
    ]
    heads = ["threshold", "is that of", "flagged", "of rows", "precision", "recall", "false positive rate", "lift"]
    return plain_table(f"Thresholds of {system}", heads, rows)


def calibration_table(labels: FloatArray, proba: FloatArray, system: str) -> Markup:
    """The points of the calibration curve."""
    points = zip(*calibration_points(labels, proba, CALIBRATION_BINS), strict=True)
    rows = [(f"{given:.4f}", f"{share:.4f}", f"{low:.4f} to {high:.4f}") for given, share, low, high in points]
    heads = ["mean probability", "share of positives", "95% interval"]
    return plain_table(f"Calibration of {system}", heads, rows)


def brier(labels: FloatArray, proba: FloatArray) -> tuple[float, float]:
    """The mean squared error of probabilities, and of the share of positives given to every row."""
    positive = (labels > 0).astype(np.float64)
    return float(np.mean((proba - positive) ** 2)), float(positive.var())


def _rate(point: OperatingPoint, hits: int, trials: int, level: float) -> Markup:
    if trials == 0:
        return number_cell("no value")
    interval = share_interval(hits, trials, level) if point.is_own else (math.nan, math.nan)
    return element("td", _share(hits / trials), small_interval(interval, _share), class_="number")


def _share(value: float) -> str:
    return "no value" if math.isnan(value) else f"{value:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
