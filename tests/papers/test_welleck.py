"""Welleck 2016 (Welleck): theorem 1 and the change of MAUC, as printed and by brute force."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise as rw
from rankwise.metrics import AUC, MAUC


@given(st.lists(st.integers(0, 1).map(float), min_size=2, max_size=30).filter(lambda y: 0 < sum(y) < len(y)), st.data())
def test_theorem_1(y: list[float], data: st.DataObject) -> None:
    """ΔAUC_ij = (ℓ_j − ℓ_i)(j − i)/(mn), ranks from 1."""
    i, j = (data.draw(st.integers(0, len(y) - 1)) for _ in range(2))
    m = sum(y)
    assert AUC().swap_delta(y, i, j) == pytest.approx((y[j] - y[i]) * (j - i) / (m * (len(y) - m)))


def test_change_of_mauc() -> None:
    """(j − i)·|p_a/(m_a n_a) − p_b/(m_b n_b)| for grades a and b, the terms of grade 0 being 0 (all grades present)."""
    y = np.array([2, 0, 1, 1, 0, 2, 0.0])
    shares = {0.0: 0.0, 1.0: 0.6, 2.0: 0.4}
    scale = {c: shares[c] / (np.sum(y == c) * np.sum(y != c)) for c in shares}
    i, j = np.meshgrid(np.arange(7), np.arange(7), indexing="ij")
    printed = np.abs(j - i) * np.abs([[scale[a] - scale[b] for b in y] for a in y])
    np.testing.assert_allclose(np.abs(MAUC((1, 2), (0.6, 0.4)).swap_delta(y, i, j)), printed)


def test_lambdas_can_push_against_mauc() -> None:
    """(19) takes its sign from the labels: where p_1/(m_1 n_1) > p_2/(m_2 n_2) it pushes grade 2 above 1, and MAUC
    falls."""
    metric = MAUC((1, 2), (0.9, 0.1))
    y, scores = np.array([1.0, 2.0, 0.0]), np.array([3.0, 2.0, -9.0])
    assert metric.swap_delta(y, 0, 1) == pytest.approx(0.1 / 2 - 0.9 / 2)
    gradient, _ = rw.lambda_gradients(metric, y, scores)
    pair, _ = rw.lambda_gradients(metric, y[:2], scores[:2])
    assert pair[0] > 0 > pair[1]  # descent lowers the score of grade 1 and raises that of grade 2
    after = np.argsort(-(scores - 3 * gradient))
    assert y[after[0]] == 2
    assert metric.value(y[after]) < metric.value(y)


def test_mauc_of_mq2008_is_near_the_published(shared_data: Path) -> None:
    """Welleck 2016 reports .734 and .737 on mq2008 for trained models; feature 39 alone comes as far."""
    data = rw.read(*(shared_data / "MQ2008" / f"S{part}.txt" for part in range(1, 6)))
    found = rw.evaluate(data.y, data.X[:, 38], data.qid, "mauc auc[1] auc[2]")
    assert found["mauc"] == pytest.approx(0.7355, abs=0.02)
    assert found["auc[1]"] < found["mauc"] < found["auc[2]"]
