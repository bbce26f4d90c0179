"""The tests run beside each other: what `conftest.py` says of waiting threads reaches the libraries in time."""

from __future__ import annotations

import os

import numpy as np
from threadpoolctl import threadpool_info


def test_libraries_are_loaded_after_the_settings_for_their_threads() -> None:
    assert np.eye(2).sum() == 2
    libraries = [library for library in threadpool_info() if library["internal_api"] == "openblas"]
    assert libraries
    assert {library["num_threads"] for library in libraries} == {1}
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
