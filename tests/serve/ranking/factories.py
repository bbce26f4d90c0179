"""Small models, the service in a thread of this process or as the command that it is, and a client for both."""

from __future__ import annotations

import http.client
import io
import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa

import rankwise as rw
from rankwise.data import polynomial
from rankwise.serve._server import listening, url_of
from rankwise.serve.ranking._app import Limits, RankingService, make_app
from rankwise.serve.ranking._metrics import Metrics
from rankwise.serve.ranking._model import CurrentModel
from rankwise.serve.ranking._run import DrainingServer
from tests.serve.process import started

NAMES = ["bm25", "age", "clicks", "länge"]
DATA = polynomial(queries=20, documents=15, features=4, seed=1)
X = np.asarray(DATA.X[:15], dtype=np.float64)
ROW = [1.0, 2.0, 3.0, 4.0]  # a document
IDS = [f"d{row}" for row in range(len(X))]
SMALL: dict[str, Any] = {
    "n_estimators": 6, "num_leaves": 4, "min_child_samples": 5, "split_noise": 0.0, "surrogate": "ndcg@30", "n_jobs": 1,
    "random_state": 0,
}  # fmt: skip
JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"


def fitted(model: Any, *, named: bool = True) -> Any:
    """A model of the data, whose features have names."""
    return model.fit(replace(DATA, feature_names=NAMES) if named else DATA)


def trees(*, named: bool = True, **more: Any) -> Any:
    return fitted(rw.LambdaMART("ndcg@10", **{**SMALL, **more}), named=named)


def linear(*, named: bool = True) -> Any:
    return fitted(rw.RankSVM("ndcg@10"), named=named)


@dataclass
class Client:
    """A client that opens a connection for each request, unless it is given one."""

    host: str
    service: Any = None
    token: str | None = None

    def send(
        self, method: str, path: str, body: Any = None, kind: str | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.host, timeout=300)
        try:
            return self.send_on(connection, method, path, body, kind, headers)
        finally:
            connection.close()

    def send_on(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: Any = None,
        kind: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Any]:
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        told = {} if raw is None else {"Content-Type": kind or JSON}
        if self.token is not None:
            told["Authorization"] = f"Bearer {self.token}"
        connection.request(method, path, raw, {**told, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read()
        is_json = (answer.headers["content-type"] or "").startswith(JSON)
        return answer.status, json.loads(text) if is_json else text.decode()

    def rank(self, body: Any, kind: str | None = None) -> tuple[int, Any]:
        return self.send("POST", "/rank", body, kind)


@contextmanager
def serving(path: Path, limits: Limits | None = None, token: str | None = None) -> Iterator[Client]:
    """The service in a thread of this process; the model's file is looked at only when a test says so."""
    service = RankingService(CurrentModel(path), Metrics(), limits or Limits(), token)
    service.model.on_reload = service.metrics.reloaded
    with listening("127.0.0.1", 0) as found:
        server = DrainingServer(make_app(service, loopback_only=True), service, drain_seconds=1)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]})
        thread.start()
        try:
            yield Client(urlsplit(url_of("127.0.0.1", found)).netloc, service, token)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def command(path: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """`rankwise serve` in a process of its own."""
    with started("serve", str(path), *more) as (process, told):
        yield process, Client(urlsplit(told["url"]).netloc)


def stream(table: pa.Table, **options: Any) -> bytes:
    """A table as an Arrow stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def is_sentence(said: Any) -> bool:
    return list(said) == ["error"] and len(said["error"]) > 20 and "\n" not in said["error"]
