"""What must hold for every ranker."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rankwise.checks._trials import (
    assert_keeps,
    assert_learns,
    assert_refused,
    assert_unfitted,
    fitted,
    made_rows,
    name_of,
    new,
    scores,
    usual,
    works,
)
from rankwise.data import RankingData
from rankwise.metrics import evaluate, parse
from rankwise.models import load, save
from rankwise.rankers._base import Ranker

CLOSE = 1e-6  # of the spread of the scores: a matrix product may round a row by where it stands among others


def check_parameters(ranker: Any) -> None:
    """Constructor, `set_params` and `fit` keep parameters as they are given; a clone has learnt nothing."""
    train, test = made_rows()
    given = new(ranker).get_params(deep=False)
    assert "metric" in given, f"{name_of(ranker)} has no parameter metric"
    with works(ranker, "take its own parameters"):
        made, changed = type(ranker)(**given), new(ranker).set_params(**given)
    assert_keeps(made, given, "its constructor")
    assert_keeps(changed, given, "set_params")
    with works(ranker, "fit plain rows"):
        changed.fit(train.X, train.y, qid=train.qid)
    assert_keeps(changed, given, "fit")
    assert_unfitted(ranker, "predict by a clone", partial(new(changed).predict, test.X))


def check_fit(ranker: Any) -> None:
    """`fit` returns the ranker itself and counts the features; `predict` gives a finite number per row."""
    train, test = made_rows()
    fresh, name = new(ranker), name_of(ranker)
    with works(ranker, "fit plain rows"):
        returned = fresh.fit(train.X, train.y, qid=train.qid)
    assert returned is fresh, f"fit of {name} returns {type(returned).__name__}, not the ranker itself"
    counted = getattr(fresh, "n_features_in_", None)
    assert counted == train.n_features, f"{name} has n_features_in_ {counted} for {train.n_features} features"
    with works(ranker, "predict"):
        found = fresh.predict(test.X)
    fits = isinstance(found, np.ndarray) and found.shape == (len(test),) and found.dtype == np.float64
    assert fits, f"predict of {name} must give one float64 a row"
    assert np.isfinite(found).all(), f"predict of {name} gives scores that are not finite"


def check_learns(ranker: Any) -> None:
    """The higher the score, the better the rank: the model ranks what it has seen better than equal scores do."""
    assert_learns(usual(ranker), made_rows()[0], "the rows that it learnt from")


def check_score(ranker: Any) -> None:
    """`score` is the metric of the ranker as `rankwise.evaluate` has it, with and without queries."""
    _, test = made_rows()
    model, metric = usual(ranker), parse(ranker.metric)
    for qid in (test.qid, None):
        with works(ranker, "score"):
            score = model.score(test.X, test.y, qid)
        expected = evaluate(test.y, model.predict(test.X), qid, metric)[metric]
        assert score == expected, f"score of {name_of(ranker)} is {score}, but {metric} of its scores is {expected}"


def check_seed(ranker: Any) -> None:
    """The same seed gives the same scores, whatever the same object was fitted to before."""
    train, test = made_rows()
    expected, again = (usual(ranker).predict(test.X) for _ in range(2))
    assert np.array_equal(again, expected), f"{name_of(ranker)} gives other scores when it is fitted again"
    used = fitted(ranker, test.X, test.y, test.qid, "other rows")
    with works(ranker, "fit twice"):
        used.fit(train.X, train.y, qid=train.qid)
        same = np.array_equal(used.predict(test.X), expected)
    assert same, f"{name_of(ranker)} remembers what it was fitted to before"


def check_predicted_rows(ranker: Any) -> None:
    """The score of a row does not depend on the rows that are predicted with it, nor on their order."""
    model, (_, test) = usual(ranker), made_rows()
    whole = model.predict(test.X)
    for rows in (np.random.default_rng(0).permutation(len(test)), np.arange(30), np.array([7])):
        with works(ranker, f"predict {rows.size} rows"):
            part = model.predict(test.X[rows])
        close = np.allclose(part, whole[rows], rtol=0.0, atol=CLOSE * np.ptp(whole))
        assert close, f"scores of {name_of(ranker)} depend on the rows that are predicted together, or their order"


def check_query_names(ranker: Any) -> None:
    """Any names of the queries give the same scores: other numbers, texts, lists; no names are one list."""
    train, _ = made_rows()
    expected = scores(ranker, train.X, train.y, train.qid, "plain rows")
    number = np.random.default_rng(0).permutation(1000)[train.qid] - 500
    text = np.array([f"query {one}" for one in number])
    for what, qid in (("other numbers", number), ("texts", text), ("texts as objects", text.astype(object))):
        for form in (qid, qid.tolist()):
            found = scores(ranker, train.X, train.y, form, f"queries named by {what}")
            same = np.array_equal(found, expected)
            assert same, f"{name_of(ranker)} gives other scores when queries are named by {what}"
    zeros = np.zeros(len(train), dtype=np.int64)
    without, named = (scores(ranker, train.X, train.y, qid, "one list") for qid in (None, zeros))
    assert np.array_equal(without, named), f"{name_of(ranker)} does not take rows without qid as one list"


def check_labels(ranker: Any) -> None:
    """Labels are numbers: their type and container do not matter."""
    train, _ = made_rows()
    expected = scores(ranker, train.X, train.y, train.qid, "plain rows")
    whole = train.y.astype(np.int64)
    for y in (whole, whole.tolist(), train.y.tolist(), train.y.astype(np.float32), whole.astype(np.uint8)):
        what = f"labels in {'a list' if isinstance(y, list) else 'an array'} of {type(y[0]).__name__}"
        found = scores(ranker, train.X, y, train.qid, what)
        assert np.array_equal(found, expected), f"{name_of(ranker)} gives other scores for {what}"


def check_odd_queries(ranker: Any) -> None:
    """Queries of one document or of one grade do no harm, in learning and in judging."""
    train, _ = made_rows()
    y, qid = train.y.copy(), train.qid.copy()
    qid[:10] = np.arange(1000, 1010)
    y[10:20], y[20:30] = 0.0, y.max()
    rows, what = RankingData(train.X, y, qid), "rows with queries of one document or of one grade"
    model = fitted(ranker, rows.X, rows.y, rows.qid, what)
    assert np.isfinite(model.predict(rows.X)).all(), f"{name_of(ranker)} gives scores that are not finite for {what}"
    assert_learns(model, rows, what)


def check_row_order(ranker: Any) -> None:
    """The order of the rows in `fit` does not matter, bit for bit; so labels stored in sorted order do not leak."""
    train, _ = made_rows()
    expected = scores(ranker, train.X, train.y, train.qid, "plain rows")
    for what, order in (
        ("shuffled", np.random.default_rng(0).permutation(len(train))),
        ("sorted by rising label", np.argsort(train.y, kind="stable")),
        ("sorted by falling label", np.argsort(-train.y, kind="stable")),
    ):
        moved = train.rows(order)
        found = scores(ranker, moved.X, moved.y, moved.qid, f"rows {what}")
        assert np.array_equal(found, expected), f"{name_of(ranker)} gives other scores when its rows are {what}"


def check_save(ranker: Any) -> None:
    """A model that is saved and loaded gives the same scores, bit for bit, and is the same file when saved again."""
    model, (_, test) = usual(ranker), made_rows()
    with TemporaryDirectory() as folder, works(ranker, "save and load"):
        first, second = Path(folder, "first.rw"), Path(folder, "second.rw")
        save(model, first)
        loaded = load(first)
        assert type(loaded) is type(ranker), f"{name_of(ranker)} is loaded as {name_of(loaded)}"
        same = np.array_equal(loaded.predict(test.X), model.predict(test.X))
        assert same, f"{name_of(ranker)} gives other scores after it was saved and loaded"
        save(loaded, second)
        assert first.read_bytes() == second.read_bytes(), f"{name_of(ranker)} is another file when saved again"


def check_unfitted(ranker: Any) -> None:
    """A model that is not fitted says so by scikit-learn's NotFittedError."""
    fresh, (_, test) = new(ranker), made_rows()
    assert_unfitted(ranker, "predict", partial(fresh.predict, test.X))
    assert_unfitted(ranker, "score", partial(fresh.score, test.X, test.y, test.qid))
    assert_unfitted(ranker, "to_saved", fresh.to_saved)


