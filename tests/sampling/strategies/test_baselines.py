"""RandomSampler, TopRanked and Entropy: by hand, and against loops over documents and pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from rankwise.sampling import RandomSampler, RankingEntropy, TopRanked
from tests.reference import samplers
from tests.sampling.pool_factories import one_query, pool_of_scores, score_lists, utilities_of


@given(score_lists)
def test_entropy_is_the_expected_number_of_wrong_pairs_by_loops(lists) -> None:
    for scores, found in zip(lists, utilities_of(RankingEntropy(), lists), strict=True):
        expected = samplers.entropy(scores) if scores else []
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_entropy_by_hand() -> None:
    """P = ½ and σ(2) = .8807970780: the one pair is wrong if the lower is relevant and the upper is not, ½ · .119…"""
    assert one_query(RankingEntropy(), [0.0, 2.0]) == pytest.approx([0.5 * 0.1192029220] * 2, abs=1e-9)
    # Of three equal ones each makes two pairs, wrong by half of ½ · ½ + ½ · ½.
    assert one_query(RankingEntropy(), [1.0, 1.0, 1.0]) == pytest.approx([0.5, 0.5, 0.5], abs=1e-12)


@given(score_lists)
def test_top_takes_the_highest_scores(lists) -> None:
    pool, where = pool_of_scores(lists)
    chosen = TopRanked().select(pool, per_query=3)
    for q, (scores, rows) in enumerate(zip(lists, where, strict=True)):
        found = [scores[rows.index(row)] for row in chosen if pool.data.qid[row] == q]
        assert found == sorted(scores, reverse=True)[:3]


def test_random_gives_each_document_the_same_chance() -> None:
    pool, (first, second) = pool_of_scores([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0]])
    chosen = np.concatenate([RandomSampler().select(pool, per_query=2, random_state=seed) for seed in range(300)])
    counts = np.bincount(chosen, minlength=len(pool.data))
    # Of 6 documents 2 are drawn, so each in a third of 300 draws, give or take 8 (a deviation); of 2 both, always.
    assert np.abs(counts[first] - 100).max() < 33
    assert counts[second].tolist() == [300, 300]


def test_random_is_another_draw_by_another_seed_and_in_each_query() -> None:
    pool, where = pool_of_scores([[float(k) for k in range(20)]] * 2)
    chosen = [RandomSampler().select(pool, per_query=10, random_state=seed) for seed in (1, 2)]
    assert set(chosen[0]) != set(chosen[1])
    places = [{rows.index(row) for row in chosen[0] if row in rows} for rows in where]
    assert places[0] != places[1]
