"""What growth.py measures: rows of one nature in any number, our estimators at a fixed size, and their peers.

Features are 20 Gaussians. A noisy sum of them, with positive weights and one product, gives grades 0 to 4 in queries of
100 documents; positives are the grades from 2 on, a quarter of the rows. For hard margins, which need pairs that can be
separated, grades are 0 and 2 by the sum alone, rows of which are moved apart by a tenth of its deviation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1])]
import rankwise as rw

FEATURES, DOCUMENTS, AT_ONCE = 20, 100, 1_000_000
CUTS = (0.0, 0.67, 1.28, 1.88)  # of a Gaussian, below which are 50, 75, 90 and 97% of the rows
TREES = {"n_estimators": 10, "learning_rate": 0.1}
EPSILON = 0.3
MILLION = 1_000_000


@dataclass(frozen=True)
class Rows:
    X: NDArray[np.float32]
    grade: NDArray[np.int64]

    @property
    def qid(self) -> NDArray[np.int64]:
        return np.arange(len(self.grade)) // DOCUMENTS

    @property
    def positive(self) -> NDArray[np.int64]:
        return (self.grade >= 2).astype(np.int64)


def make_rows(count: int, seed: int = 0, *, separable: bool = False) -> Rows:
    """A million rows at once, so that what is drawn beside them takes no memory to speak of."""
    w = np.abs(np.random.default_rng(1).standard_normal(FEATURES, dtype=np.float32))
    w /= np.linalg.norm(w)
    X, grade = np.empty((count, FEATURES), dtype=np.float32), np.empty(count, dtype=np.int64)
    for first in range(0, count, AT_ONCE):
        some = slice(first, min(first + AT_ONCE, count))
        rng = np.random.default_rng((seed, first))
        rng.standard_normal(dtype=np.float32, out=X[some])
        total = X[some] @ w
        if separable:
            grade[some] = 2 * (total > 0)
            X[some] += np.where(total > 0, 0.1, -0.1)[:, None] * w
        else:
            total += 0.5 * X[some, 0] * X[some, 1] + 0.5 * rng.standard_normal(len(total), dtype=np.float32)
            grade[some] = np.searchsorted(CUTS, total / np.sqrt(1.5))
    return Rows(X, grade)


@dataclass(frozen=True)
class Task:
    """`fit` takes what `given` made of the rows outside the clock; `peer` is what a user would pick in its place."""

    fit: Callable[[Any], Any]
    predict: Callable[[Any, NDArray[np.float32]], Any] | None = None
    peer: str | None = None
    given: Callable[[Rows], Any] = lambda rows: rows
    largest: int = 10 * MILLION
    separable: bool = False


def scores(model: Any, X: NDArray[np.float32]) -> Any:
    return model.predict(X)


def margins(model: Any, X: NDArray[np.float32]) -> Any:
    return model.decision_function(X)


def probabilities(model: Any, X: NDArray[np.float32]) -> Any:
    return model.predict_proba(X)


def ranker(kind: str, peer: str, *, one_list: bool = False, separable: bool = False, **settings: Any) -> Task:
    """One of our rankers, on graded queries or on one list of positives and others."""

    def fit(rows: Rows) -> Any:
        model = getattr(rw, kind)(**settings)
        return model.fit(rows.X, rows.positive) if one_list else model.fit(rows.X, rows.grade, qid=rows.qid)

    return Task(fit, scores, peer, largest=(1 if kind == "MarginRanker" else 10) * MILLION, separable=separable)


def rate_classifier(model: str, peer: str, **settings: Any) -> Task:
    """With an eval_set of a fifth as many rows, as it takes the place of folds."""

    def given(rows: Rows) -> tuple[Rows, Rows]:
        return rows, make_rows(len(rows.grade) // 5, seed=1)

    def fit(parts: tuple[Rows, Rows]) -> Any:
        classifier = rw.RateClassifier("r@p=0.8", model=model, random_state=0, n_jobs=1, **settings)
        return classifier.fit(parts[0].X, parts[0].positive, eval_set=(parts[1].X, parts[1].positive))

    return Task(fit, probabilities, peer, given)


def fit_lightgbm(objective: str, leaves: int, rows: Rows) -> Any:
    import lightgbm

    settings = {"num_leaves": leaves, "max_bin": 127, "n_jobs": 1, "verbose": -1, **TREES}
    if objective == "lambdarank":
        groups = np.bincount(rows.qid)
        return lightgbm.LGBMRanker(**settings).fit(rows.X, rows.grade, group=groups)
    return lightgbm.LGBMClassifier(**settings).fit(rows.X, rows.positive)


def fit_catboost(rows: Rows) -> Any:
    from catboost import CatBoostRanker, Pool

    settings = {"loss_function": "YetiRank", "depth": 5, "border_count": 127, "thread_count": 1, "verbose": 0}
    pool = Pool(rows.X, rows.grade, group_id=rows.qid)
    return CatBoostRanker(**settings, **TREES, random_seed=0, allow_writing_files=False).fit(pool)


def fit_linear_svc(rows: Rows) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC().fit(rows.X, rows.positive)


def fit_logistic(rows: Rows) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(rows.X, rows.positive)


def fit_net(hidden: int, batch: int, rows: Rows) -> Any:
    """An epoch of cross entropy, as one writes it in torch."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(FEATURES, hidden), nn.ReLU(), nn.Linear(hidden, 1), nn.Flatten(0))
    optimizer, loss = torch.optim.AdamW(net.parameters(), lr=0.01), nn.BCEWithLogitsLoss()
    X, y = torch.from_numpy(rows.X), torch.from_numpy(rows.positive).float()
    for some in torch.randperm(len(X)).split(batch):
        optimizer.zero_grad()
        loss(net(X[some]), y[some]).backward()
        optimizer.step()
    return net


