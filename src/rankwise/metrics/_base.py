"""What a metric is: a value object that sees the labels of one query, read from the top of the ranking down.

Nothing else is a metric's business: scores, sorting, ties, weights, cut-offs of short lists and queries that
it is not defined for are handled once, in `evaluate`. A metric says NaN where a query lacks what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_places, as_vector
from rankwise._validation import register as register_class
from rankwise.errors import MetricError
from rankwise.kernels import _metric_loops as loops
from rankwise.kernels._compile import compiled_hooks, specialize
from rankwise.metrics._fields import MetricFields
from rankwise.metrics._hooks import Factors, MetricHooks
from rankwise.types import FloatArray, IntArray

FEW_ROWS = 50_000  # of several queries, up to which pairs that count alike train a metric better than its own swaps

_CLASSES: dict[str, type[Metric]] = {}  # by class name, in order of definition


class QueryLoop(NamedTuple):
    """A metric compiled into a loop over queries, and whether the loop averages ties."""

    run: Callable[..., None]
    handles_ties: bool


@dataclass(frozen=True)
class Metric(MetricHooks, MetricFields):
    """A ranking metric: subclass it, give it a `name` and a `_value`; it then parses, evaluates and trains.

    Metrics compare and hash by their fields, and `parse(str(metric)) == metric`. Methods see one query. The public
    ones take plain lists and check them; what a subclass writes are the hooks with an underscore, which get arrays.

    Notes
    -----
    Hooks and their defaults:

    - `_value(ranked, ideal)`: how good this order is, NaN where the query lacks what the metric needs.
    - `_tied_value(ranked, runs, ideal)`: the mean of `_value` over random orders within runs of equal scores. The
      default averages seeded shuffles.
    - `_swap_delta(ranked, i, j, ideal)`: the change of `_value` when ranks i and j are exchanged. The default
      recomputes `_value`.
    - `_swap_factors(ranked, ideal, grades)`: the same in a form that is summed over all pairs in linear time. The
      default has none.
    - `_for_labels(labels)`: the metric with what it takes from the whole data set filled in.
    - `_highest_label()`: the greatest label that it can take. The default takes any.
    - `_best_order(ideal)`: the labels in an order of the highest value. The default has the highest label first.

    Class attributes say the rest: `needs` (what a query must have for the metric to be defined, in words),
    `takes_unjudged` (labels below 0 arrive as they are, not as 0), `ranks_everything` (documents that were not
    retrieved stand tied at the bottom), `thresholds` (a decision at a threshold, which cannot fall between equal
    scores), `upper` (no value is above this), `counts_pairs` (its λ's come from pairs that count alike wherever they
    stand, by a bounded cost) and `told_apart_by` (whether it sees "grades" or "relevance" alone: by pairs of those it
    is trained on few rows, see `for_training`). A subclass with `register=False` is not found by its name.

    Examples
    --------
    >>> class FirstLabel(Metric, register=False):
    ...     name = "first"
    ...     def _value(self, ranked, ideal):
    ...         return ranked[0] / ideal[0]
    >>> FirstLabel().value([1, 2, 0]), FirstLabel().swap_delta([1, 2, 0], 0, 1)
    (0.5, 0.5)
    """

    needs: ClassVar[str] = "a document"
    takes_unjudged: ClassVar[bool] = False
    ranks_everything: ClassVar[bool] = False
    thresholds: ClassVar[bool] = False
    upper: ClassVar[float] = 1.0
    counts_pairs: ClassVar[bool] = False
    told_apart_by: ClassVar[Literal["grades", "relevance"] | None] = None

    def __init_subclass__(cls, *, register: bool = True) -> None:
        super().__init_subclass__()
        if register:  # by class name: two metrics may share a text name, as auc and auc[2] do
            register_class(cls, "name", _CLASSES, cls.__qualname__)

    def value(self, ranked: ArrayLike, ideal: ArrayLike | None = None) -> float:
        """Return how good a ranking is.

        Parameters
        ----------
        ranked : array-like of shape (n_ranked,)
            Labels from the top rank down.
        ideal : array-like of shape (n_documents,), optional
            All labels of the query, best first; longer than `ranked` where judged documents were not retrieved. By
            default the ranked labels, sorted.

        Returns
        -------
        float
            The value, NaN where the query lacks what the metric needs.
        """
        metric, labels, best = self._arrays(ranked, ideal)
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(metric._value(labels, best))

    def tied_value(self, ranked: ArrayLike, runs: Sequence[int] | IntArray, ideal: ArrayLike | None = None) -> float:
        """Return the mean of `value` over random orders within runs of equal scores.

        Parameters
        ----------
        ranked : array-like of shape (n_ranked,)
            Labels from the top rank down.
        runs : array-like of shape (n_runs + 1,)
            Where each run of equal scores starts, and last the length of the list.
        ideal : array-like of shape (n_documents,), optional
            All labels of the query, best first; by default the ranked labels, sorted.

        Returns
        -------
        float
            The mean, NaN where the query lacks what the metric needs.
        """
        return self.tied_value_and_error(ranked, runs, ideal)[0]

    def tied_value_and_error(
        self, ranked: ArrayLike, runs: Sequence[int] | IntArray, ideal: ArrayLike | None = None
    ) -> tuple[float, float]:
        """Return `tied_value` and its standard error.

        Parameters
        ----------
        ranked : array-like of shape (n_ranked,)
            Labels from the top rank down.
        runs : array-like of shape (n_runs + 1,)
            Where each run of equal scores starts, and last the length of the list.
        ideal : array-like of shape (n_documents,), optional
            All labels of the query, best first; by default the ranked labels, sorted.

        Returns
        -------
        tuple of float
            The mean and its standard error, which is 0 for a metric with a closed form.
        """
        metric, labels, best = self._arrays(ranked, ideal)
        starts = as_places("runs", runs).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.has_exact_ties:
                return float(metric._tied_value(labels, starts, best)), 0.0
            return metric._mean_of_shuffles(labels, starts, best)

    @overload
    def swap_delta(self, ranked: ArrayLike, i: int, j: int, ideal: ArrayLike | None = None) -> float: ...

    @overload
    def swap_delta(
        self,
        ranked: ArrayLike,
        i: Sequence[int] | IntArray,
        j: Sequence[int] | IntArray,
        ideal: ArrayLike | None = None,
    ) -> FloatArray: ...

    def swap_delta(
        self,
        ranked: ArrayLike,
        i: int | Sequence[int] | IntArray,
        j: int | Sequence[int] | IntArray,
        ideal: ArrayLike | None = None,
    ) -> float | FloatArray:
        """Return the change of `value` when the documents at ranks i and j are exchanged.

        Parameters
        ----------
        ranked : array-like of shape (n_ranked,)
            Labels from the top rank down.
        i, j : int or array-like of int
            Ranks, counted from 0; they broadcast.
        ideal : array-like of shape (n_documents,), optional
            All labels of the query, best first; by default the ranked labels, sorted.

        Returns
        -------
        float or ndarray
            The change, one per pair.
        """
        metric, labels, best = self._arrays(ranked, ideal)
        with np.errstate(divide="ignore", invalid="ignore"):
            delta = np.asarray(metric._swap_delta(labels, as_places("ranks", i), as_places("ranks", j), best))
        return delta if delta.ndim else float(delta)

    def swap_factors(
        self, ranked: ArrayLike, ideal: ArrayLike | None = None, grades: ArrayLike | None = None
    ) -> Factors | None:
        """Return |swap_delta| in a form that can be summed over all pairs in linear time.

        Parameters
        ----------
        ranked : array-like of shape (n_ranked,)
            Labels from the top rank down.
        ideal : array-like of shape (n_documents,), optional
            All labels of the query, best first; by default the ranked labels, sorted.
        grades : array-like of shape (n_grades,), optional
            The distinct labels of the data set, rising; by default those of `ranked`.

        Returns
        -------
        tuple of ndarray or None
            Classes of the documents (the better, the higher), `heights[r, i]` of ranks and `weights[r, a, b]` of
            classes; None where the metric has no such form, and pairs are summed singly.

        Notes
        -----
        |ΔM_ij| = Σ_r weights[r, class_i, class_j] · (heights[r, i] − heights[r, j]) for i above j.
        """
        metric, labels, best = self._arrays(ranked, ideal)
        return metric._swap_factors(labels, best, np.unique(labels if grades is None else as_vector("grades", grades)))

    def for_labels(self, labels: ArrayLike) -> Self:
        """Fill in what the metric takes from the whole data set (MAUC: its classes' shares).

        Parameters
        ----------
        labels : array-like of shape (n_rows,)
            All labels of the data set.

        Returns
        -------
        Metric
            The metric itself where it takes nothing, or has it already.
        """
        all_labels = as_vector("labels", labels, least=0)
        self._check_labels(all_labels)
        return self._for_labels(all_labels) if self.reads_dataset else self

    def for_training(self, n_rows: int | None = None) -> Metric:
        """Return the metric whose λ's a model descends to be good at this one.

        Parameters
        ----------
        n_rows : int, optional
            Rows of several queries that trees are trained on; by default many, or one list.

        Returns
        -------
        Metric
            With up to 50,000 rows, pairs of different `told_apart_by` that count alike wherever they stand: changes by
            swaps touch too few documents to generalise. With more rows, or where `told_apart_by` is None, the metric
            itself unless `_for_many_rows` says otherwise (benchmarks/results/surrogates.json).
        """
        if self.told_apart_by is None or n_rows is None or n_rows > FEW_ROWS:
            return self._for_many_rows()
        from rankwise.metrics.catalogue import _auc, _pairs  # which are built on this file

        return _pairs.CountedPairs() if self.told_apart_by == "grades" else _auc.CountedAUC()

    def _for_many_rows(self) -> Metric:
        """The metric whose λ's train this one best on many rows."""
        return self

    def terms(self) -> list[tuple[float, Metric]]:
        """Return the metric as a weighted sum.

        Returns
        -------
        list of (float, Metric)
            Weights and metrics: the metric itself, once, unless it is a sum of others.
        """
        return [(1.0, self)]

    def best_order(self, labels: ArrayLike) -> FloatArray:
        """Return the labels in an order of the highest value.

        Parameters
        ----------
        labels : array-like of shape (n_documents,)
            Labels of one query.

        Returns
        -------
        ndarray
            Best first, unless the metric sees them otherwise.
        """
        metric, _, ideal = self._arrays(labels, None)
        with np.errstate(divide="ignore", invalid="ignore"):
            return metric._best_order(ideal)

    @property
    def has_exact_ties(self) -> bool:
        """Whether ties have a closed form rather than an average of shuffles."""
        return type(self)._tied_value is not MetricHooks._tied_value

    @property
    def reads_dataset(self) -> bool:
        """Whether `for_labels` fills anything in."""
        return type(self)._for_labels is not MetricHooks._for_labels

    def query_loop(self) -> QueryLoop | None:
        """Compile the hooks into a loop over queries.

        Returns
        -------
        QueryLoop or None
            None if the hooks are plain Python.
        """
        if hooks := compiled_hooks(type(self), "value", "tied_value"):
            return QueryLoop(partial(specialize(loops.evaluate_tied, **hooks), self.record()), True)
        if hooks := compiled_hooks(type(self), "value"):
            return QueryLoop(partial(specialize(loops.evaluate_untied, **hooks), self.record()), False)
        return None

    def _arrays(self, ranked: ArrayLike, ideal: ArrayLike | None) -> tuple[Self, FloatArray, FloatArray]:
        """What hooks get: the metric filled in, and both lists as arrays."""
        labels = as_vector("labels", ranked, least=0)
        best = np.sort(labels)[::-1] if ideal is None else as_vector("labels", ideal, least=0)
        self._check_labels(best)
        return self._for_labels(best), labels, best

    def _check_labels(self, labels: FloatArray) -> None:
        highest = float(np.max(labels, initial=0.0))
        if highest > self._highest_label():
            raise MetricError(
                f"{self} takes labels up to {self._highest_label():g}, beyond which gains are no numbers, got "
                f"{highest:g}; scale the labels"
            )


def metric_classes() -> list[type[Metric]]:
    """List every metric class that has been defined.

    Returns
    -------
    list of type
        Ours and the user's, in order of definition.
    """
    return list(_CLASSES.values())
