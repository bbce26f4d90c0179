"""Micro- and macro-averaged precision at k over several grades."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._dcg import MAX_GAIN
from rankwise.metrics.catalogue._linear import TopHits
from rankwise.types import FloatArray


@dataclass(frozen=True)
class MicroPrecision(TopHits):
    """Micro-averaged precision (Welleck 2016 (2)): documents of a reference grade among the first k, over C·k.

    Parameters
    ----------
    k : int
        The cut-off.
    grades : float, default=0.0
        C, the number of reference grades 1 to C; 0 takes the highest grade of the data. `p-micro[4]@5` fixes it.

    References
    ----------
    Welleck (2016). Efficient AUC optimization for information ranking applications. ECIR.

    Examples
    --------
    >>> MicroPrecision(k=2, grades=2).value([2, 1, 0])  # (1 + 1) / (2·2)
    0.5
    """

    name: ClassVar[str] = "p-micro"
    grades: float = 0.0

    def _highest_label(self) -> float:
        """That of C·k."""
        return MAX_GAIN

    def _for_labels(self, labels: FloatArray) -> Self:
        """C as the highest grade of the data."""
        return self if self.grades else replace(self, grades=float(max(1.0, np.max(labels, initial=1.0))))

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """C·k."""
        return self.grades * self.k


@dataclass(frozen=True)
class MacroPrecision(MicroPrecision):
    """Macro-averaged precision (Welleck 2016 (4), per query): the mean over grades of precision@k.

    Parameters
    ----------
    k : int
        The cut-off.
    grades : float, default=0.0
        C, the number of reference grades 1 to C; 0 takes the highest grade of the data. `p-macro[4]@5` fixes it.

    Notes
    -----
    For a ranking that equals `p-micro@k`: each grade's precision@k has the same denominator k, so the pooled
    and the averaged share are one number, although Welleck 2016 has two formulas. Both names exist.

    References
    ----------
    Welleck (2016). Efficient AUC optimization for information ranking applications. ECIR.

    Examples
    --------
    >>> MacroPrecision(k=2, grades=2).value([2, 1, 0])  # (1/2 + 1/2) / 2
    0.5
    """

    name: ClassVar[str] = "p-macro"
