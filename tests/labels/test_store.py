"""Judging, skipping, noting, undoing: what holds afterwards, and what history keeps."""

from __future__ import annotations

import random
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rankwise.data import RankingData
from rankwise.errors import DataError, StoreError
from rankwise.labels import Judgement, LabelStore


def held(store: LabelStore, item: int, who: str) -> tuple[int | None, bool, str | None]:
    """Grade, skipped and note of a labeller by replaying the whole history, with undo as popping a stack."""
    stack: list[Judgement] = []
    for act in store.history(item):
        if act.labeller != who:
            continue
        if act.act == "undo":
            assert stack.pop().id == act.undoes
        else:
            stack.append(act)
    grade, skipped, note = None, False, None
    for act in stack:
        if act.act == "grade":
            grade, skipped = act.grade, False
        elif act.act == "skip":
            grade, skipped = None, True
        note = act.note
    return grade, skipped, note


def test_a_judgement_says_what_was_recorded(store: LabelStore) -> None:
    judged = store.judge(2, 3, "ana", note="hm")
    assert (judged.item, judged.grade, judged.previous, judged.labeller, judged.act) == (2, 3, None, "ana", "grade")
    assert (judged.note, judged.round, judged.skipped, judged.undoes) == ("hm", 0, False, None)
    assert abs(datetime.fromisoformat(judged.at) - datetime.now(UTC)) < timedelta(minutes=1)
    assert store.history(2) == [judged]
    assert store.judged_by("ana") == [judged]


def test_a_second_judgement_keeps_the_first(store: LabelStore) -> None:
    first, second = store.judge(2, 3, "ana"), store.judge(2, 1, "ana")
    assert second.previous == 3
    assert store.history(2) == [first, second]
    assert store.judged_by("ana") == [second]
    assert store.labels().tolist() == [-1, -1, 1, -1, -1, -1]


def test_undo_goes_back_step_by_step(store: LabelStore) -> None:
    acts = [store.judge(2, 3, "ana"), store.judge(2, 1, "ana"), store.skip(4, "ana", note="no text")]
    assert store.labels().tolist() == [-1, -1, 1, -1, -1, -1]
    taken = [store.undo("ana")]
    assert (taken[0].item, taken[0].skipped, taken[0].note, taken[0].undoes) == (4, False, None, acts[2].id)
    taken.append(store.undo("ana"))
    assert (taken[1].grade, taken[1].previous, taken[1].undoes) == (3, 1, acts[1].id)
    assert store.labels()[2] == 3
    taken.append(store.undo("ana"))
    assert store.labels()[2] == -1
    with pytest.raises(DataError, match="ana has nothing to undo"):
        store.undo("ana")
    assert store.history(2) == [acts[0], acts[1], taken[1], taken[2]]
    assert store.judged_by("ana") == []


def test_undo_is_each_labellers_own(store: LabelStore) -> None:
    store.judge(0, 1, "ana")
    store.judge(0, 2, "ben")
    store.undo("ana")
    assert store.labels("ana")[0] == -1
    assert store.labels("ben")[0] == 2


def test_the_last_act_is_what_undo_takes_back(store: LabelStore) -> None:
    assert store.last_act("ana") is None
    first, second = store.judge(0, 1, "ana"), store.note(1, "hm", "ana")
    store.judge(2, 4, "ben")
    assert store.last_act("ana") == second
    assert store.undo("ana", last=second.id).undoes == second.id
    assert store.last_act("ana") == first
    store.undo("ana")
    assert store.last_act("ana") is None


def test_an_undo_that_arrives_twice_undoes_once(store: LabelStore) -> None:
    store.judge(0, 1, "ana")
    last = store.judge(1, 2, "ana").id
    store.undo("ana", last=last)
    with pytest.raises(DataError, match=rf"the last judgement of ana is {last - 1}, not {last}"):
        store.undo("ana", last=last)
    assert store.labels("ana").tolist() == [1, -1, -1, -1, -1, -1]


def test_a_skip_ends_a_grade_and_a_grade_ends_a_skip(store: LabelStore) -> None:
    store.judge(0, 1, "ana")
    skipped = store.skip(0, "ana")
    assert (skipped.grade, skipped.previous, skipped.skipped) == (None, 1, True)
    assert store.labels()[0] == -1
    assert store.judged_by("ana") == [skipped]
    again = store.judge(0, 4, "ana")
    assert (again.grade, again.previous, again.skipped) == (4, None, False)


def test_a_note_leaves_the_grade_and_stays_until_replaced(store: LabelStore) -> None:
    store.judge(0, 1, "ana")
    assert store.note(0, "<script>alert(1)</script> – naïve", "ana").grade == 1
    assert store.judge(0, 2, "ana").note == "<script>alert(1)</script> – naïve"
    assert store.judge(0, 2, "ana", note="").note is None
    assert store.undo("ana").note == "<script>alert(1)</script> – naïve"
    alone = store.note(5, "what is this?", "ana")
    assert alone.grade is None
    assert alone not in store.judged_by("ana")


