"""SmoothRankBoost: weights within caps, margins that are guaranteed, and near the optimum of Suehiro 2011's program
(7)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rankwise.data import r_of_k
from rankwise.kernels.pairs import _capped_weights as kernels
from rankwise.rankers import RankBoost, SmoothRankBoost
from rankwise.rankers._pair_rows import pair_rows
from rankwise.rankers.pairs.stumps._graded_rows import graded_rows, halved_blocks
from rankwise.rankers.pairs.stumps._rankboost import PairBooster
from rankwise.rankers.pairs.stumps._smoothrankboost import CappedBooster
from tests.rankers.pairs.stumps.factories import BINARY, CASES, GRADED, QID, X, booster_rows, fitted, weighty
from tests.reference import boosting_by_definition as slow
from tests.reference.stumps_by_definition import best_stumps

EPSILONS = [0.05, 0.2, 0.5]


def _blocks(case):
    _, y, qid, weight = weighty(case)
    return slow.blocks_by_halving(y, qid), weight


@pytest.mark.parametrize("case", CASES)
def test_every_pair_is_in_one_block(case) -> None:
    rows = graded_rows(booster_rows(case))
    blocks, listed = halved_blocks(rows), []
    for a, b, c in zip(blocks.starts, blocks.middles, blocks.stops, strict=True):
        listed += [(i, j) for i in rows.order[b:c].tolist() for j in rows.order[a:b].tolist()]
    better, worse, _ = slow.pairs_of(*weighty(case)[1:])
    assert sorted(listed) == sorted(zip(better.tolist(), worse.tolist(), strict=True))
    assert np.allclose(np.sort(blocks.shares), np.sort(slow.shares_of(*_blocks(case))))


@pytest.mark.parametrize("spread", [0.1, 3.0, 100.0, 3000.0])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_capped_weights_are_the_projection(spread, epsilon) -> None:
    rng = np.random.default_rng(0)
    f, weight, out = np.round(rng.normal(size=50) * 5), rng.random(50), np.empty(50)
    most = 1 / math.sqrt(epsilon)
    for rate in (spread / 5, -spread / 5):
        kernels._capped(f, rate, weight, 0, 50, most, out)
        assert np.allclose(out, slow.capped(rate * f, weight, most), rtol=1e-9, atol=1e-12)
        assert (out <= most * weight / weight.sum() * (1 + 1e-12)).all()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_rounds_are_those_of_the_definition(case) -> None:
    features, epsilon, rounds = weighty(case)[0], 0.2, 20
    blocks, weight = _blocks(case)
    model = fitted(SmoothRankBoost(n_estimators=rounds, epsilon=epsilon), case)
    stages = [np.zeros(len(features)), *(k * s for k, s in enumerate(model.staged_predict(features), start=1))]
    for t in range(1, rounds + 1):
        rate, u = math.sqrt(2 * math.log(1 / epsilon) / t) / 2, np.zeros(len(features))
        for (better, worse), share in zip(blocks, slow.shares_of(blocks, weight), strict=True):
            u[better] += share * slow.capped(-rate * stages[t - 1][better], weight[better], epsilon**-0.5)
            u[worse] -= share * slow.capped(rate * stages[t - 1][worse], weight[worse], epsilon**-0.5)
        edges = {(stump[1], stump[2], stump[3]): stump[0] for stump in best_stumps(features, u)}
        learnt = model.rounds_[t - 1 : t]
        edge = edges[learnt.feature[0], learnt.threshold[0], learnt.sign[0]]
        assert edge == pytest.approx(max(edges.values()), rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", CASES)
def test_margins_are_guaranteed_and_near_the_optimum(case, epsilon) -> None:
    blocks, weight = _blocks(case)
    optimum = slow.best_soft_margin(weighty(case)[0], blocks, epsilon, weight)
    for rounds in (1, 10, 100, 400):
        model = fitted(SmoothRankBoost(n_estimators=rounds, epsilon=epsilon), case)
        assert model.gamma_ <= optimum + 1e-9 <= model.gamma_bound_ + 2e-9
        assert model.gamma_ >= optimum - math.sqrt(2 * math.log(1 / epsilon) / rounds)
        assert model.rho_ >= model.gamma_ - 1e-12
        assert model.share_ >= model.guaranteed_share_ == (1 - math.sqrt(epsilon)) ** 2
    assert model.gamma_ > optimum - 0.03  # far closer than the bound


@pytest.mark.parametrize("case", ["one list", "queries and grades", "weights"])
def test_reported_margins_are_those_of_the_scores(case) -> None:
    epsilon = 0.2
    model = fitted(SmoothRankBoost(n_estimators=100, epsilon=epsilon), case)
    scores = np.round(model.predict(weighty(case)[0]) * 100) / 2
    blocks, weight = _blocks(case)
    values, margins, right, pairs = [], [], [], []
    for better, worse in blocks:
        both = weight[better][:, None] * weight[worse]
        lowest = 0.0
        for rows, sign in ((better, 1), (worse, -1)):  # the worst weights: all on the lowest margins, up to the caps
            order = rows[np.argsort(sign * scores[rows])]
            share = np.minimum(np.cumsum(weight[order]) / weight[rows].sum() / math.sqrt(epsilon), 1.0)
            lowest += np.dot(np.diff(share, prepend=0.0), sign * scores[order])
        below = [
            np.sum(weight[better] * (scores[better] < s)) <= math.sqrt(epsilon) * weight[better].sum()
            for s in scores[better]
        ]
        above = [
            np.sum(weight[worse] * (scores[worse] > s)) <= math.sqrt(epsilon) * weight[worse].sum()
            for s in scores[worse]
        ]
        margin = scores[better][below].max() - scores[worse][above].min()
        values.append(lowest)
        margins.append(margin)
        pairs.append(both.sum())
        right.append(np.sum(both * (scores[better][:, None] - scores[worse] >= margin)))
    shares = np.array(pairs) / np.sum(pairs)
    assert model.gamma_ == pytest.approx(np.dot(shares, values) / 100, abs=1e-12)
    assert model.rho_ == pytest.approx(np.dot(shares, margins) / 100, abs=1e-12)
    assert model.share_ == pytest.approx(np.sum(right) / np.sum(pairs), abs=1e-12)


def test_weights_stay_within_the_caps_where_rankboosts_blow_up() -> None:
    made = r_of_k(rows=300, features=20, k=5, r=2, noise=0.15, seed=1)
    rows = pair_rows("", made.X, made.y, None, None, None)
    epsilon = 0.2
    largest: dict[Any, Any] = {}
    for name, booster, model in (
        ("soft", CappedBooster(graded_rows(rows), epsilon), SmoothRankBoost(epsilon=epsilon, n_estimators=300)),
        ("plain", PairBooster(graded_rows(rows)), RankBoost(n_estimators=300)),
    ):
        rounds = model.fit(made.X, made.y).rounds_
        largest[name] = []
        for f, t, s, w in zip(rounds.feature, rounds.threshold, rounds.sign, rounds.weight, strict=True):
            u = booster.row_weights()
            for label in (0, 1):
                shares = np.abs(u[made.y == label])
                assert shares.sum() == pytest.approx(1.0)
                largest[name].append(shares.max() * np.sum(made.y == label))
            booster.add(float(np.tanh(2 * w)), (s * np.where(made.X[:, f] > t, 1, -1)).astype(np.int8))
    cap = 1 / math.sqrt(epsilon)
    assert max(largest["soft"]) <= cap * (1 + 1e-9)
    assert max(largest["plain"][-2:]) > 3 * cap


def test_a_perfect_stump_has_the_largest_margin() -> None:
    model = SmoothRankBoost().fit(X, (X[:, 3] > 0.1).astype(float))
    assert (len(model.rounds_), model.gamma_, model.rho_, model.gamma_bound_, model.share_) == (1, 1.0, 1.0, 1.0, 1.0)
    model = SmoothRankBoost().fit(np.ones((60, 2)), BINARY)
    assert (len(model.rounds_), model.gamma_, model.rho_, model.gamma_bound_, model.share_) == (0, 0.0, 0.0, 0.0, 1.0)


def test_a_mean_of_stumps_lies_between_minus_one_and_one() -> None:
    model = SmoothRankBoost(n_estimators=50).fit(X, GRADED, qid=QID)
    assert model.stumps_.weight.sum() <= 1.0 + 1e-12
    assert np.allclose(model.stumps_.scores(X), model.predict(X))
    assert np.abs(model.predict(X)).max() <= 1.0
    assert np.unique(model.predict(X)).size == np.unique(np.round(model.predict(X) * 50)).size  # ties are ties
    assert halved_blocks(graded_rows(pair_rows("", X, GRADED, QID, None, None))).shares.sum() == pytest.approx(1.0)
