from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which is not part of the project."""
    folder = Path(os.environ.get("RANKWISE_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"there is no real data at {folder}; set RANKWISE_DATA to its folder")
    return folder


@pytest.fixture
def text_file(tmp_path):
    """Writes text or bytes to a file and gives its path."""

    def make(content: str | bytes, name: str = "data.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make
