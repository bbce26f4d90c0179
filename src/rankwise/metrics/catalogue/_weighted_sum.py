"""Weighted sums of metrics."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankwise.errors import MetricError
from rankwise.metrics._base import Metric
from rankwise.metrics._fields import number
from rankwise.types import FloatArray, IntArray

MIN_TOTAL, MAX_TOTAL = 1e-6, 1e100


@dataclass(frozen=True)
class WeightedSum(Metric):
    """A weighted sum of metrics (Svore et al. 2011), with a value where all of its parts have one.

    Parameters
    ----------
    parts : tuple of Metric
        Two or more metrics; a part that is a sum itself stands for its own parts.
    weights : tuple of float
        What each of them counts, above 0.

    Notes
    -----
    The λ's of a sum are the weighted sums of the λ's of its parts, each made from the part's own |ΔM|.

    References
    ----------
    Svore, Volkovs & Burges (2011). Learning to rank with multiple objective functions. WWW.

    Examples
    --------
    >>> from rankwise.metrics import AUC, NDCG
    >>> both = WeightedSum((NDCG(k=10), AUC()), (0.7, 0.3))
    >>> str(both)
    '0.7*ndcg@10 + 0.3*auc'
    >>> both.value([1, 0, 1, 0])  # 0.7 · 0.9197 + 0.3 · 0.75
    0.868804...
    """

    name: ClassVar[str] = "sum"
    needs: ClassVar[str] = "what each of its parts needs"
    parts: tuple[Metric, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.parts) != len(self.weights):
            raise MetricError(
                f"a sum of metrics needs one weight per part, got {len(self.weights)} for {len(self.parts)}; pass more"
            )
        for weight in self.weights:
            if not 0.0 < weight < math.inf:
                raise MetricError(
                    f"weights of a sum of metrics must be positive, finite numbers, got {weight}; "
                    "drop the metric, or weigh it"
                )
        terms = [(w * v, leaf) for w, part in zip(self.weights, self.parts, strict=True) for v, leaf in part.terms()]
        total = sum(weight for weight, _ in terms)
        if not MIN_TOTAL <= total <= MAX_TOTAL:
            raise MetricError(
                f"weights of a sum of metrics must add up to {MIN_TOTAL:g} to {MAX_TOTAL:g}, beyond which tests of "
                f"differences mean nothing, got {total:g}; scale them"
            )
        if len(terms) < 2:
            raise MetricError(
                f"a sum of metrics needs two or more of them, got {len(terms)}; "
                "name a metric without a weight, or add one"
            )
        needs = dict.fromkeys(part.needs for _, part in terms if part.needs != Metric.needs)
        unlike: dict[str, object] = {
            "weights": tuple(float(weight) for weight, _ in terms),
            "parts": tuple(part for _, part in terms),
            # What a class says of all its metrics is another for each sum.
            "needs": ", ".join(needs) or Metric.needs,
            "takes_unjudged": any(part.takes_unjudged for _, part in terms),
            "ranks_everything": any(part.ranks_everything for _, part in terms),
            "thresholds": any(part.thresholds for _, part in terms),
            "upper": sum(weight * part.upper for weight, part in terms),
        }
        for attribute, value in unlike.items():
            object.__setattr__(self, attribute, value)

    def terms(self) -> list[tuple[float, Metric]]:
        """Return weights and parts.

        Returns
        -------
        list of (float, Metric)
            In the order in which they are named.
        """
        return list(zip(self.weights, self.parts, strict=True))

    def for_training(self, n_rows: int | None = None) -> Metric:
        """Return the sum of what its parts are trained by.

        Parameters
        ----------
        n_rows : int, optional
            Rows of several queries that trees are trained on; by default many, or one list.

        Returns
        -------
        WeightedSum
            With the same weights.
        """
        return replace(self, parts=tuple(part.for_training(n_rows) for part in self.parts))

    @property
    def has_exact_ties(self) -> bool:
        """Whether ties of all parts have a closed form."""
        return all(part.has_exact_ties for part in self.parts)

    @property
    def reads_dataset(self) -> bool:
        """Whether any part takes something from the whole data set."""
        return any(part.reads_dataset for part in self.parts)

    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        """Σ weight · value."""
        return sum(weight * part._value(*_seen_by(part, ranked, ideal)) for weight, part in self.terms())

    def _mean_of_shuffles(self, ranked: FloatArray, runs: IntArray, ideal: FloatArray) -> tuple[float, float]:
        """Σ weight · tied value, exact where the part is; the standard errors add up at most."""
        mean = error = 0.0
        for weight, part in self.terms():
            labels, best = _seen_by(part, ranked, ideal)
            tied, spread = part.tied_value_and_error(labels, runs, best)
            mean, error = mean + weight * tied, error + weight * spread
        return mean, error

    def _swap_delta(self, ranked: FloatArray, i: IntArray, j: IntArray, ideal: FloatArray) -> FloatArray:
        """Σ weight · change."""
        change = np.zeros(np.broadcast(i, j).shape)
        for weight, part in self.terms():
            labels, best = _seen_by(part, ranked, ideal)
            change = change + weight * part._swap_delta(labels, i, j, best)
        return change

    def _highest_label(self) -> float:
        """The least of its parts'."""
        return min(part._highest_label() for part in self.parts)

    def _for_labels(self, labels: FloatArray) -> Self:
        """The sum of its parts, each with what it takes from all labels."""
        return replace(self, parts=tuple(part._for_labels(labels) for part in self.parts))

    def _best_order(self, ideal: FloatArray) -> FloatArray:
        """The best order of one part, if it is the best of all others too."""
        best = [part._value(part._best_order(ideal), ideal) for part in self.parts]
        for order in (part._best_order(ideal) for part in self.parts):
            values = [part._value(order, ideal) for part in self.parts]
            if np.allclose(values, best, rtol=0.0, atol=1e-12, equal_nan=True):
                return order
        raise MetricError(f"the parts of {self} want different orders of {ideal}, got none best for all; ask each part")

    def __str__(self) -> str:
        return " + ".join(f"{part}" if weight == 1.0 else f"{number(weight)}*{part}" for weight, part in self.terms())

    @classmethod
    def _from_text(cls, text: str) -> Self | None:
        """None: `parse` reads sums, since their parts may be any metrics."""
        return None


def _seen_by(part: Metric, ranked: FloatArray, ideal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both lists with unjudged documents as the part takes them."""
    return (ranked, ideal) if part.takes_unjudged else (np.maximum(ranked, 0.0), np.maximum(ideal, 0.0))
