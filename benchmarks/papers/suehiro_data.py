"""The data of Suehiro 2011's benchmark: r-of-k threshold functions (5.1) and five UCI tables (5.2); Reuters is in
suehiro_reuters.py.

How Suehiro 2011 is read where it is short:

- "we generate random instances so that ratios are 5:5, 7:3, 9:1": instances are uniform on {−1, +1}^N given their
  class, and the classes have exactly that ratio before noise. All 30 variables of A being −1 has probability 2^−30, so
  that r = 1 has no negatives to find by chance: the number of positive variables in A is drawn from the binomial law
  cut to the class, and then which variables they are.
- Noise turns each label with the given probability, in training and test rows alike: on noisy test labels no ranking
  is expected to pass `ceiling`. Suehiro 2011's figures above it cannot have been measured so; `clean` keeps the labels
  before noise, so that both can be judged.
- Suehiro 2011's hypotheses are the variables and the constant +1. The constant has margin 0 on every pair; features
alone are
  given here, and who needs the constant adds it.
- UCI: a category is a column of zeros and ones, a missing number the training part's median beside a column that says
  so. Table 3 lost its counts for ionosphere in print; 'b', the rarer, is positive here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.special import comb
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).parents[1]))
from papers.eban_data import Binary, filled

UCI = ("hypothyroid", "ionosphere", "kr-vs-kp", "sick-euthyroid", "spambase")
RATIOS = {"5:5": 0.5, "7:3": 0.7, "9:1": 0.9}
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Noisy(Binary):
    """Rows whose labels before noise are known."""

    clean: Ints

    def rows(self, chosen: Ints) -> Noisy:
        return Noisy(self.X[chosen], self.y[chosen], self.clean[chosen])


def r_of_k(m: int, ratio: str, r: int, noise: float, seed: int, N: int = 100, k: int = 30) -> Noisy:
    """m instances labelled by "at least r of k variables are +1"; `ratio` is positives to negatives, one of RATIOS."""
    random = np.random.default_rng(seed)
    clean = np.zeros(m, np.int64)
    clean[random.permutation(m)[: round(m * RATIOS[ratio])]] = 1
    counts = np.arange(k + 1)
    among = np.empty(m, np.int64)  # how many variables of A are +1
    for label in (0, 1):
        law = np.where((counts >= r) == label, comb(k, counts), 0.0)
        among[clean == label] = random.choice(counts, (clean == label).sum(), p=law / law.sum())
    X = random.choice([-1.0, 1.0], (m, N))
    A = random.permutation(N)[:k]
    places = random.random((m, k)).argsort(axis=1).argsort(axis=1)  # a random order of A in each row
    X[:, A] = np.where(places < among[:, None], 1.0, -1.0)
    turned = random.random(m) < noise
    return Noisy(X, np.where(turned, 1 - clean, clean), clean)


def ceiling(ratio: str, noise: float) -> float:
    """The AUC that the threshold function itself is expected to have on noisy labels; no ranking has more."""
    share = RATIOS[ratio]
    kept, lost = share * (1 - noise), share * noise  # positives that noise left, and took
    true_rate = kept / (kept + (1 - share) * noise)
    false_rate = lost / (lost + (1 - share) * (1 - noise))
    return (1 + true_rate - false_rate) / 2


def folds(data: Binary, seed: int, number: int = 5) -> Iterator[tuple[Binary, Binary]]:
    """Training and test rows of stratified cross-validation; missing values are filled by the training rows."""
    for train, test in StratifiedKFold(number, shuffle=True, random_state=seed).split(np.empty(len(data.y)), data.y):
        yield without_gaps(data.rows(train), data.rows(test))


def without_gaps(train: Binary, test: Binary) -> tuple[Binary, Binary]:
    X: Any = train.X
    if issparse(X) or not np.isnan(X).any():
        return train, test
    return tuple(Binary(X, part.y) for X, part in zip(filled(train, test), (train, test), strict=True))
