"""From metrics to rate objectives: weighted sums of statements, named as the metrics are (Eban 2017)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import MetricError
from rankwise.metrics import (
    AUC,
    AUCPR,
    FBeta,
    Metric,
    PartialAUC,
    PartialAUCPR,
    PrecisionAtRecall,
    RecallAtPrecision,
    TPRAtFPR,
    parse,
)
from rankwise.objectives.rates._statements import (
    Counts,
    FBetaStatement,
    PrecisionAtRecallStatement,
    RateStatement,
    RecallAtPrecisionStatement,
    TPRAtFPRStatement,
)
from rankwise.types import FloatArray

ANCHORS = 10  # Eban 2017 section 7.1: 5, 10 and 20 alike


@dataclass(frozen=True)
class Term:
    """One metric of a sum: its weight, its name, and how it is stated."""

    weight: float
    metric: Metric
    statement: RateStatement


@dataclass(frozen=True)
class RateObjective:
    """min Σ_t Δ_t cost_t s.t. excess_t <= 0 over the anchors t of all terms, in a row (Eban 2017 (12))."""

    terms: tuple[Term, ...]

    @property
    def size(self) -> int:
        """K, the number of anchors."""
        return sum(term.statement.anchors for term in self.terms)

    @property
    def has_splits(self) -> bool:
        """Whether any term uses ψ."""
        return any(isinstance(term.statement, FBetaStatement) for term in self.terms)

    def placed(self) -> Iterator[tuple[Term, slice]]:
        """Terms, and where their anchors stand."""
        ends = accumulate((term.statement.anchors for term in self.terms), initial=0)
        yield from ((term, slice(*ab)) for term, ab in zip(self.terms, pairwise(ends), strict=True))

    def levels(self, share: float) -> FloatArray:
        """What each anchor asks for, where `share` of the rows are positive."""
        return np.concatenate([term.statement.levels(share) for term in self.terms])

    def shares(self) -> FloatArray:
        """Δ_t, which add up to the weights of the terms."""
        return self._shares

    @functools.cached_property
    def _shares(self) -> FloatArray:
        return np.concatenate([np.full(t.statement.anchors, t.weight / t.statement.anchors) for t in self.terms])

    def lagrangian(self, counts: Counts, multipliers: FloatArray) -> Any:
        """Eban 2017 (12): Σ_t Δ_t (cost_t + λ_t excess_t), over the last axis."""
        return (self.costs(counts) + multipliers * self.excesses(counts)) @ self.shares()

    def costs(self, counts: Counts) -> NDArray[Any]:
        """The cost at each anchor, of arrays."""
        return self._joined("cost", counts)

    def excesses(self, counts: Counts) -> NDArray[Any]:
        """The excess at each anchor, of arrays."""
        return self._joined("excess", counts)

    def _joined(self, what: str, counts: Counts) -> NDArray[Any]:
        if len(self.terms) == 1:
            return np.asarray(getattr(self.terms[0].statement, what)(counts))
        parts = [getattr(term.statement, what)(counts.part(places)) for term, places in self.placed()]
        return np.concatenate(parts, axis=-1)

    def bound(self, costs: FloatArray, share: float) -> float:
        """The value of the metric, or of the sum, that costs per positive guarantee (anchors standing for an area)."""
        return sum(term.weight * term.statement.bound(costs[places], share) for term, places in self.placed())

    def __str__(self) -> str:
        if len(self.terms) == 1 and self.terms[0].weight == 1.0:
            return str(self.terms[0].metric)
        return " + ".join(f"{term.weight:g}*{term.metric}" for term in self.terms)


def _statement(metric: Metric, anchors: int) -> RateStatement:
    match metric:
        case RecallAtPrecision(precision=alpha):
            if alpha == 1.0:
                raise MetricError(
                    f"{metric} has no rate objective, because Eban 2017 (6) divides by 0 there; ask for r@p=0.99"
                )
            return RecallAtPrecisionStatement(alpha, alpha)
        case AUCPR():
            return RecallAtPrecisionStatement(0.0, 1.0, anchors)
        case PartialAUCPR(low=low, high=high):
            return RecallAtPrecisionStatement(low, high, anchors)
        case PrecisionAtRecall(recall=beta):
            return PrecisionAtRecallStatement(beta, beta)
        case TPRAtFPR(rate=phi):
            if phi == 0.0:
                raise MetricError(f"{metric} has no rate objective, because no bound reaches a rate of 0; allow some")
            return TPRAtFPRStatement(phi, phi)
        case AUC():
            return TPRAtFPRStatement(0.0, 1.0, anchors)
        case PartialAUC(low=low, high=high):
            return TPRAtFPRStatement(low, high, anchors)
        case FBeta(beta=beta):
            return FBetaStatement(beta, beta)
    raise MetricError(
        f"there is no rate objective for {metric}; "
        "known are r@p=0.95 p@r=0.9 tpr@fpr=0.01 aucpr aucpr[0.8,1] auc pauc[0,0.1] f1 f2 and weighted sums of them"
    )


def rate_objective(objective: str | Metric | RateObjective, *, anchors: int = ANCHORS) -> RateObjective:
    """The rate objective of a metric, or of a weighted sum of metrics as text; areas get `anchors` anchors.

    In a sum, costs are added: 1 − recall, 1 − true positive rate, false positives per positive (p@r), (1+β²)/F_β − 1.

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
    if anchors < 1:
        raise MetricError(f"anchors must be at least 1, got {anchors!r}")
    words = [objective] if isinstance(objective, Metric) else re.split(r"\s*\+\s*", objective.strip())
    terms = []
    for word in words:
        match = re.fullmatch(r"(\d*\.?\d+)\s*\*\s*(.+)", word) if isinstance(word, str) else None
        weight, metric = (float(match[1]), parse(match[2])) if match else (1.0, parse(word))
        if weight <= 0.0:
            raise MetricError(f"weights of a sum must be positive, got {word!r}")
        terms.append(Term(weight, metric, _statement(metric, anchors)))
    return RateObjective(tuple(terms))
