"""Donmez 2009's experiment on small data: its ranker, its protocol, folds joined, and the rows that come out."""

from __future__ import annotations

import numpy as np
import pytest

import rankwise as rw
from benchmarks.papers import donmez, donmez_entropy, donmez_published
from rankwise.data import normalize, topics
from tests.sampling.pool_factories import pool_of_scores

FOLDS = [(topics(4, 60, 5, 0.1, seed=seed), topics(3, 60, 5, 0.1, seed=seed + 10)) for seed in (1, 2)]


def test_figure_3_joins_the_runs_of_all_folds() -> None:
    rows = donmez.figure_3(FOLDS, seeds=1, quick=False)
    assert [(row["metric"], row["sampler"]) for row in rows] == [
        (metric, sampler) for metric in ("auc", "map", "ndcg@10") for sampler in donmez.PAPER_SAMPLERS
    ]
    simulations = [
        rw.simulate(normalize(train), normalize(test), "lossmin", rw.RankSVM(C="svmlight"), seeds=1, n_jobs=1)
        for train, test in FOLDS
    ]
    row = next(row for row in rows if (row["metric"], row["sampler"]) == ("map", "lossmin"))
    expected = np.mean([simulation.values["lossmin"]["map"][0] for simulation in simulations], axis=0)
    assert row["mean"] == pytest.approx(expected, abs=1e-12)
    assert (len(row["mean"]), row["runs"]) == (21, 2)
    assert row["all_labels"] == pytest.approx(np.mean([simulation.full["map"] for simulation in simulations]))
    assert all(low <= mean <= high for low, mean, high in zip(row["low"], row["mean"], row["high"], strict=True))
    assert set(donmez.PAPER_SAMPLERS) <= set(row["relation"].split())


def test_figure_3_in_a_hurry() -> None:
    rows = donmez.figure_3(FOLDS, seeds=5, quick=True)
    assert {(len(row["mean"]), row["runs"]) for row in rows} == {(3, 1)}


def test_what_was_printed_is_whole() -> None:
    assert len(donmez_published.TABLE_1) == 6
    assert {word for text in donmez_published.TABLE_1.values() for word in text.split()[::2]} == set(
        donmez_published.SAMPLERS
    )
    shapes = {np.shape(table) for table in (donmez_published.MAP, donmez_published.SECONDS)}
    assert shapes == {(5, len(donmez_published.SAMPLERS))}


def test_readings_of_entropy_by_hand() -> None:
    """Scores 0, 0, 3 of candidates; labelled are −5000 (irrelevant) and 5000 (relevant), which no candidate passes."""
    pool, (rows,) = pool_of_scores([[0.0, 0.0, 3.0]])
    rng, place = np.random.default_rng(0), [pool.candidates.tolist().index(row) for row in rows]
    pairs = donmez_entropy.PairOrderEntropy().utilities(pool, rng)[place]
    p = 1 / (1 + np.exp(-3.0))
    entropy = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
    # A document and itself make an entropy of 1 for each, which changes no order.
    assert pairs == pytest.approx([2 + entropy, 2 + entropy, 1 + 2 * entropy], abs=1e-9)
    labels = donmez_entropy.LabelEntropy().utilities(pool, rng)[place]
    assert labels == pytest.approx([1.0, 1.0, entropy], abs=1e-9)
    assert donmez_entropy.ErrorsAgainstLabels().utilities(pool, rng)[place] == pytest.approx([0.0, 0.0, 0.0])
