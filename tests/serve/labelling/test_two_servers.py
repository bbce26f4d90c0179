"""Two servers on one store: each takes in what the other recorded, and nothing is lost or there twice."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rankwise.errors import StoreError
from rankwise.labels import LabelStore
from rankwise.rankers import RankSVM
from rankwise.serve.labelling._session import Session, StaleError
from rankwise.serve.labelling._views import progress_view, work_view
from tests.serve.labelling.factories import label_round, make_session, settled, truth


@pytest.fixture
def pair(folder: Path) -> tuple[Session, Session]:
    first = settled(make_session(folder))
    return first, settled(make_session(folder, LabelStore.open(folder / "labels.db")))


def test_judgements_of_the_other_are_taken_in(pair: tuple[Session, Session]) -> None:
    first, second = pair
    item = first.now.items[0]
    first.judge("ana", item, 3, 1)
    shown = work_view(second, "ben")
    assert shown["done"] == 1
    assert shown["query"]["qid"] != work_view(first, "ana")["query"]["qid"]  # ana is at that one
    first.undo("ana", 1)
    assert work_view(second, "ben")["done"] == 0


def test_a_round_that_the_other_began_is_taken_up(pair: tuple[Session, Session]) -> None:
    first, second = pair
    items = label_round(first)
    assert first.round == 2
    with pytest.raises(StaleError, match="round 1 is not open, round 2 is"):
        second.judge("ben", items[0], 0, 1)
    shown = work_view(settled(second), "ben")
    assert (shown["round"], shown["phase"], second.failure) == (2, "labelling", None)
    assert second.judge("ben", first.now.items[0], 1, 2).round == 2
    assert work_view(first, "ana")["done"] == 1


def test_one_of_two_begins_a_round_and_its_model_stays(folder: Path) -> None:
    """Both prepare round 2; the one that is late adopts it, and leaves the model that was recorded."""
    go, entered = threading.Event(), threading.Event()

    class Late(RankSVM):
        kind = ""

        def fit(self, *args: object, **more: object) -> RankSVM:
            entered.set()
            go.wait()
            return super().fit(*args, **more)  # type: ignore[arg-type]

    late = settled(make_session(folder, ranker=lambda: Late(metric="ndcg@10", C=0.001)))
    for item in late.now.items:
        late.judge("ana", item, int(truth()[item]), 1)
    assert entered.wait(300)
    early = settled(make_session(folder, LabelStore.open(folder / "labels.db")))
    assert early.round == 2
    assert work_view(late, "ana")["round"] == 2
    go.set()
    settled(late)
    assert (late.round, late.failure) == (2, None)
    (model,) = late.store.models()
    assert model.check().name == "round-2.rw"
    assert [file.name for file in model.path.parent.iterdir()] == ["round-2.rw"]
    assert progress_view(late)["curve"] == progress_view(early)["curve"]


def test_a_request_that_reaches_both_is_one_act(pair: tuple[Session, Session]) -> None:
    for number in range(10):
        item = pair[0].now.items[number]
        threads = [threading.Thread(target=session.judge, args=("ana", item, 2, 1)) for session in pair]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(pair[0].store.history(item)) == 1


def test_a_store_that_cannot_be_read_ends_no_refit_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(self: LabelStore) -> tuple[int, int]:
        raise StoreError("the disk is gone; bring it back")

    def make() -> RankSVM:
        monkeypatch.setattr(LabelStore, "position", property(unreadable))
        raise RuntimeError("out of luck")

    session = settled(make_session(folder, ranker=make))
    for item, grade in zip(session.now.items[:2], (0, 3), strict=True):
        session.judge("ana", item, grade, 1)
    session.next_round(1)
    settled(session)
    with pytest.raises(StoreError, match="the disk is gone"):
        work_view(session, "ana")
    monkeypatch.undo()
    assert work_view(session, "ana")["phase"] == "failed"
