"""A worker that is killed: one sentence, a checkpoint, and the same model when it is resumed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pytest
from distributed import Client, LocalCluster, Worker
from sklearn.base import clone

import rankwise as rw
from rankwise.errors import DataError, WorkerLostError
from rankwise.rankers.trees.dask import _connection as connection
from rankwise.rankers.trees.dask import _failure as failure
from rankwise.rankers.trees.dask import connect
from rankwise.rankers.trees.dask._cluster import Cluster
from tests.rankers.trees.dask.crashes import at_most, die_in
from tests.rankers.trees.dask.factories import ALL, EVAL_SET, SMALL, TRAIN, two_workers, write_parts

pytestmark = pytest.mark.slow

GIVEN: dict[str, Any] = {"qid": TRAIN.qid, "eval_set": EVAL_SET}


@pytest.fixture
def client() -> Iterator[Client]:
    """A new cluster for each test: on a busy machine a nanny may not bring a killed worker back for minutes."""
    with two_workers() as client:
        yield client


@pytest.fixture(autouse=True)
def _impatient(monkeypatch) -> None:
    monkeypatch.setattr(failure, "STUCK_SECONDS", 1.0)


def test_killed_in_training_and_resumed(client) -> None:
    """In the stage of the plain loss: what is resumed is that stage, and the stage of the metric follows."""
    workers = client.run(os.getpid)

    def kill(number: int, values: dict[str, float]) -> None:
        if number == 3:
            os.kill(next(iter(workers.values())), signal.SIGKILL)

    model = rw.LambdaMART("ndcg@5", **(SMALL | {"init": "l2"}))
    said = (
        r"^the worker at \S+ died after 3 rounds, which are in .*; go on from there with resume=True, checkpoint='.*$"
    )
    with at_most(300), pytest.raises(WorkerLostError, match=said) as caught:
        model.fit(TRAIN.X, TRAIN.y, callbacks=[kill], client=client, **GIVEN)
    client.wait_for_workers(1, timeout=120)  # those that are left, or that a nanny has started again
    saved = str(caught.value).split("checkpoint='")[1].split("'")[0]
    with at_most(300):
        model.fit(TRAIN.X, TRAIN.y, checkpoint=saved, resume=True, client=client, **GIVEN)
    one = clone(model).fit(TRAIN.X, TRAIN.y, **GIVEN)
    assert np.allclose(model.predict(ALL.X), one.predict(ALL.X), atol=1e-12)
    assert model.evals_result_["valid_0"]["ndcg@5"] == pytest.approx(one.evals_result_["valid_0"]["ndcg@5"])


@pytest.mark.parametrize("step", ["_worker.TrainingWorker.__init__", "_worker.TrainingWorker.start"])
def test_killed_before_the_first_round(client, tmp_path, step) -> None:
    """While rows are read, and where the others wait for it to join their network."""
    parts = write_parts(TRAIN, tmp_path, "part", 4)
    die_in(client, step)
    said = r"^the worker at \S+ died before the first round; start again with the workers that are left$"
    with at_most(300), pytest.raises(WorkerLostError, match=said):
        rw.LambdaMART("ndcg@5", **SMALL).fit(parts, client=client)


def test_others_do_what_is_left_of_a_prediction(client, tmp_path) -> None:
    parts = write_parts(TRAIN, tmp_path, "part", 4)
    model = rw.LambdaMART("ndcg@5", **SMALL).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    die_in(client, "_sources._scores")
    with at_most(300):
        assert np.array_equal(model.predict(parts, client=client), model.predict(TRAIN.X))


def test_no_worker_is_one_sentence(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(failure, "START_SECONDS", 0.2)
    monkeypatch.setattr(failure, "ALONE_SECONDS", 0.2)
    model = rw.LambdaMART("ndcg@5", **SMALL)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as nobody, Client(nobody) as client, at_most(120):
        with pytest.raises(DataError, match=r"the cluster has no workers, after 0\.2 seconds; start some"):
            model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, client=client)
        with pytest.raises(WorkerLostError, match="all workers died"):
            list(failure.task_results(client, client.map(abs, [1, 2])))


def test_nobody_at_an_address_is_one_sentence(monkeypatch) -> None:
    monkeypatch.setattr(connection, "START_SECONDS", 1)
    said = r"^there is no Dask scheduler at tcp://127.0.0.1:1 \(.*\); start one, or pass local:2"
    with at_most(120), pytest.raises(DataError, match=said), connect("tcp://127.0.0.1:1"):
        pass


@pytest.mark.parametrize("early", [True, False])
def test_ctrl_c_keeps_the_rounds_so_far_and_leaves_the_cluster_fit_for_use(client, early) -> None:
    def stop(number: int, values: dict[str, float]) -> None:
        if number == 3:
            if early:
                raise KeyboardInterrupt
            threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with at_most(300):
            model = rw.LambdaMART("ndcg@5", **(SMALL | {"n_estimators": 4 if early else 400}))
            model.fit(TRAIN.X, TRAIN.y, callbacks=[stop], client=client, **GIVEN)
    finally:
        signal.signal(signal.SIGINT, before)
    assert model.interrupted_
    history = model.evals_result_["valid_0"]["ndcg@5"]
    one = rw.LambdaMART("ndcg@5", **(SMALL | {"n_estimators": len(history)})).fit(TRAIN.X, TRAIN.y, **GIVEN)
    assert history == pytest.approx(one.evals_result_["valid_0"]["ndcg@5"])
    assert len(history) == 3 if early else 3 <= len(history) < 400
    with at_most(120):
        while any(client.run(_actors_held).values()):  # the scheduler frees them in its own time
            time.sleep(0.05)


def test_ctrl_c_between_two_workers_lets_both_begin_the_round(client, monkeypatch) -> None:
    """Else the first would wait for the second forever."""
    each, methods = Cluster.each, []

    def press_then_run(worker, *call):
        os.kill(os.getpid(), signal.SIGINT)
        return worker.run(*call)

    def interrupted(self, method, arguments, *, in_step=False):
        methods.append(method)
        first, second = self.workers
        if in_step and methods.count(method) == 3:
            self.workers = [first, mock.Mock(run=partial(press_then_run, second))]
        try:
            return each(self, method, arguments, in_step=in_step)
        finally:
            self.workers = [first, second]

    monkeypatch.setattr(Cluster, "each", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with at_most(300):
            model = rw.LambdaMART("ndcg@5", **(SMALL | {"n_estimators": 400}))
            model.fit(TRAIN.X, TRAIN.y, client=client, **GIVEN)
    finally:
        signal.signal(signal.SIGINT, before)
    assert model.interrupted_


def _actors_held(dask_worker: Worker) -> int:
    return len(dask_worker.state.actors)
