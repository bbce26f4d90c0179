"""α-nDCG against its definition, by loops and by every order."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.errors import DataError
from rankwise.metrics import alpha_ndcg
from tests.reference.alpha_ndcg_by_definition import alpha_dcg, best_dcg, greedy_order, mean_over_orders

documents = st.lists(st.frozensets(st.integers(0, 2)), min_size=1, max_size=6)


def table(docs: list[frozenset[int]]) -> list[list[int]]:
    return [[int(topic in doc) for topic in range(3)] for doc in docs]


@given(documents, st.data(), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.integers(1, 7))
@settings(max_examples=80)
def test_value_with_ties_is_the_mean_over_orders(
    docs: list[frozenset[int]], data: st.DataObject, alpha: float, k: int
) -> None:
    scores = data.draw(st.lists(st.integers(0, 2), min_size=len(docs), max_size=len(docs)))
    rows = sorted(zip(scores, docs, strict=True), key=lambda row: -row[0])
    runs = [[doc for _, doc in run] for _, run in groupby(rows, key=lambda row: row[0])]
    ideal = alpha_dcg(greedy_order(docs, alpha), alpha, k)
    found = alpha_ndcg(table(docs), scores, alpha=alpha, k=k)[f"alpha-ndcg@{k}"]
    if ideal == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(mean_over_orders(runs, alpha, k) / ideal, abs=1e-12)


@given(documents, st.sampled_from([0.3, 0.5, 0.9]))
@settings(max_examples=40)
def test_the_greedy_order_is_within_its_guarantee_of_the_best(docs: list[frozenset[int]], alpha: float) -> None:
    """The gain is submodular: greedy has at least 1 − 1/e of the best sum at every depth, and so discounted."""
    best = best_dcg(docs, alpha, 6)
    assert best * (1 - 1 / np.e) - 1e-12 <= alpha_dcg(greedy_order(docs, alpha), alpha, 6) <= best + 1e-12


def test_without_loss_and_with_one_subtopic_it_is_ndcg_of_binary_labels() -> None:
    import rankwise as rw

    rng = np.random.default_rng(0)
    qid, y = np.repeat(np.arange(30), 12), rng.integers(0, 2, 360)
    scores = rng.integers(0, 9, 360)
    ours = alpha_ndcg(y[:, None], scores, qid, alpha=0.0, k=5).per_query["alpha-ndcg@5"]
    np.testing.assert_allclose(ours, rw.evaluate(y, scores, qid, "ndcg@5").per_query["ndcg@5"], atol=1e-12)


def test_queries_apart_unretrieved_rows_and_rows_in_any_order() -> None:
    rng = np.random.default_rng(1)
    about, qid = rng.integers(0, 2, (40, 4)), rng.integers(0, 4, 40)
    about[qid == 3] = 0
    scores = np.where(rng.random(40) < 0.3, -np.inf, rng.integers(0, 4, 40))
    result = alpha_ndcg(about, scores, qid, k=5)
    assert result.left_out["alpha-ndcg@5"].count == 1
    mixed = rng.permutation(40)
    again = alpha_ndcg(about[mixed], scores[mixed], qid[mixed], k=5)
    assert result["alpha-ndcg@5"] == pytest.approx(again["alpha-ndcg@5"], abs=1e-12)
    kept = scores > -np.inf
    for q, value in zip(result.qids, result.per_query["alpha-ndcg@5"], strict=True):
        if q != 3:
            docs = [frozenset(np.flatnonzero(row).tolist()) for row in about[qid == q]]
            ideal = alpha_dcg(greedy_order(docs, 0.5), 0.5, 5)
            seen = alpha_ndcg(about[(qid == q) & kept], scores[(qid == q) & kept], k=5)["alpha-ndcg@5"]
            of_seen = [frozenset(np.flatnonzero(row).tolist()) for row in about[(qid == q) & kept]]
            assert value * ideal == pytest.approx(seen * alpha_dcg(greedy_order(of_seen, 0.5), 0.5, 5))


BASE: dict[str, Any] = {"subtopics": [[1], [0]], "scores": [2, 1]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"subtopics": [1, 0]}, r"a column per subtopic, got shape \(2,\)"),
        ({"subtopics": [[1], [0], [1]]}, r"got shape \(3, 1\) for 2 scores"),
        ({"subtopics": [[1], [np.nan]]}, "not finite"),
        ({"alpha": 1.5}, "alpha must be a number from 0 to 1"),
        ({"k": 0}, "k must be a whole number from 1"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        alpha_ndcg(**BASE | arguments)
