"""Reading LETOR text: rankwise against scikit-learn's load_svmlight_file, in time and in memory; and tables.

Parquet and CSV, and LETOR text on one thread, are measured by `read_tables.py`, against pandas + LightGBM's Dataset.

The file is made by `rankwise.data.web`. Times are taken in turns in one process, so that both readers see
the same machine; peak memory is that of a fresh process each, above what it held after a warm-up read.

    python benchmarks/read.py --size-mb 210
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from harness import Row, machine, show
from harness import write as write_results
from read_tables import make_tables

PART_QUERIES = 50  # the file is made in parts of about 5 MB
READERS = ("rankwise", "scikit-learn")
BARS = {"scikit-learn": 15.0, "pandas + LightGBM Dataset": 3.0}

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


def measure_tables(folder: Path, size: float, repeats: int) -> list[Row]:
    """Rows of a process for each number of threads."""
    make_tables(folder / "large.txt", folder)
    rows = []
    for threads in (1, 2):
        script = str(Path(__file__).with_name("read_tables.py"))
        command = [sys.executable, script, str(folder), str(threads), str(repeats)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        for case, seconds in json.loads(done.stdout.splitlines()[-1]).items():
            text = f"{case} of the rows of {size:.0f} MB, {threads} thread{'s' if threads > 1 else ''}"
            ours = seconds["rankwise"]
            rows += [Row(text, name, least, least / ours, BARS.get(name)) for name, least in seconds.items()]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size-mb", type=float, default=210, help="size of the file to read (default: 210)")
    parser.add_argument("--repeats", type=int, default=5, help="how often each reader reads it (default: 5)")
    options = parser.parse_args()
    from rankwise.data import web, write

    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder, "large.txt"), Path(folder, "small.txt")
        make_file(path, options.size_mb)
        write(web(2, 10), small)  # so small that its memory, if kept, hides nothing of the large one's
        for reader in READERS:
            load(reader, str(small))  # imports and compilation are not what is measured
        size = path.stat().st_size / 1e6
        times = measure_time(path, options.repeats)
        memory = {reader: measure_memory(path, small, reader) for reader in READERS}
        tables = measure_tables(Path(folder), size, options.repeats)
    medians = {reader: [statistics.median(column) for column in zip(*times[reader], strict=True)] for reader in READERS}
    case = f"LETOR text of {size:.0f} MB"
    rows = [
        Row(case, reader, clock, clock / medians["rankwise"][0], 10.0 if reader == "scikit-learn" else None)
        for reader, (clock, _) in medians.items()
    ]
    show(rows, f"Reading, median of {options.repeats} in turns")
    show(tables, f"Reading, least of {options.repeats} in turns (one thread: CPU seconds)")
    details = {}
    for reader in READERS:
        grown, arrays = memory[reader]
        details[reader] = {
            "seconds": [round(clock, 3) for clock, _ in times[reader]],
            "cpu_seconds": round(medians[reader][1], 3),
            "peak_growth_mb": round(grown / 1e6, 1),
            "arrays_mb": round(arrays / 1e6, 1),
            "peak_over_arrays": round(grown / arrays, 2),
        }
        print(reader, details[reader])
    write_results(
        "read", {"rows": [row.to_dict() for row in (*rows, *tables)], "details": details, "machine": machine()}
    )


if __name__ == "__main__":
    main()
