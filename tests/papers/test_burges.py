"""Burges 2006 (Burges et al.): worked examples of its metrics and the example of WTA against pair-wise error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.metrics import NDCG, WTA, PairwiseCorrect


def test_gains_are_0_1_3_7_15() -> None:
    """(1): a document of label l at rank j contributes (2^l − 1)/log(1 + j), normalized by the best order."""
    y = [4, 0, 2]
    best = 15 / math.log(2) + 3 / math.log(3)
    assert NDCG().value(y) == pytest.approx((15 / math.log(2) + 3 / math.log(4)) / best)


def test_swap_of_ndcg_is_equation_9() -> None:
    """N·(2^{l_i} − 2^{l_j})·(1/log(1 + i) − 1/log(1 + j)), ranks from 1."""
    y = np.array([1, 4, 0, 3, 2.0])
    N = 1 / sum((2**label - 1) / math.log(2 + rank) for rank, label in enumerate(sorted(y, reverse=True)))
    for i in range(5):
        for j in range(5):
            printed = N * (2 ** y[i] - 2 ** y[j]) * (1 / math.log(2 + j) - 1 / math.log(2 + i))
            assert NDCG().swap_delta(y, i, j) == pytest.approx(printed)


def test_fewer_pair_errors_can_be_a_worse_winner() -> None:
    """Section 4: relevant documents at ranks 1 and n have WTA 1 and n − 2 pair errors; at 2 and 3, WTA 0 and 2."""
    n = 20
    far, near = np.zeros(n), np.zeros(n)
    far[[0, n - 1]] = 1
    near[[1, 2]] = 1
    pairs = 2 * (n - 2)
    assert WTA().value(far) == 1
    assert WTA().value(near) == 0
    assert PairwiseCorrect().value(far) == pytest.approx(1 - (n - 2) / pairs)
    assert PairwiseCorrect().value(near) == pytest.approx(1 - 2 / pairs)
