"""Rows of two classes with noise, which margins learn in a moment."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.rankers import MarginRanker


def noisy(rows: int = 120, seed: int = 0, columns: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Three features tell the class, two of them with a minus; some rows have the wrong one."""
    random = np.random.default_rng(seed)
    y = (random.random(rows) < 0.4).astype(float)
    X = random.normal(size=(rows, columns))
    X[:, 1:4] += np.array([1.5, -1.5, -1.0]) * y[:, None]
    return X, np.where(random.random(rows) < 0.03, 1.0 - y, y)


def fitted(**parameters: Any) -> MarginRanker:
    return MarginRanker(**{"epsilon": 0.3} | parameters).fit(*noisy())
