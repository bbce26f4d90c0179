"""Answers that are orders: what a ranker and a sampler see of them, and the loop against a plain one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise as rw
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError
from rankwise.sampling import Pool, RandomSampler, sampler_kinds
from rankwise.sampling.simulation._answers import Answers
from tests.reference import active_loop
from tests.sampling.factories import Centroid, binary


def graded(queries: int, seed: int) -> rw.RankingData:
    """Labels 0 to 3, by the same features in every query."""
    data = binary(queries=queries, seed=seed)
    quality = data.X @ np.arange(1, 5) + np.random.default_rng(seed).normal(size=len(data))
    return rw.RankingData(data.X, np.searchsorted([2.0, 5.0, 7.0], quality).astype(float), data.qid)


DATA, TEST = graded(8, 1), graded(12, 2)
SETTINGS: dict[str, Any] = {"rounds": 3, "per_query": 3, "seeds": 2, "start": (1, 3), "n_jobs": 1}


@pytest.mark.parametrize("name", ["top", "lossmin"])
def test_the_loop_is_that_of_a_plain_one(name: str) -> None:
    choose = {
        "top": active_loop.choose_top,
        "lossmin": active_loop.choose_lossmin,
    }[name]
    sampler = rw.sampling.LossMin(thresholds=1) if name == "lossmin" else name
    found = rw.simulate(DATA, TEST, {name: sampler}, rw.RankSVM(), answer="order", metrics="auc map", **SETTINGS)
    for place, seed in enumerate(found.seeds):
        plain = active_loop.order_curves(DATA, TEST, rw.RankSVM(), choose, 3, 3, seed, (1, 3))
        assert found.labelled[name][place].tolist() == plain["labelled"]
        np.testing.assert_allclose(found.values[name]["auc"][place], plain["auc"], atol=1e-12)
        np.testing.assert_allclose(found.values[name]["map"][place], plain["map"], atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12), st.randoms())
def test_labels_are_places_within_an_answer(rows, random) -> None:
    """Documents of one query asked for together have the order of their grades, from 0; others are not compared."""
    qid, truth = (np.array(column) for column in zip(*rows, strict=True))
    groups = QueryGroups.from_qid(qid)
    answers = Answers(truth.astype(float), groups, orders=True)
    left, asked = list(range(len(rows))), []
    while left:
        chosen = [row for row in left if random.random() < 0.5]
        left = [row for row in left if row not in chosen]
        answers.give(np.array(chosen, dtype=np.int64))
        asked += [[row for row in chosen if qid[row] == q] for q in np.unique(qid)]
    for chosen in asked:
        grades = sorted(set(truth[chosen]))
        assert answers.labels[chosen].tolist() == [grades.index(grade) for grade in truth[chosen]]
        assert len(set(answers.lists[chosen].tolist())) <= 1
    lists = [answers.lists[chosen[0]] for chosen in asked if chosen]
    assert len(set(lists)) == len(lists)


def test_every_sampler_works_with_orders() -> None:
    kinds = [kind for kind, cls in sampler_kinds().items() if cls.__module__.startswith("rankwise.")]
    found = rw.simulate(DATA, TEST, kinds, rw.RankSVM(), answer="order", **SETTINGS | {"seeds": 1})
    assert all((found.labelled[kind][0] == [32, 56, 80, 104]).all() for kind in kinds)
    assert found.full == rw.simulate(DATA, TEST, "random", rw.RankSVM(), **SETTINGS).full


@dataclass(frozen=True)
class SeesAnswers(RandomSampler):
    """Looks at what a sampler is shown of orders."""

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        assert pool.answer is not None
        assert ((pool.answer >= 0) == (pool.y >= 0)).all()
        rows, labels = pool.labelled, pool.y[pool.labelled]
        assert pool.can_learn(rows, labels)
        ones = {answer: rows[pool.answer[rows] == answer] for answer in np.unique(pool.answer[rows])}
        assert all(len(set(pool.data.qid[of_answer])) == 1 for of_answer in ones.values())
        apart = np.array([of_answer[0] for of_answer in ones.values()])
        assert not pool.can_learn(apart, np.arange(apart.size, dtype=float))  # none can be compared with another
        assert (pool.refit(rows, labels).predict(pool.data.X) == pool.ranker.predict(pool.data.X)).all()
        return super().utilities(pool, rng)


def test_a_sampler_sees_which_labels_can_be_compared() -> None:
    rw.simulate(DATA, TEST, SeesAnswers(), rw.RankSVM(), answer="order", **SETTINGS)


def test_an_order_of_two_grades_is_their_grades() -> None:
    """With every document in one answer, orders of binary labels are the labels."""
    data, test = binary(seed=1), binary(seed=2)
    settings: dict[str, Any] = {"rounds": 1, "seeds": 1, "start": (25, 25), "n_jobs": 1}
    runs = [rw.simulate(data, test, "random", Centroid(), answer=answer, **settings) for answer in ("grades", "order")]
    assert runs[0].values["random"]["map"][0, 0] == runs[1].values["random"]["map"][0, 0]


def test_a_checkpoint_of_other_answers_is_refused(tmp_path) -> None:
    rw.simulate(DATA, TEST, "random", answer="order", checkpoint=tmp_path / "runs.json", **SETTINGS)
    with pytest.raises(rw.errors.ModelFileError, match="other data or parameters"):
        rw.simulate(DATA, TEST, "random", checkpoint=tmp_path / "runs.json", **SETTINGS)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(DataError, match="answer must be one of grades, order, got 'ranks'; name one of these"):
        rw.simulate(DATA, TEST, "random", answer="ranks", **SETTINGS)  # type: ignore[arg-type]
