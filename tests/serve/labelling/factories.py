"""A small pool with texts, and the command that serves it."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn

from rankwise.data import RankingData, web, write
from rankwise.labels import LabelStore, read_texts
from rankwise.rankers import RankSVM
from rankwise.sampling import get_sampler
from rankwise.serve._server import listening, url_of
from rankwise.serve.labelling._app import make_app
from rankwise.serve.labelling._labellers import Labellers
from rankwise.serve.labelling._learning import Learner
from rankwise.serve.labelling._refit import Chooser, Refit
from rankwise.serve.labelling._session import Session
from tests.serve.process import started

SCRIPT = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
WORDS = "ferry timetable island bicycle winter storm harbour museum ticket night bus map walk lighthouse".split()


def pool() -> RankingData:
    """Twelve queries of about a dozen documents, with features that tell which are good; all unjudged."""
    made = web(queries=12, documents=12, features=8, seed=3)
    return RankingData(made.X, np.full(len(made), -1.0), made.qid, [f"d{row}" for row in range(len(made))])


def truth() -> np.ndarray:
    """The grades that somebody who knows would give."""
    return web(queries=12, documents=12, features=8, seed=3).y


def write_pool(folder: Path) -> RankingData:
    """pool.txt, and docs.jsonl with hostile texts; every fifth document has none."""
    data = pool()
    write(data, folder / "pool.txt")
    drawn = np.random.default_rng(0)
    lines: list[dict[str, object]] = [
        {"qid": int(qid), "text": f"{WORDS[int(qid) % len(WORDS)]} near the {WORDS[-1 - int(qid) % 5]}?"}
        for qid in data.groups.qids
    ]
    for row in range(len(data)):
        if row % 5:
            words = " ".join(drawn.choice(WORDS, 40))
            text = f"{words} {SCRIPT}" if row % 2 else words * (1 + 10 * (row % 3))
            lines.append(
                {"doc_id": f"d{row}", "title": f"{WORDS[row % 14]} & {row} <b>", "text": text, "year": 1990 + row}
            )
    (folder / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return data


@dataclass
class Served:
    """A command that serves, and where."""

    process: subprocess.Popen[str]
    url: str
    links: dict[str, str]


@contextmanager
def served(folder: Path, *more: str) -> Iterator[Served]:
    """`rankwise label` in a process of its own."""
    given = ("label", "pool.txt", "--db", "labels.db", "--text", "docs.jsonl", "--ranker", "ranksvm")
    with started(*given, *more, folder=folder) as (process, told):
        yield Served(process, told["url"], told["labellers"])


def make_session(folder: Path, store: LabelStore | None = None, *, ranker: Any = None, **more: Any) -> Session:
    """A session over the pool, its store made if it is not given."""
    if store is None:
        texts, query_texts = read_texts(folder / "docs.jsonl", pool())
        store = LabelStore.create(folder / "labels.db", pool(), texts, query_texts)
    options: dict[str, Any] = {"per_query": 5, "queries": 3, "seed": 0, "sampler": "lossmin", "test": None} | more
    chooser = Chooser(get_sampler(options["sampler"]), options["per_query"], options["queries"], options["seed"])
    learner = Learner(ranker or (lambda: RankSVM(metric="ndcg@10")), "ndcg@10", options["test"], options["seed"])
    refit = Refit(store, chooser, learner, "ranksvm", folder / "labels.db.models")
    return Session(refit, overlap=options.get("overlap", 1), clock=options.get("clock", time.monotonic))


def settled(session: Session) -> Session:
    """The session when no refit is under way."""
    while (thread := session._thread) is not None:
        thread.join()
    return session


def label_round(session: Session, who: str = "ana") -> list[int]:
    """Judge all that the open round has for somebody, as it deserves, and wait for the next."""
    grades, items, number = truth(), [], session.round
    while session.round == number and not session.is_fitting:
        place = session.handout.claim_query(who)
        if place is None:
            break
        for item in session.handout.shown(place, who):
            session.judge(who, item, int(grades[item]), number)
            items.append(item)
    settled(session)
    return items


@contextmanager
def serving(session: Session, labellers: Labellers | None = None) -> Iterator[str]:
    """The application in a thread of this process; gives its address."""
    app = make_app(session, labellers or Labellers.of([], "ana"))
    with listening("127.0.0.1", 0) as found:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]})
        thread.start()
        try:
            yield url_of("127.0.0.1", found)
        finally:
            server.should_exit = True
            thread.join()
            session.close()
            session.store.close()