def net_scores(net: Any, X: NDArray[np.float32]) -> Any:
    import torch

    with torch.no_grad():
        return net(torch.from_numpy(X)).numpy()


def fit_pdlp(rows: Rows) -> float:
    from benchmarks.margins import pdlp

    return pdlp(EPSILON, (rows.X, rows.positive), limit=float("inf"))


def fit_simplex(rows: Rows) -> Any:
    from benchmarks.margins import scaled
    from tests.reference.margin_programs import hard_with_bias

    H, positive = scaled(rows.X), rows.positive == 1
    return hard_with_bias(H[positive], H[~positive])


def one_list(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return rows.positive, rows.X.sum(axis=1, dtype=np.float64)


def two_areas(parts: tuple[NDArray[np.int64], NDArray[np.float64]]) -> tuple[float, float]:
    from sklearn.metrics import average_precision_score, roc_auc_score

    return roc_auc_score(*parts), average_precision_score(*parts)


def queries(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    return rows.grade, rows.X.sum(axis=1, dtype=np.float64), rows.qid


def ranx_objects(rows: Rows) -> tuple[Any, Any]:
    import ranx

    names = [str(number) for number in range(DOCUMENTS)]
    made = []
    for values in queries(rows)[:2]:
        lists = values.reshape(-1, DOCUMENTS).tolist()
        made.append({str(q): dict(zip(names, one, strict=True)) for q, one in enumerate(lists)})
    return ranx.Qrels(made[0]), ranx.Run(made[1])


def ranx_metrics(objects: tuple[Any, Any]) -> Any:
    import ranx

    return ranx.evaluate(*objects, ["ndcg_burges@10", "map"])


def lambdamart(leaves: int, policy: str, peer: str) -> Task:
    fixed = {"max_bin": 127, "split_noise": 0.0, "surrogate": "ndcg@30", "random_state": 0, "n_jobs": 1}
    return ranker("LambdaMART", peer, num_leaves=leaves, grow_policy=policy, **fixed, **TREES)


def margin(method: str, peer: str, **settings: Any) -> Task:
    hard = method == "hard"
    given = {} if hard else {"epsilon": EPSILON}
    return ranker("MarginRanker", peer, one_list=True, separable=hard, method=method, **given, **settings)


LAMBDARANK, YETIRANK, STUMPS = "LightGBM lambdarank, 31 leaves", "CatBoost YetiRank, depth 5", "LightGBM, 2 leaves"
SMALL_TREES, BCE, BCE_256 = "LightGBM, 15 leaves", "torch, cross entropy", "torch, cross entropy, batches of 256"
PDLP, SIMPLEX = "HiGHS PDLP", "HiGHS simplex"
NET = {"epochs": 1, "random_state": 0}
FAMILIES: dict[str, dict[str, Task]] = {
    "trees": {
        "LambdaMART, 31 leaves": lambdamart(31, "lossguide", LAMBDARANK),
        "LambdaMART, symmetric, 32 leaves": lambdamart(32, "symmetric", YETIRANK),
        LAMBDARANK: Task(partial(fit_lightgbm, "lambdarank", 31), scores),
        YETIRANK: Task(fit_catboost, scores),
    },
    "stumps": {
        "RankBoost": ranker("RankBoost", STUMPS, one_list=True, n_estimators=10),
        "SmoothRankBoost": ranker("SmoothRankBoost", STUMPS, one_list=True, n_estimators=10),
        STUMPS: Task(partial(fit_lightgbm, "binary", 2), scores),
    },
    "linear": {
        "RankSVM": ranker("RankSVM", "LinearSVC"),
        "AUCSVM": ranker("AUCSVM", "LinearSVC", one_list=True),
        "LinearSVC": Task(fit_linear_svc, margins),
    },
    "nets": {
        "RankNet": ranker("RankNet", BCE, **NET),
        "LambdaRank": ranker("LambdaRank", BCE, **NET),
        BCE: Task(partial(fit_net, 10, 500), net_scores),
    },
    "rates": {
        "RateClassifier, linear": rate_classifier("linear", "LogisticRegression"),
        "RateClassifier, trees": rate_classifier("trees", SMALL_TREES, num_leaves=15, **TREES),
        "RateClassifier, net": rate_classifier("net", BCE_256, epochs=1),
        "LogisticRegression": Task(fit_logistic, probabilities),
        SMALL_TREES: Task(partial(fit_lightgbm, "binary", 15), probabilities),
        BCE_256: Task(partial(fit_net, 16, 256), net_scores),
    },
    "programs": {
        "MarginRanker, pairs": margin("pairs", PDLP),
        "MarginRanker, reduced": margin("reduced", PDLP),
        "MarginRanker, heuristic": margin("heuristic", PDLP),
        "MarginRanker, hard": margin("hard", SIMPLEX),
        "MarginRanker, pairs, stumps": margin("pairs", PDLP, hypotheses="stumps", tol=1e-3),
        PDLP: Task(fit_pdlp, largest=MILLION),
        SIMPLEX: Task(fit_simplex, largest=MILLION, separable=True),
    },
    "metrics": {
        "evaluate, one list": Task(lambda p: rw.evaluate(*p, metrics=["auc", "map"]), None, "scikit-learn", one_list),
        "evaluate, queries": Task(lambda p: rw.evaluate(*p, metrics=["ndcg@10", "map"]), None, "ranx", queries),
        "scikit-learn": Task(two_areas, None, None, one_list),
        "ranx": Task(ranx_metrics, None, None, ranx_objects, largest=MILLION),
    },
}
TASKS = {name: task for family in FAMILIES.values() for name, task in family.items()}
LEFT_OUT = {"AutoRanker": "it fits the others, and its cost is the budget that it is given"}
