"""One HTML page about a model: how it learned, what matters to it, and what it does on data."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import evaluate, parse
from rankwise.plot._classes import calibration, precision_recall_threshold, score_histogram
from rankwise.plot._curves import gain, lift, pr_curves, roc_curves
from rankwise.plot._dependence import partial_dependence
from rankwise.plot._importances import importances, permutation_importances
from rankwise.plot._learning import learning_curve
from rankwise.plot._waterfall import query_waterfall
from rankwise.rankers import SavableModel
from rankwise.reports._figures import drawn
from rankwise.reports._markup import Markup, element
from rankwise.reports._page import today, write_page
from rankwise.reports._tables import plain_table

N_FEATURES = 15
N_DEPENDENCES = 4
MAX_SHUFFLED_FEATURES = 200  # each is shuffled five times
Figure = tuple[str, str, Callable[[Axes], object], tuple[float, float]]


def write_model_report(
    path: str | PathLike[str],
    model: SavableModel,
    data: RankingData | None = None,
    *,
    title: str = "Model report",
    sources: Mapping[str, str] | None = None,
    date: datetime.date | None = None,
) -> Path:
    """Write a fitted model as one self-contained HTML page.

    The page has its learning curve and the features that matter; with data also its metric, what the metric loses
    without each feature, how scores depend on the most important ones, and why a query is ranked as it is. For one list
    of two classes there are scores by class, thresholds, ROC, precision-recall, gain and lift curves and, of a
    classifier, its calibration.

    Parameters
    ----------
    path : str or Path
        Where to write; a file that is there is replaced as a whole.
    model : SavableModel
        A fitted model.
    data : RankingData, optional
        Labelled rows, best those that the model did not learn from.
    title : str, default="Model report"
        Heading of the page.
    sources : dict of str to str, optional
        What the page was made from, such as `{"model": "m.rw"}`; shown below the heading.
    date : datetime.date, optional
        The date on the page; by default that of the environment variable SOURCE_DATE_EPOCH, or today's (UTC).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the model has several scores per row, for several classes.
    """
    made_on = date or today()
    sections = [_training_section(model)]
    if data is not None:
        sections += _data_sections(model, data)
    return write_page(path, title, _facts(model, data), sources, element("main", *filter(None, sections)), made_on)


def _facts(model: Any, data: RankingData | None) -> dict[str, object]:
    facts = {
        "kind": model.kind,
        "trained on": str(getattr(model, "metric", None) or model.objective),
        "features": f"{model.n_features_in_:,}",
        "rounds": getattr(model, "best_iteration_", None),
        "rows of the data": None if data is None else f"{len(data):,}",
        "queries of the data": None if data is None else f"{data.groups.n_queries:,}",
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def _training_section(model: Any) -> Markup:
    figures: list[Figure] = []
    if getattr(model, "evals_result_", None):
        figures.append(
            ("Learning curve", "By round on each eval_set.", lambda ax: learning_curve(model, ax=ax), (5, 3.4))
        )
    if hasattr(model, "feature_importances_"):
        caption = "Shares of the gain of splits, or of weights."
        figures.append(
            ("Features", caption, lambda ax: importances(model, kind="gain", top=N_FEATURES, ax=ax), (5, 4.4))
        )
    if not figures:
        return element("section", element("p", "The model kept no learning curve and has no shares of features."))
    return _section("Training", figures)


def _data_sections(model: Any, data: RankingData) -> list[Markup]:
    scores = model.scores(data)
    if scores.ndim != 1:
        raise DataError(
            f"the page needs one score per row, got a model of {scores.shape[1]} classes; leave out the data"
        )
    metric = parse(getattr(model, "metric", None) or model.objective)
    requested = list(dict.fromkeys([str(metric), "auc"]))
    header, rows = evaluate(data, scores, metrics=requested).table()
    sections = [element("section", element("h2", "Metrics"), plain_table("Metrics", header, rows))]
    if data.n_features <= MAX_SHUFFLED_FEATURES:
        sections.append(_section("Features by the metric", _feature_figures(model, data, metric)))
    positive = data.y > 0
    if data.groups.n_queries == 1 and positive.any() and not positive.all():
        sections.append(_section("Thresholds", _class_figures(model, data, scores)))
    elif hasattr(model, "explain"):
        caption = "The first query: what each feature adds to a document over the next one."
        figure: Figure = ("A query explained", caption, lambda ax: query_waterfall(model, data, ax=ax), (6, 3.6))
        sections.append(_section("Explanation", [figure]))
    return sections


def _feature_figures(model: Any, data: RankingData, metric: Any) -> list[Figure]:
    falls, _ = permutation_importances(model, data, metric, 1, 0)
    caption = f"By how much {metric} falls when a column is shuffled, five times over."
    figures: list[Figure] = [
        ("Permutation", caption, lambda ax: importances(model, data, top=N_FEATURES, ax=ax), (5, 4.4))
    ]
    caption = "Mean score as the feature goes over its range, and some single rows."
    for k in np.argsort(-falls, kind="stable")[:N_DEPENDENCES].tolist():
        figures.append(("Dependence", caption, partial(_draw_dependence, model, data, k), (5, 3.4)))
    return figures


def _draw_dependence(model: Any, data: RankingData, column: int, ax: Axes) -> None:
    partial_dependence(model, data, column, ax=ax)


def _class_figures(model: Any, data: RankingData, scores: Any) -> list[Figure]:
    y = data.y
    mark = 0.0 if hasattr(model, "threshold_") else None  # a classifier's scores are less its threshold
    figures: list[Figure] = [
        ("Scores by class", "", lambda ax: score_histogram(y, scores, threshold=mark, ax=ax), (5, 3.4)),
        ("Thresholds", "", lambda ax: precision_recall_threshold(y, scores, threshold=mark, ax=ax), (5, 3.4)),
        ("Precision and recall", "", lambda ax: pr_curves(y, scores, ax=ax), (5, 3.4)),
        ("ROC", "Grey: a random order.", lambda ax: roc_curves(y, scores, ax=ax), (5, 3.4)),
        ("Gain", "Grey: a random order.", lambda ax: gain(y, scores, ax=ax), (5, 3.4)),
        ("Lift", "", lambda ax: lift(y, scores, ax=ax), (5, 3.4)),
    ]
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(data)[:, 1]
        caption = "In ten bins of equally many rows, 95% intervals (Wilson)."
        figures.append(("Calibration", caption, lambda ax: calibration(y, proba, ax=ax), (5, 3.8)))
    return figures


def _section(heading: str, figures: list[Figure]) -> Markup:
    shown = []
    for number, (name, caption, draw, size) in enumerate(figures):
        label = f"{name}. {caption}".strip()
        picture = drawn(f"{heading}-{number}".lower().replace(" ", "-"), label, draw, size)
        shown.append(element("figure", element("h3", name), picture, element("figcaption", caption)))
    return element("section", element("h2", heading), element("div", *shown, class_="figures"))
