"""The loop of active labelling."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankwise as rw
from rankwise.errors import DataError, MetricError, RankwiseError, ShapeError
from rankwise.sampling import LossMin, Pool, Sampler, TopRanked
from tests.reference import active_loop
from tests.sampling.factories import Centroid, Lowest, binary, same

DATA, TEST = binary(seed=1), binary(queries=12, seed=2)
CHOOSE = {"top": active_loop.choose_top, "lossmin": active_loop.choose_lossmin}


def run(sampler: Any = "random", **settings: Any) -> rw.Simulation:
    asked: dict[str, Any] = {"ranker": Centroid(), "rounds": 3, "seeds": 2, "start": (1, 3), "n_jobs": 1, **settings}
    return rw.simulate(asked.pop("data", DATA), asked.pop("test", TEST), sampler, **asked)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOOSE)
@pytest.mark.parametrize("ranker", [rw.RankSVM(), Centroid()], ids=["RankSVM", "Centroid"])
def test_the_loop_is_that_of_a_plain_one(name: str, ranker: Any) -> None:
    found = run(name, ranker=ranker, rounds=4, per_query=3, metrics="auc map")
    for place, seed in enumerate(found.seeds):
        plain = active_loop.curves(DATA, TEST, ranker, CHOOSE[name], 4, 3, seed, (1, 3))
        assert found.labelled[name][place].tolist() == plain["labelled"]
        np.testing.assert_allclose(found.values[name]["auc"][place], plain["auc"], atol=1e-12)
        np.testing.assert_allclose(found.values[name]["map"][place], plain["map"], atol=1e-12)


def test_full_is_the_ranker_with_all_labels() -> None:
    model = rw.RankSVM().fit(DATA.X, DATA.y, qid=DATA.qid)
    judged = rw.evaluate(TEST.y, model.predict(TEST.X), TEST.qid, "auc map ndcg@10")
    assert run(ranker=None).full == judged.means
    everything = run(rounds=1, per_query=1000)
    assert everything.values["random"]["map"][:, 1] == pytest.approx(everything.full["map"], abs=1e-12)


def test_all_samplers_start_alike_and_seeds_differ() -> None:
    found = run(["top", "random", "lossmin"])
    for metric in found.metrics:
        starts = [found.values[name][metric][:, 0] for name in found.samplers]
        assert (starts[0] == starts[1]).all()
        assert (starts[0] == starts[2]).all()
        assert starts[0][0] != starts[0][1]
    assert (found.values["top"]["map"][:, 1] != found.values["random"]["map"][:, 1]).any()


@pytest.mark.slow
def test_the_same_seeds_give_the_same_whatever_the_processes_and_the_company() -> None:
    large = [binary(queries=40, documents=60, features=120, seed=seed) for seed in (3, 4)]  # a megabyte: shared memory
    settings: dict[str, Any] = {"data": large[0], "test": large[1], "ranker": Centroid(noise=0.1)}
    alone = run(["lossmin", "random"], seeds=3, **settings)
    same(alone, run(["lossmin", "random"], seeds=3, n_jobs=2, **settings))
    by_itself = run("random", seeds=[2], **settings)
    np.testing.assert_array_equal(by_itself.values["random"]["map"][0], alone.values["random"]["map"][2])


def test_a_ranker_without_a_seed_gets_that_of_the_run() -> None:
    noisy = run(ranker=Centroid(noise=1.0))
    same(noisy, run(ranker=Centroid(noise=1.0)))
    assert (
        noisy.values["random"]["map"] != run(ranker=Centroid(noise=1.0, random_state=1)).values["random"]["map"]
    ).any()


def test_samplers_by_name_by_value_several_and_mapped() -> None:
    assert run("top").samplers == ["top"]
    assert run(Lowest()).samplers == ["Lowest"]
    assert run(("top", Lowest())).samplers == ["top", "Lowest"]
    two = run({"light": LossMin(trade_off=0.3), "heavy": LossMin(trade_off=0.9), "first": "top"}, seeds=[7, 3])
    assert (two.samplers, two.seeds) == (["light", "heavy", "first"], (7, 3))
    assert (two.values["light"]["map"] != two.values["heavy"]["map"]).any()


def test_sparse_rows_and_named_queries_change_nothing() -> None:
    named = rw.RankingData(sp.csr_array(DATA.X), DATA.y, np.array([f"q{q}" for q in DATA.qid]), doc_ids=np.arange(200))
    sparse_test = rw.RankingData(sp.csr_array(TEST.X), TEST.y, TEST.qid)
    plain = run("top", ranker=rw.RankSVM(standardize=False))
    found = run("top", data=named, test=sparse_test, ranker=rw.RankSVM(standardize=False))
    assert found.values["top"]["map"] == pytest.approx(plain.values["top"]["map"], abs=1e-3)
    assert (found.labelled["top"] == plain.labelled["top"]).all()


def test_queries_that_lack_what_the_start_asks_for_are_counted() -> None:
    y = DATA.y.copy()
    y[DATA.qid == 100] = 0  # no relevant document
    y[DATA.qid == 101] = 1  # nothing else
    data = rw.RankingData(DATA.X, y, DATA.qid)
    found = run(data=data, start=(1, 3))
    assert found.labelled["random"][0, 0] == 6 * 4 + 3 + 1
    assert any(note.startswith("2 of 8 queries have fewer than 1 relevant or 3 other") for note in found.notes)
    assert run().notes == ()


def test_rows_without_a_label_are_left_out() -> None:
    y = DATA.y.copy()
    y[::5] = -1
    found = run(data=rw.RankingData(DATA.X, y, DATA.qid))
    left_out = run(data=DATA.rows(y >= 0))
    assert found.notes == ("40 of 200 rows have no label and were left out",)
    np.testing.assert_array_equal(found.values["random"]["map"], left_out.values["random"]["map"])


def test_a_pool_that_runs_dry_ends_the_curve() -> None:
    found = run(["top", "random"], rounds=8, per_query=10)  # 25 documents, 4 at the start: three rounds
    assert found.labelled["top"][0].tolist() == [32, 112, 192, 200, 200, 200, 200, 200, 200]
    assert found.last_round == 3
    assert "after round 3 of 8 there was nothing left to label" in found.notes[0]
    for metric in found.metrics:
        curves = found.values["top"][metric]
        assert (curves[:, 3:] == curves[:, 3:4]).all()
        assert curves[:, 3] == pytest.approx(found.full[metric], abs=1e-12)
        assert found.over_range("top", metric) == pytest.approx(curves[:, 1:4].mean(axis=1))
    assert (found.seconds["top"]["fit"][:, 4:] == 0).all()
    assert found.seconds_per_round("top")["fit"] == pytest.approx(np.median(found.seconds["top"]["fit"][:, 1:4]))


@dataclass(frozen=True)
class Stopped(Sampler):
    """Ctrl-C in the middle of a run: that of seed 2, whose pool is not yet known."""

    after: int

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        CALLS.append(1)
        if len(CALLS) > self.after:
            raise KeyboardInterrupt
        return pool.scores


CALLS: list[int] = []


def test_ctrl_c_gives_the_seeds_that_all_have_finished() -> None:
    CALLS.clear()
    found = run({"top": TopRanked(), "stopped": Stopped(after=7)}, seeds=4)  # three rounds per run: in the third
    assert (found.interrupted, found.seeds) == (True, (0, 1))
    assert "stopped by Ctrl-C: all samplers have finished 2 of 4 seeds" in found.notes
    np.testing.assert_array_equal(found.values["stopped"]["map"], run("top").values["top"]["map"])
    CALLS.clear()
    with pytest.raises(KeyboardInterrupt):
        run({"top": TopRanked(), "stopped": Stopped(after=1)})


class Patient(Centroid):
    """A ranker that takes Ctrl-C for the end of its own training, as ours do."""

    def fit(self, X: Any, y: Any, qid: Any = None) -> Any:
        super().fit(X, y, qid)
        self.interrupted_ = True
        return self


def test_ctrl_c_in_a_ranker_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(ranker=Patient())


def test_callbacks_are_told_of_every_run() -> None:
    told: list[tuple[int, dict[str, float]]] = []
    run(["top", "random"], seeds=2, callbacks=[lambda number, values: told.append((number, values))])
    assert told == [(1, {}), (2, {}), (3, {}), (4, {})]


@dataclass(frozen=True)
class Twice(Sampler):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return pool.scores

    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> Any:
        return np.repeat(pool.candidates[:1], 2)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"sampler": "lossmax"}, DataError, "no sampler 'lossmax'"),
        ({"sampler": 3}, DataError, "no sampler 3"),
        ({"sampler": []}, DataError, "no sampler was named"),
        ({"sampler": [LossMin(), LossMin(trade_off=0.5)]}, DataError, "got lossmin twice"),
        ({"sampler": Twice()}, DataError, "Twice chose a row twice"),
        ({"rounds": 0}, DataError, "rounds must be"),
        ({"per_query": 1.5}, DataError, "per_query must be"),
        ({"seeds": 0}, DataError, "seeds must be"),
        ({"seeds": [1, 1]}, DataError, "seeds must be"),
        ({"seeds": [-1]}, DataError, "seeds must be"),
        ({"seeds": "x"}, DataError, "seeds must be"),
        ({"start": (0, 0)}, DataError, "start must be"),
        ({"start": 3}, DataError, "start must be"),
        ({"start": (1, 2, 3)}, DataError, "start must be"),
        ({"start": (0.5, 3)}, DataError, "start must be"),
        ({"ranker": "ranksvm"}, DataError, "ranker must be"),
        ({"ranker": rw.RankSVM}, DataError, "ranker must be"),
        ({"n_jobs": 0}, DataError, "n_jobs must be"),
        ({"metrics": "ndgc"}, MetricError, "no metric 'ndgc'"),
        ({"test": (TEST.X, TEST.y)}, DataError, "test must be a RankingData"),
        ({"test": binary(features=3)}, ShapeError, "the same features"),
        ({"test": rw.RankingData(TEST.X, 0 * TEST.y, TEST.qid)}, DataError, "auc has no value on the test data"),
        ({"data": rw.RankingData(DATA.X, 0 * DATA.y - 1, DATA.qid)}, DataError, "no row of the data has a label"),
        ({"data": rw.RankingData(DATA.X, 0 * DATA.y, DATA.qid), "start": (1, 0)}, DataError, "no document"),
    ],
)
def test_what_is_wrong_is_said(changed: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        run(**changed)


@dataclass(frozen=True)
class Dies(Sampler):
    """A process that is killed from outside, as for want of memory."""

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        os._exit(1)


def test_a_process_that_is_killed_is_said_in_a_sentence() -> None:
    with pytest.raises(RankwiseError, match="a process of the simulation was killed"):
        run(Dies(), n_jobs=2)
