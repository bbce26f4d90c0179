"""AUCSVM: SVM-Perf's model for the area under the ROC curve, and Welleck 2016's baseline for grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector, is_finite_number
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import Metric
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers._eval_sets import check_weights
from rankwise.rankers._features import TrainingRows
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers.pairs._base import Attributes, Callback
from rankwise.rankers.pairs.svm._linear_ranker import LinearFit, LinearPairRanker, sum_models
from rankwise.rankers.pairs.svm._pair_loss import unit_lists
from rankwise.rankers.pairs.svm._solve import Loss
from rankwise.types import FloatArray, JsonObject

MAX_GRADES = 100  # each is a model of its own


class AUCSVM(LinearPairRanker):
    """A linear model with a wide margin between positives and negatives, all rows being one list.

    Labels 0 and 1 (or below 0: not judged) are the plain case; with more, there is one model for each grade above 0,
    and the score is the sum of their scores, each times its grade. `qid` plays no part in training: the queries of an
    eval_set are what C is chosen by. A row weighs its sample_weight times its query's query_weight, a pair the product
    of its rows' weights.

    Parameters
    ----------
    metric : str or Metric, default="auc"
        What the ranker is evaluated by; it plays no part in training.
    C : float in (0, 1e12] or sequence of float, default=1.0
        Weight of the loss against ½|w|², or several values, of which the best on the first eval_set is kept; each
        starts from the weights of the one before. SVM-Perf's c is C/100, since it counts swapped pairs in percent.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss of a pair.
    standardize : bool or None, default=None
        Whether to divide features by their standard deviations, which is as if they were passed so; None: where X is
        dense. Nothing is subtracted, so that what is sparse stays so; a constant feature counts for nothing.
    tol : float in (0, 1], default=1e-4
        Largest duality gap, relative to the objective or (if less) to how far it is below that of w = 0, C.
    max_iter : int in [1, 1e9], default=200
        Largest number of steps of the solver for a grade and a value of C.
    verbose : int in [0, 1e6], default=0
        Log every so many steps; 0 logs nothing.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the score, in the units of the features.
    grades_ : ndarray of shape (n_grades,)
        The labels above 0.
    coefs_ : ndarray of shape (n_grades, n_features)
        The weights of the model of each grade.
    C_ : float
        The value of C that was kept.
    n_iter_ : int
        Steps of the solver with it.
    objective_ : float
        The sum of the objectives of all grades.
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
    For each grade c above 0, w minimizes ½|w|² + C · mean of max(0, 1 − (s_i − s_j)), s = X·w, over all pairs of a row
    i of grade c and a row j of another, whatever their queries: SVM-Perf with its loss ROCArea. The score is
    Σ_c c · s_c (Welleck 2016 section 5), which is one linear model again.

    References
    ----------
    Joachims (2005), A Support Vector Method for Multivariate Performance Measures, ICML.
    Welleck (2016), Efficient AUC Optimization for Information Ranking Applications, ECIR.

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = AUCSVM("mauc").fit(data.X, data.y)
    >>> model.grades_
    array([1., 2., 3., 4.])
    >>> model.coefs_.shape
    (4, 5)
    """

    kind: ClassVar[str] = "aucsvm"

    def __init__(
        self,
        metric: str | Metric = "auc",
        *,
        C: float | Sequence[float] = 1.0,
        loss: Loss = "hinge",
        standardize: bool | None = None,
        tol: float = 1e-4,
        max_iter: int = 200,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.C = C
        self.loss = loss
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _fit(self, data: TrainingRows, eval_set: object, callbacks: list[Callback]) -> Self:
        """Train on all rows as one list."""
        queries = 1
        if data.qid is not None and data.y is not None:
            groups = QueryGroups.of_rows(data.qid, as_vector("labels", data.y).size)
            queries = groups.n_queries
            query_weight = check_weights("query_weight", data.query_weight, queries, "query")
            if query_weight is not None:
                weight = check_weights("sample_weight", data.sample_weight, groups.n_rows, "row")
                weight = query_weight[groups.query_of_row()] * (1.0 if weight is None else weight)
                data = replace(data, sample_weight=weight, query_weight=None)
        super()._fit(replace(data, qid=None), eval_set, callbacks)
        self.n_queries_ = queries
        return self

    def _problems(self, rows: PairRows) -> dict[float, PairLists]:
        y = rows.y
        return {c: unit_lists((y == c).astype(np.float64), rows.offsets, rows.weight) for c in self._grades(y)}

    def _grades(self, y: FloatArray) -> list[float]:
        grades = np.unique(y[y > 0.0])
        if not 1 <= grades.size <= MAX_GRADES:
            raise DataError(
                f"AUCSVM learns a model for each of 1 to {MAX_GRADES} positive labels, got {grades.size}; "
                "pass grades (0 is none), or use RankSVM"
            )
        return [float(c) for c in grades]

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return the largest number of steps: `max_iter` for each grade and value of C, and one to evaluate the value.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Labels.
        qid : array-like of shape (n_rows,), optional
            Queries; not used.

        Returns
        -------
        int
            The number that callbacks count up to.
        """
        grades = self._grades(as_vector("labels", y))
        return len(self._tuned_values()) * (len(grades) * int(self.max_iter) + 1)

    def _learned(self, fit: LinearFit) -> Attributes:
        coefs = fit.coefs
        return super()._learned(fit) | {"grades_": np.array(list(coefs)), "coefs_": np.array(list(coefs.values()))}

    def _get_state(self) -> JsonObject:
        return super()._get_state() | {"grades": self.grades_.tolist(), "coefs": self.coefs_.tolist()}

    def _set_state(self, state: JsonObject) -> None:
        super()._set_state(state)
        grades, coefs = state.get("grades"), state.get("coefs")
        if (
            not isinstance(grades, list)
            or not all(is_finite_number(c) for c in grades)
            or not isinstance(coefs, list)
            or not 1 <= len(grades) == len(coefs) <= MAX_GRADES
        ):
            raise ModelFileError("the model must have weights for each grade; save it again")
        self.grades_ = np.array(grades, dtype=np.float64)
        self.coefs_ = np.array([self._read_weights({"coefs": coef}, "coefs") for coef in coefs])
        if not np.array_equal(self.coef_, sum_models(dict(zip(grades, self.coefs_, strict=True)))):
            raise ModelFileError("the model's weights must be the sum of those of its grades; save it again")
