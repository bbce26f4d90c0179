"""Reading LETOR text: rankwise against scikit-learn's load_svmlight_file, in time and in memory.

The file is made by `rankwise.data.web`. Times are taken in turns in one process, so that both readers see
the same machine; peak memory is that of a fresh process each, above what it held after a warm-up read.

    python benchmarks/read.py --size-mb 200
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

RESULT = Path(__file__).parent / "results" / "read.json"
PART_QUERIES = 500
READERS = ("rankwise", "scikit-learn")

# Runs in a fresh process: warm up on a small file, then read the large one and report the growth. The peak
# is VmHWM, since ru_maxrss is kept across exec and so would show the parent's memory.
MEASURE_MEMORY = """
import sys
sys.path.insert(0, {here!r})
from read import array_bytes, load
def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024
load({reader!r}, {small!r})
before = status("VmRSS")
data = load({reader!r}, {large!r})
print(status("VmHWM") - before, array_bytes({reader!r}, data))
"""


def load(reader: str, path: str) -> object:
    if reader == "rankwise":
        from rankwise.data import read

        return read(path)
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(path, query_id=True)


def array_bytes(reader: str, data: object) -> int:
    """Bytes of the arrays returned (scikit-learn's are sparse, and of doubles)."""
    if reader == "rankwise":
        return data.X.nbytes + data.y.nbytes + data.qid.nbytes
    X, y, qid = data
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes + qid.nbytes


def make_file(path: Path, size_mb: float) -> None:
    from rankwise.data import web, write

    part = path.with_name("part.txt")
    path.write_bytes(b"")
    seed = 0
    while path.stat().st_size < size_mb * 1e6:
        data = web(PART_QUERIES, 100, seed=seed)
        write(replace(data, qid=data.qid + seed * PART_QUERIES), part)
        with path.open("ab") as file:
            file.write(part.read_bytes())
        seed += 1
    part.unlink()


def measure_time(path: Path, repeats: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds by the clock and of CPU, the latter hardly touched by what else the machine is doing."""
    times: dict[str, list[tuple[float, float]]] = {reader: [] for reader in READERS}
    for _ in range(repeats):
        for reader in READERS:
            start, cpu_start = time.perf_counter(), time.process_time()
            load(reader, str(path))
            times[reader].append((time.perf_counter() - start, time.process_time() - cpu_start))
    return times


def measure_memory(path: Path, small: Path, reader: str) -> tuple[int, int]:
    code = MEASURE_MEMORY.format(here=str(Path(__file__).parent), reader=reader, small=str(small), large=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    grown, arrays = map(int, done.stdout.split())
    return grown, arrays


def machine() -> dict[str, object]:
    cpu = Path("/proc/cpuinfo")
    models = [line.split(":", 1)[1].strip() for line in cpu.read_text().splitlines() if "model name" in line]
    packages = ("numpy", "numba", "scikit-learn", "scipy")
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size-mb", type=float, default=200, help="size of the file to read (default: 200)")
    parser.add_argument("--repeats", type=int, default=3, help="how often each reader reads it (default: 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder, "large.txt"), Path(folder, "small.txt")
        make_file(path, options.size_mb)
        make_file(small, 1)
        for reader in READERS:
            load(reader, str(small))  # imports and compilation are not what is measured
        size = path.stat().st_size
        times = measure_time(path, options.repeats)
        memory = {reader: measure_memory(path, small, reader) for reader in READERS}
    from rankwise.data.letor import THREADS

    rows = {}
    for reader in READERS:
        grown, arrays = memory[reader]
        seconds, cpu_seconds = zip(*times[reader], strict=True)
        median = statistics.median(seconds)
        rows[reader] = {
            "seconds": [round(t, 3) for t in seconds],
            "median_seconds": round(median, 3),
            "median_cpu_seconds": round(statistics.median(cpu_seconds), 3),
            "mb_per_second": round(size / median / 1e6, 1),
            "peak_growth_mb": round(grown / 1e6, 1),
            "arrays_mb": round(arrays / 1e6, 1),
            "peak_over_arrays": round(grown / arrays, 2),
        }
    faster = rows["scikit-learn"]["median_seconds"] / rows["rankwise"]["median_seconds"]
    less_cpu = rows["scikit-learn"]["median_cpu_seconds"] / rows["rankwise"]["median_cpu_seconds"]
    print(f"{size / 1e6:.0f} MB of LETOR text, median of {options.repeats} reads in turns\n")
    print(
        f"{'':14}{'seconds':>9}{'(from - to)':>15}{'CPU s':>8}{'MB/s':>7}{'peak MB':>9}{'arrays MB':>11}{'peak/arrays':>13}"
    )
    for reader, row in rows.items():
        span = f"({min(row['seconds']):.2f} - {max(row['seconds']):.2f})"
        print(
            f"{reader:14}{row['median_seconds']:9.2f}{span:>15}{row['median_cpu_seconds']:8.2f}"
            f"{row['mb_per_second']:7.0f}{row['peak_growth_mb']:9.0f}{row['arrays_mb']:11.0f}"
            f"{row['peak_over_arrays']:13.2f}"
        )
    print(f"\nrankwise ({THREADS} threads) is {faster:.1f} times as fast, and takes 1/{less_cpu:.1f} of the CPU time")
    result = {
        "machine": machine(),
        "file_mb": round(size / 1e6, 1),
        "rankwise_threads": THREADS,
        "times_as_fast": round(faster, 1),
        "times_less_cpu": round(less_cpu, 1),
        **rows,
    }
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
