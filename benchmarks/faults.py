"""Kills and interruptions at moments of chance: what is left, what goes on, and what is said.

    python benchmarks/faults.py [--parts kills,interrupts] [--count 100] [--only NAME ...] [--ways WAY ...] [--seed 0]

`fault_kills.py` kills training and resumes it; `fault_interrupts.py` sends Ctrl-C to commands. Rows that this run does
not make anew are kept as results/faults.json has them. Full disks are small ones that are mounted, which takes root.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # threads do not survive a fork
from harness import RESULTS, machine, write


def main() -> None:
    """Do what the options ask for, and write what came of it after each row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default="kills,interrupts")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", nargs="*", help="names of rows to make")
    parser.add_argument("--ways", nargs="*", help="of kills")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    parts = options.parts.split(",")
    if "kills" in parts:
        import fault_kills

        for name in options.only or fault_kills.FITS:
            ways = options.ways or (fault_kills.WAYS if name in fault_kills.FULL_DISK_KB else fault_kills.WAYS[:1])
            for way in ways:
                rng = random.Random(f"{options.seed} {name} {way}")
                count = options.count if way == "killed" and name in fault_kills.FULL_DISK_KB else options.count // 3
                _write_row("kills", f"{name}: {way}", fault_kills.run_kills(name, way, count, rng))
    if "interrupts" in parts:
        import fault_interrupts

        for name in options.only or fault_interrupts.COMMANDS:
            rng = random.Random(f"{options.seed} {name}")
            for row in fault_interrupts.run_interrupts(name, options.count, rng):
                _write_row("interrupts", name, row)


def _write_row(part: str, name: str, row: dict[str, Any]) -> None:
    path = RESULTS / "faults.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    results.setdefault(part, {})[name] = row
    write("faults", {"machine": machine(), **{kept: results.get(kept, {}) for kept in ("kills", "interrupts")}})


if __name__ == "__main__":
    main()