def check_bad_rows(ranker: Any) -> None:
    """Rows that cannot be learnt from raise a RankwiseError of one sentence."""
    train, _ = made_rows()
    X, y, qid = train.X, train.y, train.qid
    third = np.arange(y.size) == 3
    for what, bad in {
        "a label that is NaN": (X, np.where(third, np.nan, y), qid),
        "a label that is infinite": (X, np.where(third, np.inf, y), qid),
        "labels for some rows only": (X, y[:-1], qid),
        "queries for some rows only": (X, y, qid[:-1]),
        "features for some rows only": (X[:-1], y, qid),
        "rows without features": (X[:, :0], y, qid),
        "one row": (X[:1], y[:1], qid[:1]),
    }.items():
        assert_refused(ranker, what, partial(new(ranker).fit, bad[0], bad[1], qid=bad[2]))


def check_features(ranker: Any) -> None:
    """Another number of features than in training raises a RankwiseError of one sentence."""
    model, (_, test) = usual(ranker), made_rows()
    assert_refused(ranker, "fewer features than in training", partial(model.predict, test.X[:, :-1]))
    more = np.hstack([test.X, test.X[:, :1]])
    assert_refused(ranker, "more features than in training", partial(model.predict, more))


def ranker_checks() -> list[Callable[[Any], None]]:
    """All checks for rankers; each takes an unfitted ranker and raises AssertionError."""
    return [
        check_parameters,
        check_fit,
        check_learns,
        check_score,
        check_seed,
        check_predicted_rows,
        check_query_names,
        check_labels,
        check_odd_queries,
        check_row_order,
        check_save,
        check_unfitted,
        check_bad_rows,
        check_features,
    ]


def check_ranker(ranker: Ranker) -> None:
    """Run every check on an unfitted ranker, with settings under which it learns from 200 rows in a moment.

    >>> from rankwise import LambdaMART
    >>> check_ranker(LambdaMART("ndcg@5", n_estimators=3, num_leaves=4, n_jobs=1))
    """
    assert isinstance(ranker, Ranker), f"check_ranker takes a ranker of rankwise, got {name_of(ranker)}"
    for check in ranker_checks():
        check(ranker)
