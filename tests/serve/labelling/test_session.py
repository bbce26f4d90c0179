"""Rounds, refits and the curve, without HTTP."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError
from rankwise.labels import LabelStore
from rankwise.rankers import RankSVM
from rankwise.sampling import sampler_kinds
from rankwise.serve.labelling._session import NotOfferedError, StaleError
from rankwise.serve.labelling._views import progress_view, work_view
from tests.serve.labelling.factories import label_round, make_session, pool, settled, truth


def test_the_first_round_is_drawn_at_random_and_the_next_by_the_sampler(folder: Path) -> None:
    session = settled(make_session(folder))
    first = session.now
    assert (first.number, first.sampler, first.ranker, len(first.items)) == (1, "random", "none", 15)
    assert len(set(pool().qid[list(first.items)])) == 3
    label_round(session)
    assert (session.now.sampler, session.now.ranker, session.now.labelled) == ("lossmin", "ranksvm", 15)
    assert not set(session.now.items) & set(first.items)


def test_the_round_is_what_the_sampler_chooses_of_the_queries_with_fewest_labels(folder: Path) -> None:
    session = settled(make_session(folder, sampler="top"))
    for _ in range(3):
        label_round(session)
    data = session.store.training_data()
    judged = data.rows(np.flatnonzero(data.y >= 0))
    scores = RankSVM(metric="ndcg@10").fit(judged.X, judged.y, qid=judged.qid).predict(data.X)
    labels = {qid: int((judged.qid == qid).sum()) for qid in np.unique(data.qid)}
    chosen = set(data.qid[list(session.now.items)])
    assert max(labels[qid] for qid in chosen) <= min(labels[qid] for qid in set(labels) - chosen)
    for qid in chosen:
        free = np.flatnonzero((data.qid == qid) & (data.y < 0))
        best = free[np.argsort(-scores[free])][:5]
        assert sorted(best.tolist()) == sorted(item for item in session.now.items if data.qid[item] == qid)


@pytest.mark.parametrize("kind", sampler_kinds())
def test_every_sampler_can_choose_all_there_is(folder: Path, kind: str) -> None:
    session = settled(make_session(folder, sampler=kind, queries=12, per_query=20))
    for _ in range(3):
        label_round(session)
        assert session.failure is None
    assert (session.store.labels() == truth()).all()
    assert work_view(session, "ana")["phase"] == "finished"


def test_all_queries_get_their_turn(folder: Path) -> None:
    session = settled(make_session(folder))
    seen = [set(pool().qid[label_round(session)]) for _ in range(4)]
    assert sorted(qid for queries in seen for qid in queries) == list(range(12))


def test_the_curve_is_cross_validated_over_queries(folder: Path) -> None:
    session = settled(make_session(folder))
    label_round(session)
    label_round(session)
    data, found = session.store.training_data(), session.now.metrics["ndcg@10"]
    fold = np.random.default_rng(0).permutation(12)
    values = []
    for qid in np.unique(data.qid[data.y >= 0]):
        place = int(np.flatnonzero(data.groups.qids == qid)[0])
        same_fold = np.isin(data.qid, data.groups.qids[fold % 5 == fold[place] % 5])
        rest, mine = np.flatnonzero(~same_fold & (data.y >= 0)), np.flatnonzero((data.qid == qid) & (data.y >= 0))
        scores = RankSVM(metric="ndcg@10").fit(data.X[rest], data.y[rest], qid=data.qid[rest]).predict(data.X[mine])
        if data.y[mine].max() > 0:
            values.append(rw.evaluate(data.y[mine], scores, None, "ndcg@10")["ndcg@10"])
    assert found == pytest.approx(np.mean(values))


def test_the_curve_on_test_data(folder: Path) -> None:
    test = replace(pool(), y=truth())
    session = settled(make_session(folder, test=test))
    label_round(session)
    model = rw.load(session.store.models()[-1].check())
    expected = rw.evaluate(test.y, model.predict(test.X), test.qid, "ndcg@10")["ndcg@10"]
    assert session.now.metrics == {"ndcg@10 on test data": pytest.approx(expected)}
    assert "test data of 12 queries" in progress_view(session)["judged_on"]


def test_the_model_of_a_round_is_fitted_on_labelled_rows_alone(folder: Path) -> None:
    session = settled(make_session(folder))
    judged = label_round(session)
    model = session.store.models()[-1]
    assert (model.round, model.check()) == (2, folder / "labels.db.models" / "round-2.rw")
    rows, y, data = np.array(judged), truth(), pool()
    expected = RankSVM(metric="ndcg@10").fit(data.X[rows], y[rows], qid=data.qid[rows])
    np.testing.assert_allclose(rw.load(model.path).predict(data.X), expected.predict(data.X), rtol=1e-6)


def test_the_gain_is_known_after_three_points(folder: Path) -> None:
    session = settled(make_session(folder))
    gains = []
    for _ in range(4):
        label_round(session)
        gains.append(progress_view(session)["gain"])
    assert gains[:2] == [None, None]
    points = progress_view(session)["curve"]
    x, y = np.log([p["labels"] for p in points]), [p["value"] for p in points]
    (slope, _), covariance = np.polyfit(x, y, 1, cov=True)
    step = np.log((60 + len(session.now.items)) / 60)
    assert gains[3]["value"] == pytest.approx(slope * step)
    assert gains[3]["error"] == pytest.approx(np.sqrt(covariance[0, 0]) * step)
    assert session.now.gain == pytest.approx(gains[3]["value"])


def test_equal_grades_teach_nothing_and_the_next_round_is_random_too(folder: Path) -> None:
    session = settled(make_session(folder))
    for item in session.now.items:
        session.judge("ana", item, 0, 1)
    settled(session)
    assert (session.round, session.now.sampler, session.now.metrics) == (2, "random", {})
    assert session.store.models() == []


@pytest.mark.slow
def test_a_ranker_that_wants_more_labels_gets_them_at_random(folder: Path) -> None:
    session = settled(make_session(folder, ranker=lambda: rw.LambdaMART(n_estimators=5), queries=4))
    for _ in range(3):
        label_round(session)
        shown, now = progress_view(session), session.now
        if now.labelled < 40:
            assert (now.sampler, now.ranker, now.metrics) == ("random", "none", {})
            assert "lower min_child_samples" in shown["notice"]
    assert (session.now.sampler, session.now.ranker, shown["notice"]) == ("lossmin", "ranksvm", None)
    assert [point["round"] for point in shown["curve"]] == [4]


def test_a_fit_that_fails_is_told_and_can_be_tried_again(folder: Path) -> None:
    """With labels of one query alone, there is nothing to cross-validate with."""
    is_broken = True

    def make() -> RankSVM:
        if is_broken:
            raise RuntimeError("out of luck")
        return RankSVM(metric="ndcg@10")

    session = settled(make_session(folder, ranker=make))
    for item, grade in zip(session.handout.queries[0], (3, 0), strict=False):
        session.judge("ana", item, grade, 1)
    session.next_round(1)
    assert "RuntimeError: out of luck" in str(settled(session).failure)
    is_broken = False
    session.next_round(1)
    assert (settled(session).failure, session.round, session.now.metrics) == (None, 2, {})


def test_skipped_items_end_a_round_and_do_not_come_back(folder: Path) -> None:
    session = settled(make_session(folder, queries=12, per_query=50))
    for item in session.now.items[:-1]:
        session.skip("ana", item, 1)
    assert not session.is_fitting
    session.judge("ana", session.now.items[-1], 1, 1)
    settled(session)
    assert (session.round, session.now.items) == (2, ())
    assert work_view(session, "ana")["phase"] == "finished"
    with pytest.raises(DataError, match="nothing left"):
        session.next_round(2)
    session.undo("ana", session.store.last_act("ana").id)  # type: ignore[union-attr]
    session.next_round(2)
    settled(session)
    assert len(session.now.items) == 1


def test_a_round_can_be_ended_early(folder: Path) -> None:
    session = settled(make_session(folder))
    with pytest.raises(DataError, match="judge something first"):
        session.next_round(1)
    rest = session.now.items[1:]
    session.judge("ana", session.now.items[0], 1, 1)
    session.next_round(1)
    settled(session)
    assert session.round == 2
    assert (session.store.labels()[list(rest)] == -1).all()


def test_what_is_stale_or_not_offered_changes_nothing(folder: Path) -> None:
    session = settled(make_session(folder))
    first = session.now.items
    outside = next(item for item in range(154) if item not in first)
    for act, error in (
        (lambda: session.judge("ana", first[0], 1, 0), StaleError),
        (lambda: session.judge("ana", first[0], 1, 2), StaleError),
        (lambda: session.judge("ana", first[0], 5, 1), DataError),
        (lambda: session.judge("ana", outside, 1, 1), NotOfferedError),
        (lambda: session.skip("ana", 154, 1), NotOfferedError),
        (lambda: session.note("ana", -1, "x", 1), NotOfferedError),
        (lambda: session.undo("ana", 1), DataError),
        (lambda: session.next_round(0), StaleError),
    ):
        with pytest.raises(error):
            act()
    assert session.store.labellers() == []
    assert session.round == 1


def test_the_same_act_twice_counts_once(folder: Path) -> None:
    session = settled(make_session(folder))
    item = session.now.items[0]
    first = session.judge("ana", item, 2, 1)
    assert session.judge("ana", item, 2, 1) == first
    noted = session.note("ana", item, "hm", 1)
    assert session.note("ana", item, "hm", 1) == noted
    assert session.judge("ana", item, 2, 1).id == noted.id
    session.skip("ana", item, 1)
    session.skip("ana", item, 1)
    assert [act.act for act in session.store.history(item)] == ["grade", "note", "skip"]
    with pytest.raises(StaleError, match="something else was judged"):
        session.undo("ana", first.id)
    session.undo("ana", session.store.last_act("ana").id)  # type: ignore[union-attr]
    assert session.held(item, "ana").grade == 2  # type: ignore[union-attr]


def test_items_of_earlier_rounds_can_be_corrected_by_who_judged_them(folder: Path) -> None:
    session = settled(make_session(folder))
    item = label_round(session)[0]
    session.judge("ana", item, 4, 2)
    assert session.store.labels()[item] == 4
    with pytest.raises(NotOfferedError):
        session.judge("ben", item, 4, 2)


class Waiting(RankSVM):
    """A ranker that takes as long as the test wants."""

    kind = ""
    go = threading.Event()

    def fit(self, *args: Any, **more: Any) -> Any:
        assert self.go.wait(300)
        return super().fit(*args, **more)


def test_labellers_go_on_while_the_model_is_fitted(folder: Path) -> None:
    Waiting.go.clear()
    session = settled(make_session(folder, ranker=Waiting))
    items = session.now.items
    for item in items:
        session.judge("ana", item, int(truth()[item]), 1)
    assert session.is_fitting
    assert work_view(session, "ana")["phase"] == "fitting"
    session.judge("ana", items[0], 4, 1)
    session.undo("ana", session.store.last_act("ana").id)  # type: ignore[union-attr]
    with pytest.raises(StaleError, match="being prepared"):
        session.next_round(1)
    Waiting.go.set()
    settled(session)
    assert session.failure is not None  # a class of a test cannot be saved
    assert "save takes a model of rankwise" in session.failure
    assert (session.round, work_view(session, "ana")["phase"]) == (1, "failed")
    session.refit = session.refit.__class__(**{**vars(session.refit), "learner": make_learner()})
    session.next_round(1)
    settled(session)
    assert (session.round, session.failure) == (2, None)  # type: ignore[comparison-overlap]


def make_learner() -> Any:
    from rankwise.serve.labelling._learning import Learner

    return Learner(lambda: RankSVM(metric="ndcg@10"), "ndcg@10")


def test_a_session_goes_on_where_the_last_one_ended(folder: Path) -> None:
    session = settled(make_session(folder))
    label_round(session)
    for item in session.now.items[:7]:
        session.judge("ana", item, 1, 2)
    before = (session.round, session.now.items, progress_view(session))
    session.close()
    session.store.close()
    again = make_session(folder, LabelStore.open(folder / "labels.db"))
    assert not again.is_fitting
    assert (again.round, again.now.items, progress_view(again)) == before
    assert work_view(again, "ana")["items"][0]["item"] in again.now.items[5:10]
    assert again.handout.n_done() == 7


def test_a_refit_that_was_cut_off_is_made_anew(folder: Path) -> None:
    """The round is complete in the store, and no next one was begun."""
    Waiting.go.clear()
    session = settled(make_session(folder, ranker=Waiting))
    for item in session.now.items:
        session.judge("ana", item, int(truth()[item]), 1)
    other = settled(make_session(folder, LabelStore.open(folder / "labels.db")))
    assert other.round == 2
    assert (other.store.models()[-1].round, progress_view(other)["curve"][-1]["labels"]) == (2, 15)
    Waiting.go.set()
    settled(session)


def test_closing_ends_a_long_fit(folder: Path) -> None:
    started = threading.Event()

    class Endless(RankSVM):
        kind = ""

        def fit(self, *args: Any, callbacks: Any = None, **more: Any) -> Any:
            started.set()
            while True:
                for callback in callbacks:
                    callback(1, {})

    session = settled(make_session(folder, ranker=Endless))
    for item in session.now.items:
        session.judge("ana", item, int(truth()[item]), 1)
    assert started.wait(300)
    session.close()
    assert not any(thread.name == "refit" for thread in threading.enumerate())
    assert session.store.rounds()[-1].number == 1


def test_the_same_seed_gives_the_same_rounds(tmp_path: Path) -> None:
    from tests.serve.labelling.factories import write_pool

    chosen = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        (tmp_path / name).mkdir()
        write_pool(tmp_path / name)
        session = settled(make_session(tmp_path / name, seed=seed))
        label_round(session)
        chosen.append([one.items for one in session.store.rounds()])
    assert chosen[0] == chosen[1] != chosen[2]


def test_features_with_names_stay_with_the_model(folder: Path) -> None:
    data = pool()
    named = rw.RankingData(data.X, data.y, data.qid, data.doc_ids, feature_names=list("abcdefgh"))
    session = settled(make_session(folder, LabelStore.create(folder / "labels.db", named)))
    label_round(session)
    assert session.failure is None
    assert rw.load(session.store.models()[-1].path).feature_names_in_.tolist() == list("abcdefgh")
    shown = work_view(session, "ana")["items"][0]
    row = data.X[shown["item"]]
    assert dict(shown["features"]["shown"]) == {
        name: f"{value:.6g}" for name, value in zip("abcdefgh", row, strict=True) if value
    }
    assert shown["features"]["zeros"] == int((row == 0).sum())
