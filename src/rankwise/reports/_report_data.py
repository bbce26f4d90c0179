"""What a report is about: the systems, their scores, and the values of their metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_numbers
from rankwise.data._groups import QueryGroups
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._evaluate import evaluate, labelled_rows
from rankwise.metrics._evaluation import Evaluation
from rankwise.metrics.comparison._compare import Comparison
from rankwise.reports._class_details import ClassDetails, class_details
from rankwise.types import BoolArray, FloatArray, IntArray

CUTOFFS = range(1, 11)


@dataclass(frozen=True, eq=False)
class ReportData:
    """A comparison (an evaluation becomes a comparison of one system) with the rows it was made from."""

    comparison: Comparison
    labels: FloatArray
    scores: dict[str, FloatArray]
    groups: QueryGroups
    doc_ids: ArrayLike | None
    classes: ClassDetails

    @classmethod
    def from_result(
        cls,
        result: Comparison | Evaluation,
        y: ArrayLike | RankingData,
        scores: Mapping[str, ArrayLike],
        qid: ArrayLike | None,
        doc_ids: ArrayLike | None,
        threshold: float | Mapping[str, float] | None = None,
        models: Mapping[str, object] | None = None,
    ) -> ReportData:
        """Check that the rows are those that the result was made from, as far as can be told."""
        data = y
        y, qid, _, doc_ids = labelled_rows(y, qid, None, doc_ids)
        labels = as_numbers("labels", y)
        by_name = {name: as_numbers(f"scores of {name!r}", system) for name, system in scores.items()}
        for name, system in by_name.items():
            if system.shape != labels.shape:
                raise ShapeError(
                    f"scores of {name!r} must have one entry per row, got {system.shape} for {labels.shape}"
                )
        groups = QueryGroups.of_rows(qid, labels.size)
        if isinstance(result, Evaluation):
            if len(by_name) != 1:
                raise DataError(
                    f"an evaluation is of one system, got scores of {len(by_name)}; "
                    "pass {name: scores}, or a comparison"
                )
            result = Comparison(dict.fromkeys(by_name, result), [], notes=result.notes)
        if list(by_name) != list(result.evaluations):
            raise DataError(
                f"scores must be those of the systems compared, {', '.join(result.evaluations)}, "
                f"got {', '.join(by_name)}; pass the same dictionary to both"
            )
        details = class_details(data, by_name, threshold, models)
        report = cls(result, labels, by_name, groups, doc_ids, details)
        if labels.size != groups.n_rows or not np.array_equal(groups.qids, report.first.qids):
            raise DataError(
                f"y and qid must be those that were evaluated, got {groups.n_queries} queries "
                f"for {len(report.first.qids)} evaluated; pass the same arrays to both"
            )
        if details.thresholds and not report.is_of_classes:
            raise DataError(
                f"a threshold is for one list of two classes, got {groups.n_queries} queries and labels up to "
                f"{labels.max():g}; leave it out"
            )
        return report

    @property
    def is_of_classes(self) -> bool:
        """Whether this is a classifier's page: one list of rows, positive or not; documents with ids are ranked."""
        is_asked = bool(self.classes.thresholds) or self.doc_ids is None
        is_finite = all(np.isfinite(scores).all() for scores in self.scores.values())
        return self.groups.n_queries == 1 and is_asked and is_finite and np.unique(self.labels[self.positive]).size < 2

    @property
    def positive(self) -> BoolArray:
        """The rows with a label above 0."""
        return self.labels > 0

    @property
    def first(self) -> Evaluation:
        """The evaluation of the first system: queries, weights and conventions are the same for all."""
        return next(iter(self.comparison.evaluations.values()))

    @property
    def first_metric(self) -> str:
        """The metric that queries are compared by."""
        return self.comparison.metrics[0]

    def ndcg_by_cutoff(self, name: str) -> Evaluation:
        """NDCG@1 to NDCG@10 of a system under the conventions of the result."""
        first = self.first
        return evaluate(
            self.labels,
            self.scores[name],
            None if self.groups.n_queries == 1 else first.qids[self.groups.query_of_row()],
            [f"ndcg@{k}" for k in CUTOFFS],
            convention=first.convention,
            ties=first.ties,
            empty=first.empty,
            query_weight=first.query_weight,
            doc_ids=self.doc_ids,
        )

    def worst_queries(self, count: int) -> IntArray:
        """Indices of the queries with the lowest mean of the first metric over systems, worst first.

        Without a relevant document there is nothing to rank better: such queries are not among them.
        """
        evaluations = self.comparison.evaluations.values()
        values = np.mean([evaluation.per_query[self.first_metric] for evaluation in evaluations], axis=0)
        relevant = np.bincount(self.groups.query_of_row(), self.labels > 0)
        candidates = np.flatnonzero(~np.isnan(values) & (relevant > 0))
        return candidates[np.argsort(values[candidates], kind="stable")[:count]]

    def rows_of(self, query: int) -> IntArray:
        """Input rows of a query."""
        start, stop = self.groups.offsets[query : query + 2]
        return np.arange(start, stop) if self.groups.order is None else self.groups.order[start:stop]

    def ranked_labels(self, name: str, query: int) -> FloatArray:
        """Labels of the documents retrieved for a query from the top down; equal scores as in the input."""
        rows = self.rows_of(query)
        scores = self.scores[name][rows]
        retrieved = np.count_nonzero(scores > -np.inf)
        return self.labels[rows[np.argsort(-scores, kind="stable")[:retrieved]]]
