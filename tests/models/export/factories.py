"""A model of every kind, each trained in a moment, and what formats it can be written in."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rankwise.data import RankingData
from rankwise.rankers import (
    AUCSVM,
    LambdaMART,
    LambdaRank,
    MarginRanker,
    RankBoost,
    RankNet,
    RankSVM,
    RateClassifier,
    SmoothRankBoost,
)
from rankwise.selection.peers import LightGBMRanker, LogisticRanker
from tests.rankers.factories import TRAIN, VALID
from tests.selection.factories import small_auto

TREES: dict[str, Any] = {"n_estimators": 12, "num_leaves": 7, "min_child_samples": 5, "random_state": 0, "n_jobs": 1}
NETS: dict[str, Any] = {"epochs": 3, "batch_queries": 10, "random_state": 0}
SMALL: dict[str, Any] = {"folds": 2, "n_estimators": 10, "num_leaves": 4, "epochs": 4, "n_jobs": 1, "random_state": 0}


def _rounded(data: RankingData) -> RankingData:
    """Coarse values, many of them equal, many of them 0: they meet thresholds, and LightGBM's on both sides of 0."""
    X = np.round(data.X * 4.0) / 4.0
    X[:, :3] = np.maximum(X[:, :3], 0.0)
    return RankingData(X, data.y, data.qid)


ROUND, ROUND_VALID = _rounded(TRAIN), _rounded(VALID)
POSITIVE = (TRAIN.y >= np.quantile(TRAIN.y, 0.7)).astype(int)


def with_gaps(data: RankingData, share: float = 0.3) -> RankingData:
    """The same with missing values in the first two features, more of them where the label is low."""
    rng = np.random.default_rng(3)
    X = data.X.copy()
    gone = rng.random((len(data), 2)) < share * np.where(data.y > data.y.mean(), 0.5, 1.5)[:, None]
    X[:, :2] = np.where(gone, np.nan, X[:, :2])
    return RankingData(X, data.y, data.qid)


def with_categories(data: RankingData) -> RankingData:
    """The same with a feature of 40 categories that the label depends on."""
    rng = np.random.default_rng(4)
    category = (rng.integers(0, 10, len(data)) * 4 + np.clip(data.y, 0, 3)).astype(np.float32)
    return RankingData(np.column_stack([data.X[:, :4], category]), data.y, data.qid)


