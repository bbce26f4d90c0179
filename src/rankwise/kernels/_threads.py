"""Run a kernel over ranges of queries in threads (kernels hold no GIL).

Plain threads rather than numba's own parallel loops: those abort the process when two Python threads
enter them at once, compile several times slower, and differ between machines by threading layer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial

import numpy as np

from rankwise.types import IntArray

MIN_ROWS_PER_RANGE = 20_000
_limit: int | None = None


@contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Kernels of this process use at most `count` threads, whatever the environment says."""
    global _limit
    before, _limit = _limit, count
    try:
        yield
    finally:
        _limit = before


def thread_count() -> int:
    """Threads to use: `RANKWISE_NUM_THREADS`, or one per core that this process may use, up to the limit."""
    if _limit is not None:
        return _limit
    setting = os.environ.get("RANKWISE_NUM_THREADS", "")
    if setting.isdigit():
        return max(1, int(setting))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="rankwise")


def run(tasks: Sequence[Callable[[], object]]) -> None:
    """Call all tasks, in threads where there are several."""
    if len(tasks) <= 1 or (threads := thread_count()) == 1:
        for task in tasks:
            task()
        return
    # A pool belongs to a process: after a fork the child needs its own.
    for future in [_pool(threads, os.getpid()).submit(task) for task in tasks]:
        future.result()


def chunks(offsets: IntArray) -> list[tuple[int, int]]:
    """Ranges of queries with about equal numbers of rows, a few for each thread.

    >>> import numpy as np
    >>> chunks(np.array([0, 5, 9]))
    [(0, 2)]
    """
    rows, queries = int(offsets[-1]), len(offsets) - 1
    if rows < 2 * MIN_ROWS_PER_RANGE or queries == 1:
        return [(0, queries)]
    n_ranges = min(4 * thread_count(), rows // MIN_ROWS_PER_RANGE, queries)
    cuts = np.searchsorted(offsets, np.linspace(0, rows, n_ranges + 1)[1:-1])
    borders = np.unique(np.concatenate(([0], cuts, [queries])))
    return list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))


def by_queries(task: Callable[[int, int], object], offsets: IntArray) -> None:
    """`task(low, high)` over ranges of queries that together are all of them, in threads."""
    run([partial(task, low, high) for low, high in chunks(offsets)])
