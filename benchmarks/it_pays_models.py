"""The models of it_pays.py: ours on each metric, ours as it was, and the peers on their own losses.

A fit gives a function from features to scores after 1/50, 2/50, … of all rounds, so that one fit can be stopped on any
metric, and every model has as many stops to choose from. RankSVM has values of C instead of rounds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from sources import source_hash

import rankwise as rw

STOPS = 50
AS_IT_WAS: dict[str, Any] = {
    "n_estimators": 100, "learning_rate": 0.1, "num_leaves": 31, "grow_policy": "lossguide", "split_noise": 0.0,
}  # fmt: skip
"""Parameters that, with λ's of swaps, make of today's LambdaMART the one before symmetric trees and split noise."""
SWAPS = {"ndcg@10": "ndcg@30", "map": "map", "auc": "auc"}
"""Metrics whose swaps it descended."""

Scores = NDArray[np.float64]
Staged = Callable[[Any], Iterator[Scores]]


@dataclass(frozen=True)
class Model:
    """`fit(train, seed)` trains it; `code` changes when that would give another model."""

    name: str
    kind: Literal["ours", "before", "peer"]
    fit: Callable[[rw.RankingData, int], Staged]
    code: str
    trained_on: str | None = None
    seeded: bool = True


def lambdamart(metric: str, **parameters: Any) -> Callable[[rw.RankingData, int], Staged]:
    def fit(train: rw.RankingData, seed: int) -> Staged:
        settings = {"early_stopping_rounds": None, "n_jobs": 1, "random_state": seed, **parameters}
        model = rw.LambdaMART(metric, **settings).fit(train)
        return lambda X: at_stops(model.staged_predict(X), model.best_iteration_)

    return fit


def ranksvm(train: rw.RankingData, seed: int) -> Staged:
    models = [rw.RankSVM(C=C).fit(train) for C in (0.01, 0.1, 1.0, 10.0)]
    return lambda X: (model.predict(X) for model in models)


def lightgbm(objective: str, rounds: int = 100) -> Callable[[rw.RankingData, int], Staged]:
    def fit(train: rw.RankingData, seed: int) -> Staged:
        data = lgb.Dataset(train.X, train.y, group=train.groups.sizes)
        model = lgb.train({"objective": objective, "num_threads": 1, "seed": seed, "verbose": -1}, data, rounds)

        def parts(X: Any) -> Iterator[Scores]:
            for first, last in steps(rounds):
                yield model.predict(X, raw_score=True, start_iteration=first, num_iteration=last - first)

        return lambda X: running_sums(parts(X))

    return fit


def xgboost(objective: str, rounds: int = 100) -> Callable[[rw.RankingData, int], Staged]:
    def fit(train: rw.RankingData, seed: int) -> Staged:
        import xgboost as xgb

        y = np.minimum(train.y, 1) if objective == "rank:map" else train.y  # which takes no other labels
        data = xgb.DMatrix(train.X, label=y, group=train.groups.sizes)
        model = xgb.train({"objective": objective, "nthread": 1, "seed": seed}, data, rounds)

        def parts(X: Any) -> Iterator[Scores]:
            rows = xgb.DMatrix(X)
            for part in steps(rounds):
                yield model.predict(rows, output_margin=True, iteration_range=part)

        return lambda X: running_sums(parts(X))

    return fit


def catboost(train: rw.RankingData, seed: int) -> Staged:
    import catboost as cb

    settings = {"loss_function": "YetiRank", "thread_count": 1, "random_seed": seed}
    model = cb.CatBoost({**settings, "verbose": 0, "allow_writing_files": False})
    model.fit(cb.Pool(train.X, train.y, group_id=train.groups.query_of_row()))
    every = math.ceil(model.tree_count_ / STOPS)
    return lambda X: model.staged_predict(X, eval_period=every, thread_count=1)


def fitted_as(metric: str, metrics: Iterable[str], n_rows: int) -> str:
    """The first metric whose LambdaMART is the same: on few rows the λ's of many metrics are."""
    surrogate = rw.parse(metric).for_training(n_rows)
    return next(other for other in metrics if rw.parse(other).for_training(n_rows) == surrogate)


def steps(rounds: int) -> list[tuple[int, int]]:
    """The first round and the one after the last of each step from a stop to the next."""
    every = math.ceil(rounds / STOPS)
    return [(first, min(first + every, rounds)) for first in range(0, rounds, every)]


def at_stops(staged: Iterable[Scores], rounds: int) -> Iterator[Scores]:
    """Of the scores after each round those at stops."""
    stops = {last for _, last in steps(rounds)}
    return (scores for number, scores in enumerate(staged, 1) if number in stops)


def running_sums(parts: Iterable[Scores]) -> Iterator[Scores]:
    total: Any = 0.0
    for part in parts:
        total = total + np.asarray(part, dtype=np.float64)
        yield total


def all_models(metrics: Iterable[str], before: bool = False) -> dict[str, Model]:
    """Every row of the matrix; those of libraries that are not installed are left out."""
    trees = source_hash("it_pays")
    models = [Model(f"LambdaMART, {m}", "ours", lambdamart(m), trees, m) for m in metrics]
    if before:
        code = f"{trees} {AS_IT_WAS}"
        models += [
            Model(f"as it was, {m}", "before", lambdamart(m, surrogate=swaps, **AS_IT_WAS), code, m)
            for m, swaps in SWAPS.items()
        ]
    models.append(Model("RankSVM", "peer", ranksvm, source_hash("ranksvm"), seeded=False))
    peers: list[tuple[str, str, Callable[[rw.RankingData, int], Staged]]] = [
        ("lightgbm", "LightGBM lambdarank", lightgbm("lambdarank")),
        ("lightgbm", "LightGBM rank_xendcg", lightgbm("rank_xendcg")),
        ("xgboost", "XGBoost rank:ndcg", xgboost("rank:ndcg")),
        ("xgboost", "XGBoost rank:map", xgboost("rank:map")),
        ("xgboost", "XGBoost rank:pairwise", xgboost("rank:pairwise")),
        ("catboost", "CatBoost YetiRank", catboost),
    ]
    models += [
        Model(name, "peer", fit, f"{package} {version(package)}") for package, name, fit in peers if find_spec(package)
    ]
    return {model.name: model for model in models}