def half_missing() -> RankingData:
    """One feature, and a label that says where it is missing: LightGBM parts that from all numbers by infinity."""
    row = np.arange(400)
    X = np.where(row % 2 == 0, np.nan, np.linspace(-1.0, 0.2, 400))[:, None]
    return RankingData(X, np.isnan(X[:, 0]), row // 20)


GAPS, CATEGORIES, HALF = with_gaps(TRAIN), with_categories(TRAIN), half_missing()
MAKERS: dict[str, Any] = {
    "lambdamart": lambda: LambdaMART("ndcg@10", **TREES).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid),
    "lambdamart-zeros": lambda: LambdaMART("ndcg@10", **TREES).fit(ROUND.X, ROUND.y, qid=ROUND.qid),
    "lambdamart-symmetric": lambda: LambdaMART("ndcg@10", **TREES | {"num_leaves": 8}, grow_policy="symmetric").fit(
        TRAIN
    ),
    "lambdamart-bags": lambda: LambdaMART("ndcg@10", bags=3, **TREES).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid),
    "lambdamart-missing": lambda: LambdaMART("ndcg@10", **TREES).fit(GAPS.X, GAPS.y, qid=GAPS.qid),
    "lambdamart-categories": lambda: LambdaMART("ndcg@10", categorical_feature=[4], **TREES).fit(
        CATEGORIES.X, CATEGORIES.y, qid=CATEGORIES.qid
    ),
    "lambdamart-gaps-only": lambda: LambdaMART("auc", **TREES | {"num_leaves": 2}).fit(HALF.X, HALF.y, qid=HALF.qid),
    "rankboost": lambda: RankBoost(n_estimators=30).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid),
    "smoothrankboost": lambda: SmoothRankBoost(n_estimators=10).fit(ROUND.X, ROUND.y > 0, qid=ROUND.qid),
    "ranksvm": lambda: RankSVM().fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid),
    "ranksvm-quantiles": lambda: RankSVM(quantiles=True).fit(ROUND.X, ROUND.y, qid=ROUND.qid),
    "aucsvm": lambda: AUCSVM().fit(TRAIN.X, POSITIVE, qid=TRAIN.qid),
    "margin": lambda: MarginRanker(epsilon=0.8, max_iter=20).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid),
    "margin-stumps": lambda: MarginRanker(epsilon=0.8, hypotheses="stumps", max_iter=10).fit(
        TRAIN.X, TRAIN.y, qid=TRAIN.qid
    ),
    "lambdarank": lambda: LambdaRank("ndcg@10", hidden=(8, 4), **NETS).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid),
    "ranknet": lambda: RankNet("ndcg@10", activation="tanh", **NETS).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid),
    "auto": lambda: small_auto().fit(TRAIN),
    "auto-net": lambda: small_auto(
        candidates={"linear": RankSVM(quantiles=True), "net": LambdaRank(**NETS), "trees": LambdaMART(**TREES)}
    ).fit(TRAIN),
    "lightgbm": lambda: LightGBMRanker(**TREES).fit(ROUND.X, ROUND.y, qid=ROUND.qid),
    "logistic": lambda: LogisticRanker().fit(TRAIN.X, POSITIVE, qid=TRAIN.qid),
    "rate-trees": lambda: RateClassifier("r@p=0.7", **SMALL).fit(TRAIN.X, POSITIVE),
    "rate-linear": lambda: RateClassifier("r@p=0.7", model="linear", **SMALL).fit(TRAIN.X, POSITIVE),
    "rate-net": lambda: RateClassifier("r@p=0.7", model="net", **SMALL).fit(TRAIN.X, POSITIVE),
}
TREES_OF = ("onnx", "xgboost-json", "solr", "ranklib", "vespa", "lightgbm")
LINEAR_OF = ("onnx", "solr", "ranklib", "vespa")
TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("lambdamart", "lambdamart-zeros", "lambdamart-symmetric", "lambdamart-bags"), TREES_OF),
    **dict.fromkeys(("lightgbm", "rate-trees"), TREES_OF),
    **dict.fromkeys(("rankboost", "smoothrankboost", "margin-stumps"), TREES_OF),
    **dict.fromkeys(("lambdamart-missing", "lambdamart-gaps-only"), ("onnx", "xgboost-json", "vespa", "lightgbm")),
    "lambdamart-categories": ("onnx", "vespa", "lightgbm"),
    **dict.fromkeys(("ranksvm", "aucsvm", "logistic", "margin", "rate-linear"), LINEAR_OF),
    **dict.fromkeys(("lambdarank", "ranknet", "rate-net", "ranksvm-quantiles"), ("onnx", "vespa")),
    **dict.fromkeys(("auto", "auto-net"), ("onnx",)),
}
PAIRS = [(kind, to) for kind, formats in TAKES.items() for to in formats]
IS_TREES = {kind: "lightgbm" in formats for kind, formats in TAKES.items()}


@cache
def made(kind: str) -> Any:
    """The model of this kind."""
    return MAKERS[kind]()


def data_for(kind: str) -> RankingData:
    """Rows that it was not trained on."""
    if kind == "lambdamart-missing":
        return with_gaps(VALID)
    if kind == "lambdamart-gaps-only":
        return HALF
    if kind == "lambdamart-categories":
        return with_categories(VALID)
    return ROUND_VALID if kind in ("lambdamart-zeros", "smoothrankboost") else VALID


def file_name(kind: str, to: str) -> str:
    """A name with the ending that the format wants."""
    if to == "vespa":
        return "model.json" if IS_TREES[kind] else "model.onnx"
    return {"onnx": "model.onnx", "xgboost-json": "model.json", "solr": "model.json"}.get(to, "model.txt")
