"""What features may be: arrays, tables, names; all else is refused with a remedy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankwise.errors import DataError
from rankwise.rankers import LambdaMART
from tests.rankers.factories import TRAIN, VALID

SMALL: dict[str, Any] = {"n_estimators": 5, "num_leaves": 7, "min_child_samples": 1, "random_state": 0, "n_jobs": 1}


BAD_FEATURES = {
    "one row": (TRAIN.X[:1], "1 sample(s) (shape=(1, 6)) while a minimum of 2 is required by LambdaMART; pass more"),
    "no rows": (TRAIN.X[:0], "0 sample(s) (shape=(0, 6)) while a minimum of 2 is required by LambdaMART; pass more"),
    "no columns": (TRAIN.X[:, :0], "a minimum of 1 is required by LambdaMART; pass at least one column"),
    "a table of one row": (pd.DataFrame(TRAIN.X[:1]), "a minimum of 2 is required by LambdaMART; pass more documents"),
    "a table of no columns": (pd.DataFrame(index=range(9)), "0 feature(s) (shape=(9, 0)) while a minimum of 1 is"),
    "one dimension": (TRAIN.X[:, 0], "got 1D array instead; Reshape your data to one row of features per document"),
    "three dimensions": (TRAIN.X[None], "is required by LambdaMART; pass one row of numbers per document"),
    "infinity": (np.where(TRAIN.X > 0.9, np.inf, TRAIN.X), "dtype('float32'); replace it, by NaN where"),
    "complex numbers": (TRAIN.X * 1j, "Complex data not supported; pass one row of numbers per document"),
    "text": ([["a", "b"]] * len(TRAIN), "string to float: 'a'; pass one row of numbers per document"),
    "rows of two lengths": ([[1.0], [1.0, 2.0]], "with a sequence; pass one row of numbers per document"),
}


@pytest.mark.parametrize("case", BAD_FEATURES)
def test_what_scikit_learn_refuses_is_our_error_with_a_remedy(case) -> None:
    X, said = BAD_FEATURES[case]
    with pytest.raises(DataError) as caught:
        LambdaMART(**SMALL).fit(X, TRAIN.y[: len(X)])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_columns_than_in_training_are_our_error_with_a_remedy() -> None:
    model = LambdaMART(**SMALL).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    with pytest.raises(
        DataError, match="X has 5 features, but LambdaMART is expecting 6 features as input; pass the columns"
    ):
        model.predict(VALID.X[:, :5])
    names = list("abcdef")
    model.fit(pd.DataFrame(TRAIN.X, columns=names), TRAIN.y, qid=TRAIN.qid)
    for others, said in (
        (names[::-1], "during fit: Feature names must be in the same order as they were in fit; pass the columns"),
        (
            [*"abcdxy"],
            "unseen at fit time x, y; Feature names seen at fit time, yet now missing e, f; pass the columns",
        ),
    ):
        with pytest.raises(DataError) as caught:
            model.predict(pd.DataFrame(VALID.X, columns=others))
        assert said in str(caught.value)


def test_ranking_data_with_names_is_a_table() -> None:
    names, options = list("abcdef"), {**SMALL, "monotone_constraints": {"b": 1}}
    train, valid = (pd.DataFrame(one.X, columns=names) for one in (TRAIN, VALID))
    table = LambdaMART(**options).fit(train, TRAIN.y, qid=TRAIN.qid)
    named = LambdaMART(**options).fit(replace(TRAIN, feature_names=names))
    assert list(named.feature_names_in_) == names
    assert np.array_equal(named.predict(replace(VALID, feature_names=names)), table.predict(valid))
    assert named.explain(replace(VALID, feature_names=names), 0, 1).features == names
    turned = replace(VALID, X=VALID.X[:, ::-1], feature_names=names[::-1])
    assert np.array_equal(named.predict(turned), table.predict(valid))
    with pytest.raises(DataError, match="must have the columns of the training data, got none named 'f'; pass data"):
        named.predict(replace(VALID, feature_names=list("abcdeg")))
