"""Class-reference AUC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.kernels._compile import compiled
from rankwise.metrics.catalogue._auc import PairMetric, pair_count
from rankwise.types import FloatArray


@dataclass(frozen=True)
class ClassAUC(PairMetric):
    """Class-reference AUC (Welleck 2016 section 3): one grade is positive, all others are negative.

    Parameters
    ----------
    grade : float
        The label of the positives.

    References
    ----------
    Welleck (2016). Efficient AUC optimization for information ranking applications. ECIR.

    Examples
    --------
    >>> ClassAUC(2).value([2, 1, 0])
    1.0
    >>> ClassAUC(1).value([2, 1, 0])  # the document of grade 2 counts as a negative here
    0.5
    """

    name: ClassVar[str] = "auc"
    needs: ClassVar[str] = "a document of the grade and one of another"
    grade: float

    @compiled
    def _gains(self, labels: FloatArray, ideal: FloatArray) -> FloatArray:
        """1 for a document of the grade."""
        return np.where(labels == self.grade, 1.0, 0.0)

    @compiled
    def _normalizer(self, ideal: FloatArray) -> float:
        """m·n, the pairs."""
        return pair_count(np.sum(ideal == self.grade), ideal.size)
