"""pandas objects are matched by place: indexes that say otherwise are refused or told of, never followed in silence."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.rankers import RankSVM, RateClassifier

LABELS = [f"row {number}" for number in range(12)]
X = pd.DataFrame({"a": np.arange(12.0), "b": np.arange(12.0) % 5}, index=LABELS)
Y = pd.Series(np.arange(12) % 2, index=LABELS)
QID = pd.Series(np.repeat([1, 2, 3], 4), index=LABELS)
SCORES = pd.Series(np.arange(12.0) % 5, index=LABELS)
MODEL = RankSVM().fit(X, Y, qid=QID)
BACK = LABELS[::-1]
CALLS = {
    "fit": lambda y: RankSVM().fit(X, y, qid=QID),
    "fit, qid": lambda y: RankSVM().fit(X, Y, qid=pd.Series(QID.to_numpy(), index=y.index)),
    "score": lambda y: MODEL.score(X, y, qid=QID),
    "score, weights": lambda y: MODEL.score(X, Y, qid=QID, sample_weight=pd.Series(1.0, index=y.index)),
    "evaluate": lambda y: rw.evaluate(y, SCORES, QID, "auc"),
    "compare": lambda y: rw.compare(y, {"one": SCORES, "two": -SCORES}, QID, "auc"),
    "RankingData": lambda y: RankingData(X, y, QID),
}


def told(caplog) -> list[str]:
    return [record.getMessage() for record in caplog.records if "different indexes" in record.getMessage()]


@pytest.mark.parametrize("call", CALLS)
def test_rows_in_another_order_are_refused(call) -> None:
    with pytest.raises(DataError, match=r"in another order, by their indexes; pass \w+\.loc"):
        CALLS[call](Y[BACK])


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("index", [[f"other {number}" for number in range(12)], [*LABELS[1:], "new"]])
def test_other_labels_are_told_of(caplog, call, index) -> None:
    with caplog.at_level(logging.WARNING):
        CALLS[call](Y.set_axis(index))
    assert told(caplog)
    assert len(told(caplog)) <= (2 if call == "compare" else 1)


@pytest.mark.parametrize("call", CALLS)
def test_same_labels_and_those_of_pandas_itself_are_taken(caplog, call) -> None:
    with caplog.at_level(logging.WARNING):
        CALLS[call](Y)
        CALLS[call](Y.reset_index(drop=True))
    assert told(caplog) == []


def test_labels_of_pandas_itself_in_another_order_are_told_of(caplog) -> None:
    y = Y.reset_index(drop=True)
    with caplog.at_level(logging.WARNING):
        rw.evaluate(y, SCORES.reset_index(drop=True)[::-1], metrics="auc")
    assert told(caplog) == [
        "y and scores have different indexes, and rows are matched by place; check that they belong together"
    ]


def test_all_are_looked_at_whatever_was_told_before() -> None:
    other = [f"other {number}" for number in range(12)]
    with pytest.raises(DataError, match="qid has the rows of X in another order"):
        RankSVM().fit(X, Y.set_axis(other), qid=QID[BACK])


def test_labels_of_several_rows_say_no_order(caplog) -> None:
    """Where queries are the index, the same ones may stand for other numbers of rows."""
    with caplog.at_level(logging.WARNING):
        rw.evaluate(Y.set_axis([0, 0, 1] * 4), SCORES.set_axis([0, 1, 1] * 4), metrics="auc")
    assert len(told(caplog)) == 1


def test_classifiers() -> None:
    with pytest.raises(DataError, match="in another order"):
        RateClassifier(model="linear").fit(X, Y[BACK])
