"""Mistakes in what is evaluated are told of, though figures can be computed."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import MetricError
from rankwise.metrics import evaluate

RNG = np.random.default_rng(0)
LABELS, SCORES, QID = RNG.integers(0, 5, 60), RNG.random(60), np.repeat(np.arange(6), 10)


def test_sound_rows_need_no_words() -> None:
    assert evaluate(LABELS, SCORES, QID, "ndcg map").notes == ()
    assert evaluate(SCORES, SCORES**2, QID, "ndcg").notes == ()  # labels may be any numbers
    assert evaluate(LABELS > 2, SCORES > 0.5, metrics="auc").notes == ()  # and scores decisions


def test_labels_and_scores_in_the_wrong_order() -> None:
    (note,) = evaluate(SCORES, LABELS, QID, "ndcg").notes
    assert note == "the labels look like scores and the scores like labels; pass labels first, scores second"


def test_queries_of_one_row() -> None:
    result = evaluate(LABELS, SCORES, np.arange(60), "ndcg")
    assert result["ndcg"] == 1.0
    assert result.notes == ("every query has one row, so there is nothing to rank; check qid",)


def test_ratings_from_one_to_five() -> None:
    result = evaluate(LABELS + 1, SCORES, QID, "ndcg map mrr")
    assert result["map"] == pytest.approx(1.0)
    assert result.notes == ("no label is 0 or below, so every document is relevant to map; subtract the lowest grade",)
    assert evaluate(LABELS + 1, SCORES, QID, "ndcg").notes == ()


def test_metrics_with_cut_offs_beside_them() -> None:
    with pytest.raises(MetricError, match=r"a metric is named by a text such as ndcg@10, got \{'ndcg': 10\}"):
        evaluate(LABELS, SCORES, QID, {"ndcg": 10})
