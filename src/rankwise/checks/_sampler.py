"""What must hold for every sampler."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial
from typing import Any

import numpy as np

from rankwise.checks._pools import moved, odd_pools, pool_of, rescored, usual_pool
from rankwise.checks._trials import assert_refused, name_of, new, works
from rankwise.data import RankingData
from rankwise.rankers import AUCSVM, LambdaMART, MarginRanker, RankBoost, RankSVM, SoftRankBoost
from rankwise.sampling import Pool, Sampler
from rankwise.types import FloatArray, IntArray

SEEDS = range(8)


def check_value(sampler: Any) -> None:
    """A sampler is a value: it cannot be changed, and what `repr` shows makes one that is equal, also by hash."""
    name = name_of(sampler)
    with works(sampler, "show its settings"):
        call: Any = ast.parse(repr(sampler), mode="eval").body
        settings = {told.arg: ast.literal_eval(told.value) for told in call.keywords}
        again = type(sampler)(*map(ast.literal_eval, call.args), **settings)
    same = again == sampler and hash(again) == hash(sampler)
    assert same, f"{name} is shown as {sampler!r}, which makes another one"
    assert replace(sampler, min_distance=sampler.min_distance + 1) != sampler, (
        f"{name} is equal to one with another min_distance"
    )
    try:
        sampler.min_distance = sampler.min_distance
    except FrozenInstanceError:
        return
    raise AssertionError(f"{name} can be changed")


def check_settings(sampler: Any) -> None:
    """Settings that are not what they should be raise a RankwiseError of one sentence."""
    for field in fields(sampler):
        number = isinstance(getattr(sampler, field.name), int | float)
        for bad in (float("nan"), None, "much") if number else ("no such thing",):
            change = {field.name: bad}
            assert_refused(sampler, f"{field.name}={bad!r}", partial(replace, sampler, **change))
    for less in (-1.0, float("inf"), True):
        assert_refused(sampler, f"min_distance={less!r}", partial(replace, sampler, min_distance=less))
    pool = usual_pool()
    for per_query in (0, -1, 1.5, True, "5", None):
        assert_refused(sampler, f"per_query={per_query!r}", partial(sampler.select, pool, per_query))
    for seed in (-1, 0.5, "zero"):
        assert_refused(sampler, f"random_state={seed!r}", partial(sampler.select, pool, 5, seed))


def check_utilities(sampler: Any) -> None:
    """Utilities are one number per candidate, finite or infinite, and not NaN."""
    for what, pool in {"plain rows": usual_pool(), **odd_pools()}.items():
        _utilities(sampler, pool, what)


def check_select(sampler: Any) -> None:
    """What is chosen has no label and is not closed; of each query as many as asked for, or all, each once."""
    for per_query in (1, 3, 10**9):
        _select(sampler, usual_pool(), per_query=per_query)


def check_best_first(sampler: Any) -> None:
    """The most useful candidates of a query are chosen, the best first (where near-duplicates are not passed over)."""
    plain, pool = replace(sampler, min_distance=0.0), usual_pool()
    utilities = np.full(len(pool.data), np.nan)
    utilities[pool.candidates] = _utilities(plain, pool)
    rows, query = _select(plain, pool, per_query=3), pool.data.groups.query_of_row()
    for q in range(pool.data.groups.n_queries):
        found = utilities[rows[query[rows] == q]]
        best = np.sort(utilities[pool.candidates[pool.query == q]])[::-1][: found.size]
        assert np.array_equal(found, best), f"{name_of(sampler)} chooses utilities {found} where the best are {best}"


def check_seed(sampler: Any) -> None:
    """The same seed gives the same rows; between documents that are alike in everything the seed decides."""
    pool = usual_pool()
    first, again = (_select(sampler, pool, seed=1) for _ in range(2))
    assert np.array_equal(first, again), f"{name_of(sampler)} chooses other rows by the same seed"
    alike = pool_of(np.ones_like(pool.data.X), np.where(pool.y > 0, -1.0, pool.y), pool.data.qid)
    chosen = {tuple(_select(sampler, alike, per_query=1, seed=seed)) for seed in SEEDS}
    assert len(chosen) > 1, f"{name_of(sampler)} chooses the same of documents that are alike by any seed"


def check_untouched(sampler: Any) -> None:
    """Nothing that was given is changed: labels, features, what is closed, the ranker."""
    usual = usual_pool()
    given = {"labels": usual.y, "features": usual.data.X, "what is closed": np.asarray(usual.closed)}
    y, X, closed = (array.copy() for array in given.values())
    pool = Pool(RankingData(X, y, usual.data.qid), y, usual.ranker, closed)
    given["the ranker"] = pool.ranker.predict(usual.data.X)
    _select(sampler, pool)
    for what, found in zip(given, (y, X, closed, pool.ranker.predict(usual.data.X)), strict=True):
        assert np.array_equal(found, given[what]), f"{name_of(sampler)} changes {what}"


def check_row_order(sampler: Any) -> None:
    """The order of the rows does not matter: the same documents are chosen, in the same order within each query."""
    pool = usual_pool()
    expected = _by_query(pool, _select(sampler, pool))
    for what, order in (
        ("reversed", np.arange(len(pool.data))[::-1]),
        ("sorted by query", np.argsort(pool.data.qid, kind="stable")),
        ("sorted by label", np.argsort(pool.y, kind="stable")),
    ):
        found = _by_query(pool, order[_select(sampler, moved(pool, order))])
        assert found == expected, f"{name_of(sampler)} chooses other documents when rows are {what}"


def check_query_names(sampler: Any) -> None:
    """Any names of the queries give the same rows."""
    pool = usual_pool()
    expected = _select(sampler, pool)
    numbers = np.array([5, -3, 12, 0, 99, 7, 1, 2])[pool.data.qid]
    for what, qid in (("other numbers", numbers), ("texts", np.array([f"query {one}" for one in numbers]))):
        renamed = Pool(RankingData(pool.data.X, pool.y, qid), pool.y, pool.ranker, pool.closed)
        same = np.array_equal(_select(sampler, renamed), expected)
        assert same, f"{name_of(sampler)} chooses other rows when queries are named by {what}"


def check_added_scores(sampler: Any) -> None:
    """Adding a number to all scores changes nothing."""
    pool = usual_pool()
    expected = _select(sampler, pool)
    for add in (1024.0, -4096.0):
        same = np.array_equal(_select(sampler, rescored(pool, add=add)), expected)
        assert same, f"{name_of(sampler)} chooses other rows when {add:g} is added to all scores"


def check_odd_pools(sampler: Any) -> None:
    """Whatever the pool, there are rows to label next, unless nothing is left; sparse features are like dense ones."""
    found = {what: _select(sampler, pool, what=what) for what, pool in odd_pools().items()}
    same = np.array_equal(found["sparse features"], _select(sampler, usual_pool()))
    assert same, f"{name_of(sampler)} chooses other rows when features are sparse"


def check_rankers(sampler: Any) -> None:
    """Every ranker will do."""
    for ranker in (
        RankSVM(),
        AUCSVM(),
        MarginRanker(epsilon=0.9),
        RankBoost("ndcg@5", n_estimators=5),
        SoftRankBoost("auc", n_estimators=5),
        LambdaMART("ndcg@5", n_estimators=3, num_leaves=4, min_child_samples=2, n_jobs=1),
    ):
        pool, what = usual_pool(grades=3, ranker=new(ranker)), f"rows scored by {name_of(ranker)}"
        first, again = (_select(sampler, pool, what=what) for _ in range(2))
        assert np.array_equal(first, again), f"{name_of(sampler)} chooses other rows by the same seed from {what}"


def _utilities(sampler: Any, pool: Pool, what: str = "plain rows") -> FloatArray:
    """Utilities by the sampler, which are one number per candidate."""
    name, expected = name_of(sampler), pool.candidates.shape
    with works(sampler, f"give utilities of {what}"):
        found = sampler.utilities(pool, np.random.default_rng(0))
    assert isinstance(found, np.ndarray), f"{name} must give an array of utilities, not {type(found).__name__}"
    assert found.shape == expected, f"{name} gives utilities of shape {found.shape} for {what}, not {expected}"
    assert found.dtype == np.float64, f"{name} gives utilities of type {found.dtype} for {what}, not float64"
    assert not np.isnan(found).any(), f"{name} gives utilities that are NaN for {what}"
    return found


def _select(sampler: Any, pool: Pool, per_query: int = 3, seed: int = 0, what: str = "plain rows") -> IntArray:
    """Rows that the sampler chooses, which are rows that may be chosen, and as many as there should be."""
    name = name_of(sampler)
    with works(sampler, f"choose from {what}"):
        rows = sampler.select(pool, per_query, seed)
    whole = isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype == np.int64
    assert whole, f"{name} must choose an array of whole numbers from {what}"
    assert np.isin(rows, pool.candidates).all(), f"{name} chooses from {what} some that have a label or are closed"
    assert np.unique(rows).size == rows.size, f"{name} chooses a row twice from {what}"
    found = np.bincount(pool.data.groups.query_of_row()[rows], minlength=pool.data.groups.n_queries)
    expected = np.minimum(np.diff(pool.offsets), per_query)
    assert np.array_equal(found, expected), f"{name} chooses {found} of the queries of {what}, not {expected}"
    return rows  # type: ignore[no-any-return]


def _by_query(pool: Pool, rows: IntArray) -> dict[Any, list[int]]:
    qid = pool.data.qid[rows]
    return {query: rows[qid == query].tolist() for query in np.unique(qid)}


def sampler_checks() -> list[Callable[[Any], None]]:
    """All checks for samplers; each takes a sampler and raises AssertionError."""
    return [
        check_value,
        check_settings,
        check_utilities,
        check_select,
        check_best_first,
        check_seed,
        check_untouched,
        check_row_order,
        check_query_names,
        check_added_scores,
        check_odd_pools,
        check_rankers,
    ]


def check_sampler(sampler: Sampler) -> None:
    """Run every check on a sampler.

    >>> from rankwise.sampling import Uncertainty
    >>> check_sampler(Uncertainty(min_distance=0.1))
    """
    assert isinstance(sampler, Sampler), f"check_sampler takes a sampler of rankwise, got {name_of(sampler)}"
    for check in sampler_checks():
        check(sampler)
