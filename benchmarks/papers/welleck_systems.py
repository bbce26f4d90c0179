"""What Welleck 2016 compares: LambdaMART by the paper's λ's, SVM-Perf's model for AUC; and LambdaMART as it is here.

- LambdaMART-AUC, -MAUC: the λ's as printed, (17) and (19): the change by a swap (`surrogate="swap"`), not divided by
  the gap of scores (`norm=None`), one plain tree per round (no split noise, not symmetric) whose leaves take the Newton
  step Σλ/Σw. The learning rate is the best on the validation part of {.1, .25, .5, .9}, and so is the number of trees.
  Leaves and the most trees are not in the paper: 15 and 150.
- SVM: one model per grade c by SVM-Perf's ROCArea loss, scores Σ c·f_c(d). SVM-Perf's c of {.1, 1, 10, 100} on the
  validation part is C = 100·c here, since it counts swapped pairs in percent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from papers.letor_data import Fold

import rankwise as rw

RATES = (0.1, 0.25, 0.5, 0.9)
PENALTIES = (10.0, 100.0, 1000.0, 10_000.0)
QUICK_ROUNDS = 2
PLAIN: dict[str, Any] = {
    "surrogate": "swap",
    "norm": None,
    "grow_policy": "lossguide",
    "split_noise": 0.0,
    "reg_lambda": 0.0,
    "num_leaves": 15,
    "n_estimators": 150,
    "random_state": 0,
}
RAW, STANDARDIZED = "SVM, raw features", "SVM, standardized features"
Fit = Callable[[rw.RankingData, rw.RankingData], tuple[Any, float | None]]


def plain(metric: str, train: rw.RankingData, valid: rw.RankingData, quick: bool) -> tuple[Any, float]:
    """The model of the best learning rate, and that."""
    settings = PLAIN | ({"n_estimators": QUICK_ROUNDS} if quick else {})
    models = (rw.LambdaMART(metric, learning_rate=rate, **settings).fit(train, eval_set=valid) for rate in RATES)
    best = max(models, key=lambda model: model.best_score_)
    return best, best.learning_rate


def defaults(metric: str, train: rw.RankingData, valid: rw.RankingData, quick: bool) -> tuple[Any, None]:
    model = rw.LambdaMART(metric, n_estimators=QUICK_ROUNDS if quick else None, random_state=0)
    return model.fit(train, eval_set=valid), None


def svm(metric: str, standardize: bool, train: rw.RankingData, valid: rw.RankingData) -> tuple[Any, float]:
    """The model of the best C, and that."""
    model = rw.AUCSVM(metric, C=PENALTIES, standardize=standardize).fit(train, eval_set=valid)
    return model, model.C_


def published_name(metric: str) -> str:
    return f"LambdaMART-{metric.upper()}"


def defaults_name(metric: str) -> str:
    return f'rw.LambdaMART("{metric}")'


def systems(metric: str, quick: bool = False) -> dict[str, Fit]:
    """All systems for data that is judged by `metric`, auc or mauc; beside them, trees trained on other metrics."""
    trained_on = dict.fromkeys((metric, "auc", "ndcg@10"))
    return {
        **{published_name(each): partial(plain, each, quick=quick) for each in trained_on},
        defaults_name(metric): partial(defaults, metric, quick=quick),
        RAW: partial(svm, metric, False),
        STANDARDIZED: partial(svm, metric, True),
    }


@dataclass
class Scores:
    """Labels and queries of all test parts, and each system's scores for them by the model of their fold."""

    y: NDArray[np.float64]
    qid: NDArray[np.int64]
    fold: NDArray[np.int64]
    scores: dict[str, NDArray[np.float64]]
    picked: dict[str, list[float | None]] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)


def score(folds: Iterable[Fold], fits: dict[str, Fit]) -> Scores:
    """Train and score fold by fold; a query is told apart from one of the same qid in another fold."""
    labels, queries, numbers, scores = [], [], [], {name: [] for name in fits}
    picked: dict[str, list[float | None]] = {name: [] for name in fits}
    seconds = dict.fromkeys(fits, 0.0)
    n_queries = 0
    for number, (train, valid, test) in enumerate(folds):
        for name, fit in fits.items():
            start = time.process_time()
            model, chosen = fit(train, valid)
            seconds[name] += time.process_time() - start
            picked[name].append(chosen)
            scores[name].append(model.predict(test.X))
            print(f"fold {number + 1}: {name}" + ("" if chosen is None else f" at {chosen:g}"), flush=True)
        labels.append(test.y)
        queries.append(test.groups.query_of_row() + n_queries)
        numbers.append(np.full(len(test), number))
        n_queries += test.groups.n_queries
    joined = {name: np.concatenate(of) for name, of in scores.items()}
    return Scores(np.concatenate(labels), np.concatenate(queries), np.concatenate(numbers), joined, picked, seconds)
