"""Scores of trees by tables of ours, and by LightGBM's C interface, are those of its `predict`, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankwise as rw
from rankwise.kernels._threads import limit_threads
from rankwise.rankers._score_functions import _tree_table
from rankwise.rankers.trees import _predict
from rankwise.rankers.trees._model_text import join_trees, read_booster
from rankwise.rankers.trees._predict import average_scores, make_booster_table, raw_scores
from rankwise.rankers.trees._tree_checks import check_tree_text
from rankwise.types import FloatArray

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 5))
X[RNG.random(X.shape) < 0.1] = np.nan
X[:, 4] = RNG.integers(0, 9, size=300)

N_FEATURES = 4
CATEGORIES = (0, 1, 5, 31, 32, 63, 64, 200)
ZERO = float(np.float32(1e-35))
NEAR_ZERO = [0.0, -0.0, ZERO, -ZERO, np.nextafter(ZERO, 1), np.nextafter(-ZERO, -1), 5e-324, -5e-324, 1e-36, -1e-36]
NUMBERS = [*NEAR_ZERO, 0.5, np.nextafter(0.5, 1), -1.5, 3.0, 1e300, -1e300, float(np.float32(0.1)), 0.1]
VALUES = [*NUMBERS, np.nan, np.inf, -np.inf, 2.0**31, 2.0**32 + 1, -0.5, -1.0, 5.9, 31.0, 32.0, 64.0, 200.0, 201.0]


def booster(rounds: int, seed: int = 0, **settings: Any) -> Any:
    data = lgb.Dataset(X, RNG.normal(size=300) + np.nan_to_num(X[:, 0]), categorical_feature=[4])
    given = {"objective": "regression", "verbose": -1, "num_threads": 1, "seed": seed, **settings}
    return read_booster(lgb.train(given, data, rounds).model_to_string())


def tree_text(rng: np.random.Generator, n_leaves: int, numerical_only: bool) -> str:
    """A tree of any shape, whose splits decide in any way that LightGBM knows."""
    values = np.round(rng.normal(size=n_leaves), 3) if n_leaves % 2 else rng.normal(size=n_leaves)
    if n_leaves == 1:
        return f"num_leaves=1\nnum_cat=0\nleaf_value={values[0]:.17g}\nshrinkage=1"
    left, right = [-1], [-2]
    while len(left) < n_leaves - 1:  # a leaf is split: it keeps its number as the left child
        leaf, node = int(rng.integers(len(left) + 1)), len(left)
        for side in (left, right):
            side[:] = [node if child == -leaf - 1 else child for child in side]
        left.append(-leaf - 1)
        right.append(-node - 2)
    kinds = rng.integers(0, 6, size=n_leaves - 1) * 2  # missing type none, zero or NaN, by default left or right
    thresholds = rng.choice([*NUMBERS, np.inf], size=n_leaves - 1)
    words: list[int] = []
    starts = [0]
    for node in range(n_leaves - 1):
        if not numerical_only and rng.random() < 0.3:
            kinds[node], thresholds[node] = 1, len(starts) - 1
            chosen = rng.choice(CATEGORIES, size=3)
            words += [sum(1 << c % 32 for c in set(chosen) if c // 32 == w) for w in range(max(chosen) // 32 + 1)]
            starts.append(len(words))
    lists: dict[str, Any] = {
        "split_feature": rng.integers(0, N_FEATURES, size=n_leaves - 1),
        "split_gain": np.ones(n_leaves - 1),
        "threshold": thresholds,
        "decision_type": kinds,
        "left_child": left,
        "right_child": right,
        "leaf_value": values,
        "leaf_weight": np.ones(n_leaves),
        "leaf_count": [1] * n_leaves,
        "internal_value": np.zeros(n_leaves - 1),
        "internal_weight": np.ones(n_leaves - 1),
        "internal_count": [1] * (n_leaves - 1),
    }
    if words:
        lists |= {"cat_boundaries": starts, "cat_threshold": words}
    lines = [f"{name}={' '.join(f'{value:.17g}' for value in values)}" for name, values in lists.items()]
    return "\n".join([f"num_leaves={n_leaves}", f"num_cat={len(starts) - 1}", *lines, "is_linear=0", "shrinkage=1"])


def made_booster(sizes: list[int], seed: int, numerical_only: bool = False) -> lgb.Booster:
    rng = np.random.default_rng(seed)
    names, infos = (" ".join([word] * N_FEATURES) for word in ("f{}", "[0:1]"))
    header = ["tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0"]
    header += [f"max_feature_idx={N_FEATURES - 1}", f"feature_names={names.format(*range(N_FEATURES))}"]
    text = join_trees([*header, f"feature_infos={infos}"], [tree_text(rng, size, numerical_only) for size in sizes])
    return read_booster(check_tree_text(text.encode(), N_FEATURES))


def made_rows(count: int, seed: int) -> FloatArray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random((count, N_FEATURES)) < 0.8, rng.choice(VALUES, (count, N_FEATURES)), rng.normal())


@given(
    sizes=st.lists(st.integers(1, 70) | st.integers(2, 255), max_size=4),
    count=st.integers(1, 140),
    seed=st.integers(0, 2**32),
    single=st.booleans(),
)
@example(sizes=[255, 64, 65, 1, 128, 129], count=200, seed=3, single=False)
@settings(max_examples=60, deadline=None)
def test_tables_score_as_lightgbm_does(sizes: list[int], count: int, seed: int, single: bool) -> None:
    model = made_booster(sizes, seed)
    table = make_booster_table(model)
    assert table is not None
    rows = made_rows(count, seed)
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32) if single else rows
    expected: Any = model.predict(rows, raw_score=True, num_threads=1)
    assert table.scores(rows, 1).tobytes() == expected.tobytes()
    assert table.scores(np.asfortranarray(rows), 1).tobytes() == expected.tobytes()


def test_threads_and_ranges_do_not_change_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = made_booster([31] * 5, 1), made_rows(1000, 1)
    table = make_booster_table(model)
    assert table is not None
    whole = table.scores(rows, 1)
    monkeypatch.setattr(_tree_table, "CHUNK_ROWS", 70)
    with limit_threads(3):
        for n_threads in (0, 1, 2, 7):
            assert table.scores(rows, n_threads).tobytes() == whole.tobytes()
            assert table.scores(np.asfortranarray(rows), n_threads).tobytes() == whole.tobytes()
    assert [table.scores(rows[i : i + 1], 1)[0] for i in range(70)] == whole[:70].tolist()


def test_a_condition_of_several_splits_is_looked_at_once() -> None:
    data = rw.data.web(queries=20, documents=30, features=6, seed=0)
    model = rw.LambdaMART("ndcg@10", n_estimators=3, num_leaves=16, grow_policy="symmetric", n_jobs=1).fit(data)
    table = make_booster_table(model.boosters_[0])
    assert table is not None
    assert table.masks.size <= 3 * 4
    expected: Any = model.boosters_[0].predict(data.X, raw_score=True)
    assert table.scores(data.X, 1).tolist() == expected.tolist()


@pytest.fixture
def preferred(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tables at once, and how many rows each of them scored."""
    scored: list[int] = []
    scores = _tree_table.TreeTable.scores

    def noting(table: Any, rows: Any, n_threads: int) -> FloatArray:
        scored.append(len(rows))
        return scores(table, rows, n_threads)

    monkeypatch.setattr(_tree_table, "_preferred", True)
    monkeypatch.setattr(_tree_table.TreeTable, "scores", noting)
    return scored