@pytest.mark.parametrize("seed", range(5))
def test_what_holds_is_what_replaying_history_gives(store: LabelStore, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(120):
        who, item = draw.choice("ab"), draw.randrange(3)
        match draw.choice(["grade", "grade", "skip", "note", "undo"]):
            case "grade":
                store.judge(item, draw.randrange(5), who, note=draw.choice([None, "x"]))
            case "skip":
                store.skip(item, who)
            case "note":
                store.note(item, draw.choice(["y", "z"]), who)
            case "undo":
                with suppress(DataError):  # there may be nothing to undo
                    store.undo(who)
    for who in "ab":
        now = {j.item: (j.grade, j.skipped) for j in store.judged_by(who)}
        for item in range(3):
            grade, skipped, note = held(store, item, who)
            assert now.get(item, (None, False)) == (grade, skipped)
            assert store.labels(who)[item] == (-1 if grade is None else grade)
            assert [act for act in store.history(item) if act.labeller == who][-1].note == note


def test_the_majority_trains_and_the_lowest_of_equals(store: LabelStore, data: RankingData) -> None:
    for who, grades in {"ana": [3, 4, 2, 0], "ben": [3, 1, 2, 0], "cem": [0, 0, 1, 4], "dan": [4, 4, 1, 4]}.items():
        for item, grade in enumerate(grades):
            store.judge(item, grade, who)
    train = store.training_data()
    # 3 3 0 4; 4 1 0 4; 2 2 1 1 is a tie, and so is 0 0 4 4.
    assert train.y.tolist() == [3, 4, 1, 0, -1, -1]
    assert (train.X == data.X).all()
    assert train.qid.tolist() == data.qid.tolist()
    assert train.doc_ids.tolist() == data.doc_ids.tolist()  # type: ignore[union-attr]
    store.skip(0, "ana")
    store.skip(0, "ben")
    assert store.labels()[0] == 0  # 0 against 4
    assert store.labels("ben").tolist() == [-1, 1, 2, 0, -1, -1]


def test_a_store_holds_it_all_when_opened_again(path: Path, store: LabelStore) -> None:
    store.judge(2, 3, "ana", note="hm")
    store.undo("ana")
    store.judge(1, 0, "Ben Öz")
    history = [store.history(item) for item in range(6)]
    store.close()
    with LabelStore.open(path) as again:
        assert [again.history(item) for item in range(6)] == history
        assert again.labellers() == ["Ben Öz", "ana"]


@pytest.mark.parametrize(
    "sql",
    ["UPDATE judgements SET grade = 0", "DELETE FROM judgements", "UPDATE judgements SET note = 'x' WHERE id = 1"],
)
def test_no_judgement_can_be_changed_even_by_hand(path: Path, store: LabelStore, sql: str) -> None:
    store.judge(2, 3, "ana")
    by_hand = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="judgements are never"):
        by_hand.execute(sql)
    by_hand.close()


def test_grades_may_have_names(path: Path, data: RankingData) -> None:
    with LabelStore.create(path, data, grade_names=["bad", "gut genug", "<b>"]) as store:
        assert (store.highest_grade, store.grade_names) == (2, ["bad", "gut genug", "<b>"])
        store.judge(0, 2, "ana")
        with pytest.raises(DataError, match="a grade must be a whole number from 0 to 2, got '3'"):
            store.judge(0, 3, "ana")
    with LabelStore.open(path) as again:
        assert again.grade_names == ["bad", "gut genug", "<b>"]
        assert again.labels()[0] == 2


@pytest.mark.parametrize(
    ("names", "highest", "sentence"),
    [
        (["good"], None, "there must be 2 to 101 grades"),
        (["good", "good"], None, "grades of different names, got 'good, good'"),
        (["bad", " good"], None, "the name of a grade must be visible"),
        (["bad", 3], None, "the name of a grade must be text, got int"),
        (["bad", "good"], 4, "grades 0 to 4 must have a name each, got 2; leave one of both out"),
    ],
)
def test_names_of_grades_that_cannot_be(
    path: Path, data: RankingData, names: list[str], highest: int | None, sentence: str
) -> None:
    with pytest.raises(DataError, match=sentence):
        LabelStore.create(path, data, grade_names=names, highest_grade=highest)
    assert not path.exists()


def test_names_of_grades_that_a_disk_got_wrong(path: Path, data: RankingData) -> None:
    LabelStore.create(path, data, grade_names=["bad", "good"]).close()
    for damage in ('["bad"]', '["bad", "fair", "good"]', "{", '["bad", 1]'):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE facts SET grade_names = ?", (damage,))
        connection.close()
        with pytest.raises(StoreError, match="holds what no rankwise wrote"):
            LabelStore.open(path)
