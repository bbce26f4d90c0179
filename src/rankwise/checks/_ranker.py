"""What must hold for every ranker."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from rankwise.checks._trials import (
    assert_keeps,
    assert_learns,
    assert_refused,
    assert_same_scores,
    assert_unfitted,
    class_name,
    fitted,
    fitted_on_train,
    must_work,
    scores_after_fit,
    train_and_test,
    unfitted,
)
from rankwise.data import RankingData
from rankwise.metrics import evaluate, parse
from rankwise.models import load, save
from rankwise.rankers._base import Ranker

SCORE_TOLERANCE = 1e-6  # of the spread of the scores: a matrix product may round a row by where it stands among others


def check_parameters(ranker: Ranker) -> None:
    """Constructor, `set_params` and `fit` keep parameters as they are passed; a clone has learnt nothing."""
    train, test = train_and_test()
    params = unfitted(ranker).get_params(deep=False)
    assert "metric" in params, f"{class_name(ranker)} has no parameter metric"
    with must_work(ranker, "take its own parameters"):
        constructed, model = type(ranker)(**params), unfitted(ranker).set_params(**params)
    assert_keeps(constructed, params, "its constructor")
    assert_keeps(model, params, "set_params")
    with must_work(ranker, "fit plain rows"):
        model.fit(train.X, train.y, qid=train.qid)
    assert_keeps(model, params, "fit")
    assert_unfitted(ranker, "predict by a clone", partial(unfitted(model).predict, test.X))


def check_fit(ranker: Ranker) -> None:
    """`fit` returns the ranker itself and counts the features; `predict` gives a finite number per row."""
    train, test = train_and_test()
    model, name = unfitted(ranker), class_name(ranker)
    with must_work(ranker, "fit plain rows"):
        returned = model.fit(train.X, train.y, qid=train.qid)
    assert returned is model, f"fit of {name} returns {type(returned).__name__}, not the ranker itself"
    n_features = getattr(model, "n_features_in_", None)
    assert n_features == train.n_features, f"{name} has n_features_in_ {n_features} for {train.n_features} features"
    with must_work(ranker, "predict"):
        scores = model.predict(test.X)
    is_vector = isinstance(scores, np.ndarray) and scores.shape == (len(test),) and scores.dtype == np.float64
    assert is_vector, f"predict of {name} must give one float64 per row"
    assert np.isfinite(scores).all(), f"predict of {name} gives scores that are not finite"


def check_learns(ranker: Ranker) -> None:
    """The higher the score, the better the rank: the model ranks its training rows better than equal scores do."""
    assert_learns(fitted_on_train(ranker), train_and_test()[0], "the rows that it learnt from")


def check_score(ranker: Ranker) -> None:
    """`score` is the metric of the ranker as `rankwise.evaluate` has it, by query and of one list."""
    _, test = train_and_test()
    model, metric = fitted_on_train(ranker), parse(ranker.metric)
    for qid in (test.qid, np.zeros(len(test.y))):
        with must_work(ranker, "score"):
            score = model.score(test.X, test.y, qid)
        expected = evaluate(test.y, model.predict(test.X), qid, metric)[metric]
        assert score == expected, f"score of {class_name(ranker)} is {score}, but {metric} of its scores is {expected}"


def check_seed(ranker: Ranker) -> None:
    """The same seed gives the same scores, whatever the same object was fitted to before."""
    train, test = train_and_test()
    expected, again = (fitted_on_train(ranker).predict(test.X) for _ in range(2))
    assert np.array_equal(again, expected), f"{class_name(ranker)} gives other scores when it is fitted again"
    used = fitted(ranker, test.X, test.y, test.qid, "other rows")
    with must_work(ranker, "fit twice"):
        used.fit(train.X, train.y, qid=train.qid)
        same = np.array_equal(used.predict(test.X), expected)
    assert same, f"{class_name(ranker)} remembers what it was fitted to before"


def check_predicted_rows(ranker: Ranker) -> None:
    """The score of a row does not depend on the rows that are predicted with it, nor on their order."""
    model, (_, test) = fitted_on_train(ranker), train_and_test()
    together = model.predict(test.X)
    for rows in (np.random.default_rng(0).permutation(len(test)), np.arange(30), np.array([7])):
        with must_work(ranker, f"predict {rows.size} rows"):
            apart = model.predict(test.X[rows])
        close = np.allclose(apart, together[rows], rtol=0.0, atol=SCORE_TOLERANCE * np.ptp(together))
        assert close, f"scores of {class_name(ranker)} depend on the rows that are predicted together, or their order"


def check_query_names(ranker: Ranker) -> None:
    """Any names of the queries give the same scores: other numbers, texts, lists; no names are one list."""
    train, _ = train_and_test()
    number = np.random.default_rng(0).permutation(1000)[train.qid] - 500
    text = np.array([f"query {n}" for n in number])
    for what, qid in (("other numbers", number), ("texts", text), ("texts as objects", text.astype(object))):
        variants = [(f"queries named by {what}", train.X, train.y, form) for form in (qid, qid.tolist())]
        assert_same_scores(ranker, variants)
    zeros = np.zeros(len(train), dtype=np.int64)
    without, named = (scores_after_fit(ranker, train.X, train.y, qid, "one list") for qid in (None, zeros))
    assert np.array_equal(without, named), f"{class_name(ranker)} does not take rows without qid as one list"


def check_labels(ranker: Ranker) -> None:
    """Labels are numbers: their type and container do not matter."""
    train, _ = train_and_test()
    grades = train.y.astype(np.int64)
    variants = []
    for y in (grades, grades.tolist(), train.y.tolist(), train.y.astype(np.float32), grades.astype(np.uint8)):
        what = f"labels in {'a list' if isinstance(y, list) else 'an array'} of {type(y[0]).__name__}"
        variants.append((what, train.X, y, train.qid))
    assert_same_scores(ranker, variants)


def check_odd_queries(ranker: Ranker) -> None:
    """Queries of one document or of one grade do no harm, in learning and in evaluating."""
    train, _ = train_and_test()
    y, qid = train.y.copy(), train.qid.copy()
    qid[:10] = np.arange(1000, 1010)
    y[10:20], y[20:30] = 0.0, y.max()
    rows, what = RankingData(train.X, y, qid), "rows with queries of one document or of one grade"
    model = fitted(ranker, rows.X, rows.y, rows.qid, what)
    assert np.isfinite(model.predict(rows.X)).all(), f"{class_name(ranker)} gives scores that are not finite for {what}"
    assert_learns(model, rows, what)


def check_row_order(ranker: Ranker) -> None:
    """The order of the rows in `fit` does not matter, bit for bit; so labels stored in sorted order do not leak."""
    train, _ = train_and_test()
    orders = {
        "shuffled rows": np.random.default_rng(0).permutation(len(train)),
        "rows sorted by rising label": np.argsort(train.y, kind="stable"),
        "rows sorted by falling label": np.argsort(-train.y, kind="stable"),
    }
    assert_same_scores(ranker, [(what, train.X[o], train.y[o], train.qid[o]) for what, o in orders.items()])


def check_save(ranker: Ranker) -> None:
    """A model that is saved and loaded gives the same scores, bit for bit, and is the same file when saved again."""
    model, (_, test) = fitted_on_train(ranker), train_and_test()
    with TemporaryDirectory() as folder, must_work(ranker, "save and load"):
        first, second = Path(folder, "first.rw"), Path(folder, "second.rw")
        save(model, first)
        loaded = load(first)
        assert type(loaded) is type(ranker), f"{class_name(ranker)} is loaded as {class_name(loaded)}"
        same = np.array_equal(loaded.predict(test.X), model.predict(test.X))
        assert same, f"{class_name(ranker)} gives other scores after it was saved and loaded"
        save(loaded, second)
        assert first.read_bytes() == second.read_bytes(), f"{class_name(ranker)} is another file when saved again"


def check_unfitted(ranker: Ranker) -> None:
    """A model that is not fitted says so by scikit-learn's NotFittedError."""
    model, (_, test) = unfitted(ranker), train_and_test()
    assert_unfitted(ranker, "predict", partial(model.predict, test.X))
    assert_unfitted(ranker, "score", partial(model.score, test.X, test.y, test.qid))
    assert_unfitted(ranker, "to_saved", model.to_saved)


