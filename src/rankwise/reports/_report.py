"""Writing a report: a ranking page for queries, a classifier's page for one list of two classes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rankwise.data._ranking_data import RankingData
from rankwise.metrics._evaluation import Evaluation
from rankwise.metrics.comparison._compare import Comparison
from rankwise.reports._markup import element
from rankwise.reports._page import NOTHING, today, write_page
from rankwise.reports._report_data import ReportData

if TYPE_CHECKING:
    import datetime

    from rankwise.analysis import TradeOff


def write_report(
    path: str | Path,
    result: Comparison | Evaluation,
    y: ArrayLike | RankingData,
    scores: Mapping[str, ArrayLike],
    qid: ArrayLike | None = None,
    *,
    title: str | None = None,
    doc_ids: ArrayLike | None = None,
    trade_off: TradeOff | None = None,
    threshold: float | Mapping[str, float] | None = None,
    models: Mapping[str, object] | None = None,
    sources: Mapping[str, str] | None = None,
    date: datetime.date | None = None,
) -> Path:
    """Write the result of `compare` or `evaluate` as one self-contained HTML page.

    Of queries it is a ranking page: the metrics with intervals, the differences of systems as a forest plot with the
    tests below, NDCG@1 to NDCG@10, ROC and precision-recall curves, the differences of the first two systems query by
    query, and the worst queries by the first metric. Of one list of two classes it is a classifier's page: decisions at
    the systems' own thresholds and at the best in hindsight with their confusion matrices, ROC, precision-recall, gain
    and lift curves, scores by class, a table of thresholds, and calibration. The same input gives the same bytes.

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
    title : str, optional
        Heading of the page; by default "Ranking report" or "Classifier report".
    doc_ids : array-like of shape (n_rows,), optional
        Document ids, as evaluated.
    trade_off : TradeOff, optional
        What `trade_off` returned, whose curve is then the first section; `result` and `scores` are its own.
    threshold : float or dict of str to float, optional
        For two classes, the score from which on a system says yes: one for all, or by name of the system.
    models : dict of str to SavableModel, optional
        By name of the system, the fitted model whose `scores` were evaluated; `y` must be RankingData. A
        `RateClassifier` brings its threshold, its objective and its probabilities along.
    sources : dict of str to str, optional
        What the page was made from, such as `{"data": "test.csv"}`; shown below the heading.
    date : datetime.date, optional
        The date on the page; by default that of the environment variable SOURCE_DATE_EPOCH, or today's (UTC).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the rows are not those that were evaluated, or a threshold is given for something else than two classes.

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
    report = ReportData.from_result(result, y, scores, qid, doc_ids, threshold, models)
    made_on = date or today()
    from rankwise.reports import _class_sections as classes  # not above: matplotlib takes its time
    from rankwise.reports import _sections as sections
    from rankwise.reports._differences import difference_section
    from rankwise.reports._trade_off import trade_off_section

    of_classes = report.is_of_classes
    own = (
        classes.class_sections(report)
        if of_classes
        else [sections.figure_section(report), sections.worst_section(report)]
    )
    main = element(
        "main",
        NOTHING if trade_off is None else trade_off_section(trade_off),
        sections.metric_section(report),
        difference_section(report.comparison),
        *own,
    )
    facts = classes.class_facts(report) if of_classes else sections.ranking_facts(report)
    heading = title or ("Classifier report" if of_classes else "Ranking report")
    return write_page(path, heading, facts, sources, main, made_on)
