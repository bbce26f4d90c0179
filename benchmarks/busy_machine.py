"""A fit of LambdaMART while another program keeps a core busy: threads that wait by spinning, and ours.

LightGBM's threads meet hundreds of times per tree. By default (libgomp) one that waits spins for milliseconds; where
another program has a core, it spins for as long as the thread that it waits for is kept off. `import rankwise` sets
GOMP_SPINCOUNT=1000, unless OMP_WAIT_POLICY or GOMP_SPINCOUNT is set. Each fit is in a process of its own, in turns.

    python benchmarks/busy_machine.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from harness import machine, write

TURNS = 3
# 300,000 is what libgomp takes where nothing is set.
WAYS = {"rankwise": {}, "as libgomp has it": {"GOMP_SPINCOUNT": "300000"}}
FIT = """
import json, time
import rankwise as rw
train, valid = rw.load_example("digits")
def fit(rounds):
    rw.LambdaMART("auc", n_estimators=rounds, num_leaves=31, learning_rate=0.1, random_state=0).fit(train)
fit(2)
wall, cpu = time.perf_counter(), time.process_time()
fit(100)
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
"""


def seconds(way: dict[str, str]) -> dict[str, float]:
    """Of a fit of a hundred trees in a process of its own, as many threads as there are cores."""
    left = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "RANKWISE_"))}
    done = subprocess.run([sys.executable, "-c", FIT], env=left | way, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    rows: list[dict[str, Any]] = []
    for busy in (0, 1):
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
        try:
            time.sleep(0.5)
            found = [(name, seconds(way)) for _ in range(TURNS) for name, way in WAYS.items()]
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
        for name in WAYS:
            mine = [times for of, times in found if of == name]
            rows.append({"busy": busy, "threads wait": name, **{k: min(times[k] for times in mine) for k in mine[0]}})
            print(rows[-1], flush=True)
    write("busy_machine", {"rows": rows, "machine": machine()})


if __name__ == "__main__":
    main()
