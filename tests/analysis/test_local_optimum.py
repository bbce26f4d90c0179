"""Random directions around a model: known optima, known neighbours, and what the counts prove."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.analysis import LocalOptimum
from rankwise.analysis._held_out import HeldOutImprovement, held_out_improvement
from rankwise.analysis._neighbourhoods import LeafValues, LinearWeights, neighbourhood
from rankwise.analysis._rays import Rays, spread_within
from rankwise.data import polynomial, web
from rankwise.errors import DataError

TREES: dict[str, Any] = {"n_estimators": 8, "num_leaves": 4, "min_child_samples": 5, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def data() -> rw.RankingData:
    return web(queries=40, documents=12, features=5, seed=3)


@pytest.fixture(scope="module")
def plane() -> rw.RankingData:
    """Two features, and labels that no direction of them sorts."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X @ [1.0, 0.5] + rng.normal(size=60) > 0).astype(float)
    return rw.RankingData(X, y, np.repeat(np.arange(6), 10))


@pytest.fixture(scope="module")
def easy() -> rw.RankingData:
    """The first of three features sorts all documents."""
    X = np.random.default_rng(0).normal(size=(800, 3))
    return rw.RankingData(X, (X[:, 0] > 0.3).astype(float), np.repeat(np.arange(80), 10))


def best_weights(data: rw.RankingData, metric: str) -> np.ndarray:
    """By brute force: between any two angles at which some pair of rows changes places all rankings are the same."""
    X, angles = data.X, []
    for i, j in itertools.combinations(range(len(X)), 2):
        if data.qid[i] == data.qid[j]:
            x, y = X[i] - X[j]
            angles += [np.arctan2(-x, y) % np.pi, np.arctan2(-x, y) % np.pi + np.pi]
    edges = np.sort(angles)
    middles = (edges + np.append(edges[1:], edges[0] + 2 * np.pi)) / 2
    weights = np.column_stack([np.cos(middles), np.sin(middles)])
    values = [rw.evaluate(data, X @ w, metrics=metric)[metric] for w in weights]
    return weights[int(np.argmax(values))]


@pytest.mark.parametrize("metric", ["auc", "ndcg@5"])
def test_no_direction_improves_a_linear_model_at_the_optimum(plane: rw.RankingData, metric: str) -> None:
    model = rw.RankSVM(metric).fit(plane)
    model.coef_ = best_weights(plane, metric)
    found = rw.local_optimum(model, plane, directions=60, steps=(0.01, 0.1, 0.5, 2.0, 10.0))
    assert found.value == pytest.approx(model.score(plane), abs=1e-12)
    assert not found.improving.any()
    assert found.interval == pytest.approx((0.0, 1 - 0.05 ** (1 / 60)))
    assert found.held_out is not None
    assert found.held_out.difference <= 0.0  # what some queries gain the others lose, and more
    assert "none of 60 directions improves" in str(found)


def test_directions_improve_a_model_that_was_turned_away(easy: rw.RankingData) -> None:
    """By 60 degrees from the direction that sorts all documents, at which nothing can be improved."""
    model = rw.RankSVM("auc").fit(easy)
    model.coef_ = np.array([1.0, 0.0, 0.0])
    assert not rw.local_optimum(model, easy, directions=40).improving.any()
    model.coef_ = np.array([0.5, 3**0.5 / 2, 0.0])
    away = rw.local_optimum(model, easy, directions=40)
    assert away.improving.mean() > 0.4
    assert away.held_out is not None
    assert away.held_out.interval[0] > 0
    assert away.held_out.t_p < 1e-4
    assert ": more than noise between queries" in str(away)


def test_no_direction_improves_trees_that_sort_all_documents(easy: rw.RankingData) -> None:
    model = rw.LambdaMART("auc", **TREES).fit(easy)
    assert model.score(easy) == 1.0
    assert not rw.local_optimum(model, easy, directions=40).improving.any()


def test_directions_improve_trees_after_their_leaves_were_moved(easy: rw.RankingData) -> None:
    data = rw.RankingData(easy.X, (easy.X[:, :2].sum(axis=1) > 0.3).astype(float), easy.qid)
    model, rng = rw.LambdaMART("auc", **TREES).fit(data), np.random.default_rng(0)
    for booster in model.boosters_:
        for tree, leaves in enumerate(np.asarray(booster.predict(data.X, pred_leaf=True)).T):
            for leaf in np.unique(leaves).tolist():
                booster.set_leaf_output(tree, leaf, rng.normal())
    away = rw.local_optimum(model, data, directions=40).held_out
    assert away is not None
    assert away.interval[0] > 0


