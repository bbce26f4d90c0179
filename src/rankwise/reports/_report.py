"""Writing a report: one HTML file that needs nothing beside it, neither scripts nor the network."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rankwise.data._atomic import atomic_path
from rankwise.data._ranking_data import RankingData
from rankwise.metrics._evaluation import Evaluation
from rankwise.metrics.comparison._compare import Comparison
from rankwise.reports._markup import Markup, element, joined
from rankwise.reports._report_data import ReportData

if TYPE_CHECKING:
    from rankwise.analysis import TradeOff


def write_report(
    path: str | Path,
    result: Comparison | Evaluation,
    y: ArrayLike | RankingData,
    scores: Mapping[str, ArrayLike],
    qid: ArrayLike | None = None,
    *,
    title: str = "Ranking report",
    doc_ids: ArrayLike | None = None,
    trade_off: TradeOff | None = None,
) -> Path:
    """Write the result of `compare` or `evaluate` as one self-contained HTML page.

    The page has the metrics with intervals, the tests of differences, NDCG@1 to NDCG@10, ROC and precision-recall
    curves, the differences of the first two systems query by query, and the worst queries by the first metric. The same
    input gives the same bytes.

    Parameters
    ----------
    path : str or Path
        Where to write; a file that is there is replaced as a whole.
    result : Comparison or Evaluation
        What `compare` or `evaluate` returned.
    y : array-like of shape (n_rows,) or RankingData
        The labels that were evaluated; RankingData brings its queries and document ids along.
    scores : dict of str to array-like of shape (n_rows,)
        By name of the system, the scores that were evaluated; one system for an Evaluation.
    qid : array-like of shape (n_rows,), optional
        The query of each row, as evaluated.
    title : str, default="Ranking report"
        Heading of the page.
    doc_ids : array-like of shape (n_rows,), optional
        Document ids, as evaluated.
    trade_off : TradeOff, optional
        What `trade_off` returned, whose curve is then the first section; `result` and `scores` are its own.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the rows are not those that were evaluated.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rankwise.metrics import compare
    >>> y, qid = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    >>> systems = {"good": [3, 2, 1, 3, 2, 1], "bad": [2, 3, 1, 1, 3, 2]}
    >>> with TemporaryDirectory() as folder:
    ...     write_report(Path(folder, "report.html"), compare(y, systems, qid), y, systems, qid).name
    'report.html'
    """
    page = _page(ReportData.from_result(result, y, scores, qid, doc_ids), title, trade_off)
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)


def _page(report: ReportData, title: str, trade_off: TradeOff | None) -> Markup:
    from rankwise.reports import _sections as sections
    from rankwise.reports._trade_off import trade_off_section

    main = element(
        "main",
        Markup("") if trade_off is None else trade_off_section(trade_off),
        sections.metric_section(report),
        sections.test_section(report),
        sections.figure_section(report),
        sections.worst_section(report),
    )
    header = element("header", element("h1", title), sections.facts_section(report))
    return html_page(title, header, main)


def html_page(title: str, header: Markup, main: Markup) -> Markup:
    """A whole page that needs nothing beside it."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(files("rankwise.reports").joinpath("page.css").read_text(encoding="utf-8"))),
    )
    body = element("body", header, main, element("footer", "Made by rankwise."))
    html = element("html", head, Markup("\n"), body, lang="en")
    return joined(Markup("<!DOCTYPE html>\n"), html, Markup("\n"))
