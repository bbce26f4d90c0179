"""Clients of `rankwise serve` for benchmarks/serve.py: one process, many connections that stay open."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import numpy as np
import orjson
import psutil

JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
BUSY, WAITING, MANY = 4, 32, 16  # connections
# The service (and the bare loop, in its turns) and the clients keep to a core each, so that none drives another off.
CLIENT_CORE, *_, SERVICE_CORE = sorted(os.sched_getaffinity(0)) * 2


def request(host: str, body: bytes, kind: str) -> bytes:
    head = f"POST /rank HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@contextmanager
def service(
    path: Path, log: int | IO[str] = subprocess.DEVNULL, start: tuple[str, ...] = ("-m", "rankwise")
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command with one worker; gives its host and port, and its process."""
    process = subprocess.Popen(
        [sys.executable, *start, "serve", str(path), "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    assert process.stdout is not None
    os.sched_setaffinity(process.pid, {SERVICE_CORE})
    try:
        yield urlsplit(json.loads(process.stdout.readline())["url"]).netloc, process
        process.terminate()
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


class Connection:
    """A connection that stays open, and no more of HTTP than our own answers need."""

    async def open(self, host: str) -> Connection:
        name, port = host.split(":")
        self.reader, self.writer = await asyncio.open_connection(name, int(port))
        return self

    async def ask(self, sent: bytes) -> tuple[int, bytes]:
        self.writer.write(sent)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return int(head[9:12]), await self.reader.readexactly(length)


def get(host: str, path: str) -> bytes:
    async def ask() -> bytes:
        connection = await Connection().open(host)
        return (await connection.ask(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()))[1]

    return asyncio.run(ask())


def cpu_seconds(pid: int) -> float:
    used = psutil.Process(pid).cpu_times()
    return float(used.user + used.system)


async def saturate(host: str, sent: list[bytes], seconds: float) -> tuple[int, float]:
    """Answers, and the seconds they took, with some requests always waiting."""
    count, began = 0, time.perf_counter()

    async def client() -> None:
        nonlocal count
        connection = await Connection().open(host)
        while time.perf_counter() - began < seconds:
            status, _ = await connection.ask(sent[count % len(sent)])
            assert status == 200
            count += 1

    await asyncio.gather(*(client() for _ in range(BUSY)))
    return count, time.perf_counter() - began


async def latencies(host: str, sent: list[bytes], gaps: np.ndarray) -> np.ndarray:
    """Seconds from the moment at which each request is due, whether or not a connection was free then.

    The client does not sleep until then but looks at the clock: sleep is exact to a millisecond only, which is as long
    as an answer takes.
    """
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(WAITING):
        free.put_nowait(await Connection().open(host))
    taken = np.empty(len(gaps))

    async def one(number: int, due: float) -> None:
        connection = await free.get()
        status, _ = await connection.ask(sent[number % len(sent)])
        assert status == 200
        taken[number] = time.perf_counter() - due
        free.put_nowait(connection)

    gc.collect()
    gc.disable()  # the client's pauses are not the service's
    tasks = []
    for number, due in enumerate(time.perf_counter() + np.cumsum(gaps)):
        while time.perf_counter() < due:
            await asyncio.sleep(0)
        tasks.append(asyncio.create_task(one(number, due)))
    await asyncio.gather(*tasks)
    gc.enable()
    return taken


def share_lost(seconds: float) -> float:
    """The share of a core's time that this machine gives to others in pieces of half a millisecond and more."""
    began = last = time.perf_counter()
    lost = 0.0
    while last - began < seconds:
        now = time.perf_counter()
        lost += now - last if now - last > 0.0005 else 0.0
        last = now
    return lost / seconds


Scores = dict[tuple[str, int], list[float]]  # by version and by number of the request


async def endure(host: str, sent: list[bytes], right: Scores, count: int, exchange: Callable[[int], None]) -> dict:
    """Answers that are not 200, or not the scores of the version that they name; models are exchanged all the time."""
    errors, versions, numbers = 0, dict.fromkeys((version for version, _ in right), 0), itertools.count()
    began, ended = time.perf_counter(), False

    async def client() -> None:
        nonlocal errors
        connection = await Connection().open(host)
        while (number := next(numbers)) < count:
            try:
                status, body = await connection.ask(sent[number % len(sent)])
                told = orjson.loads(body)
                version = told["model"]["version"]
                versions[version] += 1
                errors += status != 200 or told["scores"] != right[version, number % len(sent)]
            except (OSError, asyncio.IncompleteReadError, ValueError, KeyError):
                errors += 1
                connection = await Connection().open(host)

    async def turns() -> int:
        watching, line = await Connection().open(host), b"rankwise_model_reloads_total %d\n"
        for turn in itertools.count(1):
            exchange(turn)
            while line % turn not in (await watching.ask(f"GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()))[1]:
                await asyncio.sleep(0.1)
                if ended:
                    return turn - 1
        raise AssertionError

    exchanging = asyncio.create_task(turns())
    await asyncio.gather(*(client() for _ in range(MANY)))
    seconds, ended = time.perf_counter() - began, True
    return {
        "requests": count,
        "connections": MANY,
        "models_picked_up": await exchanging,
        "answers_by_version": versions,
        "errors": errors,
        "seconds": round(seconds, 1),
    }
