"""From metrics to rate objectives: weighted sums of statements, named as the metrics are (Eban 2017)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from rankwise._validation import check_whole
from rankwise.errors import MetricError
from rankwise.metrics import Metric, parse
from rankwise.metrics.catalogue._rates import RateMetric
from rankwise.objectives.rates._statements import STATEMENTS, RateCounts, RateStatement
from rankwise.types import AnyArray, FloatArray

DEFAULT_ANCHORS = 10  # Eban 2017 section 7.1: 5, 10 and 20 alike
MAX_ANCHORS = 1_000  # each is a threshold with its counts of all rows


@dataclass(frozen=True)
class Term:
    """One metric of a sum: its weight, its name, and how it is stated."""

    weight: float
    metric: RateMetric
    statement: RateStatement


@dataclass(frozen=True)
class RateObjective:
    """A weighted sum of rate metrics as a constrained program (Eban et al., 2017).

    Parameters
    ----------
    terms : tuple of Term
        The metrics of the sum, each with its weight and its statement.

    Attributes
    ----------
    terms : tuple of Term
        The metrics of the sum, each with its weight and its statement.

    Notes
    -----
    min Σ_t Δ_t cost_t s.t. excess_t <= 0 over the anchors t of all terms, one after the other: Eban 2017 (12).

    References
    ----------
    Eban, Schain, Mackey, Gordon, Saurous and Elidan (2017), Scalable Learning of Non-Decomposable Objectives, AISTATS.
    """

    terms: tuple[Term, ...]

    @property
    def size(self) -> int:
        """K, the number of anchors."""
        return sum(term.statement.anchors for term in self.terms)

    @property
    def has_splits(self) -> bool:
        """Whether any term uses ψ."""
        return any(term.metric.held == "beta" for term in self.terms)

    def slices(self) -> Iterator[tuple[Term, slice]]:
        """Iterate over the terms, each with the slice of the anchors that are its own.

        Yields
        ------
        tuple of (Term, slice)
            A term, and where its anchors stand.
        """
        ends = accumulate((term.statement.anchors for term in self.terms), initial=0)
        yield from ((term, slice(*ab)) for term, ab in zip(self.terms, pairwise(ends), strict=True))

    def levels(self, share: float) -> FloatArray:
        """Return what each anchor asks for.

        Parameters
        ----------
        share : float
            The share of the rows that are positive.

        Returns
        -------
        ndarray of shape (size,)
            A precision, a recall, a false positive rate or a β per anchor.
        """
        return np.concatenate([term.statement.levels(share) for term in self.terms])

    def shares(self) -> FloatArray:
        """Return Δ_t, which add up to the weights of the terms.

        Returns
        -------
        ndarray of shape (size,)
            The share of each anchor.
        """
        return self._shares

    @functools.cached_property
    def _shares(self) -> FloatArray:
        return np.concatenate([np.full(t.statement.anchors, t.weight / t.statement.anchors) for t in self.terms])

    def lagrangian(self, counts: RateCounts, multipliers: FloatArray) -> AnyArray:
        """Return Σ_t Δ_t (cost_t + λ_t excess_t): Eban 2017 (12).

        Parameters
        ----------
        counts : RateCounts
            Bounded counts, the anchors on the last axis.
        multipliers : ndarray of shape (size,)
            What an excess costs at each anchor, λ.

        Returns
        -------
        ndarray
            The sum over the last axis.
        """
        return np.asarray((self.costs(counts) + multipliers * self.excesses(counts)) @ self.shares())

    def costs(self, counts: RateCounts) -> AnyArray:
        """Return what is minimized at each anchor.

        Parameters
        ----------
        counts : RateCounts
            Bounded counts, the anchors on the last axis.

        Returns
        -------
        ndarray
            The costs, the anchors on the last axis.
        """
        return self._joined([statement.cost(c) for statement, c in self._by_statement(counts)])

    def excesses(self, counts: RateCounts) -> AnyArray:
        """Return what must not be positive at each anchor.

        Parameters
        ----------
        counts : RateCounts
            Bounded counts, the anchors on the last axis.

        Returns
        -------
        ndarray
            The excesses, the anchors on the last axis.
        """
        return self._joined([statement.excess(c) for statement, c in self._by_statement(counts)])

    def _by_statement(self, counts: RateCounts) -> Iterator[tuple[RateStatement, RateCounts]]:
        """Each statement, and the counts of its anchors; the counts themselves where it is alone, which saves time."""
        for term, anchors in self.slices():
            yield term.statement, counts if len(self.terms) == 1 else counts.at_anchors(anchors)

    def _joined(self, values: list[AnyArray]) -> AnyArray:
        return values[0] if len(values) == 1 else np.concatenate(values, axis=-1)

    def bound(self, costs: FloatArray, share: float) -> float:
        """Return the value of the metric, or of the sum, that costs guarantee (anchors standing for an area).

        Parameters
        ----------
        costs : ndarray of shape (size,)
            The cost per positive at each anchor.
        share : float
            The share of the rows that are positive.

        Returns
        -------
        float
            The value, if no excess is positive.
        """
        return sum(term.weight * term.statement.bound(costs[anchors], share) for term, anchors in self.slices())

    def __str__(self) -> str:
        if len(self.terms) == 1 and self.terms[0].weight == 1.0:
            return str(self.terms[0].metric)
        return " + ".join(f"{term.weight:g}*{term.metric}" for term in self.terms)


def _term(weight: float, metric: Metric, anchors: int) -> Term:
    """One metric of a sum, stated."""
    if not isinstance(metric, RateMetric) or metric.held is None:
        raise MetricError(
            f"there is no rate objective for {metric}; "
            "known are r@p=0.95 p@r=0.9 tpr@fpr=0.01 aucpr aucpr[0.8,1] auc pauc[0,0.1] f1 f2 and weighted sums of them"
        )
    low, high = metric.levels()
    return Term(weight, metric, STATEMENTS[metric.held](low, high, anchors if low < high else 1))


def rate_objective(objective: str | Metric | RateObjective, *, anchors: int = DEFAULT_ANCHORS) -> RateObjective:
    """Return the rate objective of a metric, or of a weighted sum of metrics.

    In a sum, costs are added: 1 − recall, 1 − true positive rate, false positives per positive (p@r), (1+β²)/F_β − 1.

    Parameters
    ----------
    objective : str, Metric or RateObjective
        A metric or its name, such as `r@p=0.95`, or a sum such as `0.5*r@p=0.9 + 0.5*aucpr`. An objective is returned
        as it is.
    anchors : int, default=10
        How many points stand for an area, up to 1,000.

    Returns
    -------
    RateObjective
        The objective.

    Raises
    ------
    MetricError
        If there is no such metric, or no rate objective for it.

    Examples
    --------
    >>> str(rate_objective("r@p=0.95"))
    'r@p=0.95'
    >>> both = rate_objective("0.5*r@p=0.9 + 0.5*aucpr", anchors=5)
    >>> both.size, str(both)
    (6, '0.5*r@p=0.9 + 0.5*aucpr')
    >>> both.levels(share=0.5).tolist()
    [0.9, 0.55, 0.65, 0.75, 0.85, 0.95]
    """
    if isinstance(objective, RateObjective):
        return objective
    check_whole("anchors", anchors, 1, MAX_ANCHORS)
    return RateObjective(tuple(_term(weight, metric, anchors) for weight, metric in parse(objective).terms()))
