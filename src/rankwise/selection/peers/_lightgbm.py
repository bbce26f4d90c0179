"""LightGBMRanker: LightGBM's own losses on the same trees, as a ranker that is stopped on the metric."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, Self

import lightgbm as lgb
import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.rankers._base import Ranker, SavableModel, SavedModel
from rankwise.rankers._eval_sets import list_eval_sets, make_eval_set
from rankwise.rankers._explanation import Explanation, explain_rows
from rankwise.rankers._features import as_features, categorical_columns, training_rows
from rankwise.rankers._pair_rows import PairRows, pair_rows
from rankwise.rankers._parameters import N_JOBS, NONE, Constraint, Integer, OneOf, Real, check_parameters
from rankwise.rankers._score_functions._functions import TreeSum, kind_and_names
from rankwise.rankers.trees._lightgbm import (
    MAX_DEPTH,
    bin_counts,
    check_splits,
    column_options,
    engine_threads,
    make_dataset,
)
from rankwise.rankers.trees._model_text import join_trees, read_booster, split_trees
from rankwise.rankers.trees._predict import average_scores
from rankwise.rankers.trees._saved import from_saved, to_saved
from rankwise.rankers.trees._score_function import booster_trees
from rankwise.types import Features, FloatArray

Objective = Literal["lambdarank", "rank_xendcg", "binary", "regression"]
LISTWISE = ("lambdarank", "rank_xendcg")
MAX_GRADE = 30  # LightGBM's gains are 2^grade − 1


@contextmanager
def engine_errors() -> Iterator[None]:
    """What LightGBM refuses becomes a DataError with its reason."""
    try:
        yield
    except lgb.basic.LightGBMError as problem:
        reason = " ".join(str(problem).split())[:200]
        raise DataError(f"LightGBM cannot train on this ({reason}); change the parameters or the data") from problem


class LightGBMRanker(Ranker):
    """Trees of LightGBM on one of its own losses.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        What `score` gives, and what training stops on with an `eval_set`.
    objective : {"lambdarank", "rank_xendcg", "binary", "regression"}, default="lambdarank"
        LightGBM's name of the loss; "binary" is the log loss of labels above 0.
    n_estimators : int in [1, 1e6], default=100
        Trees.
    learning_rate : float in (0, 1000], default=0.1
        How much of each tree is added.
    num_leaves : int in [2, 131072], default=31
        Leaves that a tree has at most.
    min_child_samples : int in [0, 2147483647], default=20
        Rows that a leaf has at least.
    reg_lambda : float in [0, 1e300], default=0.0
        L2 penalty on the values of leaves.
    early_stopping_rounds : int in [1, 1e6] or None, default=50
        With an `eval_set`, rounds without a better value before training ends; the rounds up to the best are kept.
    random_state : int in [0, 4294967295], RandomState or None, default=None
        A number makes the same data give the same model, in whatever order its rows come.
    n_jobs : int in [-1024, 1024] or None, default=None
        Threads of LightGBM; None is all cores.

    Attributes
    ----------
    boosters_ : list of lightgbm.Booster
        The trees, as a list of one.
    best_iteration_ : int
        Trees in the model.
    best_score_ : float or None
        The metric on the first eval_set.

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.web(queries=20, documents=20, features=5, seed=0)
    >>> LightGBMRanker("ndcg@10", n_estimators=5, random_state=0, n_jobs=1).fit(data).score(data) > 0.5
    True
    """

    kind: ClassVar[str] = "lightgbm"
    _takes_categories: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "objective": [OneOf("lambdarank", "rank_xendcg", "binary", "regression")],
        "n_estimators": [Integer(1, 10**6)],
        "learning_rate": [Real(0, 1e3, open_low=True)],
        "num_leaves": [Integer(2, 131_072)],
        "min_child_samples": [Integer(0, 2**31 - 1)],
        "reg_lambda": [Real(0, 1e300)],
        "early_stopping_rounds": [Integer(1, 10**6), NONE],
        "n_jobs": [N_JOBS],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        objective: Objective = "lambdarank",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        min_child_samples: int = 20,
        reg_lambda: float = 0.0,
        early_stopping_rounds: int | None = 50,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.objective = objective
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_child_samples = min_child_samples
        self.reg_lambda = reg_lambda
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return the number of trees that training can grow.

        Parameters
        ----------
        y : array-like
            Labels; not used.
        qid : array-like, default=None
            Queries; not used.

        Returns
        -------
        int
            The parameter `n_estimators`.
        """
        return self.n_estimators

    def fit(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        eval_set: object = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        callbacks: Any = None,
    ) -> Self:
        """Train on rows in any order.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and query weights along.
        y : array-like of shape (n_rows,), default=None
            Labels; for "lambdarank" and "rank_xendcg" whole numbers from 0 to 30.
        qid : array-like of shape (n_rows,), default=None
            The query of each row; None is one list.
        eval_set : RankingData, tuple (X, y, qid) or list of these, default=None
            Rows to evaluate the metric on; training stops on the first.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of rows.
        query_weight : array-like of shape (n_queries,), default=None
            Weights of queries, by first appearance.
        callbacks : iterable of callable, default=None
            Each is called after every round with its number and {metric: value} on the first eval_set.

        Returns
        -------
        LightGBMRanker
            The fitted model itself.
        """
        check_parameters(self)
        metric = parse(self.metric)
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        features = as_features(self, data.X, fitting=True)
        rows = pair_rows("LightGBMRanker", features, data.y, data.qid, data.sample_weight, data.query_weight)
        listed = list_eval_sets(eval_set, rows.offsets.size - 1)
        evals = [make_eval_set(entry, lambda X: as_features(self, X, fitting=False)) for entry in listed]
        totals, threads = [np.zeros(one.y.size) for one in evals], engine_threads(self.n_jobs)
        history: list[list[float]] = []
        patience = self.early_stopping_rounds if evals else None
        with engine_errors():
            booster = lgb.Booster(self._engine(), self._dataset(rows))
            for number in range(1, self.n_estimators + 1):
                if booster.update():
                    break
                for total, one in zip(totals, evals, strict=True):
                    added: Any = booster.predict(one.X, number - 1, 1, raw_score=True, num_threads=threads)
                    total += added
                history.append([one.value(metric, total) for total, one in zip(totals, evals, strict=True)])
                for callback in callbacks or ():
                    callback(number, {str(metric): history[-1][0]} if evals else {})
                if patience is not None and number - _best(history) >= patience:
                    break
        best = _best(history) if patience is not None else booster.current_iteration()
        header, trees = split_trees(booster.model_to_string(num_iteration=-1))
        self.boosters_ = [read_booster(join_trees(header, trees[:best]))]
        self.best_iteration_ = best
        self.best_score_: float | None = history[best - 1][0] if evals and best else None
        self.evals_result_ = {f"valid_{k}": {str(metric): [v[k] for v in history]} for k in range(len(evals))}
        self.n_rows_, self.n_queries_ = rows.y.size, rows.offsets.size - 1
        self.interrupted_ = False
        self.positions_ = self.propensities_ = None
        return self

    def _engine(self) -> dict[str, Any]:
        return {
            "objective": self.objective,
            "metric": "none",
            "verbosity": -1,
            "learning_rate": float(self.learning_rate),
            "num_leaves": int(self.num_leaves),
            "max_depth": MAX_DEPTH,
            "min_data_in_leaf": int(self.min_child_samples),
            "lambda_l2": float(self.reg_lambda),
            "num_threads": engine_threads(self.n_jobs),
            "seed": int(check_random_state(self.random_state).randint(2**31 - 1)),
            "deterministic": True,
            "force_row_wise": True,
            "boost_from_average": False,
        }

    def _dataset(self, rows: PairRows) -> lgb.Dataset:
        """Rows in bins, in an order that follows from what stands in them."""
        labels = rows.y
        if self.objective == "binary":
            labels = (labels > 0).astype(np.float64)
        elif self.objective in LISTWISE and ((labels % 1 != 0).any() or labels.max() > MAX_GRADE):
            raise DataError(
                f"{self.objective} of LightGBM needs labels that are whole numbers up to {MAX_GRADE}, got "
                f"{labels[(labels % 1 != 0) | (labels > MAX_GRADE)][0]:g}; use LambdaMART, which takes any"
            )
        options = column_options(self.n_features_in_, categorical_columns(self))
        group = np.diff(rows.offsets) if self.objective in LISTWISE else None
        dataset = make_dataset(
            rows.features, labels, weight=rows.weight, group=group, params=self._engine(), free_raw_data=True, **options
        )
        check_splits(bin_counts(dataset), self.min_child_samples, rows.y.size)
        return dataset

    def _average(self, X: Any, **options: bool) -> FloatArray:
        return average_scores(self.boosters_, X, engine_threads(self.n_jobs), **options)

    @inherit_sections(Ranker.predict)
    def predict(self, X: Features | RankingData) -> FloatArray:
        """Give a score for each row: the higher, the better its rank."""
        check_is_fitted(self, "boosters_")
        return self._average(as_features(self, X, fitting=False))

    def explain(self, X: Features | RankingData, i: int, j: int) -> Explanation:
        """Explain why row `i` of X is above row `j` (or below).

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.
        i : int
            Number of a row.
        j : int
            Number of another row.

        Returns
        -------
        Explanation
            What each feature adds to the difference of their scores.
        """
        check_is_fitted(self, "boosters_")
        return explain_rows(self, as_features(self, X, fitting=False), i, j)

    @inherit_sections(Ranker.to_saved)
    def to_saved(self) -> SavedModel:
        """Give the fitted trees as plain values and text."""
        check_is_fitted(self, "boosters_")
        return to_saved(self)

    @classmethod
    @inherit_sections(Ranker.from_saved)
    def from_saved(cls, saved: SavedModel) -> Self:
        """Make the model that `to_saved` described."""
        return from_saved(cls, saved)

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> TreeSum:
        """The trees."""
        return TreeSum(*kind_and_names(self), booster_trees(self.boosters_[0], 1.0))

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _best(history: list[list[float]]) -> int:
    """The first round, from 1, of the highest value."""
    return int(np.argmax([values[0] for values in history])) + 1 if history else 0