def test_moved_leaves_are_those_of_the_engine(data: rw.RankingData) -> None:
    """What a direction adds to each score is what LightGBM predicts when the values of its leaves are moved so."""
    model = rw.LambdaMART("ndcg@5", bags=2, **TREES).fit(data)
    near = LeafValues(model, data)
    direction = np.random.default_rng(0).normal(size=near.n_parameters)
    before, change = model.predict(data), near.along(direction)(0.5)
    leaves = [np.asarray(booster.predict(data.X, pred_leaf=True)) for booster in model.boosters_]
    trees = iter(near.trees)
    for booster, of_rows in zip(model.boosters_, leaves, strict=True):
        for tree in range(of_rows.shape[1]):
            numbers = next(trees)
            for leaf in np.unique(of_rows[:, tree]):
                (number,) = set(numbers[of_rows[:, tree] == leaf])
                moved = booster.get_leaf_output(tree, int(leaf)) + 0.5 * direction[number]
                booster.set_leaf_output(tree, int(leaf), moved)
    np.testing.assert_allclose(2 * (model.predict(data) - before), change, atol=1e-12)


@pytest.mark.parametrize("model", [rw.RankSVM(), rw.AUCSVM(), rw.MarginRanker()], ids=lambda model: model.kind)
def test_moved_weights_are_those_of_the_model(model: Any, data: rw.RankingData) -> None:
    """Weights in units of the features' deviations, so that all features count alike."""
    near = neighbourhood(model.fit(data), data)
    assert isinstance(near, LinearWeights)
    direction = np.random.default_rng(0).normal(size=5)
    X = data.X.astype(np.float64)
    expected = ((X - X.mean(axis=0)) / X.std(axis=0)) @ direction
    change = near.along(direction)(2.0)
    np.testing.assert_allclose(change - change.mean(), 2.0 * expected, atol=1e-9)


@pytest.mark.parametrize("ranker", [rw.LambdaRank, rw.RankNet])
def test_moved_nets_are_nets_with_moved_weights(ranker: Any, data: rw.RankingData) -> None:
    torch = pytest.importorskip("torch")
    model = ranker("ndcg@5", epochs=2, hidden=(3,), random_state=0).fit(data)
    near = neighbourhood(model, data)
    assert near.n_parameters == 5 * 3 + 3 + 3
    direction = np.random.default_rng(0).normal(size=near.n_parameters)
    before, change = model.predict(data), near.along(direction)(0.1)
    with torch.no_grad():
        start = 0
        for tensor in model.module_.parameters():
            part = direction[start : start + tensor.numel()].reshape(tensor.shape)
            tensor += 0.1 * torch.from_numpy(part).float()
            start += tensor.numel()
    np.testing.assert_allclose(model.predict(data) - before, change, atol=1e-5)
    assert np.isfinite(rw.local_optimum(model, data, directions=3).values).all()


@pytest.mark.parametrize("kind", ["trees", "linear", "net"])
def test_a_step_moves_scores_by_a_share_of_their_spread(kind: str, data: rw.RankingData) -> None:
    model: Any = rw.RankSVM()
    if kind == "trees":
        model = rw.LambdaMART(**TREES)
    elif kind == "net":
        pytest.importorskip("torch")
        model = rw.LambdaRank(epochs=2, random_state=0)
    scores = model.fit(data).predict(data)
    spread = spread_within(data, scores)
    by_query = [scores[data.qid == q] for q in np.unique(data.qid)]
    assert spread == pytest.approx(np.sqrt(np.concatenate([(s - s.mean()) ** 2 for s in by_query]).mean()))
    near = neighbourhood(model, data)
    rays = Rays(near, data, scores, rw.parse("auc"), np.array([1e-3]))
    (direction,) = rays.directions(1, 0)
    moved = near.along(direction)(1e-3 * rays.along(direction).unit)
    assert spread_within(data, moved) == pytest.approx(1e-3 * spread, rel=0.02)


def test_the_same_seed_gives_the_same_and_more_directions_begin_alike(data: rw.RankingData) -> None:
    model = rw.RankSVM().fit(data)
    first, again, more, other = (
        rw.local_optimum(model, data, directions=n, random_state=seed) for n, seed in ((5, 7), (5, 7), (8, 7), (5, 8))
    )
    np.testing.assert_array_equal(first.values, again.values)
    np.testing.assert_array_equal(first.values, more.values[:5])
    assert not np.array_equal(first.values, other.values)
    assert first.to_dict() == again.to_dict() == json.loads(json.dumps(first.to_dict()))


def counted(improving: int, tried: int, confidence: float = 0.95) -> LocalOptimum:
    values = np.where(np.arange(tried) < improving, 0.6, 0.4)[:, None]
    return LocalOptimum("auc", 0.5, "2 weights", 9, np.array([0.1]), values, None, confidence)


