"""README and docs run as tests: every `>>>` in them, each file in a folder of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

# Two workers of pytest have more threads than the machine has cores. Threads of LightGBM, torch and BLAS that wait for
# each other by spinning then take a hundred times the CPU of the work itself. Libraries read this as they are loaded.
os.environ |= {"OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}

import pytest

from rankwise.kernels import _tiers

ROOT = Path(__file__).parent


@pytest.fixture(autouse=True)
def _documents_run_in_a_folder_of_their_own(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if request.node.path.suffix == ".md":
        shutil.copytree(ROOT / "docs" / "data", tmp_path, dirs_exist_ok=True)
        monkeypatch.chdir(tmp_path)


# Tests have few rows and are there for compiled code; test_tiers.py compares it with what Python runs in its place.
_tiers.MAX_ROWS = -1
