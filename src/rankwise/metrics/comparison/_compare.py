"""Several systems evaluated on the same queries, and how sure one can be of the differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data._ranking_data import RankingData
from rankwise.data.io._trec_objects import DocumentNumbers, names_documents
from rankwise.errors import DataError
from rankwise.metrics._base import Metric
from rankwise.metrics._conventions import Empty
from rankwise.metrics._evaluate import DEFAULT_METRICS, evaluate
from rankwise.metrics._evaluation import Evaluation, format_table, format_value, plain
from rankwise.metrics._judged_runs import joined_runs, third_as_metrics
from rankwise.metrics._markup import latex_table, markdown_table
from rankwise.metrics._ranking import Ties
from rankwise.metrics.comparison import _statistics as statistics
from rankwise.metrics.comparison._row_tests import RowTest, printed_row_tests, row_tests
from rankwise.metrics.comparison._statistics import format_p_value
from rankwise.metrics.comparison._system_table import system_table
from rankwise.types import JsonObject


@dataclass(frozen=True)
class PairTest:
    """System `a` against system `b` on the queries where both have a value of the metric.

    `difference` is mean_a − mean_b with its t interval; p-values are two-sided. `tukey_p` accounts for all
    pairs of systems by itself, the `_holm` ones are corrected for the pairs of this metric.
    """

    metric: str
    a: str
    b: str
    queries: int
    mean_a: float
    mean_b: float
    difference: float
    interval: tuple[float, float]
    t_p: float
    fisher_p: float
    tukey_p: float
    t_p_holm: float
    fisher_p_holm: float
    effect_size: float
    wins: int
    ties: int
    losses: int

    def to_dict(self) -> JsonObject:
        """Return all of it in plain Python types that `json.dumps` takes; None for a value that is not defined."""
        return {key: plain(value) for key, value in asdict(self).items()}


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` returns: the evaluation of every system, and a test of every pair and metric.

    Parameters
    ----------
    evaluations : dict of str to Evaluation
        By name of the system.
    tests : list of PairTest
        One per pair of systems and metric: the means, their difference with its interval, p-values by the t-test,
        Fisher's randomization test and Tukey's HSD, the effect size, and on how many queries each is better.
    level : float, default=0.95
        The confidence of the intervals.
    notes : tuple of str, default=()
        What a reader of the values should know, such as how exact they are.
    row_tests : list of RowTest, default=[]
        Where all rows are one list, the tests over its rows instead: DeLong's of AUC, the paired bootstrap of others.

    Examples
    --------
    >>> y, qid = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    >>> print(compare(y, {"good": [3, 2, 1, 3, 2, 1], "bad": [2, 3, 1, 1, 3, 2]}, qid, ["mrr"]))
    metric  good     bad
    mrr     1.0000*  0.4167
    * best
    ...
    """

    evaluations: dict[str, Evaluation]
    tests: list[PairTest]
    level: float = 0.95
    notes: tuple[str, ...] = ()
    row_tests: list[RowTest] = field(default_factory=list)

    @property
    def metrics(self) -> list[str]:
        """The metrics, spelled as they were requested."""
        return list(next(iter(self.evaluations.values())).per_query)

    def best(self, metric: object) -> str:
        """Return the name of the system with the highest mean.

        Parameters
        ----------
        metric : str or Metric
            A metric that was evaluated.

        Returns
        -------
        str
            The name; the first of equals.
        """
        means = {name: evaluation[metric] for name, evaluation in self.evaluations.items()}
        return max(means, key=lambda name: -math.inf if math.isnan(means[name]) else means[name])

    def to_dict(self) -> JsonObject:
        """Return all of it in plain Python types that `json.dumps` takes.

        Returns
        -------
        dict
            Evaluations and tests; None for a value that is not defined.
        """
        return {
            "level": self.level,
            "systems": {name: evaluation.to_dict() for name, evaluation in self.evaluations.items()},
            "tests": [test.to_dict() for test in self.tests],
            **({"row_tests": [test.to_dict() for test in self.row_tests]} if self.row_tests else {}),
            "notes": list(self.notes),
        }

    def to_latex(self, alpha: float = 0.05, digits: int = 3) -> str:
        r"""Return the means as a table for papers, with `\usepackage{booktabs}`.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the tests: a superscript names the systems that are beaten with a smaller corrected p-value.
        digits : int, default=3
            Digits after the point.

        Returns
        -------
        str
            A `table` whose caption says what is bold, and which test and correction the superscripts are by.
        """
        return latex_table(*system_table(self, alpha, digits))

    def to_markdown(self, alpha: float = 0.05, digits: int = 3) -> str:
        """Return the means as a table in Markdown.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the tests: a superscript names the systems that are beaten with a smaller corrected p-value.
        digits : int, default=3
            Digits after the point.

        Returns
        -------
        str
            The table, and below it what is bold, and which test and correction the superscripts are by.

        Examples
        --------
        >>> y, qid = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
        >>> print(compare(y, {"good": [3, 2, 1, 3, 2, 1], "bad": [2, 3, 1, 1, 3, 2]}, qid, ["mrr"]).to_markdown())
        |  | system | mrr |
        | --- | --- | --- |
        | a | good | **1.000** |
        | b | bad | 0.417 |
        ...
        """
        return markdown_table(*system_table(self, alpha, digits))

    def __str__(self) -> str:
        parts = [format_table(self._table_of_means()) + "\n* best"]
        if self.tests:
            parts.append(
                format_table(self._table_of_tests()) + "\nt and Fisher: Holm-corrected for the pairs of one metric"
            )
        if self.row_tests:
            parts.append(printed_row_tests(self.row_tests, self.level))
        return "\n\n".join(parts + [f"note: {note}" for note in self.notes])

    # A notebook shows the tables too, not arrays of thousands of values.
    __repr__ = __str__

    def _table_of_means(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("metric", *self.evaluations)]
        for metric in self.metrics:
            best = self.best(metric)
            means = {name: evaluation[metric] for name, evaluation in self.evaluations.items()}
            cells = (format_value(mean) + "*" * (name == best and not math.isnan(mean)) for name, mean in means.items())
            rows.append((metric, *cells))
        return rows

    def _table_of_tests(self) -> list[tuple[str, ...]]:
        header = ("metric", "pair", "difference", f"{self.level:.0%} interval", "p t", "p Fisher", "p Tukey", "effect")
        rows: list[tuple[str, ...]] = [(*header, "wins/ties/losses")]
        for test in self.tests:
            low, high = test.interval
            rows.append(
                (
                    test.metric,
                    f"{test.a} − {test.b}",
                    f"{test.difference:+.4f}",
                    f"{low:+.4f} to {high:+.4f}",
                    *(format_p_value(p) for p in (test.t_p_holm, test.fisher_p_holm, test.tukey_p)),
                    f"{test.effect_size:+.2f}",
                    f"{test.wins}/{test.ties}/{test.losses}",
                )
            )
        return rows


