"""The first call on a new machine: CPU seconds of fresh processes, without a cache of compiled code and with one.

    python benchmarks/cold_start.py [--runs 3]

Each case is a process of its own. "cold": `NUMBA_CACHE_DIR` is an empty folder; "warm": the folder that the cold run
left. ranx, which is compiled by numba too, keeps its code where this variable says as well. The figure is the least
of the runs, in user and system seconds, the imports included.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from harness import machine, write
from rich.console import Console
from rich.table import Table

DATA = """
import numpy as np
rng = np.random.default_rng(0)
X, y, scores = rng.normal(size=(2000, 20)), rng.integers(0, 5, 2000), rng.normal(size=2000)
qid = np.repeat(np.arange(100), 20)
"""
EVALUATE = DATA + "import rankwise as rw; rw.evaluate(y, scores, qid, ['ndcg@10', 'map', 'auc'])"
FIT = DATA + "import rankwise as rw; rw.LambdaMART('ndcg@10').fit(X, y, qid=qid).predict(X)"
RANX = (
    DATA
    + """
from ranx import Qrels, Run, evaluate
ids = [str(i % 20) for i in range(2000)]
def nested(values):
    made = {}
    for q, d, value in zip(qid.tolist(), ids, values.tolist()):
        made.setdefault(str(q), {})[d] = value
    return made
evaluate(Qrels(nested(y)), Run(nested(scores)), ['ndcg@10', 'map'])
"""
)
LIGHTGBM = DATA + "import lightgbm; lightgbm.LGBMRanker(verbose=-1).fit(X, y, group=[20] * 100).predict(X)"
BARS = {"evaluate": 2.0, "fit": 6.0}


def cases(data: str) -> dict[str, list[str]]:
    python = [sys.executable, "-c"]
    command = [sys.executable, "-m", "rankwise"]
    return {
        "evaluate": [*python, EVALUATE],
        "ranx evaluate": [*python, RANX],
        "fit": [*python, FIT],
        "LightGBM fit": [*python, LIGHTGBM],
        "rankwise data stats FILE": [*command, "data", "stats", data],
        "rankwise train FILE": [*command, "train", data, "-o", data + ".rw"],
    }


def cpu_seconds(command: list[str], cache: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "RANKWISE_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    best: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "rows.txt")
        make = [sys.executable, "-m", "rankwise", "data", "make", "web", data, "--queries", "20"]
        subprocess.run(make, check=True)
        for _ in range(options.runs):
            for name, command in cases(data).items():
                cache = tempfile.mkdtemp(dir=folder)
                row = best.setdefault(name, {"case": name, "cold": float("inf"), "warm": float("inf")})
                for state in ("cold", "warm"):
                    row[state] = min(row[state], cpu_seconds(command, cache))
    rows = [row | ({"bar": BARS[name]} if name in BARS else {}) for name, row in best.items()]
    table = Table("case", "cold, CPU s", "warm, CPU s", "bar, cold")
    for row in rows:
        table.add_row(row["case"], f"{row['cold']:.2f}", f"{row['warm']:.2f}", f"{row.get('bar', '')}")
    Console().print(table)
    write("cold_start", {"rows": rows, "machine": machine()})


if __name__ == "__main__":
    main()
