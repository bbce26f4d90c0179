"""The choice between two models: the plain one stays unless rows that neither saw say otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.objectives.rates._objective import rate_objective
from rankwise.objectives.rates._soft_counts import RankedRows, SoftCounts
from rankwise.rankers.rates._rows import folds
from rankwise.rankers.rates._selection import choose


def scored(seed, ahead, rows=600):
    """Two models' scores of the same rows; how far the second parts positives from the others, besides noise."""
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < 0.3
    plain, tuned = (rng.normal(size=rows) + (1.5 + more) * positive for more in (0.0, ahead))
    return plain, tuned, positive, np.ones(rows)


@pytest.mark.parametrize("name", ["r@p=0.8", "p@r=0.8", "tpr@fpr=0.05", "f1", "aucpr", "0.5*f1 + 0.5*aucpr"])
def test_a_better_model_is_kept_and_a_worse_one_is_not(name) -> None:
    objective = rate_objective(name, anchors=5)
    for seed in range(5):
        assert choose(objective, *scored(seed, 1.0), seed=0).prefers_tuned  # type: ignore[misc]
        worse = choose(objective, *scored(seed, -1.0), seed=0)  # type: ignore[misc]
        assert not worse.prefers_tuned
        assert worse.is_hopeless


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r@p=0.8", "f1", "aucpr"])
def test_noise_is_not_taken_for_a_gain(name) -> None:
    objective, kept = rate_objective(name, anchors=5), 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 1])
        plain, _, positive, weight = scored(seed, 0.0)
        tuned = plain + 0.02 * rng.normal(size=plain.size)
        kept += choose(objective, plain, tuned, positive, weight, seed=0).prefers_tuned
    assert kept <= 12


def test_equal_models_leave_the_plain_one() -> None:
    plain, _, positive, weight = scored(0, 0.0)
    for tuned in (plain, 3.0 * plain - 1.0):  # the same order
        found = choose(rate_objective("r@p=0.8"), plain, tuned, positive, weight, seed=0)
        assert (found.gain, found.prefers_tuned) == (0.0, False)


def test_the_error_is_that_of_a_bootstrap() -> None:
    """Rows that are in twice or not at all vary as those of a bootstrap do."""
    plain, tuned, positive, weight = scored(3, 0.3, rows=2000)
    objective = rate_objective("aucpr", anchors=5)
    soft, rng = SoftCounts(objective, positive, weight), np.random.default_rng(0)
    drawn = rng.multinomial(2000, np.full(2000, 1 / 2000), 300).astype(float)
    by_tuned, by_plain = (soft.values(RankedRows(scores, positive), drawn) for scores in (tuned, plain))
    found = choose(objective, plain, tuned, positive, weight, seed=0)
    assert found.error == pytest.approx(float((by_tuned - by_plain).std()), rel=0.4)
    assert found.gain == pytest.approx(float((by_tuned - by_plain).mean()), abs=found.error)


def test_the_same_seed_makes_the_same_choice() -> None:
    given = scored(0, 0.1)
    first, again, other = (choose(rate_objective("f1"), *given, seed=seed) for seed in (3, 3, 4))  # type: ignore[misc]
    assert first == again
    assert first != other
    assert (first.baseline, first.tuned) == (other.baseline, other.tuned)


def test_a_resample_without_a_positive_counts_for_nothing() -> None:
    positive = np.arange(40) == 7
    scores = np.random.default_rng(0).normal(size=40)
    found = choose(rate_objective("f1"), scores, scores + positive, positive, np.ones(40), seed=0)
    assert np.isfinite([found.gain, found.error]).all()


@pytest.mark.parametrize(("positives", "parts", "found"), [(20, 4, 4), (3, 4, 3), (1, 4, 0), (2, 5, 2)])
def test_folds_judge_each_row_once_and_share_out_positives(positives, parts, found) -> None:
    positive = np.zeros(50, dtype=bool)
    positive[:positives] = True
    splits = folds(positive, parts, seed=0)
    assert len(splits) == found
    if splits:
        assert np.array_equal(np.sort(np.concatenate([judged for _, judged in splits])), np.arange(50))
    for train, judged in splits:
        assert not set(train) & set(judged)
        assert train.size + judged.size == 50
        assert positive[judged].sum() in (positives // found, -(-positives // found))
