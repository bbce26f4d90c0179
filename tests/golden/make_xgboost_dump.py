"""Writes xgboost_dump.json: a dump of XGBoost, rows that meet its thresholds, and what XGBoost computes for them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import xgboost as xgb

HERE, NAMES = Path(__file__).parent, ["a", "b", "c"]

rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(400, 3)), 1).astype(np.float32)
X[rng.random(X.shape) < 0.2] = np.nan
y = np.nan_to_num(X[:, 0], nan=1.0) + np.nan_to_num(X[:, 1], nan=-1.0) ** 2 + np.isnan(X[:, 2])
settings = {"max_depth": 3, "eta": 0.5, "base_score": 0.0, "nthread": 1}
booster = xgb.train(settings, xgb.DMatrix(X, y, feature_names=NAMES), 4)
dump = Path(mkdtemp(), "dump.json")
booster.dump_model(str(dump), dump_format="json")
trees = json.loads(dump.read_text())
limits = [tree["split_condition"] for tree in trees]
rows = X[:40].copy()
for row, limit in enumerate(limits):  # exactly at the first threshold of each tree, and next to it
    column = NAMES.index(trees[row]["split"])
    for place, value in enumerate((limit, np.nextafter(np.float32(limit), np.float32(-9)))):
        rows[2 * row + place, column] = value
margins = booster.predict(xgb.DMatrix(rows, feature_names=NAMES), output_margin=True)
told = {
    "version": xgb.__version__,
    "names": NAMES,
    "trees": trees,
    "rows": [[None if np.isnan(value) else float(value) for value in row] for row in rows],
    "margins": [float(value) for value in margins],
}
(HERE / "xgboost_dump.json").write_text(json.dumps(told, indent=1) + "\n")
