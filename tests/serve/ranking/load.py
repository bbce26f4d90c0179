"""Models to exchange, and many clients at once, each on a connection of its own that stays open."""

from __future__ import annotations

import http.client
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import rankwise as rw
from rankwise.serve.ranking._model import CurrentModel
from tests.serve.ranking.factories import Client, X, trees


def two_models(folder: Path) -> dict[str, list[float]]:
    """one.rw and two.rw, and the scores of each by its version."""
    found = {}
    for name, rounds in (("one", 6), ("two", 3)):
        model = trees(n_estimators=rounds, named=False)
        rw.save(model, folder / f"{name}.rw")
        found[CurrentModel(folder / f"{name}.rw").now.info.version] = model.predict(X).tolist()
    return found


def put(source: Path, path: Path) -> None:
    """A file in the place of another, whole from the first moment on."""
    shutil.copy(source, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


@dataclass
class Load:
    """What clients in threads saw: answers that were not right, and how many there were of each version."""

    client: Client
    body: bytes
    is_right: Callable[[int, Any], bool]
    wrong: list[Any] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    enough: threading.Event = field(default_factory=threading.Event)

    def start(self, threads: int, requests: int) -> list[threading.Thread]:
        """Clients that send so many requests each, and more until there is `enough`."""
        started = [threading.Thread(target=self._ask, args=(requests,)) for _ in range(threads)]
        for thread in started:
            thread.start()
        return started

    def _ask(self, requests: int) -> None:
        connection = http.client.HTTPConnection(self.client.host, timeout=300)
        for number in count():
            if number >= requests and self.enough.is_set():
                break
            try:
                status, said = self.client.send_on(connection, "POST", "/rank", self.body)
            except Exception as problem:
                status, said = 0, repr(problem)
            with self.lock:
                if self.is_right(status, said):
                    version = said["model"]["version"]
                    self.versions[version] = self.versions.get(version, 0) + 1
                else:
                    self.wrong.append((status, said))
        connection.close()
