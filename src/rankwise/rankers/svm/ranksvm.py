"""RankSVM: a linear ranker with the widest margin between the better and the worse document of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankwise.metrics import Metric
from rankwise.rankers.pair_rows import PairRows
from rankwise.rankers.svm.linear_ranker import LinearPairRanker
from rankwise.rankers.svm.pairs import Pairs
from rankwise.rankers.svm.solve import Loss

__all__ = ["RankSVM"]


class RankSVM(LinearPairRanker):
    """A linear ranker: least ½|w|² + C · the mean, over pairs with label_i > label_j, of loss(1 − (s_i − s_j)).

    >>> import rankwise.data
    >>> made = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = RankSVM("ndcg@5").fit(made.X, made.y, qid=made.qid)
    >>> model.score(made.X, made.y, qid=made.qid) > 0.5
    True
    """

    kind: ClassVar[str] = "ranksvm"

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        C: float | Sequence[float] = 1.0,
        loss: Loss = "squared_hinge",
        scale: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.C = C
        self.loss = loss
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _problems(self, rows: PairRows) -> dict[float, Pairs]:
        return {1.0: Pairs.of(rows.y, rows.offsets, rows.weight)}

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Steps that training can take: `max_iter` for each value of C, and a last one that judges it."""
        return int(np.size(self.C)) * (int(self.max_iter) + 1)
