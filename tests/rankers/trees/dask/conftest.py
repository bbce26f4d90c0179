"""A real cluster of two processes, started once for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from distributed import Client

from tests.rankers.trees.dask.factories import two_workers


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with two_workers() as client:
        yield client
