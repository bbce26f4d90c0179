"""Model files that come, go and are broken while requests are answered: a part of benchmarks/serve_abuse.py."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from http_load import Connection, request, service

import rankwise as rw

WATCH = "import rankwise.serve.ranking._model as m; m.WATCH_SECONDS = 0.02; from rankwise.cli import main; main()"
CLIENTS, PAUSE_SECONDS = 4, 0.005  # without a pause they would take the time that loading needs
WAIT_SECONDS = 60.0  # for the service to notice; longer is a failure
Scores = dict[tuple[str, int], list[float]]  # by version and number of the request
SOUND = "sound"
WAYS = (SOUND, "garbage", SOUND, "deleted", SOUND, "cut off", SOUND, "a byte changed", SOUND, "empty", "in two steps")


def exchange_models(
    save_model: Callable[[Path, int], None], make: Callable[[int], tuple[str, bytes, str]], count: int
) -> dict[str, Any]:
    """How many answers were wrong or missing while the file was replaced so many times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sound: list[bytes] = []
        right: Scores = {}
        sends = [
            (body, kind) for number in range(1, 130, 2) for route, body, kind in [make(number)] if route == "/rank"
        ]
        for seed in (1, 2):
            save_model(folder / "one.rw", seed)
            sound.append((folder / "one.rw").read_bytes())
            version = hashlib.sha256(sound[-1]).hexdigest()[:12]
            model = rw.load(folder / "one.rw")
            for number, (body, _) in enumerate(sends):
                right[version, number] = _scores(model, body)
        (folder / "m.rw").write_bytes(sound[0])
        with service(folder / "m.rw", start=("-c", WATCH)) as (host, _):
            return asyncio.run(_under_load(host, [request(host, *send) for send in sends], right, folder, sound, count))


def _scores(model: Any, body: bytes) -> list[float]:
    said = orjson.loads(body)
    if "features" in said:
        rows = said["features"]
    else:
        rows = [[document["features"][name] for name in model.feature_names_in_] for document in said["documents"]]
    scores: list[float] = model.predict(rows).tolist()
    return scores


async def _under_load(
    host: str, sent: list[bytes], right: Scores, folder: Path, sound: list[bytes], count: int
) -> dict[str, Any]:
    numbers, ended = itertools.count(), False
    answers: Counter[str] = Counter()
    failures: list[Any] = []

    async def client() -> None:
        connection = await Connection().open(host)
        while not ended:
            await asyncio.sleep(PAUSE_SECONDS)
            number = next(numbers) % len(sent)
            try:
                status, body = await connection.ask(sent[number])
                said = orjson.loads(body)
                if status != 200 or said["scores"] != right[said["model"]["version"], number]:
                    failures.append({"status": status, "said": body[:200].decode()})
                answers[said["model"]["version"]] += 1
            except (OSError, asyncio.IncompleteReadError, ValueError, KeyError) as problem:
                failures.append(repr(problem))
                connection = await Connection().open(host)

    clients = [asyncio.create_task(client()) for _ in range(CLIENTS)]
    began, ways, unnoticed = time.perf_counter(), Counter[str](), 0
    for turn in range(count):
        way = WAYS[turn % len(WAYS)]
        ways[way] += 1
        unnoticed += not await _replace(host, folder, way, sound[turn % 2])
    ended = True
    await asyncio.gather(*clients)
    metrics = await _get(host, "/metrics")
    return {
        "replacements": dict(ways),
        "picked_up": _count(metrics, "reloads_total"),
        "refused": _count(metrics, "reload_failures_total"),
        "not_noticed_in_time": unnoticed,
        "answers": sum(answers.values()),
        "answers_by_version": dict(answers),
        "wrong_or_failed": len(failures),
        "failures": failures[:20],
        "seconds": round(time.perf_counter() - began, 1),
    }


async def _replace(host: str, folder: Path, way: str, model: bytes) -> bool:
    """Change the file; whether the service has noticed in time."""
    path, new = folder / "m.rw", folder / "new.rw"
    version = hashlib.sha256(model).hexdigest()[:12]
    before = _count(await _get(host, "/metrics"), "reload_failures_total")
    contents = {
        SOUND: model,
        "garbage": b"\x00garbage" * 5_000,
        "cut off": model[: len(model) // 2],
        "a byte changed": model[: len(model) // 2] + bytes([model[len(model) // 2] ^ 1]) + model[len(model) // 2 + 1 :],
        "empty": b"",
    }
    if way == "deleted":
        path.unlink()
    elif way == "in two steps":  # as a plain copy does; a reader may meet the first half
        with path.open("wb") as file:
            file.write(model[: len(model) // 3])
            file.flush()
            await asyncio.sleep(0.05)
            file.write(model[len(model) // 3 :])
    else:
        new.write_bytes(contents[way])
        new.replace(path)

    async def noticed() -> bool:
        if way in (SOUND, "in two steps"):
            told = orjson.loads(await _get(host, "/health"))
            return bool(told["model"]["version"] == version and told["problem"] is None)
        if way == "deleted":
            return "not there" in (orjson.loads(await _get(host, "/health"))["problem"] or "")
        return _count(await _get(host, "/metrics"), "reload_failures_total") > before

    until = time.perf_counter() + WAIT_SECONDS
    while not await noticed():
        if time.perf_counter() > until:
            return False
        await asyncio.sleep(0.02)
    return True


async def _get(host: str, path: str) -> bytes:
    connection = await Connection().open(host)
    body = (await connection.ask(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()))[1]
    connection.writer.close()
    return body


def _count(metrics: bytes, name: str) -> int:
    return int(metrics.split(f"\nrankwise_model_{name} ".encode())[1].split()[0])
