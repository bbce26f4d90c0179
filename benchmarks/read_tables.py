"""What `read.py` runs for one number of threads: Parquet, CSV and LETOR text, readers in turns in one process.

pandas + LightGBM makes a Dataset, with group counts: its features are binned, which ours are not yet; ours are checked
and grouped. So pandas is also shown by itself, and ours also with the Dataset that LambdaMART makes.

    python benchmarks/read_tables.py FOLDER THREADS REPEATS
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from harness import least_seconds


def make_tables(path: Path, folder: Path) -> None:
    """The rows of a LETOR file as other programs write them: doubles, numbers as ids."""
    import numpy as np
    import pandas as pd

    from rankwise.data import read

    data = read(path)
    frame = pd.DataFrame(data.X.astype(np.float64), columns=[f"f{k}" for k in range(data.n_features)])
    frame.insert(0, "label", data.y.astype(np.int64))
    frame.insert(1, "qid", data.qid)
    frame.to_parquet(folder / "rows.parquet")
    frame.to_csv(folder / "rows.csv", index=False)


def tasks(folder: Path, threads: int) -> dict[str, dict[str, Callable[[], object]]]:
    """By case and by name of the reader."""
    import lightgbm
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    import rankwise as rw

    parameters = {"num_threads": threads, "verbose": -1}

    def ours(path: Path) -> rw.RankingData:
        data = rw.read(path)
        assert data.groups.n_queries
        return data

    def binned(path: Path) -> object:
        data = ours(path)
        return lightgbm.Dataset(data.X, data.y, group=data.groups.sizes, params=parameters).construct()

    def dataset(load: Callable[[Path], pd.DataFrame], path: Path) -> object:
        frame = load(path)
        y, qid = frame.pop("label"), frame.pop("qid")
        sizes = qid.groupby(qid, sort=False).size().to_numpy()
        return lightgbm.Dataset(frame, y, group=sizes, params=parameters).construct()

    cases: dict[str, dict[str, Callable[[], object]]] = {}
    for name, load in (("Parquet", pd.read_parquet), ("CSV", pd.read_csv)):
        path = folder / f"rows.{name.lower()}"
        cases[name] = {
            "rankwise": lambda path=path: ours(path),
            "rankwise + LightGBM Dataset": lambda path=path: binned(path),
            "pandas alone": lambda load=load, path=path: load(path),
            "pandas + LightGBM Dataset": lambda load=load, path=path: dataset(load, path),
        }
    if threads == 1:
        text = str(folder / "large.txt")
        cases["LETOR text"] = {
            "rankwise": lambda: rw.read(text),
            "scikit-learn": lambda: load_svmlight_file(text, query_id=True),
        }
    return cases


def main() -> None:
    folder, threads, repeats = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    os.environ |= dict.fromkeys(("RANKWISE_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
    import time

    import pyarrow as pa

    pa.set_cpu_count(threads)
    pa.set_io_thread_count(threads)
    found = {}
    for case, of_case in tasks(folder, threads).items():
        of_case["rankwise"]()  # compiling is not what is measured
        # CPU seconds on one thread, as other work hardly touches these; by the clock where threads share the work.
        clock = time.process_time if threads == 1 else time.perf_counter
        found[case] = least_seconds(of_case, dict.fromkeys(of_case, repeats), clock)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
