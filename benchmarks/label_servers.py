"""Servers on one label store: two at once, and one that is killed again and again; is every acknowledged grade there?

Labellers are threads that ask for work and grade what they get, as the page does: a request without an answer is sent
again, to whichever server runs by then.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn

from rankwise.data import RankingData, web
from rankwise.labels import Judgement, LabelStore
from rankwise.rankers import RankSVM
from rankwise.sampling import get_sampler
from rankwise.serve._server import config_for
from rankwise.serve.labelling._app import make_app
from rankwise.serve.labelling._labellers import Labellers
from rankwise.serve.labelling._learning import Learner
from rankwise.serve.labelling._refit import Chooser, Refit
from rankwise.serve.labelling._session import Session

NAMES = ("ana", "ben", "cem", "dan")
PATIENCE = 300.0


def pool(queries: int) -> RankingData:
    """Queries of about a dozen documents, all unjudged."""
    made = web(queries=queries, documents=12, features=8, seed=3)
    return RankingData(made.X, np.full(len(made), -1.0), made.qid, [f"d{row}" for row in range(len(made))])


def secret(name: str) -> str:
    return f"secret-of-{name}"


def make_session(path: Path) -> Session:
    """A session as `rankwise label` makes it."""
    learner = Learner(lambda: RankSVM(metric="ndcg@10"), "ndcg@10")
    chooser = Chooser(get_sampler("top"), per_query=4, queries=10)
    return Session(Refit(LabelStore.open(path), chooser, learner, "ranksvm", Path(f"{path}.models")))


def start(path: Path, listener: socket.socket) -> int:
    """A server in a process forked from this one; its id."""
    child = os.fork()
    if child:
        return child
    try:
        app = make_app(make_session(path), Labellers.of([f"{name}={secret(name)}" for name in NAMES], "nobody"))
        uvicorn.Server(config_for(app, close_seconds=0)).run(sockets=[listener])
    finally:
        os._exit(1)


def listen() -> socket.socket:
    """A socket that outlives the servers that answer on it."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    listener.set_inheritable(True)
    return listener


@dataclass
class Labeller:
    """Somebody at a page of one server, who grades until told to stop, and keeps what was acknowledged."""

    name: str
    port: int
    stop: threading.Event
    seed: int
    acknowledged: list[tuple[int, int]] = field(default_factory=list)  # item, grade
    shown: list[int] = field(default_factory=list)
    sent_again: int = 0
    problem: str = ""

    def ask(self, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        """An answer, however often it takes."""
        for attempt in range(10_000):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
                headers = {"Authorization": f"Bearer {secret(self.name)}", "Content-Type": "application/json"}
                connection.request("POST" if body else "GET", path, body and json.dumps(body), headers)
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())
            except (OSError, http.client.HTTPException, ValueError):
                self.sent_again += bool(body) and attempt == 0
                if self.stop.is_set() and attempt > 50:
                    raise
                time.sleep(0.02)
            finally:
                connection.close()
        raise TimeoutError

    def __call__(self) -> None:
        try:
            self._work(random.Random(self.seed))
        except Exception as problem:
            self.problem = f"{type(problem).__name__}: {problem}"

    def _work(self, draw: random.Random) -> None:
        while not self.stop.is_set():
            _, work = self.ask("/api/work")
            todo = [one["item"] for one in work["items"] if one["grade"] is None]
            self.shown += todo
            for item in todo:
                if self.stop.is_set():
                    return
                grade = draw.randrange(5)
                status, said = self.ask("/api/grade", {"item": item, "round": work["round"], "grade": grade})
                if status == 200:
                    self.acknowledged.append((item, grade))
                elif status in (404, 409, 422):  # the round ended meanwhile
                    break
                else:
                    raise RuntimeError(f"{status} {said}")
            if not todo:
                time.sleep(0.05)


def found_in(path: Path) -> list[Judgement]:
    with LabelStore.open(path) as store:
        assert store._database.rows("PRAGMA integrity_check") == [("ok",)]
        for model in store.models():
            model.check()
        return store.acts_since(0)


def compare(labellers: list[Labeller], found: list[Judgement]) -> dict[str, int]:
    """Acknowledged grades that are not there, and acts beyond those acknowledged (one may have got no answer)."""
    acts = Counter((act.labeller, act.item, act.grade) for act in found)
    told = Counter((one.name, item, grade) for one in labellers for item, grade in one.acknowledged)
    both = Counter(item for item, _ in {(act.item, act.labeller) for act in found})
    return {
        "acknowledged": told.total(),
        "found": acts.total(),
        "lost": (told - acts).total(),
        "twice": sum(count - 1 for count in acts.values() if count > 1),
        "unanswered": (acts - told).total(),
        "items of two labellers": sum(count > 1 for count in both.values()),
    }


def run(path: Path, listeners: list[socket.socket], labellers: list[Labeller], kills: int, acts: int) -> dict[str, int]:
    """Servers on their sockets and labellers at them, until so many kills of the first and so many acts."""
    servers = [start(path, listener) for listener in listeners]
    threads = [threading.Thread(target=labeller) for labeller in labellers]
    draw, done = random.Random(1), 0
    for thread in threads:
        thread.start()
    while done < kills or sum(len(one.acknowledged) for one in labellers) < acts:
        if not any(thread.is_alive() for thread in threads):
            break
        before = sum(len(one.acknowledged) for one in labellers)
        time.sleep(draw.uniform(0.05, 0.3))
        if done < kills and sum(len(one.acknowledged) for one in labellers) > before:
            os.kill(servers[0], signal.SIGKILL)
            os.waitpid(servers[0], 0)
            servers[0] = start(path, listeners[0])
            done += 1
    for labeller in labellers:
        labeller.stop.set()
    for thread in threads:
        thread.join()
    for server in servers:
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)
    assert not any(one.problem for one in labellers), [one.problem for one in labellers]
    return {"kills": done, "sent again": sum(one.sent_again for one in labellers), **compare(labellers, found_in(path))}


def two_servers(folder: Path, acts: int) -> dict[str, int]:
    """Two labellers at each of two servers; servers do not know what the other has handed out."""
    path = folder / "two.db"
    LabelStore.create(path, pool(100)).close()
    listeners = [listen(), listen()]
    ports = [listener.getsockname()[1] for listener in listeners]
    labellers = [Labeller(name, ports[n // 2], threading.Event(), n) for n, name in enumerate(NAMES)]
    found = run(path, listeners, labellers, 0, acts)
    with LabelStore.open(path) as store:
        found["rounds"] = store.position[0]
    return found


def killed_servers(folder: Path, kills: int) -> dict[str, int]:
    """One server with three labellers, killed while they grade."""
    path = folder / "killed.db"
    LabelStore.create(path, pool(300)).close()
    listener = listen()
    port = listener.getsockname()[1]
    return run(
        path, [listener], [Labeller(name, port, threading.Event(), n) for n, name in enumerate(NAMES[:3])], kills, 0
    )
