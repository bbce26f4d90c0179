"""Eban 2017 (Eban et al.): AUCPR as an integral of recall at precision, and F-beta in both of its forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.metrics import FBeta, PartialAUCPR, PrecisionAtRecall, RecallAtPrecision

ranked = st.lists(st.integers(0, 1).map(float), min_size=1, max_size=25).filter(any)


@pytest.mark.slow
@given(ranked)
def test_aucpr_is_recall_over_precisions(y: list[float]) -> None:
    """(11) with k anchors strictly inside (0, 1) tends to the interpolated area."""
    k = 200
    anchors = (np.arange(k) + 0.5) / k
    riemann = np.mean([RecallAtPrecision(alpha).value(y) for alpha in anchors])
    assert PartialAUCPR(0.0, 1.0).value(y) == pytest.approx(riemann, abs=1 / k * len(y))


@given(ranked, st.sampled_from([0.5, 1.0, 2.0]))
def test_fbeta_by_precision_and_recall(y: list[float], beta: float) -> None:
    """(1+β²)PR/(β²P+R) = (1+β²)tp/(β²|Y+| + tp + fp), at the best cut."""
    hits, cuts = np.cumsum(y), np.arange(1, len(y) + 1)
    P, R = hits / cuts, hits / sum(y)
    with np.errstate(invalid="ignore"):
        form = np.nan_to_num((1 + beta**2) * P * R / (beta**2 * P + R))
    assert FBeta(beta).value(y) == pytest.approx(form.max())


@given(ranked, st.floats(0.05, 1.0))
def test_the_two_operating_points_mirror_each_other(y: list[float], alpha: float) -> None:
    """At the recall that R@P=α reaches, the precision is at least α, unless no cut has that precision."""
    recall = RecallAtPrecision(alpha).value(y)
    if recall > 0:
        assert PrecisionAtRecall(recall).value(y) >= alpha
