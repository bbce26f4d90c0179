"""Serving: `rankwise serve` against LightGBM's predict in a bare loop, its latencies at half load, and 50,000 requests.

Requests of 100 documents by 136 features, as JSON (lists, or features by name) and as Arrow streams. Both sides have as
many processes and threads: the bare loop runs in one, and the service with one worker; the clients are a process of
their own. Service and clients keep to a core each, and the bare loop runs on the service's.

- throughput: requests per second over predictions per second, the median of many short turns, each beside a turn of the
  bare loop, so that a slow spell hits both. The bare loop is LightGBM's predict, which stays what it is when ours gets
  faster; `own_ratio` is over a bare loop of our own scores. Four requests are always waiting. `busy` is the service's
  processor time over the turn: at 1 the service is the limit, below that the client or another program takes part of
  the time. `cpu_ratio` is the same of processor times alone. `read_us` is the time to read a body into a matrix, in
  process
- half load: half as many requests per second as the service can take, at even and at random times (Poisson); p50 and
  p99 from the moment a request is due, the median of several rounds. At random times requests come together and wait
  for each other: `perfect_p99_over_p50` is what a service would have that takes the same time for every request and
  gets the same arrivals: 4.34 in the long run (perfect_worker.py), and 3, the bar, up to 32% of what it can take.
  `share_lost` is the share of time that an empty loop on the client's core loses to the machine in pieces over 0.5 ms
- endurance: requests of all forms over several connections while the model file is exchanged as soon as the last one
  was picked up; answers that are not 200, or not the scores of the version that they name, are errors

    python benchmarks/serve.py [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from harness import machine
from harness import write as write_results
from http_load import (
    ARROW,
    CLIENT_CORE,
    JSON,
    SERVICE_CORE,
    cpu_seconds,
    endure,
    get,
    latencies,
    request,
    saturate,
    service,
    share_lost,
)
from perfect_worker import perfect_latencies

import rankwise as rw
from rankwise.data import web
from rankwise.rankers._features import MatchedColumns
from rankwise.rankers._score_functions._tree_table import prefer_tables
from rankwise.serve.ranking._model import CurrentModel

DOCUMENTS, FEATURES = 100, 136
NAMES = [f"feature_{k}" for k in range(FEATURES)]
BARS: dict[str, Any] = {
    "throughput": {"JSON, lists": 0.65},
    "throughput of others": 0.5,
    "p99_over_p50": 3.0,
    "errors": 0,
}
QUERIES = 64
BARE, OWN = "bare", "own"  # loops of LightGBM's scores, and of ours


def fitted(trees: int, seed: int) -> rw.LambdaMART:
    made = web(queries=300, documents=100, features=FEATURES, seed=seed)
    # One thread: on one core those of LightGBM would wait for each other by spinning.
    model = rw.LambdaMART("ndcg@10", n_estimators=trees, num_leaves=31, random_state=seed, n_jobs=1)
    return model.fit(replace(made, feature_names=NAMES))


def queries() -> list[np.ndarray]:
    """Many, because branches of the trees that are always the same are foreseen by the processor."""
    X = web(queries=2 * QUERIES, documents=DOCUMENTS, features=FEATURES, seed=9).X[: QUERIES * DOCUMENTS]
    return list(X.reshape(QUERIES, DOCUMENTS, FEATURES))


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


def by_form(given: list[np.ndarray]) -> dict[str, list[tuple[bytes, str]]]:
    made = [bodies(X) for X in given]
    return {form: [one[form] for one in made] for form in made[0]}


def bare_loop(model: rw.LambdaMART, own: bool, given: list[np.ndarray], seconds: float) -> tuple[int, float]:
    """LightGBM's predictions, or ours, in one thread, and the seconds they took."""
    booster = model.boosters_[0]
    predict = model.checked_scores if own else partial(booster.predict, raw_score=True, num_threads=1)
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        predict(given[count % QUERIES])
        count += 1
    return count, time.perf_counter() - began


def throughput(path: Path, seconds: float, rounds: int) -> list[dict[str, Any]]:
    model, given = rw.load(path).set_params(n_jobs=1), queries()
    prefer_tables()
    forms = by_form(given)
    names = [BARE, OWN, *forms]
    rates: dict[str, list[float]] = {name: [] for name in names}
    cpu: dict[str, list[float]] = {name: [] for name in names}
    with service(path) as (host, process):
        sent = {form: [request(host, *body) for body in made] for form, made in forms.items()}
        for turn in range(rounds + 1):
            for name in names:
                pid = os.getpid() if name in (BARE, OWN) else process.pid
                before = cpu_seconds(pid)
                if name in (BARE, OWN):
                    os.sched_setaffinity(0, {SERVICE_CORE})
                    count, took = bare_loop(model, name == OWN, given, seconds)
                    os.sched_setaffinity(0, {CLIENT_CORE})
                else:
                    count, took = asyncio.run(saturate(host, sent[name], seconds))
                if turn:  # the first warms up
                    rates[name].append(count / took)
                    cpu[name].append((cpu_seconds(pid) - before) / count)
    read = {form: read_us(path, made) for form, made in forms.items()}
    middle = statistics.median
    rows = []
    for name, made in forms.items():
        ratio, own_ratio = (
            middle(one / bare for one, bare in zip(rates[name], rates[loop], strict=True)) for loop in (BARE, OWN)
        )
        row = {
            "trees": model.boosters_[0].num_trees(),
            "body": name,
            "bytes": len(made[0][0]),
            "read_us": round(read[name]),
            "bare_us": round(1e6 / middle(rates[BARE])),
            "requests_per_second": round(middle(rates[name]), 1),
            "bare_per_second": round(middle(rates[BARE]), 1),
            "own_per_second": round(middle(rates[OWN]), 1),
            "ratio": round(ratio, 3),
            "own_ratio": round(own_ratio, 3),
            "reached": ratio >= BARS["throughput"].get(name, BARS["throughput of others"]),
            "busy": round(middle(map(float.__mul__, rates[name], cpu[name])), 2),
            "cpu_ms": round(1000 * middle(cpu[name]), 3),
            "cpu_ratio": round(middle(cpu[BARE]) / middle(cpu[name]), 3),
        }
        rows.append(row)
        print(row)
    return rows