def check_bad_rows(ranker: Ranker) -> None:
    """Rows that cannot be learnt from raise a RankwiseError of one sentence."""
    train, _ = train_and_test()
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
        assert_refused(ranker, what, partial(unfitted(ranker).fit, bad[0], bad[1], qid=bad[2]))


def check_features(ranker: Ranker) -> None:
    """Another number of features than in training raises a RankwiseError of one sentence."""
    model, (_, test) = fitted_on_train(ranker), train_and_test()
    assert_refused(ranker, "fewer features than in training", partial(model.predict, test.X[:, :-1]))
    more = np.hstack([test.X, test.X[:, :1]])
    assert_refused(ranker, "more features than in training", partial(model.predict, more))


def ranker_checks() -> list[Callable[[Ranker], None]]:
    """List all checks for rankers, to be run one by one.

    Returns
    -------
    list of callable
        Each takes an unfitted ranker and raises AssertionError.
    """
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
    """Run every check on a ranker.

    Parameters
    ----------
    ranker : Ranker
        Unfitted, with parameters under which it learns from 200 rows in a moment.

    Raises
    ------
    AssertionError
        If a check fails; the message says what does not hold.

    Examples
    --------
    >>> from rankwise import LambdaMART
    >>> check_ranker(LambdaMART("ndcg@5", n_estimators=3, num_leaves=4, n_jobs=1))
    """
    assert isinstance(ranker, Ranker), f"check_ranker takes a ranker of rankwise, got {class_name(ranker)}"
    for check in ranker_checks():
        check(ranker)
