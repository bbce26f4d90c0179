"""Bands of learning curves stay where values can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import rankwise as rw
from rankwise.reports._learning_curves import _draw


def simulation(metric: str, runs: Any) -> rw.Simulation:
    counts = np.tile([10.0, 20.0, 30.0], (len(runs), 1))
    seconds = {"fit": np.ones(counts.shape), "choose": np.ones(counts.shape)}
    values = {"a": {metric: np.array(runs)}}
    return rw.Simulation(values, {"a": counts}, {"a": seconds}, {metric: 1.0}, tuple(range(len(runs))), 5, 2)


@pytest.mark.parametrize(("metric", "highest"), [("auc", 1.0), ("ndcg@10", 1.0), ("dcg@10", np.inf)])
def test_no_band_of_auc_is_above_one(metric, highest) -> None:
    found = simulation(metric, [[0.5, 0.9, 0.99], [0.6, 0.99, 0.9]])  # two runs: Student's t goes far beyond
    ax = Figure().add_subplot()
    _draw(ax, found, metric)
    (band,) = ax.collections
    top = band.get_paths()[0].vertices[:, 1].max()  # type: ignore[index, union-attr]
    assert top == pytest.approx(min(found.interval("a", metric)[1].max(), highest))
    assert found.interval("a", metric)[1].max() > 1
