"""The examples are what they say: real rows, the same each time, nothing of the test part in the training part."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

import rankwise as rw
from rankwise.data._examples import EXAMPLES, Example
from rankwise.errors import DataError


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_the_same_each_time(name: Example) -> None:
    for part, again in zip(rw.load_example(name), rw.load_example(name), strict=True):
        assert np.array_equal(part.X, again.X)
        assert np.array_equal(part.y, again.y)
        assert part.feature_names is not None


def test_labels_of_digits_are_those_of_the_images() -> None:
    digits = load_digits()
    seen: list[tuple[int, set[int]]] = []
    for part in rw.load_example("digits"):
        images = np.asarray(part.doc_ids).astype(int).reshape(150, 100)
        for X, rows, labels in zip(part.X.reshape(150, 100, 64), images, part.y.reshape(150, 100), strict=True):
            # Which image the query is follows from the features: all its documents differ from it by just these.
            (query,) = np.flatnonzero((np.abs(digits.data - digits.data[rows[0]]) == X[0]).all(axis=1))
            assert np.array_equal(np.abs(digits.data[rows] - digits.data[query]), X)
            assert np.array_equal(digits.target[rows] == digits.target[query], labels == 1)
            seen.append((len(seen) // 150, {int(query), *rows.tolist()}))
    train, test = (set.union(*(rows for part, rows in seen if part == wanted)) for wanted in (0, 1))
    assert not train & test


def test_the_parts_of_breast_cancer_are_all_of_it() -> None:
    train, test = rw.load_example("breast_cancer")
    rows = load_breast_cancer()
    assert train.y.size + test.y.size == rows.target.size
    assert train.y.sum() + test.y.sum() == (rows.target == 0).sum() == 212
    assert np.array_equal(test.X[:, 3], rows.data[1::2, 3].astype(np.float32))


def test_what_is_not_there_is_refused_with_what_is() -> None:
    with pytest.raises(DataError, match="no example 'letor'; choose one of digits, breast_cancer"):
        rw.load_example("letor")  # type: ignore[arg-type]
