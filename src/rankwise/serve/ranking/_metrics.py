"""Counts for Prometheus, in memory that all workers share: each writes its own row, a reader adds them up.

Not by prometheus_client: between processes it needs a folder, named by an environment variable before it is imported,
in which every worker that ever lived leaves files; its gauges of workers that died must be marked by hand, and `Info`
does not work there. What is counted here is a row of numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from ctypes import Array, c_double
from multiprocessing import get_context
from typing import TypeAlias

import numpy as np

ROUTES = ("/rank", "/explain", "/model", "/health", "/metrics", "/docs", "/docs.css", "/openapi.json", "other")
CLIENT_LEFT = 499  # before its answer
STATUSES = (200, 401, 403, 404, 405, 413, 415, 422, 499, 500, 503)
BUCKET_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

SharedCounts: TypeAlias = "Array[c_double]"

# Places in a row: requests by route and status, then for each route the buckets and the seconds, then the rest.
TIMED_ROUTES = ("/rank", "/explain")
N_REQUESTS = len(ROUTES) * len(STATUSES)
N_TIMES = len(BUCKET_SECONDS) + 2
DOCUMENTS, IN_PROGRESS, RELOADS, FAILURES = range(
    N_REQUESTS + len(TIMED_ROUTES) * N_TIMES, N_REQUESTS + len(TIMED_ROUTES) * N_TIMES + 4
)
ROW_SIZE = FAILURES + 1


def shared_counts(workers: int) -> SharedCounts:
    """Memory for so many workers, which reaches them when they are started."""
    memory: SharedCounts = get_context("spawn").RawArray("d", workers * ROW_SIZE)
    return memory


class Metrics:
    """The counts of one worker, and the text of all."""

    def __init__(self, memory: SharedCounts | None = None, worker: int = 0) -> None:
        self._rows = np.ctypeslib.as_array(memory if memory is not None else shared_counts(1)).reshape(-1, ROW_SIZE)
        self._row = self._rows[worker]
        self._row[IN_PROGRESS] = 0.0  # of a worker that died here before

    def begin(self) -> None:
        """A request has come."""
        self._row[IN_PROGRESS] += 1

    def end(self, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        row = self._row
        row[IN_PROGRESS] -= 1
        row[ROUTES.index(route) * len(STATUSES) + STATUSES.index(status)] += 1
        if route in TIMED_ROUTES:
            first = N_REQUESTS + TIMED_ROUTES.index(route) * N_TIMES
            row[first + bisect_left(BUCKET_SECONDS, seconds)] += 1
            row[first + N_TIMES - 1] += seconds

    def scored(self, documents: int) -> None:
        """So many documents were scored."""
        self._row[DOCUMENTS] += documents

    def reloaded(self, ok: bool) -> None:
        """A new model file was picked up, or was not sound."""
        self._row[RELOADS if ok else FAILURES] += 1

    @property
    def in_progress(self) -> int:
        """Requests of this worker that are not answered yet."""
        return int(self._row[IN_PROGRESS])

    def text(self, version: str, kind: str, loaded: float) -> str:
        """What `GET /metrics` answers."""
        return "\n".join(self._lines(version, kind, loaded)) + "\n"

    def _lines(self, version: str, kind: str, loaded: float) -> Iterator[str]:
        total = self._rows.sum(axis=0)
        yield from _head("rankwise_requests_total", "counter", "Requests by route and status.")
        for k in np.flatnonzero(total[:N_REQUESTS]).tolist():
            route, status = divmod(k, len(STATUSES))
            labels = f'route="{ROUTES[route]}",status="{STATUSES[status]}"'
            yield f"rankwise_requests_total{{{labels}}} {total[k]:.0f}"
        yield from _head("rankwise_request_seconds", "histogram", "Seconds from the headers to the end of the answer.")
        for number, timed in enumerate(TIMED_ROUTES):
            first = N_REQUESTS + number * N_TIMES
            below = np.cumsum(total[first : first + N_TIMES - 1])
            for bound, count in zip((*map(str, BUCKET_SECONDS), "+Inf"), below, strict=True):
                yield f'rankwise_request_seconds_bucket{{route="{timed}",le="{bound}"}} {count:.0f}'
            yield f'rankwise_request_seconds_sum{{route="{timed}"}} {total[first + N_TIMES - 1]:.9g}'
            yield f'rankwise_request_seconds_count{{route="{timed}"}} {below[-1]:.0f}'
        for name, kind_of, place, what in (
            ("rankwise_requests_under_way", "gauge", IN_PROGRESS, "Requests not answered yet."),
            ("rankwise_documents_scored_total", "counter", DOCUMENTS, "Documents scored."),
            ("rankwise_model_reloads_total", "counter", RELOADS, "New model files picked up, by all workers."),
            ("rankwise_model_reload_failures_total", "counter", FAILURES, "New model files that were not sound."),
        ):
            yield from _head(name, kind_of, what)
            yield f"{name} {total[place]:.0f}"
        yield from _head("rankwise_model_info", "gauge", "The model of the worker that answers this.")
        yield f'rankwise_model_info{{version="{version}",kind="{kind}"}} 1'
        yield from _head("rankwise_model_loaded_timestamp_seconds", "gauge", "When that model was loaded.")
        yield f"rankwise_model_loaded_timestamp_seconds {loaded:.3f}"


def _head(name: str, kind: str, what: str) -> tuple[str, str]:
    return f"# HELP {name} {what}", f"# TYPE {name} {kind}"
