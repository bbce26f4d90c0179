"""Weights of runs chosen by a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError


def made(seed: int, queries: int = 30) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Labels, and two systems that each see a part of them, with one that sees nothing."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(queries), 10)
    parts = rng.normal(size=(2, qid.size))
    y = (parts.sum(axis=0) > 1.5).astype(float)
    runs = {"a": parts[0], "b": 20 * parts[1] + 300, "noise": rng.normal(size=qid.size)}
    return y, runs, qid


@pytest.mark.parametrize("method", ["combsum", "rrf", "borda"])
def test_no_worse_than_equal_weights_or_any_run(method: Any) -> None:
    y, runs, qid = made(0)
    weights = rw.fit_fusion(y, runs, qid, metric="map", method=method)
    assert sum(weights.values()) == pytest.approx(1.0)

    def value(weights: dict[str, float]) -> float:
        return rw.evaluate(y, rw.fuse(runs, method, qid=qid, weights=weights), qid, "map")["map"]

    others = [dict.fromkeys(runs, 1.0), *({name: float(name == one) for name in runs} for one in runs)]
    assert value(weights) >= max(map(value, others))


def test_both_good_runs_count_and_noise_hardly_also_on_other_queries() -> None:
    y, runs, qid = made(1, queries=200)
    weights = rw.fit_fusion(y, runs, qid, normalize="z-score")
    assert min(weights["a"], weights["b"]) > 0.3
    assert weights["noise"] <= 0.1
    y, runs, qid = made(2, queries=200)
    fused = rw.evaluate(y, rw.fuse(runs, "combsum", qid=qid, normalize="z-score", weights=weights), qid, "ndcg@10")
    alone = [rw.evaluate(y, scores, qid, "ndcg@10")["ndcg@10"] for scores in runs.values()]
    assert fused["ndcg@10"] > max(alone) + 0.05


def test_two_runs_are_searched_all_along() -> None:
    y, runs, qid = made(3)
    pair = {name: runs[name] for name in ("a", "b")}
    weights = rw.fit_fusion(y, pair, qid, metric="mrr", normalize="z-score")

    def value(share: float) -> float:
        fused = rw.fuse(pair, "combsum", qid=qid, normalize="z-score", weights=[share, 1 - share])
        return rw.evaluate(y, fused, qid, "mrr")["mrr"]

    assert value(weights["a"]) == pytest.approx(max(map(value, np.linspace(0, 1, 21))))


def test_judgements_and_ranking_data_give_the_same_weights() -> None:
    y, runs, qid = made(4, queries=10)
    expected = rw.fit_fusion(y, runs, qid)
    assert rw.fit_fusion(rw.RankingData(np.zeros((y.size, 1)), y, qid), runs) == expected
    judged = {str(q): {str(d): y[d] for d in np.flatnonzero(qid == q)} for q in np.unique(qid)}
    tables = {n: {q: {d: s[int(d)] for d in row} for q, row in judged.items()} for n, s in runs.items()}
    assert rw.fit_fusion(judged, tables) == expected


def test_what_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(DataError, match="weights are for rrf, borda, combsum, got method='combmax'"):
        rw.fit_fusion([1, 0], {"a": [1, 2], "b": [2, 1]}, method="combmax")
    with pytest.raises(DataError, match="ndcg@10 has no value on any query"):
        rw.fit_fusion([0, 0], {"a": [1, 2], "b": [2, 1]})
