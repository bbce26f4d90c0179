"""The data of it_pays.py: what to train on, what to choose the number of rounds on, and what to judge by."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from demo import search_digits
from lambdamart import Fold, folds_of_mq2008

import rankwise as rw
from rankwise.data import web

METRICS = (
    "ndcg@10", "dcg@10", "map", "mrr", "err@10", "wta", "p@5", "r@10", "bpref", "auc", "mauc", "pairs", "aucpr",
    "pauc[0,0.1]",
)  # fmt: skip

LEFT_OUT = {
    "0.7*ndcg@10 + 0.3*auc": "a sum of two that are here",
    "auc[2]": "a part of mauc, which is here",
    "map@10": "map, cut off",
    "p-micro@5": "p@5 by grade, for judging who finds which grade",
    "p-macro@5": "p@5 by grade, for judging who finds which grade",
    "success@10": "mrr, cut off to whether there is one",
    "r-precision": "close to map, by which it is trained",
    "rbp": "close to p@5, which is here",
    "aucpr[0.8,1]": "an operating point of one long list (docs/operating-points.md)",
    "r@p=0.95": "an operating point of one long list (docs/operating-points.md)",
    "p@r=0.9": "an operating point of one long list (docs/operating-points.md)",
    "tpr@fpr=0.01": "an operating point of one long list (docs/operating-points.md)",
    "f1": "needs a threshold, not a ranking (docs/operating-points.md)",
    "f2": "needs a threshold, not a ranking (docs/operating-points.md)",
}
"""The other examples of metrics, and why they are not trained on and judged by here."""

SAME_AS_AUC = ("mauc", "pairs")
"""What is the AUC where labels are 0 and 1."""

SLOW = ("aucpr", "pauc[0,0.1]")
"""No λ's in linear time: ten times the CPU of the others on lists of a hundred, so that `web` has to do without."""

WEB_ROWS = 200_000


@dataclass(frozen=True)
class DataSet:
    """`read(shared, number)` is one of its folds; with `draws`, seeds draw the data, each a fold of its own.

    `most_seeds` and `once`, models that take a single one, keep the benchmark payable.
    """

    name: str
    folds: int
    read: Callable[[Path, int], Fold]
    metrics: tuple[str, ...] = METRICS
    draws: bool = False
    most_seeds: int | None = None
    once: tuple[str, ...] = ()

    def runs(self, seeds: int) -> list[tuple[int, int]]:
        """Pairs of a fold and a seed of the models."""
        seeds = min(seeds, self.most_seeds or seeds)
        if self.draws:
            return [(draw, draw) for draw in range(seeds)]
        return [(fold, seed) for seed in range(seeds) for fold in range(self.folds)]


def read_mq2008(shared: Path, fold: int) -> Fold:
    return folds_of_mq2008(shared / "MQ2008")[fold]


def read_mslr(shared: Path, fold: int) -> Fold:
    train, test = (rw.read(shared / "MSLR-sample" / f"msn1.fold1.{part}.5k.txt") for part in ("train", "test"))
    return Fold.split(train, test)


def read_lightgbm_rank(shared: Path, fold: int) -> Fold:
    train, test = (rw.read(shared / "lightgbm-rank" / f"rank.{part}") for part in ("train", "test"))
    return Fold.split(train, test)


def draw_digits(shared: Path, draw: int) -> Fold:
    train, valid, test = (search_digits(part, draw)[0] for part in range(3))
    return Fold(train, test, train, valid)


def make_web(shared: Path, fold: int) -> Fold:
    """As lambdamart.py makes it; rounds are chosen on a fifth of the training queries."""
    data = web(WEB_ROWS * 3 // 200, 100, seed=0)
    is_train = data.groups.query_of_row() < WEB_ROWS // 100
    return Fold.split(data.rows(is_train), data.rows(~is_train))


DATA = {
    "mq2008": DataSet("MQ2008", 5, read_mq2008),
    "mslr": DataSet("MSLR sample", 1, read_mslr),
    "lightgbm": DataSet("LightGBM's example", 1, read_lightgbm_rank),
    "digits": DataSet(
        "digits", 1, draw_digits, metrics=tuple(metric for metric in METRICS if metric not in SAME_AS_AUC), draws=True
    ),
    "web": DataSet(
        "web",
        1,
        make_web,
        metrics=tuple(metric for metric in METRICS if metric not in SLOW),
        most_seeds=2,
        once=("CatBoost YetiRank",),
    ),
}


@cache
def fold_of(data: str, shared: Path, number: int) -> Fold:
    """One fold, kept by the process that asked for it."""
    return DATA[data].read(shared, number)
