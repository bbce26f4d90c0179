"""Cohen's kappa of pairs, Fleiss' kappa against its definition and the worked example of textbooks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from rankwise.errors import DataError, ShapeError
from rankwise.labels import LabelStore, fleiss_kappa

# Ten subjects, fourteen raters, five categories: the worked example that goes with Fleiss (1971) in encyclopedias.
WORKED = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def fleiss_by_definition(ratings: list[list[int]]) -> Fraction:
    """All ordered pairs of raters of an item, counted one by one, in exact arithmetic; `ratings` by item."""
    agreeing = [
        Fraction(sum(a == b for a, b in permutations(grades, 2)), len(grades) * (len(grades) - 1)) for grades in ratings
    ]
    given = [grade for grades in ratings for grade in grades]
    chance = sum(Fraction(given.count(grade), len(given)) ** 2 for grade in set(given))
    return (sum(agreeing, Fraction(0)) / len(ratings) - chance) / (1 - chance)


@pytest.mark.parametrize(
    ("first", "second", "same", "kappa"),
    [
        ([0, 1, 2], [0, 1, 2], 1.0, 1.0),
        ([0, 1], [1, 0], 0.0, -1.0),
        ([2, 2], [2, 2], 1.0, None),
        ([2, 2], [2, 1], 0.5, 0.0),
        ([0, 0, 1, 1], [0, 0, 1, 0], 0.75, 0.5),
    ],
)
def test_cohen_of_a_pair(
    store: LabelStore, first: list[int], second: list[int], same: float, kappa: float | None
) -> None:
    for labeller, grades in (("ana", first), ("ben", second)):
        for item, grade in enumerate(grades):
            store.judge(item, grade, labeller)
    (pair,) = store.agreement().pairs
    assert pair.same == same
    assert math.isnan(pair.kappa) if kappa is None else pair.kappa == pytest.approx(kappa, abs=1e-12)


def test_fleiss_of_the_worked_example() -> None:
    assert round(fleiss_kappa(WORKED), 3) == 0.210


@pytest.mark.parametrize("seed", range(20))
def test_fleiss_is_its_definition(seed: int) -> None:
    draw = np.random.default_rng(seed)
    ratings = [draw.integers(0, 4, size=draw.integers(2, 6)).tolist() for _ in range(draw.integers(2, 30))]
    counts = [[grades.count(grade) for grade in range(5)] for grades in ratings]
    assert fleiss_kappa(counts) == pytest.approx(float(fleiss_by_definition(ratings)), abs=1e-12)


def test_fleiss_at_its_ends() -> None:
    assert fleiss_kappa([[3, 0], [0, 3]]) == 1
    assert math.isnan(fleiss_kappa([[3, 0], [3, 0]]))
    assert math.isnan(fleiss_kappa(np.zeros((0, 5))))
    with pytest.raises(DataError, match="judged at least twice, got 1 at row 1"):
        fleiss_kappa([[3, 0], [0, 1]])
    with pytest.raises(ShapeError, match="a row per item and a column per grade"):
        fleiss_kappa([1, 2])


def test_agreement_in_a_store(store: LabelStore) -> None:
    given: dict[str, Any] = {"ana": [0, 1, 2, 2, 4], "ben": [0, 1, 1, 2], "cem": [0, 3, 2], "dan": [None] * 5 + [3]}
    for who, grades in given.items():
        for item, grade in enumerate(grades):
            if grade is not None:
                store.judge(item, 4, who)  # what was changed since does not count
                store.judge(item, grade, who)
    store.skip(0, "dan")
    found = store.agreement()
    assert [(pair.first, pair.second, pair.items, pair.same) for pair in found.pairs] == [
        ("ana", "ben", 4, 0.75), ("ana", "cem", 3, 2 / 3), ("ben", "cem", 3, 1 / 3)
    ]  # fmt: skip
    for pair in found.pairs:
        expected = cohen_kappa_score(given[pair.first][: pair.items], given[pair.second][: pair.items])
        assert pair.kappa == pytest.approx(expected, abs=1e-12)
    assert found.items == 4
    ratings = [[0, 0, 0], [1, 1, 3], [2, 1, 2], [2, 2]]
    assert found.fleiss == pytest.approx(float(fleiss_by_definition(ratings)), abs=1e-12)
    assert str(found).splitlines()[0] == "ana – ben: 4 items, 75.0% the same, Cohen's kappa 0.636"


def test_agreement_of_nobody_and_of_one(store: LabelStore) -> None:
    for _ in range(2):
        found = store.agreement()
        assert (found.items, found.pairs) == (0, ())
        assert math.isnan(found.fleiss)
        store.judge(0, 1, "ana")
