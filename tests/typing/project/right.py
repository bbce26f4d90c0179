"""A project that uses rankwise as its users do; `mypy --strict` must find nothing, and see the types that are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import rankwise as rw
from rankwise.data import split


def judge(scores: NDArray[np.float64]) -> float:
    result = rw.evaluate([2, 0, 1], scores, [1, 1, 1], metrics=["ndcg@10", "auc"], ties="worst")
    assert_type(result, rw.Evaluation)
    assert_type(result["auc"], float)
    assert_type(result.per_query["auc"], NDArray[np.float64])
    return result["ndcg@10"]


def choose(data: rw.RankingData, systems: dict[str, NDArray[np.float64]]) -> str:
    comparison = rw.compare(data, systems, metrics="map")
    assert_type(comparison, rw.Comparison)
    assert_type(comparison.best("map"), str)
    return comparison.best("map")


def train(folder: Path) -> NDArray[np.float64]:
    data = rw.read(folder / "train.txt")
    assert_type(data, rw.RankingData)
    train_rows, valid_rows = split(data, [0.8, 0.2])
    model = rw.LambdaMART("ndcg@10", n_estimators=20).fit(train_rows, eval_set=valid_rows)
    assert_type(model, rw.LambdaMART)
    assert_type(model.predict(valid_rows), NDArray[np.float64])
    assert_type(model.score(valid_rows), float)
    assert_type(rw.save(model, folder / "m.rw"), None)
    assert_type(rw.load(folder / "m.rw"), Any)
    return model.predict(np.ones((3, 4)))


def flag(X: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    model = rw.RateClassifier("r@p=0.9", model="linear", pos_label=1).fit(X, y)
    assert_type(model, rw.RateClassifier)
    assert_type(rw.certify(y, model.scores(X), "r@p=0.9"), rw.Certificate)
    return model.predict_proba(X)


def search(data: rw.RankingData) -> rw.RankwiseError | None:
    try:
        rw.tune(rw.RankSVM(), data, {"C": (0.1, 10.0, "log")}, trials=5)
        assert_type(rw.cross_validate(rw.RankSVM(), data, "auc").evaluation, rw.Evaluation)
    except rw.RankwiseError as error:
        return error
    return None
