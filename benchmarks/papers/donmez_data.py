"""Donmez 2009's data and protocol: features from 0 to 1 within each query, five folds, three parts to label and one to
test.

- topics: as TD2003 (which is not at hand), 50 queries of 1,000 documents, 1% of them relevant, 44 features. Each world
  is drawn anew; both parts that are not labelled test, since ten queries alone are few.
- mq2008: LETOR's folds; lists are short, so that few queries last for more than three rounds.
- mslr: the sample's first file is labelled, its second tests; five starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rankwise as rw
from rankwise.data import RankingData, normalize
from rankwise.data.make._synthetic import topics


@dataclass(frozen=True)
class Fold:
    """What is labelled, what tests, and the seed of the start."""

    name: str
    train: RankingData
    test: RankingData
    seed: int


def of_topics(shared: Path, worlds: int) -> list[Fold]:
    folds = []
    for world in range(worlds):
        data = topics(queries=50, documents=1000, relevant=0.01, seed=1000 + world)
        part = data.qid % 5
        for fold in range(5):
            is_train = np.isin(part, [(fold + step) % 5 for step in range(3)])
            folds.append(Fold(f"topics-{world}-{fold}", data.rows(is_train), data.rows(~is_train), world))
    return folds


def of_mq2008(shared: Path, worlds: int) -> list[Fold]:
    parts = [shared / "MQ2008" / f"S{part}.txt" for part in range(1, 6)]
    folds = []
    for fold in range(5):
        train = rw.read(*(parts[(fold + step) % 5] for step in range(3)))
        test = rw.read(parts[(fold + 4) % 5])
        folds.append(Fold(f"mq2008-{fold}", normalize(train), normalize(test), fold))
    return folds


def of_mslr(shared: Path, worlds: int) -> list[Fold]:
    folder = shared / "MSLR-sample"
    train, test = (normalize(rw.read(sorted(folder.glob(f"*{name}*"))[0])) for name in ("train", "test"))
    return [Fold(f"mslr-{seed}", train, test, seed) for seed in range(5)]


DATA: dict[str, Callable[[Path, int], list[Fold]]] = {"topics": of_topics, "mq2008": of_mq2008, "mslr": of_mslr}
