"""RankBoost (Freund, Iyer, Schapire and Singer 2003) with decision stumps."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels import _threads as threads
from rankwise.kernels.pairs import _pair_weights as kernels
from rankwise.metrics import Metric
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers.pairs.stumps._boosted import BoostedStumps, Booster
from rankwise.rankers.pairs.stumps._graded_rows import GradedRows, graded_rows
from rankwise.types import FloatArray

LARGEST_EDGE = 1.0 - 1e-9  # a perfect stump would weigh infinitely much


class RankBoost(BoostedStumps):
    """AdaBoost over the pairs of documents of different labels in a query, one decision stump per round.

    Each round takes the stump with the largest edge r = Σ D(i, j)·(h(x_i) − h(x_j))/2, over all features and
    thresholds, by α = ½ ln((1 + r)/(1 − r)); then pairs that it ranks wrong weigh more. The share of pairs that the
    model ranks wrong is at most Π √(1 − r²). D(i, j) ∝ e^{−(f(x_i) − f(x_j))} is a product, so a round takes time
    linear in rows, however many pairs, queries and grades there are. Nothing is drawn at random.

    - `metric`: any metric of rankwise; it is what `score` gives and training stops on, not what is learnt.
    - `n_estimators`: rounds; fewer if a stump ranks all pairs right, or none is better than chance.
    - `early_stopping_rounds`: with an `eval_set`, rounds without a better value before training ends; the rounds up to
      the best are kept. None trains and keeps all rounds.
    - `verbose`: log the metric every so many rounds.

    Labels may be any finite numbers (below 0: not judged), queries of any length, rows in any order; a feature that is
    NaN is missing, and its stumps add 0. Sparse features are never made dense. `rounds_` are the stumps as they were
    learnt, `stumps_` the same without repetitions.

    >>> import rankwise.data
    >>> made = rankwise.data.r_of_k(rows=200, features=20, k=5, r=2, noise=0.0)
    >>> model = RankBoost(n_estimators=20).fit(made.X, made.y)
    >>> len(model.rounds_), len(model.stumps_), model.score(made.X, made.y) > 0.95
    (20, 5, True)
    """

    kind: ClassVar[str] = "rankboost"

    def __init__(
        self,
        metric: str | Metric = "auc",
        *,
        n_estimators: int = 500,
        early_stopping_rounds: int | None = 50,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.n_estimators = n_estimators
        self.early_stopping_rounds = early_stopping_rounds
        self.verbose = verbose

    def _booster(self, rows: PairRows) -> Booster:
        return PairBooster(graded_rows(rows), rows.y.size)


class PairBooster:
    """The distribution of pairs, by its factors: what each document weighs as the better and as the worse one."""

    def __init__(self, rows: GradedRows, n_rows: int) -> None:
        self.rows, self._n_rows = rows, n_rows
        self.scores = np.zeros(rows.order.size)

    def row_weights(self) -> FloatArray:
        """What the pairs of a row with worse ones weigh, less what those with better ones do; all pairs weigh 1."""
        rows = self.rows
        as_better, as_worse, u = np.empty((3, rows.order.size))
        log_better, log_worse = np.empty((2, rows.runs.size - 1))
        log_sum = np.empty(rows.queries.size - 1)
        given = (self.scores, rows.weight, rows.runs, rows.queries)
        out = (as_better, as_worse, log_better, log_worse)
        in_rows = rows.runs[rows.queries]
        threads.by_queries(lambda low, high: kernels.factor_sums(*given, low, high, *out, log_sum), in_rows)
        largest = float(log_sum.max())
        total = float(np.exp(np.sort(log_sum) - largest).sum())  # queries may differ in weights alone
        threads.by_queries(lambda low, high: kernels.pair_weights(*out, largest, rows.runs, low, high, u), rows.runs)
        return rows.to_rows(u / total, self._n_rows)

    def add(self, edge: float, h: NDArray[np.int8]) -> float:
        """Half of α, because a pair's margin is half the difference of two values from −1 to 1."""
        r = min(edge, LARGEST_EDGE)
        weight = math.log((1.0 + r) / (1.0 - r)) / 4.0
        self.scores += weight * h[self.rows.order]
        return weight
