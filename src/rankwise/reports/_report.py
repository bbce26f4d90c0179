"""Writing a report: one HTML file that needs nothing beside it, neither scripts nor the network."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from numpy.typing import ArrayLike

from rankwise.data._atomic import atomic_path
from rankwise.metrics._evaluation import Evaluation
from rankwise.metrics.comparison._compare import Comparison
from rankwise.reports._judged import Judged
from rankwise.reports._markup import Markup, element, joined


def write_report(
    path: str | Path,
    result: Comparison | Evaluation,
    y: ArrayLike,
    scores: Mapping[str, ArrayLike],
    qid: ArrayLike | None = None,
    *,
    title: str = "Ranking report",
    doc_ids: ArrayLike | None = None,
) -> Path:
    """Write what `compare` or `evaluate` found as one self-contained HTML page; same input, same bytes.

    `y`, `scores` (`{name: scores}`), `qid` and `doc_ids` are those that were judged. The page has the metrics
    with intervals, the tests of differences, NDCG@1 to NDCG@10, ROC and precision-recall curves, the
    differences of the first two systems query by query, and the worst queries by the first metric.
    """
    page = _page(Judged.of(result, y, scores, qid, doc_ids), title)
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)


def _page(judged: Judged, title: str) -> Markup:
    from rankwise.reports import _sections as sections

    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(files("rankwise.reports").joinpath("page.css").read_text(encoding="utf-8"))),
    )
    main = element(
        "main",
        sections.metric_section(judged),
        sections.test_section(judged),
        sections.figure_section(judged),
        sections.worst_section(judged),
    )
    header = element("header", element("h1", title), sections.what_was_judged(judged))
    body = element("body", header, main, element("footer", "Made by rankwise."))
    html = element("html", head, Markup("\n"), body, lang="en")
    return joined(Markup("<!DOCTYPE html>\n"), html, Markup("\n"))
