"""Who gets what when several label."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.labels import Judgement
from rankwise.serve.labelling._handout import KEPT_SECONDS, Handout
from rankwise.serve.labelling._views import progress_view, work_view
from tests.serve.labelling.factories import label_round, make_session, settled, truth

QUERIES = [[1, 2], [3, 4], [5, 6]]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def graded(item: int, who: str, grade: int | None = 1) -> Judgement:
    return Judgement(0, item, who, "", "grade", grade, None, False, None, 1, None)


def test_two_people_get_different_queries() -> None:
    handout = Handout(QUERIES)
    assert [handout.next_place(who) for who in ("ana", "ben", "cem", "dan")] == [0, 1, 2, None]
    assert handout.next_place("ana") == 0


def test_who_is_done_gets_the_next_and_who_stays_away_loses_theirs() -> None:
    clock = Clock()
    handout = Handout(QUERIES, clock=clock)
    assert (handout.next_place("ana"), handout.next_place("ben")) == (0, 1)
    handout.record(graded(1, "ana"))
    handout.record(graded(2, "ana"))
    assert handout.next_place("ana") == 2
    handout.record(graded(3, "ben"))
    clock.now += KEPT_SECONDS - 1
    handout.record(graded(5, "ana"))
    handout.record(graded(6, "ana"))
    assert handout.next_place("ana") is None
    clock.now += 2
    assert handout.next_place("ana") == 1
    assert handout.shown(1, "ana") == [4]
    assert handout.n_done() == 5


def test_overlap_has_each_item_judged_by_so_many() -> None:
    handout = Handout([[1]], overlap=2)
    assert [handout.next_place(who) for who in ("ana", "ben", "cem")] == [0, 0, None]
    handout.record(graded(1, "ana"))
    assert (handout.n_done(), handout.next_place("ana"), handout.next_place("cem")) == (0, None, None)
    handout.record(graded(1, "ben"))
    assert handout.n_done() == 1
    handout.record(graded(1, "ben", None))
    assert (handout.n_done(), handout.next_place("ben")) == (0, 0)


def test_a_round_with_overlap_ends_when_both_are_done(folder: Path) -> None:
    session = settled(make_session(folder, overlap=2))
    assert sorted(label_round(session, "ana")) == sorted(session.now.items)
    assert (session.round, work_view(session, "ana")["phase"]) == (1, "waiting")
    items = session.now.items
    for item in items[:-1]:
        session.judge("ben", item, int(truth()[item] > 0), 1)
    session.skip("ben", items[-1], 1)
    settled(session)
    assert session.round == 2
    agreement = progress_view(session)["agreement"]
    assert (agreement["items"], agreement["pairs"][0]["first"]) == (14, "ana")
    same = sum(truth()[item] == (truth()[item] > 0) for item in items[:-1]) / 14
    assert agreement["pairs"][0]["same"] == pytest.approx(same)


def test_labellers_do_not_see_each_other(folder: Path) -> None:
    session = settled(make_session(folder, overlap=2))
    item = session.now.items[0]
    session.judge("ana", item, 3, 1)
    session.note("ana", item, "good", 1)
    shown = next(one for one in work_view(session, "ben")["items"] if one["item"] == item)
    assert (shown["grade"], shown["note"]) == (None, "")