def read_us(path: Path, made: list[tuple[bytes, str]]) -> float:
    """Microseconds to read a body into a matrix: the median of a few passes over all."""
    model, taken = CurrentModel(path).now, []
    for _ in range(20):
        began = time.perf_counter()
        for body, kind in made:
            (model.arrow if kind == ARROW else model.json).read(body, DOCUMENTS)
        taken.append((time.perf_counter() - began) / len(made))
    return 1e6 * statistics.median(taken)


def half_load(path: Path, seconds: float, rounds: int) -> list[dict[str, Any]]:
    drawn, rows = np.random.default_rng(0), []
    with service(path) as (host, _):
        for name, made in by_form(queries()).items():
            sent = [request(host, *body) for body in made]
            count, took = asyncio.run(saturate(host, sent, seconds))
            rate = count / took / 2
            for arrivals in ("even", "random"):
                found, perfect, lost = [], [], []
                for _ in range(rounds):
                    lost.append(share_lost(seconds / 4))
                    gaps = np.full(round(rate * seconds), 1 / rate)
                    if arrivals == "random":
                        gaps = drawn.exponential(gaps)
                    found.append(np.quantile(asyncio.run(latencies(host, sent, gaps)), [0.5, 0.99]))
                    perfect.append(np.quantile(perfect_latencies(gaps, 0.5 / rate), [0.5, 0.99]))
                ratios = [float(p99 / p50) for p50, p99 in found]
                ratio = statistics.median(ratios)
                p50, p99 = np.median(found, axis=0).tolist()
                row = {
                    "body": name,
                    "arrivals": arrivals,
                    "requests": rounds * len(gaps),
                    "rate": round(rate, 1),
                    "p50_ms": round(1000 * p50, 3),
                    "p99_ms": round(1000 * p99, 3),
                    "p99_over_p50": round(ratio, 2),
                    "of_each_round": [round(one, 2) for one in sorted(ratios)],
                    "share_lost": round(statistics.mean(lost), 4),
                    "perfect_p99_over_p50": round(statistics.median(float(p99 / p50) for p50, p99 in perfect), 2),
                    "reached": ratio <= BARS["p99_over_p50"],
                }
                rows.append(row)
                print(row)
    return rows


def endurance(folder: Path, count: int) -> dict[str, Any]:
    X = queries()[0]
    made = list(bodies(X).values())
    # What the service reads: doubles of the digits that were sent, or of what float32 is.
    digits = np.array(orjson.loads(orjson.dumps(X, option=orjson.OPT_SERIALIZE_NUMPY)))
    right, files = {}, [folder / "one.rw", folder / "two.rw"]
    for file, trees in zip(files, (100, 50), strict=True):
        rw.save(fitted(trees, seed=1), file)
        with service(file) as (host, _):
            version = orjson.loads(get(host, "/health"))["model"]["version"]
        model = rw.load(file)
        for number, (_, kind) in enumerate(made):
            read = digits if kind == JSON else X.astype(np.float64)
            right[version, number] = model.predict(MatchedColumns(read)).tolist()
    path = folder / "m.rw"
    shutil.copy(files[0], path)

    def exchange(turn: int) -> None:
        shutil.copy(files[turn % 2], folder / "next.rw")
        (folder / "next.rw").replace(path)

    with service(path) as (host, _):
        sent = [request(host, *body) for body in made]
        found = asyncio.run(endure(host, sent, right, count, exchange))
    found["reached"] = found["errors"] == BARS["errors"] and found["models_picked_up"] > 0
    print(found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=50_000, help="while models are exchanged (default: 50000)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each turn (default: 0.5)")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each side (default: 9)")
    parser.add_argument("--quick", action="store_true", help="100 trees, 3 rounds, 2000 requests, nothing written")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.requests = 3, 2_000
    os.environ["OMP_NUM_THREADS"] = "1"
    os.sched_setaffinity(0, {CLIENT_CORE})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = []
        for trees in (100,) if options.quick else (100, 500):
            rw.save(fitted(trees, seed=0), folder / f"{trees}.rw")
            rows += throughput(folder / f"{trees}.rw", options.seconds, options.rounds)
        slow = half_load(folder / "100.rw", 2 * options.seconds, options.rounds)
        lasted = endurance(folder, options.requests)
    if options.quick:
        return
    write_results(
        "serve",
        {
            "documents": DOCUMENTS,
            "features": FEATURES,
            "bars": BARS,
            "throughput": rows,
            "half_load": slow,
            "endurance": lasted,
            "machine": machine("uvicorn", "httptools", "orjson", "msgspec", "pysimdjson", "pyarrow", "lightgbm"),
        },
    )


if __name__ == "__main__":
    main()
