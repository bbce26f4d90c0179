from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import rankwise as rw
from rankwise.serve.ranking._app import Limits
from tests.serve.ranking.factories import Client, linear, serving, trees


@pytest.fixture(scope="session")
def tree_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that takes missing values, with names."""
    path = tmp_path_factory.mktemp("trees") / "m.rw"
    rw.save(trees(), path)
    return path


@pytest.fixture(scope="session")
def linear_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that needs every feature, with names."""
    path = tmp_path_factory.mktemp("linear") / "m.rw"
    rw.save(linear(), path)
    return path


@pytest.fixture(scope="session")
def nameless_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nameless") / "m.rw"
    rw.save(trees(named=False), path)
    return path


@pytest.fixture(scope="module")
def client(tree_file: Path) -> Iterator[Client]:
    with serving(tree_file, Limits(max_bytes=100_000, max_documents=50)) as found:
        yield found


@pytest.fixture(scope="module")
def linear_client(linear_file: Path) -> Iterator[Client]:
    with serving(linear_file) as found:
        yield found


@pytest.fixture(scope="module")
def nameless_client(nameless_file: Path) -> Iterator[Client]:
    with serving(nameless_file) as found:
        yield found