def compare(
    y: ArrayLike | RankingData | DocumentNumbers,
    scores: Mapping[str, ArrayLike | DocumentNumbers],
    qid: ArrayLike | None = None,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    convention: str = "standard",
    ties: Ties | None = None,
    empty: Empty | None = None,
    query_weight: ArrayLike | None = None,
    doc_ids: ArrayLike | None = None,
    level: float = 0.95,
    random_state: int = 0,
) -> Comparison:
    """Evaluate two or more systems, and test every pair of them on every metric.

    Parameters
    ----------
    y : array-like of shape (n_rows,), RankingData, dict or frame
        Labels, in any order of the rows; below 0 means "not judged". RankingData brings its queries, query weights and
        document ids along. Judgements that name documents are dictionaries `{query: {document: grade}}`, or frames with
        columns such as `q_id`, `doc_id` and `score`.
    scores : dict of str to array-like of shape (n_rows,), dict or frame
        By name of the system, the score of each row; −inf means "not retrieved". Beside judgements, runs `{query:
        {document: score}}`, or frames.
    qid : array-like of shape (n_rows,), optional
        The query of each row. By default all rows are one list. Beside judgements, the third argument is `metrics`.
    metrics : str, Metric or iterable of them, default=("ndcg@10", "map", "mrr", "auc")
        Metrics or their names; a text may hold several, with spaces or commas between.
    convention : {"standard", "letor4", "trec", "lightgbm", "xgboost", "sklearn"}, default="standard"
        The program whose rules for ties, undefined queries and the metrics' small print are followed.
    ties : {"expected", "worst", "best", "input", "docid"}, optional
        How equal scores are ordered; overrides the convention.
    empty : {"skip", "0", "1", "error"}, optional
        What a query counts that a metric is not defined for; overrides the convention.
    query_weight : array-like of shape (n_queries,), optional
        One number per query, in order of first appearance. The tests are then of the weighted means; the effect size
        and the wins count each query once.
    doc_ids : array-like of shape (n_rows,), optional
        Document ids, which `ties="docid"` orders by.
    level : float, default=0.95
        The confidence of the intervals.
    random_state : int, default=0
        Seed of Fisher's randomization test, and of the bootstrap of the rows of one list.

    Returns
    -------
    Comparison
        The evaluations and the tests.

    Raises
    ------
    DataError
        If there are fewer than two systems, or the arrays cannot be ranked.
    MetricError
        If a metric, a convention or a rule is not known.

    References
    ----------
    Smucker, Allan & Carterette (2007). A comparison of statistical significance tests for information retrieval
    evaluation. CIKM.

    Carterette (2012). Multiple testing in statistical analysis of systems-based information retrieval experiments.
    ACM TOIS 30.

    Examples
    --------
    >>> y, qid = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    >>> result = compare(y, {"good": [3, 2, 1, 3, 2, 1], "bad": [2, 3, 1, 1, 3, 2]}, qid, ["mrr"])
    >>> result.best("mrr"), round(result.tests[0].difference, 3)
    ('good', 0.583)
    """
    if not isinstance(scores, Mapping):
        raise DataError(
            f"compare takes scores by the names of systems, got {type(scores).__name__}; pass a dict of them"
        )
    if len(scores) < 2:
        got = ", ".join(map(repr, scores)) or "none"
        raise DataError(f"there must be two or more systems to compare, got {got}; use evaluate for a single one")
    if names_documents(y):
        data, runs = joined_runs(y, scores)
        result = compare(
            data,
            runs,
            metrics=third_as_metrics(qid, metrics, DEFAULT_METRICS),
            convention=convention,
            ties=ties,
            empty=empty,
            query_weight=query_weight,
            doc_ids=doc_ids,
            level=level,
            random_state=random_state,
        )
        return replace(result, notes=(*result.notes, *data.notes))
    requested = metrics if isinstance(metrics, str | Metric) else list(metrics)
    evaluations = {
        name: evaluate(
            y,
            system,
            qid,
            requested,
            convention=convention,
            ties=ties,
            empty=empty,
            query_weight=query_weight,
            doc_ids=doc_ids,
        )
        for name, system in scores.items()
    }
    first = next(iter(evaluations.values()))
    # Notes about a system's values (how exact they are) are the same sentence for most systems: say it once.
    notes = list(dict.fromkeys(note for evaluation in evaluations.values() for note in evaluation.notes))
    tests, over_rows = [], []
    lists = {name: evaluation.one_list for name, evaluation in evaluations.items() if evaluation.one_list is not None}
    if lists:
        over_rows = [
            test for metric in first.per_query for test in row_tests(metric, evaluations, lists, level, random_state)
        ]
    else:
        tests = [test for metric in first.per_query for test in _pair_tests(metric, evaluations, level, random_state)]
    return Comparison(evaluations, tests, level, tuple(notes), over_rows)


