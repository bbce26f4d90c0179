"""RankSVM: a linear ranker with a wide margin between the better and the worse document of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankwise.metrics import Metric
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import Constraint, OneOf
from rankwise.rankers.pairs.svm._linear_ranker import LinearPairRanker
from rankwise.rankers.pairs.svm._pairs import Pairs
from rankwise.rankers.pairs.svm._solve import Loss
from rankwise.types import FloatArray


class RankSVM(LinearPairRanker):
    """A linear ranker that keeps the better document of each pair a margin above the worse one.

    It is the w of the least ½|w|² + C · mean of max(0, 1 − (s_i − s_j))², s = X·w, over all pairs of documents of one
    query with label_i > label_j: exactly, in time linear in the documents after a sort, however many pairs they make.
    `metric` plays no part in it: it is what `score` gives, and what C is chosen by. Labels may be any finite numbers
    (below 0: not judged), queries of any length, rows in any order; every feature must be known.

    Parameters
    ----------
    metric : what the ranker is judged by.
    C : weight of the loss against ½|w|², or several values, of which the best on the first eval_set is kept; each
        starts from the weights of the one before. The loss is a mean, so that C does not depend on how much data there
        is: LinearSVC on the differences x_i − x_j, one for each pair, has C over the number of pairs.
    loss : "squared_hinge", or "hinge", which is max(0, 1 − (s_i − s_j)) without the square.
    pair_weighting : what counts alike: "documents", so that a query with twice as many counts twice; "queries",
        as in the mean of a metric over queries; or "pairs", so that a query with twice as many documents counts about
        four times.
        Within a query a pair weighs the product of its documents' sample_weights.
    standardize : whether to divide features by their standard deviations, which is as if they were given so; None:
        where X is dense, because rare words of sparse texts would weigh too much. Nothing is subtracted (differences of
        rows have no mean to subtract), so that what is sparse stays so; a constant feature counts for nothing.
    tol : largest duality gap, relative to the objective or (if less) to how far it is below that of w = 0, C.
    max_iter : most steps of the solver for a value of C.
    verbose : log every so many steps.

    Attributes: `coef_` in the units of the features; `C_`; `n_iter_` for it; `objective_`, and `duality_gap_`, which
    bounds how far that is above the least.

    >>> import rankwise.data
    >>> made = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = RankSVM("ndcg@5").fit(made.X, made.y, qid=made.qid)
    >>> model.score(made.X, made.y, qid=made.qid) > 0.5
    True
    >>> model.duality_gap_ < 1e-4 * model.objective_
    True
    """

    kind: ClassVar[str] = "ranksvm"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **LinearPairRanker._parameter_constraints,
        "pair_weighting": [OneOf("documents", "queries", "pairs")],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        C: float | Sequence[float] = 1.0,
        loss: Loss = "squared_hinge",
        pair_weighting: Literal["documents", "queries", "pairs"] = "documents",
        standardize: bool | None = None,
        tol: float = 1e-4,
        max_iter: int = 200,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.C = C
        self.loss = loss
        self.pair_weighting = pair_weighting
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _problems(self, rows: PairRows) -> dict[float, Pairs]:
        return {1.0: Pairs.of(rows.y, rows.offsets, rows.weight, self._shares(rows))}

    def _shares(self, rows: PairRows) -> FloatArray | None:
        """What the pairs of each query weigh together; None: what they weigh by themselves."""
        if self.pair_weighting == "pairs":
            return None
        of_query = np.ones(rows.offsets.size - 1) if rows.query_weight is None else rows.query_weight
        if self.pair_weighting == "queries":
            return of_query
        of_row = (
            np.ones(rows.y.size) if rows.weight is None else rows.weight
        )  # has the root of its query's weight in it
        return np.asarray(np.sqrt(of_query) * np.add.reduceat(of_row, rows.offsets[:-1]))

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Steps that training can take: `max_iter` for each value of C, and one that judges it."""
        return len(self._values()) * (int(self.max_iter) + 1)
