"""RankSVM: a linear ranker with a wide margin between the better and the worse document of each pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Tags

from rankwise._docstrings import inherit_sections
from rankwise.data.prepare._quantiles import Quantiles
from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers._base import Ranker
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import BOOLEAN, Constraint, OneOf
from rankwise.rankers._score_functions._functions import QuantileFunction, ScoreFunction, kind_and_names
from rankwise.rankers.pairs._base import Attributes
from rankwise.rankers.pairs._matrix import Matrix, matrix_times
from rankwise.rankers.pairs._tuned import Candidate
from rankwise.rankers.pairs.svm._linear_ranker import LinearPairRanker
from rankwise.rankers.pairs.svm._pair_loss import unit_lists
from rankwise.rankers.pairs.svm._quantile_weights import QuantileWeights
from rankwise.rankers.pairs.svm._solve import Loss
from rankwise.rankers.pairs.svm._svmlight import SVMLIGHT, svmlight_parameters
from rankwise.types import AnyArray, FloatArray, JsonObject


class RankSVM(LinearPairRanker):
    """A linear ranker that keeps the better document of each pair a margin above the worse one.

    `metric` plays no part in training: it is what `score` returns, and what C is chosen by. Labels may be any finite
    numbers (below 0: not judged), queries of any length, rows in any order; every feature must be known.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        What the ranker is evaluated by.
    C : float in (0, 1e12], sequence of float or "svmlight", default=1.0
        Weight of the loss against ½|w|², or several values, of which the best on the first eval_set is kept; each
        starts from the weights of the one before. The loss is a mean, so that C does not depend on how much data there
        is: LinearSVC on the differences x_i − x_j, one for each pair, has C over the number of pairs. "svmlight" is
        what SVMlight does by default (see Notes); `loss`, `pair_weighting` and `standardize` then play no part.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        The loss of a pair; "hinge" is max(0, 1 − (s_i − s_j)) without the square.
    pair_weighting : {"documents", "queries", "pairs"}, default="documents"
        What counts alike: "documents", so that a query with twice as many counts twice; "queries", as in the mean of a
        metric over queries; or "pairs", so that a query with twice as many documents counts about four times. Within a
        query a pair weighs the product of its documents' sample_weights.
    standardize : bool or None, default=None
        Whether to divide features by their standard deviations, which is as if they were passed so; None: where X is
        dense, because rare words of sparse texts would weigh too much. Nothing is subtracted (differences of rows have
        no mean to subtract), so that what is sparse stays so; a constant feature counts for nothing.
    quantiles : bool, default=False
        Whether to learn from each feature twice: from its value, and from the share of training rows below that value.
        What a feature adds to the score then bends, which heavy tails and counts want, and is still a sum over
        features. X must be dense.
    tol : float in (0, 1], default=1e-4
        Largest duality gap, relative to the objective or (if less) to how far it is below that of w = 0, C.
    max_iter : int in [1, 1e9], default=200
        Largest number of steps of the solver for a value of C.
    verbose : int in [0, 1e6], default=0
        Log every so many steps; 0 logs nothing.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights, in the units of the features.
    quantile_weights_ : QuantileWeights or None
        With `quantiles`, what the shares of rows below the features weigh (`coef`), and where they lie.
    C_ : float
        The value of C that was kept; that of "svmlight" is the weight of the mean over pairs, too.
    n_iter_ : int
        Steps of the solver with it.
    objective_ : float
        The objective with it.
    duality_gap_ : float
        Bounds how far that is above the minimum.
    best_iteration_ : int
        Steps of the training, over all values of C.
    best_score_ : float or None
        The metric on the first eval_set.
    evals_result_ : dict
        The metric on each eval_set, for each value of C.
    interrupted_ : bool
        Whether Ctrl-C ended the training early.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.
    n_rows_, n_queries_ : int
        Size of the training data.

    Notes
    -----
    The weights w minimize ½|w|² + C · mean of max(0, 1 − (s_i − s_j))², s = X·w, over all pairs of documents of one
    query with label_i > label_j: exactly, in time linear in the documents after a sort, however many pairs they make.
    The solver is Newton's method with conjugate gradients, as Chapelle and Keerthi have it for the squared hinge.

    SVMlight's ranking mode minimizes ½|w|² + c · sum of max(0, 1 − (s_i − s_j)) over all pairs, of features as they
    are; by default c is 1 over the square of the mean length of x_i − x_j. `C="svmlight"` is thus
    `RankSVM(C=C_, loss="hinge", pair_weighting="pairs", standardize=False)`, with a C_ that grows with the pairs.

    References
    ----------
    Joachims (1999), Making Large-Scale SVM Learning Practical, Advances in Kernel Methods.
    Joachims (2002), Optimizing Search Engines using Clickthrough Data, KDD.
    Chapelle and Keerthi (2010), Efficient Algorithms for Ranking with SVMs, Information Retrieval 13.
    Lee and Lin (2014), Large-Scale Linear RankSVM, Neural Computation 26.

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = RankSVM("ndcg@5").fit(data.X, data.y, qid=data.qid)
    >>> model.score(data.X, data.y, qid=data.qid) > 0.5
    True
    >>> model.duality_gap_ < 1e-4 * model.objective_
    True
    """

    kind: ClassVar[str] = "ranksvm"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **LinearPairRanker._parameter_constraints,
        "C": [*LinearPairRanker._parameter_constraints["C"], OneOf(SVMLIGHT)],
        "pair_weighting": [OneOf("documents", "queries", "pairs")],
        "quantiles": [BOOLEAN],
    }

    quantile_weights_: QuantileWeights | None

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        C: float | Sequence[float] | Literal["svmlight"] = 1.0,
        loss: Loss = "squared_hinge",
        pair_weighting: Literal["documents", "queries", "pairs"] = "documents",
        standardize: bool | None = None,
        quantiles: bool = False,
        tol: float = 1e-4,
        max_iter: int = 200,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.C = C
        self.loss = loss
        self.pair_weighting = pair_weighting
        self.standardize = standardize
        self.quantiles = quantiles
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _tuned_values(self) -> list[float]:
        return [np.nan] if self.C == SVMLIGHT else super()._tuned_values()  # NaN: one value, which the rows decide

    def _candidates(self, rows: PairRows, values: list[float]) -> Iterator[Candidate]:
        quantiles = None
        if self.quantiles:
            quantiles = Quantiles.of(_dense(rows.features), rows.weight)
            rows = replace(rows, X=quantiles.beside(rows.X))
        model = self
        if self.C == SVMLIGHT:
            parameters = svmlight_parameters(rows)
            model, values = clone(self).set_params(**parameters), [parameters["C"]]
        for candidate in LinearPairRanker._candidates(model, rows, values):
            yield _with_quantiles(candidate, quantiles)

    def _scores(self, X: Matrix) -> FloatArray:
        linear = matrix_times(X, self.coef_)
        return linear if self.quantile_weights_ is None else linear + self.quantile_weights_.scores(_dense(X))

    def _contributions(self, X: Matrix) -> FloatArray:
        linear = super()._contributions(X)
        return linear if self.quantile_weights_ is None else linear + self.quantile_weights_.contributions(_dense(X))

    @inherit_sections(Ranker.to_score_function)
    def to_score_function(self) -> ScoreFunction:
        """The weights of the features as they are, and of their quantiles where it learned from them."""
        bent = self.quantile_weights_
        if bent is None:
            return super().to_score_function()
        return QuantileFunction(*kind_and_names(self), self.coef_, bent.coef, bent.quantiles)

    def _get_state(self) -> JsonObject:
        weights = self.quantile_weights_
        return super()._get_state() | ({} if weights is None else {"quantiles": weights.to_state()})

    def _set_state(self, state: JsonObject) -> None:
        super()._set_state(state)
        self.quantile_weights_ = (
            QuantileWeights.from_state(state.get("quantiles"), self.n_features_in_) if self.quantiles else None
        )

    def _problems(self, rows: PairRows) -> dict[float, PairLists]:
        return {1.0: unit_lists(rows.y, rows.offsets, rows.weight, self._shares(rows))}

    def _shares(self, rows: PairRows) -> FloatArray | None:
        """What the pairs of each query weigh together; None: what they weigh by themselves."""
        if self.pair_weighting == "pairs":
            return None
        query_weight = np.ones(rows.offsets.size - 1) if rows.query_weight is None else rows.query_weight
        if self.pair_weighting == "queries":
            return query_weight
        weight = np.ones(rows.y.size) if rows.weight is None else rows.weight  # has the root of its query's in it
        return np.asarray(np.sqrt(query_weight) * np.add.reduceat(weight, rows.offsets[:-1]))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.quantiles
        return tags

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return the largest number of steps: `max_iter` for each value of C, and one that evaluates it.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Labels; not used.
        qid : array-like of shape (n_rows,), optional
            Queries; not used.

        Returns
        -------
        int
            The number that callbacks count up to.
        """
        return len(self._tuned_values()) * (int(self.max_iter) + 1)


def _dense(X: Matrix) -> AnyArray:
    if not isinstance(X, np.ndarray):
        raise DataError("RankSVM(quantiles=True) needs dense features, got a sparse matrix; pass X.toarray()")
    return X


def _with_quantiles(candidate: Candidate, quantiles: Quantiles | None) -> Candidate:
    """A candidate that learned from features and their quantiles, as a model of the features."""
    if quantiles is None:
        return replace(candidate, learned=lambda: {**candidate.learned(), "quantile_weights_": None})

    def parts() -> tuple[FloatArray, QuantileWeights]:
        linear, bent = np.split(np.asarray(candidate.learned()["coef_"]), 2)
        return linear, QuantileWeights(quantiles, bent)

    def learned() -> Attributes:
        linear, bent = parts()
        return candidate.learned() | {"coef_": linear, "quantile_weights_": bent}

    def scores(X: Matrix) -> FloatArray:
        linear, bent = parts()
        return matrix_times(X, linear) + bent.scores(_dense(X))

    return Candidate(learned, scores, candidate.done)