@pytest.mark.parametrize("eager", [False, True])
def test_scores_are_those_of_predict(eager: bool, request: pytest.FixtureRequest) -> None:
    scored = request.getfixturevalue("preferred") if eager else []
    model = booster(12)
    for rows in (X, X[:1], np.full((3, 5), np.nan), np.array([[1e300, -1e300, 5e-324, 0.0, 99.0]])):
        assert raw_scores(model, rows, 1).tolist() == model.predict(rows, raw_score=True).tolist()
    model.best_iteration = 5
    assert raw_scores(model, X, 1).tolist() == model.predict(X, raw_score=True).tolist()
    assert raw_scores(model, X, 1).tolist() != model.predict(X, raw_score=True, num_iteration=12).tolist()
    assert scored == ([300, 300, 300] if eager else [])  # those of few rows are LightGBM's


@pytest.mark.parametrize("eager", [False, True])
def test_rows_may_lie_in_memory_in_any_way(eager: bool, request: pytest.FixtureRequest) -> None:
    if eager:
        request.getfixturevalue("preferred")
    one, two = booster(4), booster(3, seed=1)
    given: list[Any] = [X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], sp.csr_matrix(np.nan_to_num(X))]
    for rows in [*given, X.astype(np.float32)]:
        expected = (one.predict(rows, raw_score=True) + two.predict(rows, raw_score=True)) / 2
        assert average_scores([one, two], rows, 1).tolist() == expected.tolist()
    assert average_scores([one], X, 1, pred_leaf=True).shape == (300, 4)


