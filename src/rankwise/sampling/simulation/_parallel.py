"""Runs of the loop in processes, returned as they finish."""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures.process import BrokenProcessPool

from joblib import Parallel, delayed, parallel_config  # type: ignore[import-untyped]

from rankwise.errors import DataError, RankwiseError
from rankwise.kernels._threads import limit_threads, thread_count
from rankwise.sampling._base import Sampler
from rankwise.sampling.simulation._experiment import Experiment
from rankwise.sampling.simulation._loop import Run, run_loop

Task = tuple[str, Sampler, int]


def process_count(n_jobs: int | None) -> int:
    """Processes to use: `n_jobs`, or one per core."""
    if n_jobs is None:
        return thread_count()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < 1:
        raise DataError(f"n_jobs must be a whole number from 1, or None for all cores, got {n_jobs!r}; pass 1")
    return n_jobs


def finished_runs(experiment: Experiment, tasks: Sequence[Task], processes: int) -> Generator[Run, None, None]:
    """Each run as it finishes; one process is this one, several have a thread each and share the data's memory."""
    if processes == 1 or len(tasks) <= 1:
        for task in tasks:
            yield run_loop(experiment, *task)
        return
    with parallel_config("loky", inner_max_num_threads=1):
        # One run per batch: a run that has finished is not to wait for the next.
        parallel = Parallel(min(processes, len(tasks)), return_as="generator_unordered", batch_size=1)
        runs = parallel(delayed(_run_in_worker)(experiment, *task) for task in tasks)
        try:
            for run in runs:  # noqa: UP028 (`yield from` would close it without the filter below)
                yield run
        except BrokenProcessPool as problem:
            raise RankwiseError(
                "a process of the simulation was killed, perhaps for want of memory; use fewer at a time (n_jobs)"
            ) from problem
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # that runs under way are given up, which is meant
                runs.close()


def _run_in_worker(experiment: Experiment, name: str, sampler: Sampler, seed: int) -> Run:
    """A run with our kernels in one thread.

    Ctrl-C is left to the parent, for good: the worker's own chores after a run would answer it by a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    with limit_threads(1):
        return run_loop(experiment, name, sampler, seed)


@functools.cache  # once per process
def _end_with_parent() -> None:
    """End this process when its parent has been killed: nobody would take what it computes, for minutes of CPU time."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, name="rankwise-parent", daemon=True).start()