def test_the_confidence_holds_in_simulation() -> None:
    """If the bound were true of fewer directions than it says, none in n would be found more often than it may be."""
    rng = np.random.default_rng(0)
    for tried, confidence in ((20, 0.9), (100, 0.95)):
        bound = counted(0, tried, confidence).interval[1]
        none = (rng.binomial(tried, bound, size=20_000) == 0).mean()
        assert none == pytest.approx(1 - confidence, abs=0.006)
        for share in (0.3, 0.6):
            intervals = {k: counted(k, tried, confidence).interval for k in range(1, tried + 1)}
            found = rng.binomial(tried, share, size=5_000)
            covered = [k == 0 or intervals[k][0] <= share <= intervals[k][1] for k in found.tolist()]
            assert np.mean(covered) >= confidence - 0.01


def improvement(changes: np.ndarray, weight: np.ndarray | None = None, seed: int = 0) -> HeldOutImprovement:
    """Of directions with one step each, along whose weighted mean queries change by the weighted mean of changes."""

    def along_mean(gains: np.ndarray) -> np.ndarray:
        return (gains @ changes / max(np.linalg.norm(gains), 1e-9))[None]

    return held_out_improvement(changes[:, None], weight, along_mean, 0.95, seed)


def test_noise_is_not_called_improvement() -> None:
    """Of changes that are noise the best is far above 0, and so is their weighted mean, but not on other queries."""
    rng, found = np.random.default_rng(0), []
    for seed in range(200):
        noise = rng.normal(size=(300, 60))
        assert noise.mean(axis=1).max() > 0.2
        found.append(improvement(noise, seed=seed))
    assert np.mean([one.difference for one in found]) == pytest.approx(0.0, abs=0.1)
    assert np.mean([one.interval[0] > 0 for one in found]) < 0.06


def test_what_no_single_direction_shows_their_mean_does() -> None:
    """Slopes much smaller than the noise of each direction, yet all of them tell where to go."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(300, 60))
    sloped = noise + 0.15 * rng.normal(size=(300, 1))
    assert improvement(sloped).interval[0] > 0 > improvement(noise).interval[0]


def test_queries_weigh_in_what_is_held_out() -> None:
    """A quarter of them loses much by the first direction and weighs little, so that it is the better one."""
    changes, weight = np.array([[0.1] * 40, [-0.1] * 40]), np.ones(40)
    changes[0, ::4], weight[::4] = -1.0, 0.01
    assert improvement(changes, weight).difference == pytest.approx(0.2 / 2**0.5, rel=0.05)
    assert improvement(changes).difference < 0.1


def test_callbacks_count_directions(data: rw.RankingData) -> None:
    told: list[tuple[int, dict[str, float]]] = []
    model = rw.RankSVM("auc").fit(data)
    found = rw.local_optimum(model, data, directions=4, callbacks=[lambda *now: told.append(now)])
    assert [number for number, _ in told] == [1, 2, 3, 4]
    assert told[-1][1] == {"auc": pytest.approx(max(found.values.max(), found.value))}


def test_one_list_has_no_spread_to_test_with() -> None:
    one = polynomial(queries=1, documents=60, features=4, seed=0)
    found = rw.local_optimum(rw.RankSVM("auc").fit(one), one, directions=20)
    assert found.held_out is None
    assert not found.improving.any() or "too few queries" in str(found)


REFUSED: dict[str, tuple[Any, str]] = {
    "another model": (lambda d: rw.local_optimum(rw.RankBoost(n_estimators=2).fit(d), d), "got RankBoost"),
    "a classifier": (lambda d: rw.local_optimum(rw.RateClassifier(), d), "got RateClassifier"),
    "stumps": (
        lambda d: rw.local_optimum(rw.MarginRanker(hypotheses="stumps").fit(d.X[:20], [0, 1] * 10), d),
        "got MarginRanker; pass one of these",
    ),
    "arrays": (lambda d: rw.local_optimum(rw.RankSVM().fit(d), d.X), "must be RankingData, got ndarray"),
    "no direction": (lambda d: rw.local_optimum(rw.RankSVM().fit(d), d, directions=0), "directions must be 1 or more"),
    "no step": (lambda d: rw.local_optimum(rw.RankSVM().fit(d), d, steps=()), "steps must be rising"),
    "falling steps": (lambda d: rw.local_optimum(rw.RankSVM().fit(d), d, steps=(0.2, 0.1)), "steps must be rising"),
    "certainty": (lambda d: rw.local_optimum(rw.RankSVM().fit(d), d, confidence=1.0), "between 0 and 1, got 1.0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_a_sentence(case: str, data: rw.RankingData) -> None:
    call, told = REFUSED[case]
    with pytest.raises(DataError, match=told):
        call(data)


def test_a_model_that_learned_nothing_is_refused(data: rw.RankingData) -> None:
    model = rw.RankSVM().fit(data)
    model.coef_ = np.zeros(5)
    with pytest.raises(DataError, match="nothing was learned"):
        rw.local_optimum(model, data)