def test_trees_that_are_added_are_seen() -> None:
    data = lgb.Dataset(X, X[:, 4])
    model = lgb.Booster({"verbose": -1, "num_threads": 1}, data)
    for _ in range(3):
        model.update()
        assert raw_scores(model, X, 1).tolist() == np.asarray(model.predict(X, raw_score=True)).tolist()


def test_leaves_that_are_changed_in_place_are_seen(preferred: list[int]) -> None:
    model = booster(3)
    before = raw_scores(model, X, 1).tolist()
    model.set_leaf_output(0, 0, 99.0)
    assert raw_scores(model, X, 1).tolist() == np.asarray(model.predict(X, raw_score=True)).tolist()
    assert raw_scores(model, X, 1).tolist() != before
    assert preferred == [300] * 3


def test_what_is_no_plain_sum_of_leaves_is_left_to_lightgbm(preferred: list[int]) -> None:
    forest = booster(3, boosting="rf", bagging_freq=1, bagging_fraction=0.5)
    linear: Any = lgb.train({"linear_tree": True, "verbose": -1, "num_threads": 1}, lgb.Dataset(X, X[:, 4]), 2)
    for model in (forest, linear):
        assert make_booster_table(model) is None
        assert raw_scores(model, X, 1).tolist() == model.predict(X, raw_score=True).tolist()
    assert make_booster_table(made_booster([1200], 0, numerical_only=True)) is None  # so large that a path is quicker
    assert not preferred


@pytest.mark.parametrize("is_compiled", [False, True])
def test_lightgbm_scores_until_a_table_pays(is_compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[lgb.Booster] = []
    monkeypatch.setattr(_tree_table, "_preferred", False)
    monkeypatch.setattr(_tree_table, "_work", 0)
    monkeypatch.setattr(_tree_table, "has_compiled", lambda _: is_compiled)
    monkeypatch.setattr(_tree_table, "COMPILE_WORK", 10**9 if is_compiled else 4 * 300 * 4)
    monkeypatch.setattr(_tree_table, "LOAD_WORK", 4 * 300 * 4 if is_compiled else 0)
    monkeypatch.setattr(_tree_table, "TABLE_ROWS", 600)

    def noting(model: lgb.Booster) -> Any:
        made.append(model)
        return make_booster_table(model)

    monkeypatch.setattr(_predict, "make_booster_table", noting)
    one, two = booster(4), booster(4, seed=1)
    for turn, model in enumerate([one, one, one, one, one, two, two]):
        assert raw_scores(model, X, 1).tolist() == model.predict(X, raw_score=True).tolist()
        assert made == ([], [one], [one, two])[(turn > 2) + (turn > 5)]


def test_models_of_bags_and_from_files_predict_by_tables(preferred: list[int], tmp_path: Path) -> None:
    data = rw.data.web(queries=20, documents=30, features=6, seed=0)
    model = rw.LambdaMART("ndcg@10", n_estimators=4, num_leaves=7, bags=2, n_jobs=1, random_state=0).fit(data)
    rw.save(model, tmp_path / "m.rw")
    by_engine: list[Any] = [booster.predict(data.X, raw_score=True, num_threads=1) for booster in model.boosters_]
    expected: Any = (by_engine[0] + by_engine[1]) / 2
    preferred.clear()
    for ranker in (model, rw.load(tmp_path / "m.rw")):
        assert ranker.predict(data).tolist() == expected.tolist()
        assert ranker.checked_scores(data.X.astype(np.float64)).tolist() == expected.tolist()
    assert preferred == [len(data)] * 8
    *_, last = model.staged_predict(data)
    assert last.tolist() == expected.tolist()


def test_another_number_of_columns_is_an_error(preferred: list[int]) -> None:
    with pytest.raises(lgb.basic.LightGBMError, match="number of features"):
        raw_scores(booster(2), np.ones((9, 4)), 1)
    assert not preferred
