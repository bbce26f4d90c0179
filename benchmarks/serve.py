"""Serving: `rankwise serve` against LightGBM's predict in a bare loop, its latencies at half load, and 50,000 requests.

Requests of 100 documents by 136 features, as JSON (lists, or features by name) and as Arrow streams. Both sides have as
many processes: the bare loop runs in one, the service with one worker, and the clients are a process of their own.
`cpu_ms` is the processor's time for each request, which other programs disturb less.

- throughput: requests a second over predictions a second, taken by turns, so that a slow spell hits both
- half load: requests at random times (Poisson), half as many a second as the service can take; p50 and p99
- endurance: requests over several connections while the model file is exchanged each second; answers that are not 200,
  or not the scores of the version that they name, are errors

    python benchmarks/serve.py
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import orjson
import psutil
import pyarrow as pa
from harness import machine
from harness import write as write_results

import rankwise as rw
from rankwise.data import web
from rankwise.rankers.features import NamedColumns

DOCUMENTS, FEATURES = 100, 136
NAMES = [f"feature_{k}" for k in range(FEATURES)]
JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
BARS = {"throughput": 0.5, "p99_over_p50": 4.0, "errors": 0}
CONNECTIONS = 4
QUERIES = 64


def fitted(trees: int, seed: int) -> rw.LambdaMART:
    made = web(queries=300, documents=100, features=FEATURES, seed=seed)
    model = rw.LambdaMART("ndcg@10", n_estimators=trees, random_state=seed)
    return model.fit(NamedColumns(made.X, NAMES), made.y, qid=made.qid)


def queries() -> list[np.ndarray]:
    """Many, because branches of the trees that are always the same are foreseen by the processor."""
    X = web(queries=2 * QUERIES, documents=DOCUMENTS, features=FEATURES, seed=9).X[: QUERIES * DOCUMENTS]
    return list(X.reshape(QUERIES, DOCUMENTS, FEATURES))


def requests_of(host: str, given: list[np.ndarray]) -> dict[str, list[bytes]]:
    """Requests by form, one a query."""
    made = [{form: request(host, *body) for form, body in bodies(X).items()} for X in given]
    return {form: [one[form] for one in made] for form in made[0]}


def bodies(X: np.ndarray) -> dict[str, tuple[bytes, str]]:
    """The same documents in each form; numbers are written with as few digits as float32 needs."""
    numbers = orjson.loads(orjson.dumps(X, option=orjson.OPT_SERIALIZE_NUMPY))
    named = [{"id": f"d{row}", "features": dict(zip(NAMES, one, strict=True))} for row, one in enumerate(numbers)]
    columns = pa.table({name: X[:, k] for k, name in enumerate(NAMES)})
    lists = pa.table({"features": pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), FEATURES)})
    return {
        "Arrow, lists": (stream(lists), ARROW),
        "Arrow, columns": (stream(columns), ARROW),
        "JSON, lists": (orjson.dumps({"features": numbers}), JSON),
        "JSON, by name": (orjson.dumps({"documents": named}), JSON),
    }


def stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def request(host: str, body: bytes, kind: str) -> bytes:
    head = f"POST /rank HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@contextmanager
def service(path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command with one worker; gives its host and port, and its process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rankwise", "serve", str(path), "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
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


async def saturate(host: str, sent: list[bytes], seconds: float) -> float:
    """Answers a second with some requests always waiting."""
    count, began = 0, time.perf_counter()

    async def client() -> None:
        nonlocal count
        connection = await Connection().open(host)
        while time.perf_counter() - began < seconds:
            status, _ = await connection.ask(sent[count % QUERIES])
            assert status == 200
            count += 1

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return count / (time.perf_counter() - began)


def bare_loop(model: rw.LambdaMART, given: list[np.ndarray], seconds: float) -> float:
    """LightGBM's predictions a second, in one thread."""
    booster, count, began = model.boosters_[0], 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        booster.predict(given[count % QUERIES], raw_score=True, num_threads=1)
        count += 1
    return count / (time.perf_counter() - began)


def throughput(path: Path, seconds: float, rounds: int) -> list[dict[str, Any]]:
    model, given = rw.load(path), queries()
    with service(path) as (host, process):
        forms = requests_of(host, given)
        best, cpu = dict.fromkeys(["bare", *forms], 0.0), dict.fromkeys(["bare", *forms], float("inf"))
        for _ in range(rounds):
            began = time.process_time()
            rate = bare_loop(model, given, seconds)
            best["bare"] = max(best["bare"], rate)
            cpu["bare"] = min(cpu["bare"], (time.process_time() - began) / (rate * seconds))
            for name, sent in forms.items():
                before = cpu_seconds(process)
                rate = asyncio.run(saturate(host, sent, seconds))
                best[name] = max(best[name], rate)
                cpu[name] = min(cpu[name], (cpu_seconds(process) - before) / (rate * seconds))
    rows = []
    for name, sent in forms.items():
        ratio = best[name] / best["bare"]
        rows.append(
            {
                "trees": model.boosters_[0].num_trees(),
                "body": name,
                "bytes": len(sent[0]),
                "requests_per_second": round(best[name], 1),
                "bare_per_second": round(best["bare"], 1),
                "ratio": round(ratio, 3),
                "reached": ratio >= BARS["throughput"],
                "cpu_ms": round(1000 * cpu[name], 3),
                "bare_cpu_ms": round(1000 * cpu["bare"], 3),
            }
        )
        print(rows[-1])
    return rows


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    used = psutil.Process(process.pid).cpu_times()
    return float(used.user + used.system)