def _pair_tests(metric: str, evaluations: dict[str, Evaluation], level: float, random_state: int) -> list[PairTest]:
    """All pairs of systems on one metric."""
    names = list(evaluations)
    values = np.column_stack([evaluation.per_query[metric] for evaluation in evaluations.values()])
    weight = next(iter(evaluations.values())).query_weight
    if weight is not None:
        values, weight = values[weight > 0], statistics.scaled_weights(weight[weight > 0])
    defined = ~np.isnan(values)
    everywhere = defined.all(axis=1)
    columns = [statistics.linearized(v, weight if weight is None else weight[everywhere]) for v in values[everywhere].T]
    tukey = statistics.tukey_hsd(np.column_stack(columns))
    tests = []
    for i, j in combinations(range(len(names)), 2):
        both = defined[:, i] & defined[:, j]
        a, b, w = values[both, i], values[both, j], None if weight is None else weight[both]
        wins, ties, losses = statistics.wins_ties_losses(a, b)
        mean_a, mean_b = (float(np.average(v, weights=w)) if v.size else math.nan for v in (a, b))
        test = PairTest(
            metric=metric,
            a=names[i],
            b=names[j],
            queries=a.size,
            mean_a=mean_a,
            mean_b=mean_b,
            difference=mean_a - mean_b,
            interval=statistics.t_interval(a - b, w, level),
            t_p=statistics.paired_t(statistics.linearized(a, w), statistics.linearized(b, w)),
            fisher_p=statistics.fisher_randomization(a, b, random_state=random_state, weight=w),
            tukey_p=float(tukey[i, j]),
            t_p_holm=math.nan,  # until all pairs are known
            fisher_p_holm=math.nan,
            effect_size=statistics.cohens_d(a, b),
            wins=wins,
            ties=ties,
            losses=losses,
        )
        tests.append(test)
    t_p_holm = statistics.holm([test.t_p for test in tests]).tolist()
    fisher_p_holm = statistics.holm([test.fisher_p for test in tests]).tolist()
    corrected = zip(tests, t_p_holm, fisher_p_holm, strict=True)
    return [replace(test, t_p_holm=t_p, fisher_p_holm=fisher_p) for test, t_p, fisher_p in corrected]
