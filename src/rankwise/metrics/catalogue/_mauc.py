"""Multi-class AUC."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankwise.errors import MetricError
from rankwise.kernels._compile import compiled
from rankwise.metrics._fields import number
from rankwise.metrics.catalogue._auc import PairMetric, pair_count
from rankwise.types import FloatArray


@dataclass(frozen=True)
class MAUC(PairMetric):
    """Multi-class AUC (Welleck 2016 (5)): Σ_c p(c)·AUC(c), with AUC(c) of reference grade c against the rest.

    Parameters
    ----------
    classes : tuple of float, default=()
        The reference grades; by default the positive grades of the data. `mauc[1,2]` fixes them.
    shares : tuple of float, default=()
        The weight p(c) of each; by default the share of c among documents with a reference grade.
        `mauc[1:0.7,2:0.3]` fixes both.

    Notes
    -----
    In a query without some grade the others share its weight.

    The best order is by p(c)/(m_c n_c), with m_c documents of grade c and n_c of others, which need not be the order of
    the grades. λ's (Welleck 2016 (19)) push the higher grade up all the same, against MAUC where a lower grade's
    p(c)/(m_c n_c) is greater.

    References
    ----------
    Welleck (2016). Efficient AUC optimization for information ranking applications. ECIR.

    Examples
    --------
    >>> MAUC((1, 2), (0.5, 0.5)).value([2, 1, 0])  # (1/2 + 1) / 2
    0.75
    >>> frequent = MAUC((1, 2), (0.9, 0.1))
    >>> frequent.value([1, 2, 0]), frequent.value([2, 1, 0])  # grade 1 weighs more, so it is best on top
    (0.95, 0.55)
    >>> str(MAUC((1, 2), (0.5, 0.5))), str(MAUC((1, 2))), str(MAUC())
    ('mauc[1:0.5,2:0.5]', 'mauc[1,2]', 'mauc')
    """

    name: ClassVar[str] = "mauc"
    told_apart_by = "grades"
    needs: ClassVar[str] = "a document of a reference grade and one of another"
    classes: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(map(float, self.classes)))
        object.__setattr__(self, "shares", tuple(map(float, self.shares)))
        super().__post_init__()
        if self.shares and (len(self.shares) != len(self.classes) or min(self.shares) <= 0):
            raise MetricError(f"mauc needs a positive share for each class, got {self.shares} for {self.classes}")

    def _for_labels(self, labels: FloatArray) -> Self:
        """Positive grades as the classes and their shares among `labels`, where not given."""
        if self.shares:
            return self
        classes = self.classes or tuple(np.unique(labels[labels > 0]).tolist()) or (1.0,)
        counts = {c: int(np.count_nonzero(labels == c)) for c in classes}
        present = {c: count for c, count in counts.items() if count} or {classes[0]: 1}
        total = sum(present.values())
        return replace(self, classes=tuple(present), shares=tuple(count / total for count in present.values()))

    @compiled
    def _gains(self, labels: FloatArray, ideal: FloatArray) -> FloatArray:
        """p(c)/(m_c·n_c) for a document of reference grade c."""
        gain = np.zeros(labels.size)
        for c in range(len(self.classes)):
            pairs = pair_count(np.sum(ideal == self.classes[c]), ideal.size)
            if not np.isnan(pairs):
                gain += (labels == self.classes[c]) * (self.shares[c] / pairs)
        return gain

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """The shares of the grades that the query has, and not alone."""
        weight = 0.0
        for c in range(len(self.classes)):
            if not np.isnan(pair_count(np.sum(ideal == self.classes[c]), ideal.size)):
                weight += self.shares[c]
        return weight if weight > 0 else np.nan

    def _arguments(self) -> list[str]:
        if not self.shares:
            return [number(c) for c in self.classes]
        return [f"{number(c)}:{number(p)}" for c, p in zip(self.classes, self.shares, strict=True)]

    @classmethod
    def _from_text(cls, text: str) -> Self | None:
        """`mauc`, `mauc[1,2]` or `mauc[1:0.7,2:0.3]`."""
        if text == cls.name:
            return cls()
        if not (text.startswith(cls.name + "[") and text.endswith("]")):
            return None
        try:
            pairs = [tuple(map(float, word.split(":"))) for word in text[len(cls.name) + 1 : -1].split(",")]
        except ValueError:
            return None
        if len({len(pair) for pair in pairs}) != 1 or len(pairs[0]) > 2:
            return None
        return cls(tuple(p[0] for p in pairs), tuple(p[1] for p in pairs) if len(pairs[0]) == 2 else ())
