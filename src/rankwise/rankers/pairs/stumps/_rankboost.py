"""RankBoost (Freund, Iyer, Schapire and Singer 2003) with decision stumps."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.kernels import _threads as threads
from rankwise.kernels.pairs import _pair_weights as kernels
from rankwise.metrics import Metric
from rankwise.rankers.pairs.stumps._boosted import BoostedStumps, RowBooster
from rankwise.rankers.pairs.stumps._graded_rows import GradedRows
from rankwise.types import FloatArray

MAX_EDGE = 1.0 - 1e-9  # a perfect stump would weigh infinitely much


@inherit_sections(BoostedStumps)
class RankBoost(BoostedStumps):
    """AdaBoost over the pairs of documents of different labels in a query, one decision stump per round.

    Labels may be any finite numbers (below 0: not judged), queries of any length, rows in any order; a feature that is
    NaN is missing, and its stumps add 0. Sparse features are never made dense. Nothing is drawn at random.

    Parameters
    ----------
    metric : str or Metric, default="auc"
        What `score` returns and training stops on, not what is learned.
    n_estimators : int in [1, 1e6], default=500
        Rounds; fewer if a stump ranks all pairs right, or none is better than chance.
    {...}

    Notes
    -----
    Each round takes the stump with the largest edge r = Σ D(i, j)·(h(x_i) − h(x_j))/2, over all features and
    thresholds, by α = ½ ln((1 + r)/(1 − r)); then pairs that it ranks wrong weigh more. The share of pairs that the
    model ranks wrong is at most Π √(1 − r²). D(i, j) ∝ e^{−(f(x_i) − f(x_j))} is a product, so a round takes time
    linear in rows, however many pairs, queries and grades there are.

    References
    ----------
    Freund, Iyer, Schapire and Singer (2003), An Efficient Boosting Algorithm for Combining Preferences, JMLR 4.

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.r_of_k(rows=200, features=20, k=5, r=2, noise=0.0)
    >>> model = RankBoost(n_estimators=20).fit(data.X, data.y)
    >>> len(model.rounds_), len(model.stumps_), model.score(data.X, data.y) > 0.95
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

    def _booster(self, rows: GradedRows) -> RowBooster:
        return PairBooster(rows)


class PairBooster(RowBooster):
    """The distribution of pairs, by its factors: what each document weighs as the better and as the worse one."""

    def row_weights(self) -> FloatArray:
        """What the pairs of a row with worse ones weigh, less what those with better ones do; all pairs weigh 1."""
        rows = self.rows
        as_better, as_worse, u = np.empty((3, rows.order.size))
        log_better, log_worse = np.empty((2, rows.runs.size - 1))
        log_sum = np.empty(rows.queries.size - 1)
        lists = (self.scores, rows.weight, rows.runs, rows.queries)
        factors = (as_better, as_worse, log_better, log_worse)
        threads.by_queries(
            lambda low, high: kernels.factor_sums(*lists, low, high, *factors, log_sum), rows.runs[rows.queries]
        )
        largest = float(log_sum.max())
        total = float(np.exp(np.sort(log_sum) - largest).sum())  # queries may differ in weights alone
        threads.by_queries(
            lambda low, high: kernels.pair_weights(*factors, largest, rows.runs, low, high, u), rows.runs
        )
        return rows.to_rows(u / total)

    def stump_weight(self, edge: float) -> float:
        """Half of α, because a pair's margin is half the difference of two values from −1 to 1."""
        r = min(edge, MAX_EDGE)
        return math.log((1.0 + r) / (1.0 - r)) / 4.0
