"""The compile cache never serves old code: names follow what a function calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rankwise.kernels._fingerprint import fingerprint

METRIC = """
from dataclasses import dataclass
from typing import ClassVar
from rankwise import Metric, evaluate
from rankwise.metrics import compiled, helper

FACTOR = {factor}

@helper
def worth(label):
    return {worth}

@dataclass(frozen=True)
class Mine(Metric):
    name: ClassVar[str] = "mine"

    @compiled
    def _value(self, ranked, ideal):
        return FACTOR * worth(ranked[0])

if __name__ == "__main__":
    print(evaluate([3, 1], [2, 1], metrics=[Mine()])["mine"])
"""


def run(path: Path, factor: int, worth: str) -> float:
    path.write_text(METRIC.format(factor=factor, worth=worth))
    return float(subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout)


def test_a_changed_helper_or_constant_is_seen(tmp_path: Path) -> None:
    """numba's own cache would serve the first result each time: the loop's file did not change."""
    path = tmp_path / "mine.py"
    assert run(path, 1, "label") == 3
    assert run(path, 1, "label + 1") == 4
    assert run(path, 2, "label + 1") == 8


def test_fingerprints_follow_code_not_names() -> None:
    def one(x: int) -> int:
        return x + 1

    def same(x: int) -> int:
        return x + 1

    def two(x: int) -> int:
        return x + 2

    assert fingerprint(one) == fingerprint(same) != fingerprint(two)
