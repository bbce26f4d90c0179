"""Label stores and the labelling server when things go wrong: what is lost, what is there twice, what is refused.

    python benchmarks/label_faults.py [--parts kills servers …] [--kills 1000] [--server-kills 60] [--acts 1000]
        [--cycles 100] [--damages 1000] [--requests 5000]

Parts: kills (writers and creators by SIGKILL), servers (two at once on one store), server-kills, clocks, full-disk,
read-only, versions, cut-logs, flipped-bytes, requests. Results: results/label_faults.json, in which parts that did not
run now stay as they were.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a forked process must not inherit threads
os.environ.setdefault("RANKWISE_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import label_disks, label_kills, label_requests, label_servers
from benchmarks.harness import machine, write
from benchmarks.sources import RESULTS
from rankwise.data import web
from rankwise.rankers import RankSVM

NAME = "label_faults"


def parts(options: argparse.Namespace) -> dict[str, Callable[[Path], dict[str, Any]]]:
    draw = random.Random(options.seed)
    return {
        "kills": lambda folder: label_kills.kill_all(folder, options.kills, options.seed),
        "servers": lambda folder: label_servers.two_servers(folder, options.acts),
        "server-kills": lambda folder: label_servers.killed_servers(folder, options.server_kills),
        "clocks": lambda folder: label_disks.clocks(folder, options.acts, draw),
        "full-disk": lambda folder: label_disks.full_disk(folder, options.cycles, draw),
        "read-only": label_disks.read_only,
        "versions": label_disks.newer_versions,
        "cut-logs": lambda folder: label_disks.truncated_logs(folder, options.damages, draw),
        "flipped-bytes": lambda folder: label_disks.flipped_bytes(folder, options.damages, draw),
        "requests": lambda folder: label_requests.hostile_requests(folder, options.requests, options.seed),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", help="which to run (default: all)")
    for name, size in (
        *(("kills", 1000), ("server-kills", 60), ("acts", 1000), ("cycles", 100)),
        *(("damages", 1000), ("requests", 5000), ("seed", 0)),
    ):
        parser.add_argument(f"--{name}", type=int, default=size)
    options = parser.parse_args()
    known = parts(options)
    RankSVM(metric="ndcg@10").fit(web(queries=20, documents=12, features=8, seed=3))  # compiled before it is forked
    path = RESULTS / f"{NAME}.json"
    found = json.loads(path.read_text())["parts"] if path.exists() else {}
    for name in options.parts or known:
        start = time.perf_counter()
        with TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)  # for somebody who is not root
            found[name] = known[name](Path(folder))
        print(name, found[name], f"{time.perf_counter() - start:.0f} s", flush=True)
        write(NAME, {"machine": machine(), "parts": {name: found[name] for name in known if name in found}})


if __name__ == "__main__":
    main()
