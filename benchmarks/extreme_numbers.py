"""How large numbers, many rows and odd kinds of arrays end: right, refused by a sentence, or wrong.

    python benchmarks/extreme_numbers.py [--rows 100000000] [--positives 3000000]

- `memory`: `evaluate` on so many rows, in a process of its own: what it takes beyond its inputs, at its peak.
- `pairs`: AUC and pair-wise correct of 3·10^6 × 3·10^6 pairs against exact fractions, and the λ's of all these pairs.
- `kinds`: every public function with every kind of array (`input_kinds.py`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import rankwise as rw
from benchmarks import harness
from benchmarks.input_cases import cases
from benchmarks.input_kinds import outcomes

MEMORY_CASES = {
    "queries of 100, int8 and float32": (100, True),
    "queries of 100, float64": (100, False),
    "one list, int8 and float32": (0, True),
}


def memory(rows: int, per_query: int, small: bool) -> dict[str, float]:
    """Bytes beyond the inputs at the peak of one evaluation."""
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 5, rows, dtype=np.int8), rng.random(rows, dtype=np.float32)
    if not small:
        y, scores = y.astype(np.float64), scores.astype(np.float64)
    qid = np.repeat(np.arange(rows // per_query, dtype=np.int32), per_query) if per_query else None
    rw.evaluate(y[:1000], scores[:1000], None if qid is None else qid[:1000])  # compiles
    inputs = y.nbytes + scores.nbytes + (0 if qid is None else qid.nbytes)
    start = time.process_time()
    growth = harness.peak_growth(lambda: rw.evaluate(y, scores, qid))
    return {"inputs": inputs, "growth": growth, "cpu_seconds": time.process_time() - start}


def pairs(positives: int) -> dict[str, Any]:
    """How far AUC, pair-wise correct and λ's are from exact values on positives² pairs, a few scores tied."""
    rng = np.random.default_rng(0)
    y = np.repeat([1.0, 0.0], positives)
    scores = rng.integers(0, 2**20, 2 * positives) + 2**18 * y
    above, below = (np.bincount(scores[y == label].astype(np.int64), minlength=2**21) for label in (1.0, 0.0))
    smaller = np.cumsum(below) - below
    halves = sum(int(a) * (2 * int(s) + int(b)) for a, s, b in zip(above, smaller, below, strict=True) if a)
    exact = Fraction(halves, 2 * positives**2)
    result = rw.evaluate(y, scores, metrics="auc pairs mauc pauc[0,1]")
    gradient, hessian = rw.lambda_gradients("auc", y, scores / 2**18)
    return {
        "pairs": positives**2,
        "errors": {name: float(abs(Fraction(value) - exact)) for name, value in result.means.items()},
        "sum_of_lambdas": float(abs(gradient.sum()) / np.abs(gradient).sum()),
        "lambdas_finite": bool(np.isfinite(gradient).all() and np.isfinite(hessian).all()),
    }


def kinds() -> dict[str, Any]:
    """By function, how many kinds of its arguments end how; and what is wrong."""
    counts: dict[str, Counter[str]] = {}
    wrong = []
    for function, argument, kind, said in outcomes(cases()):
        counts.setdefault(function, Counter())[said.split(":")[0].lower()] += 1
        if said.startswith(("WRONG", "no such")):
            wrong.append([function, argument, kind, said])
    return {"by_function": {name: dict(count) for name, count in counts.items()}, "wrong": wrong}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--positives", type=int, default=3_000_000)
    parser.add_argument("--memory", help="a case of `memory`, as JSON on standard output")
    arguments = parser.parse_args()
    if arguments.memory:
        print(json.dumps(memory(arguments.rows, *MEMORY_CASES[arguments.memory])))
        return
    measured = {}
    for case in MEMORY_CASES:
        command = [sys.executable, __file__, "--memory", case, "--rows", str(arguments.rows)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        measured[case] = found | {"rows": arguments.rows, "bytes_per_row": found["growth"] / arguments.rows}
        print(case, measured[case], flush=True)
    by_pair = pairs(arguments.positives)
    print(by_pair, flush=True)
    by_kind = kinds()
    print(by_kind["wrong"])
    results = {"machine": harness.machine("torch"), "memory": measured, "pairs": by_pair, "kinds": by_kind}
    harness.write("extreme_numbers", results)


if __name__ == "__main__":
    main()
