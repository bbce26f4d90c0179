"""What must hold for every sampler."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial

import numpy as np

from rankwise.checks._pools import default_pool, edge_case_pools, make_pool, reordered, rescored
from rankwise.checks._trials import assert_refused, class_name, must_work, unfitted
from rankwise.data import RankingData
from rankwise.rankers import AUCSVM, LambdaMART, MarginRanker, RankBoost, RankSVM, SmoothRankBoost
from rankwise.sampling import Pool, Sampler
from rankwise.types import FloatArray, IntArray

TIE_SEEDS = range(8)


def check_value(sampler: Sampler) -> None:
    """A sampler is a value: it cannot be changed, and what `repr` shows makes one that is equal, also by hash."""
    name = class_name(sampler)
    with must_work(sampler, "show its settings"):
        call = ast.parse(repr(sampler), mode="eval").body
        assert isinstance(call, ast.Call), f"{name} is shown as {sampler!r}, which is no call"
        params = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
        copy = type(sampler)(*map(ast.literal_eval, call.args), **params)
    same = copy == sampler and hash(copy) == hash(sampler)
    assert same, f"{name} is shown as {sampler!r}, which makes another one"
    assert replace(sampler, min_distance=sampler.min_distance + 1) != sampler, (
        f"{name} is equal to one with another min_distance"
    )
    try:
        sampler.min_distance = sampler.min_distance  # type: ignore[misc]
    except FrozenInstanceError:
        return
    raise AssertionError(f"{name} can be changed")


def check_settings(sampler: Sampler) -> None:
    """Settings that are not what they should be raise a RankwiseError of one sentence."""
    wrong: list[tuple[str, object]] = [("min_distance", -1.0), ("min_distance", float("inf")), ("min_distance", True)]
    for field in fields(sampler):
        is_number = isinstance(getattr(sampler, field.name), int | float)
        wrong += [(field.name, bad) for bad in ((float("nan"), None, "much") if is_number else ("no such thing",))]
    for name, value in wrong:
        assert_refused(sampler, f"{name}={value!r}", partial(replace, sampler, **{name: value}))
    select: Callable[..., object] = partial(sampler.select, default_pool())
    wrong = [("per_query", bad) for bad in (0, -1, 1.5, True, "5", None)]
    wrong += [("random_state", bad) for bad in (-1, 0.5, "zero")]
    for name, value in wrong:
        assert_refused(sampler, f"{name}={value!r}", partial(select, **{name: value}))


def check_utilities(sampler: Sampler) -> None:
    """Utilities are one number per candidate, finite or infinite, and not NaN."""
    for what, pool in {"plain rows": default_pool(), **edge_case_pools()}.items():
        _utilities(sampler, pool, what)


def check_select(sampler: Sampler) -> None:
    """What is chosen has no label and is not closed; of each query as many as asked for, or all, each once."""
    for per_query in (1, 3, 10**9):
        _select(sampler, default_pool(), per_query=per_query)


def check_best_first(sampler: Sampler) -> None:
    """The most useful candidates of a query are chosen, the best first (where near-duplicates are not passed over)."""
    plain, pool = replace(sampler, min_distance=0.0), default_pool()
    utilities = np.full(len(pool.data), np.nan)
    utilities[pool.candidates] = _utilities(plain, pool)
    rows, query = _select(plain, pool, per_query=3), pool.data.groups.query_of_row()
    for q in range(pool.data.groups.n_queries):
        chosen = utilities[rows[query[rows] == q]]
        best = np.sort(utilities[pool.candidates[pool.query == q]])[::-1][: chosen.size]
        same = np.array_equal(chosen, best)
        assert same, f"{class_name(sampler)} chooses utilities {chosen} where the best are {best}"


def check_seed(sampler: Sampler) -> None:
    """The same seed gives the same rows; between documents that are alike in everything the seed decides."""
    pool = default_pool()
    first, again = (_select(sampler, pool, seed=1) for _ in range(2))
    assert np.array_equal(first, again), f"{class_name(sampler)} chooses other rows by the same seed"
    alike = make_pool(np.ones_like(pool.data.X), np.where(pool.y > 0, -1.0, pool.y), pool.data.qid)
    chosen = {tuple(_select(sampler, alike, per_query=1, seed=seed)) for seed in TIE_SEEDS}
    assert len(chosen) > 1, f"{class_name(sampler)} chooses the same of documents that are alike by any seed"


def check_untouched(sampler: Sampler) -> None:
    """Nothing in the pool is changed: labels, features, what is closed, the ranker."""
    source = default_pool()
    before = {"labels": source.y, "features": source.data.X, "what is closed": np.asarray(source.closed)}
    y, X, closed = (array.copy() for array in before.values())
    pool = Pool(RankingData(X, y, source.data.qid), y, source.ranker, closed)
    before["the ranker"] = pool.ranker.predict(source.data.X)
    _select(sampler, pool)
    for what, after in zip(before, (y, X, closed, pool.ranker.predict(source.data.X)), strict=True):
        assert np.array_equal(after, before[what]), f"{class_name(sampler)} changes {what}"


def check_row_order(sampler: Sampler) -> None:
    """The order of the rows does not matter: the same documents are chosen, in the same order within each query."""
    pool = default_pool()
    expected = _by_query(pool, _select(sampler, pool))
    for what, order in (
        ("reversed", np.arange(len(pool.data))[::-1]),
        ("sorted by query", np.argsort(pool.data.qid, kind="stable")),
        ("sorted by label", np.argsort(pool.y, kind="stable")),
    ):
        chosen = _by_query(pool, order[_select(sampler, reordered(pool, order))])
        assert chosen == expected, f"{class_name(sampler)} chooses other documents when rows are {what}"


def check_query_names(sampler: Sampler) -> None:
    """Any names of the queries give the same rows."""
    pool = default_pool()
    expected = _select(sampler, pool)
    numbers = np.array([5, -3, 12, 0, 99, 7, 1, 2])[pool.data.qid]
    for what, qid in (("other numbers", numbers), ("texts", np.array([f"query {n}" for n in numbers]))):
        renamed = Pool(RankingData(pool.data.X, pool.y, qid), pool.y, pool.ranker, pool.closed)
        same = np.array_equal(_select(sampler, renamed), expected)
        assert same, f"{class_name(sampler)} chooses other rows when queries are named by {what}"


def check_added_scores(sampler: Sampler) -> None:
    """Adding a number to all scores changes nothing."""
    pool = default_pool()
    expected = _select(sampler, pool)
    for add in (1024.0, -4096.0):
        same = np.array_equal(_select(sampler, rescored(pool, add=add)), expected)
        assert same, f"{class_name(sampler)} chooses other rows when {add:g} is added to all scores"


def check_edge_cases(sampler: Sampler) -> None:
    """Whatever the pool, there are rows to label next, unless nothing is left; sparse features are like dense ones."""
    chosen = {what: _select(sampler, pool, what=what) for what, pool in edge_case_pools().items()}
    same = np.array_equal(chosen["sparse features"], _select(sampler, default_pool()))
    assert same, f"{class_name(sampler)} chooses other rows when features are sparse"


def check_rankers(sampler: Sampler) -> None:
    """Every ranker will do."""
    for ranker in (
        RankSVM(),
        AUCSVM(),
        MarginRanker(epsilon=0.9),
        RankBoost("ndcg@5", n_estimators=5),
        SmoothRankBoost("auc", n_estimators=5),
        LambdaMART("ndcg@5", n_estimators=3, num_leaves=4, min_child_samples=2, n_jobs=1),
    ):
        pool, what = default_pool(grades=3, ranker=unfitted(ranker)), f"rows scored by {class_name(ranker)}"
        first, again = (_select(sampler, pool, what=what) for _ in range(2))
        assert np.array_equal(first, again), f"{class_name(sampler)} chooses other rows by the same seed from {what}"


def _utilities(sampler: Sampler, pool: Pool, what: str = "plain rows") -> FloatArray:
    """Utilities by the sampler, which are one number per candidate."""
    name, expected = class_name(sampler), pool.candidates.shape
    with must_work(sampler, f"give utilities of {what}"):
        utilities = sampler.utilities(pool, np.random.default_rng(0))
    assert isinstance(utilities, np.ndarray), f"{name} must give an array of utilities, not {type(utilities).__name__}"
    assert utilities.shape == expected, f"{name} gives utilities of shape {utilities.shape} for {what}, not {expected}"
    assert utilities.dtype == np.float64, f"{name} gives utilities of type {utilities.dtype} for {what}, not float64"
    assert not np.isnan(utilities).any(), f"{name} gives utilities that are NaN for {what}"
    return utilities


def _select(sampler: Sampler, pool: Pool, per_query: int = 3, seed: int = 0, what: str = "plain rows") -> IntArray:
    """Rows that the sampler chooses, which are rows that may be chosen, and as many as there should be."""
    name = class_name(sampler)
    with must_work(sampler, f"choose from {what}"):
        rows = sampler.select(pool, per_query, seed)
    is_index = isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype == np.int64
    assert is_index, f"{name} must choose an array of whole numbers from {what}"
    assert np.isin(rows, pool.candidates).all(), f"{name} chooses from {what} some that have a label or are closed"
    assert np.unique(rows).size == rows.size, f"{name} chooses a row twice from {what}"
    counts = np.bincount(pool.data.groups.query_of_row()[rows], minlength=pool.data.groups.n_queries)
    expected = np.minimum(np.diff(pool.offsets), per_query)
    assert np.array_equal(counts, expected), f"{name} chooses {counts} of the queries of {what}, not {expected}"
    return rows


def _by_query(pool: Pool, rows: IntArray) -> dict[object, list[int]]:
    qid = pool.data.qid[rows]
    return {query: rows[qid == query].tolist() for query in np.unique(qid)}


def sampler_checks() -> list[Callable[[Sampler], None]]:
    """List all checks for samplers, to be run one by one.

    Returns
    -------
    list of callable
        Each takes a sampler and raises AssertionError.
    """
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
        check_edge_cases,
        check_rankers,
    ]


def check_sampler(sampler: Sampler) -> None:
    """Run every check on a sampler.

    Parameters
    ----------
    sampler : Sampler
        Any sampler.

    Raises
    ------
    AssertionError
        If a check fails; the message says what does not hold.

    Examples
    --------
    >>> from rankwise.sampling import Uncertainty
    >>> check_sampler(Uncertainty(min_distance=0.1))
    """
    assert isinstance(sampler, Sampler), f"check_sampler takes a sampler of rankwise, got {class_name(sampler)}"
    for check in sampler_checks():
        check(sampler)
