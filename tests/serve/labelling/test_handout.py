"""Who gets what when several label."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.labels import Judgement
from rankwise.serve.labelling._handout import CLAIM_SECONDS, Handout
from rankwise.serve.labelling._views import act_view, progress_view, work_view
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
    assert [handout.claim_query(who) for who in ("ana", "ben", "cem", "dan")] == [0, 1, 2, None]
    assert handout.claim_query("ana") == 0


def test_who_is_done_gets_the_next_and_who_stays_away_loses_theirs() -> None:
    clock = Clock()
    handout = Handout(QUERIES, clock=clock)
    assert (handout.claim_query("ana"), handout.claim_query("ben")) == (0, 1)
    handout.record(graded(1, "ana"))
    handout.record(graded(2, "ana"))
    assert handout.claim_query("ana") == 2
    handout.record(graded(3, "ben"))
    clock.now += CLAIM_SECONDS - 1
    handout.record(graded(5, "ana"))
    handout.record(graded(6, "ana"))
    assert handout.claim_query("ana") is None
    clock.now += 2
    assert handout.claim_query("ana") == 1
    assert handout.shown(1, "ana") == [4]
    assert handout.n_done() == 5


def test_asking_for_the_open_query_claims_nothing() -> None:
    handout = Handout(QUERIES)
    assert [handout.open_query(labeller) for labeller in ("ana", "ben", "ana", "ben")] == [0] * 4
    assert handout.claim_query("ben") == 0
    assert (handout.open_query("ana"), handout.open_query("ben")) == (1, 0)
    for item in (1, 2, 3, 4, 5, 6):
        handout.record(graded(item, "ana"))
    assert handout.open_query("ben") is None
    assert handout.claim_query("ben") is None


def test_asking_does_not_keep_a_claim_alive() -> None:
    clock = Clock()
    handout = Handout(QUERIES, clock=clock)
    handout.claim_query("ana")
    clock.now += CLAIM_SECONDS - 1
    assert handout.open_query("ana") == 0
    clock.now += 2
    assert handout.claim_query("ben") == 0


def test_overlap_has_each_item_judged_by_so_many() -> None:
    handout = Handout([[1]], overlap=2)
    assert [handout.claim_query(who) for who in ("ana", "ben", "cem")] == [0, 0, None]
    handout.record(graded(1, "ana"))
    assert (handout.n_done(), handout.claim_query("ana"), handout.claim_query("cem")) == (0, None, None)
    handout.record(graded(1, "ben"))
    assert handout.n_done() == 1
    handout.record(graded(1, "ben", None))
    assert (handout.n_done(), handout.claim_query("ben")) == (0, 0)


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


def test_a_status_view_changes_nothing(folder: Path) -> None:
    """Only who opens a query has it: the answer to an act, an earlier item and the curve hand nothing out."""
    session = settled(make_session(folder, queries=2))
    first, second = session.handout.queries
    for item in first:
        session.judge("ana", item, int(truth()[item]), 1)
    claims = dict(session.handout._claims)
    views = [act_view(session, "ana", first[-1]) for _ in range(2)]
    assert views[0] == views[1]
    assert views[0]["phase"] == "labelling"
    work_view(session, "ana", first[0])
    progress_view(session)
    assert session.handout._claims == claims
    assert work_view(session, "ben")["items"][0]["item"] == second[0]
    assert act_view(session, "ana", first[-1])["phase"] == "waiting"
