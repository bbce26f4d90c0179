from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rankwise.data import RankingData
from rankwise.labels import LabelStore


@pytest.fixture
def data() -> RankingData:
    """Two queries of three documents each, their rows apart; "b" stands in both."""
    X = np.arange(12, dtype=np.float32).reshape(6, 2) / 7
    return RankingData(X, [0, 1, 2, 3, 4, -1], qid=[7, 3, 7, 3, 7, 3], doc_ids=["a", "b", "b", "c", "d", "e"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.db"


@pytest.fixture
def store(path: Path, data: RankingData) -> Iterator[LabelStore]:
    with LabelStore.create(path, data) as store:
        yield store
