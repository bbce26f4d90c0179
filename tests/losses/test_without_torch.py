"""torch is an extra: nothing imports it unasked, and its absence is one clear sentence."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_nothing_but_nets_imports_torch():
    modules = "rankwise.rankers, rankwise.models, rankwise.objectives, rankwise.cli, rankwise.reports, rankwise.checks"
    assert run(f"import rankwise, {modules}, sys; print('torch' in sys.modules)") == "False"


BLOCKED = """
import sys
sys.modules["torch"] = None
try:
    {}
except ImportError as problem:
    print(type(problem).__name__, problem)
"""


@pytest.mark.parametrize("use", ["from rankwise.losses import LambdaLoss"])
def test_without_torch_the_remedy_is_named(use):
    assert run(BLOCKED.format(use)) == ("MissingExtraError torch is not installed; run: pip install 'rankwise[torch]'")
