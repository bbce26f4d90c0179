"""Serving under abuse: `rankwise serve` against bodies, clients and model files that mean it no good.

- schemathesis: requests made by schemathesis from the service's own OpenAPI, at least `--bodies`; it is no
  dependency, so `--schemathesis` says where it is (a venv of its own). Statuses are what the service counted
- json, arrow: bodies that are nearly right (serve_mutations.py), over connections that stay open. A status of 5xx, no
  answer, or an answer of another shape is a failure; memory is the service's, after a tenth of the requests and at the
  end
- slow: p50 and p99 of clients that ask at an even rate, in rounds with and without 200 connections that send headers or
  a body byte by byte, or take their answers so; the ratio is the median over pairs of rounds
- endurance: memory after 10,000 requests of all forms, right and wrong, and after all
- models: the model file is replaced by a sound one, cut off, garbage, written in two steps, deleted, again and again,
  each time when the service has noticed; every answer must be 200 and the scores of the model that it names. The
  service looks for a new file every 20 ms for this, else it would take an hour

    python benchmarks/serve_abuse.py [--only slow] [--schemathesis /tmp/venv/bin/schemathesis]

A part that is not run keeps its figures of before in results/serve_abuse.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import psutil
from harness import machine
from harness import write as write_results
from http_load import Connection, get, latencies, request, service
from serve_drip import drip
from serve_models import exchange_models
from serve_mutations import ARROW, JSON, arrow_body, json_body
from sources import RESULTS, head

import rankwise as rw
from rankwise.data import web

NAMES = ["bm25", "age", "clicks", "länge"]
CONNECTIONS = 8
SCHEMATHESIS_SECONDS = 120
BARS = {"server errors": 0, "memory": 1.05, "p99 ratio": 2.0, "wrong answers": 0}
Send = tuple[str, bytes, str]  # route, body, content type


def save_model(path: Path, seed: int = 0) -> None:
    made = web(queries=100, documents=30, features=len(NAMES), seed=seed)
    model = rw.LambdaMART("ndcg@10", n_estimators=30, num_leaves=15, random_state=seed)
    rw.save(model.fit(replace(made, feature_names=NAMES)), path)


@contextmanager
def small_service() -> Iterator[tuple[str, subprocess.Popen[str], Callable[[], str]]]:
    """A service of a small model, its process, and what it has logged."""
    with tempfile.TemporaryDirectory() as folder:
        save_model(Path(folder) / "m.rw")
        with (Path(folder) / "log").open("w+") as log, service(Path(folder) / "m.rw", log) as (host, process):
            yield host, process, lambda: (Path(folder) / "log").read_text()


def memory(process: subprocess.Popen[str]) -> int:
    return int(psutil.Process(process.pid).memory_info().rss)


def message(host: str, send: Send) -> bytes:
    route, body, kind = send
    return request(host, body, kind).replace(b" /rank ", f" {route} ".encode(), 1)


def is_sound(status: int, body: bytes) -> bool:
    """Whether an answer has an order of all documents by falling scores, or one sentence."""
    said = orjson.loads(body)
    if status != 200:
        return list(said) == ["error"] and "\n" not in said["error"]
    if "scores" not in said:
        return "reasons" in said
    return len(said["order"]) == len(said["scores"]) and all(np.isfinite(said["scores"]))


async def send_all(host: str, make: Callable[[int], Send], first: int, count: int) -> tuple[Counter[str], list[Any]]:
    """Statuses, and the first requests that failed; a connection that is closed after an answer is opened anew."""
    statuses: Counter[str] = Counter()
    failures: list[Any] = []
    numbers = iter(range(first, first + count))

    async def client() -> None:
        connection = await Connection().open(host)
        for number in numbers:
            send = make(number)
            try:
                status, body = await connection.ask(message(host, send))
            except (OSError, asyncio.IncompleteReadError):
                statuses["no answer"] += 1
                failures.append({"number": number, "route": send[0], "status": None})
                connection = await Connection().open(host)
                continue
            statuses[str(status)] += 1
            if status >= 500 or not is_sound(status, body):
                failures.append({"number": number, "route": send[0], "status": status, "said": body[:300].decode()})
            if status not in (200, 422):
                connection = await Connection().open(host)

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return statuses, failures[:20]


def send_bodies(make: Callable[[int], Send], count: int) -> dict[str, Any]:
    with small_service() as (host, process, log):
        statuses, failures = asyncio.run(send_all(host, make, 0, count // 10))
        before = memory(process)
        more, others = asyncio.run(send_all(host, make, count // 10, count - count // 10))
        after = memory(process)
        tracebacks = log().count("Traceback")
    return {
        "requests": count,
        "statuses": dict(sorted((statuses + more).items())),
        "server_errors": sum(n for status, n in (statuses + more).items() if status >= "5"),  # and "no answer"
        "failures": failures + others,
        "tracebacks": tracebacks,
        "rss_after_a_tenth": before,
        "rss_at_the_end": after,
        "rss_ratio": round(after / before, 4),
    }


def mutated_json(number: int) -> Send:
    return (*json_body(number, NAMES), JSON)


def mutated_arrow(number: int) -> Send:
    return "/rank", arrow_body(number, NAMES), ARROW


def mixed(number: int) -> Send:
    """Requests of all forms, of which some are sound."""
    if number % 2:
        rows = np.random.default_rng(number % 64).normal(size=(1 + number % 40, len(NAMES))).tolist()
        body: dict[str, Any] = {"features": rows}
        if number % 4 == 1:
            body = {
                "documents": [{"id": k, "features": dict(zip(NAMES, row, strict=True))} for k, row in enumerate(rows)]
            }
        return "/explain" if number % 32 == 1 else "/rank", orjson.dumps(body), JSON
    return mutated_json(number) if number % 4 else mutated_arrow(number)


def by_schemathesis(program: str, count: int, seconds: int) -> dict[str, Any]:
    """Runs of `SCHEMATHESIS_SECONDS`, each with a seed of its own, until the service has counted enough requests."""
    statuses: Counter[str] = Counter()
    exits: Counter[int] = Counter()
    with small_service() as (host, process, log), tempfile.TemporaryDirectory() as folder:
        before, end = memory(process), time.monotonic() + seconds
        while sum(statuses.values()) < count and time.monotonic() < end:
            told = subprocess.run(
                [
                    program, "run", f"http://{host}/openapi.json", "--checks", "not_a_server_error",
                    "--phases", "coverage,fuzzing", "--max-time", str(SCHEMATHESIS_SECONDS),
                    "--seed", str(sum(exits.values())), "--no-color",
                ],
                capture_output=True, text=True, cwd=folder, check=False,
            )  # fmt: skip
            exits[told.returncode] += 1
            statuses = Counter()
            for line in get(host, "/metrics").decode().splitlines():
                if line.startswith("rankwise_requests_total{"):
                    statuses[line.split('status="')[1][:3]] += int(float(line.split()[-1]))
            print("schemathesis", dict(exits), dict(statuses), file=sys.stderr, flush=True)
        after = memory(process)
        tracebacks = log().count("Traceback")
    return {
        "version": told.stdout.split()[1],
        "runs_by_exit": {str(code): n for code, n in sorted(exits.items())},
        "requests": sum(statuses.values()),
        "statuses": dict(sorted(statuses.items())),
        "server_errors": sum(n for status, n in statuses.items() if status >= "5"),
        "tracebacks": tracebacks,
        "rss_before": before,
        "rss_at_the_end": after,
        "summary": told.stdout[-600:],
    }


def endurance(count: int, first: int) -> dict[str, Any]:
    with small_service() as (host, process, _):
        _, failures = asyncio.run(send_all(host, mixed, 0, first))
        before = memory(process)
        began = time.perf_counter()
        statuses, others = asyncio.run(send_all(host, mixed, first, count - first))
        after = memory(process)
    return {
        "requests": count,
        "first": first,
        "rss_after_the_first": before,
        "rss_at_the_end": after,
        "rss_ratio": round(after / before, 4),
        "statuses": dict(sorted(statuses.items())),
        "failures": failures + others,
        "requests_per_second": round((count - first) / (time.perf_counter() - began), 1),
    }


def slow_clients(rounds: int, seconds: float, connections: int, rate: float) -> dict[str, Any]:
    """Rounds in pairs, one with slow connections (in a process of their own) and one without."""
    taken: dict[str, list[np.ndarray]] = {"with": [], "without": []}
    sends = [mixed(2 * k + 1) for k in range(64)]
    gaps = np.full(int(rate * seconds), 1 / rate)
    with small_service() as (host, _, log):
        sent = [message(host, send) for send in sends]
        asyncio.run(latencies(host, sent, gaps[: len(gaps) // 5]))
        for turn in range(2 * rounds):
            name = ("with", "without")[(turn + turn // 2) % 2]  # each goes first in every second pair
            if name == "with":
                with drip(host, connections):
                    taken[name].append(asyncio.run(latencies(host, sent, gaps)))
            else:
                taken[name].append(asyncio.run(latencies(host, sent, gaps)))
        lines = len(log().splitlines())

    def quantiles(share: float) -> dict[str, Any]:
        by_name = {name: [float(np.quantile(one, share)) for one in turns] for name, turns in taken.items()}
        ratios = [a / b for a, b in zip(by_name["with"], by_name["without"], strict=True)]
        milliseconds = {name: round(1e3 * float(np.median(of_rounds)), 2) for name, of_rounds in by_name.items()}
        pooled = {name: float(np.quantile(np.concatenate(turns), share)) for name, turns in taken.items()}
        return {
            "milliseconds": milliseconds,
            "ratio": round(float(np.median(ratios)), 3),
            "ratio_pooled": round(pooled["with"] / pooled["without"], 3),
        }

    return {
        "slow_connections": connections,
        "rounds": rounds,
        "requests_per_second": rate,
        "requests": len(gaps) * 2 * rounds,
        "p50": quantiles(0.5),
        "p99": quantiles(0.99),
        "lines_in_the_log": lines,
        "load_average": [round(one, 1) for one in psutil.getloadavg()],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ("schemathesis", "json", "arrow", "slow", "endurance", "models")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    parser.add_argument("--schemathesis", help="the program; left out if it is not given")
    parser.add_argument("--seconds", type=int, default=7200, help="for schemathesis, at most")
    parser.add_argument("--bodies", type=int, default=20_000)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--slow", type=int, default=200, help="slow connections")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--replacements", type=int, default=1_000)
    options = parser.parse_args()
    work: dict[str, Callable[[], dict[str, Any]]] = {
        "json": lambda: send_bodies(mutated_json, options.bodies),
        "arrow": lambda: send_bodies(mutated_arrow, options.bodies),
        "slow": lambda: slow_clients(options.rounds, 5.0, options.slow, 100.0),
        "endurance": lambda: endurance(options.requests, options.requests // 20),
        "models": lambda: exchange_models(save_model, mixed, options.replacements),
    }
    if options.schemathesis:
        work["schemathesis"] = lambda: by_schemathesis(options.schemathesis, options.bodies, options.seconds)
    for part in options.only:
        if part in work:
            commit = head()  # when it began
            found = work[part]() | {"commit": commit, "machine": machine("uvicorn", "httptools", "pyarrow")}
            print(part, json.dumps(found, indent=1), file=sys.stderr)
            # Parts may run beside each other: each adds its own to what is there when it ends.
            path = RESULTS / "serve_abuse.json"
            before = json.loads(path.read_text()) if path.exists() else {"bars": BARS}
            write_results("serve_abuse", before | {part: found})


if __name__ == "__main__":
    main()
