"""The tests run beside each other: what `conftest.py` says of waiting threads reaches the libraries in time."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info


def test_libraries_are_loaded_after_the_settings_for_their_threads() -> None:
    assert np.eye(2).sum() == 2
    libraries = [library for library in threadpool_info() if library["internal_api"] == "openblas"]
    assert libraries
    assert {library["num_threads"] for library in libraries} == {1}
    assert os.environ["OMP_WAIT_POLICY"] == "passive"


@pytest.mark.parametrize(
    ("given", "spins"), [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, "None")]
)
def test_threads_that_wait_leave_their_core_to_others_unless_told_otherwise(given: dict[str, str], spins: str) -> None:
    code = "import os, sys, rankwise; assert 'lightgbm' not in sys.modules; print(os.environ.get('GOMP_SPINCOUNT'))"
    others = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    done = subprocess.run([sys.executable, "-c", code], env=others | given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == spins