async def at_half_load(host: str, sent: list[bytes], rate: float, seconds: float) -> dict[str, Any]:
    """Latencies from the moment at which a request is due, whether or not a connection was free then."""
    drawn = np.random.default_rng(0)
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(32):
        free.put_nowait(await Connection().open(host))
    taken: list[float] = []

    async def one(due: float) -> None:
        connection = await free.get()
        status, _ = await connection.ask(sent[len(taken) % QUERIES])
        assert status == 200
        taken.append(time.perf_counter() - due)
        free.put_nowait(connection)

    due, end, tasks = time.perf_counter(), time.perf_counter() + seconds, []
    while due < end:
        due += drawn.exponential(1.0 / rate)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(one(due)))
    await asyncio.gather(*tasks)
    p50, p99 = np.quantile(taken, [0.5, 0.99]).tolist()
    return {
        "requests": len(taken),
        "rate": round(rate, 1),
        "p50_ms": round(1000 * p50, 3),
        "p99_ms": round(1000 * p99, 3),
        "p99_over_p50": round(p99 / p50, 2),
        "reached": p99 / p50 < BARS["p99_over_p50"],
    }


def half_load(path: Path, seconds: float) -> list[dict[str, Any]]:
    rows = []
    with service(path) as (host, _):
        for name, sent in requests_of(host, queries()).items():
            most = asyncio.run(saturate(host, sent, seconds / 4))
            rows.append({"body": name, **asyncio.run(at_half_load(host, sent, most / 2, seconds))})
            print(rows[-1])
    return rows


async def endure(host: str, sent: bytes, right: dict[str, list[float]], count: int, turn: Any) -> dict[str, Any]:
    errors, versions, left = 0, dict.fromkeys(right, 0), count
    began = time.perf_counter()

    async def client() -> None:
        nonlocal errors, left
        connection = await Connection().open(host)
        while left > 0:
            left -= 1
            try:
                status, body = await connection.ask(sent)
                told = orjson.loads(body)
                version = told["model"]["version"]
                versions[version] += 1
                errors += status != 200 or told["scores"] != right[version]
            except (OSError, asyncio.IncompleteReadError, ValueError, KeyError):
                errors += 1
                connection = await Connection().open(host)

    async def exchange() -> None:
        while left > 0:
            turn()
            await asyncio.sleep(1.0)

    await asyncio.gather(exchange(), *(client() for _ in range(16)))
    return {"errors": errors, "answers_by_version": versions, "seconds": round(time.perf_counter() - began, 1)}


def endurance(folder: Path, count: int) -> dict[str, Any]:
    body, kind = bodies(queries()[0])["JSON, lists"]
    # What the service reads: doubles of the digits that were sent.
    read = np.array(orjson.loads(body)["features"])
    right, files = {}, [folder / "one.rw", folder / "two.rw"]
    for file, trees in zip(files, (100, 50), strict=True):
        rw.save(fitted(trees, seed=1), file)
        with service(file) as (host, _):
            version = version_at(host)
        right[version] = rw.load(file).predict(NamedColumns(read, NAMES)).tolist()
    path, turns = folder / "m.rw", 0
    shutil.copy(files[0], path)

    def turn() -> None:
        nonlocal turns
        turns += 1
        shutil.copy(files[turns % 2], folder / "next.rw")
        (folder / "next.rw").replace(path)

    with service(path) as (host, _):
        found = asyncio.run(endure(host, request(host, body, kind), right, count, turn))
    found = {"requests": count, "connections": 16, "files_exchanged": turns, **found, "reached": found["errors"] == 0}
    print(found)
    return found


def version_at(host: str) -> str:
    async def ask() -> bytes:
        connection = await Connection().open(host)
        return (await connection.ask(f"GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()))[1]

    version: str = orjson.loads(asyncio.run(ask()))["model"]["version"]
    return version


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=50_000, help="while models are exchanged (default: 50000)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each turn (default: 2)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side (default: 3)")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = []
        for trees in (100, 500):
            rw.save(fitted(trees, seed=0), folder / f"{trees}.rw")
            rows += throughput(folder / f"{trees}.rw", options.seconds, options.rounds)
        latencies = half_load(folder / "100.rw", 4 * options.seconds)
        lasted = endurance(folder, options.requests)
    write_results(
        "serve",
        {
            "documents": DOCUMENTS,
            "features": FEATURES,
            "bars": BARS,
            "throughput": rows,
            "half_load": latencies,
            "endurance": lasted,
            "machine": machine("uvicorn", "orjson", "pyarrow"),
        },
    )


if __name__ == "__main__":
    main()
