"""A small sound model of every kind, as the start of mutations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rankwise as rw
from rankwise.data import cubic
from rankwise.selection.peers import LightGBMRanker, LogisticRanker

DATA = cubic(queries=20, documents=10, features=4, seed=1)
TRAIN, VALID = DATA.rows(np.arange(120)), DATA.rows(np.arange(120, 200))
EVAL_SET = (VALID.X, VALID.y, VALID.qid)
TREES: dict[str, Any] = {"n_estimators": 3, "num_leaves": 4, "random_state": 0, "n_jobs": 1, "min_child_samples": 5}
NET: dict[str, Any] = {"epochs": 2, "batch_queries": 10, "random_state": 0, "hidden": (4, 3)}
RATE: dict[str, Any] = {
    "n_jobs": 1, "random_state": 0, "n_estimators": 4, "min_child_samples": 5, "epochs": 2, "hidden": (4,), "anchors": 3
}  # fmt: skip


def _ranker(model: Any) -> Any:
    return model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET)


def _with_categories() -> Any:
    frame = pd.DataFrame(TRAIN.X, columns=["a", "größe", "b c", "d"])
    frame["kind"] = pd.Categorical(np.array(["x", "y", "é", "z"])[np.arange(len(frame)) % 4])
    model = rw.LambdaMART("ndcg@5", **TREES, monotone_constraints={"a": 1})
    return model.fit(frame, (np.arange(len(frame)) % 4 == 1) * 1.0, qid=TRAIN.qid)


def _margin(method: str, hypotheses: str) -> Any:
    model: Any = rw.MarginRanker(method=method, hypotheses=hypotheses, epsilon=[0.3, 0.5], tol=1e-3)  # type: ignore[arg-type]
    median = np.median(TRAIN.y)
    return model.fit(TRAIN.X, (TRAIN.y > median) * 1.0, eval_set=(VALID.X, (VALID.y > median) * 1.0))


def _rate(family: str, borders: list[float]) -> Any:
    classes = np.array(["a", "b", "ü"])[np.digitize(TRAIN.X[:, 0], borders)]
    return rw.RateClassifier("0.5*f1 + 0.5*aucpr", model=family, **RATE).fit(TRAIN.X, classes)


def make_models() -> dict[str, Any]:
    """Fitted models by name."""
    candidates = {"a": rw.RankSVM("ndcg@5"), "b": rw.LambdaMART("ndcg@5", **TREES)}
    return {
        "lambdamart": _ranker(rw.LambdaMART("ndcg@10", bags=2, **TREES)),
        "lambdamart with categories": _with_categories(),
        "lambdarank": _ranker(rw.LambdaRank(**NET)),
        "ranknet": _ranker(rw.RankNet(**NET | {"optimizer": "burges2006", "activation": "tanh"})),
        "rankboost": _ranker(rw.RankBoost("ndcg@5", n_estimators=4)),
        "smoothrankboost": _ranker(rw.SmoothRankBoost("ndcg@5", n_estimators=4)),
        "ranksvm": _ranker(rw.RankSVM("ndcg@5", C=[0.1, 1.0])),
        "aucsvm": _ranker(rw.AUCSVM("ndcg@5", C=[0.1, 1.0])),
        "auto": rw.AutoRanker("ndcg@5", candidates=candidates, folds=2, random_state=0).fit(TRAIN),
        "lightgbm": _ranker(LightGBMRanker("ndcg@5", objective="binary", n_estimators=3, random_state=0, n_jobs=1)),
        "logistic": _ranker(LogisticRanker("ndcg@5")),
        "margin of features": _margin("heuristic", "features"),
        "margin of stumps": _margin("reduced", "stumps"),
        "hard margin": _margin("hard", "features"),
        "rate of trees": _rate("trees", [0.4]),
        "rate of trees, 3 classes": _rate("trees", [-0.4, 0.4]),
        "rate, linear": _rate("linear", [0.4]),
        "rate of a net": _rate("net", [0.4]),
        "rate of a net, 3 classes": _rate("net", [-0.4, 0.4]),
    }


def write_seeds(folder: Path) -> dict[str, Path]:
    """The models' files, by name."""
    models = make_models()
    paths = {name: folder / f"{place}.rw" for place, name in enumerate(models)}
    for name, path in paths.items():
        rw.save(models[name], path)
    return paths
