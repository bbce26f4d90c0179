"""LambdaMART: boosted trees on the λ-gradients of any metric, grown by LightGBM."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import lightgbm as lgb
import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.data._ranking_data import RankingData
from rankwise.data._sources import RowSource
from rankwise.errors import WorkerLostError
from rankwise.metrics import Metric
from rankwise.objectives.lambdas._objective import Norm
from rankwise.objectives.lambdas._surrogates import Surrogate
from rankwise.rankers._base import Ranker, SavableModel, SavedModel
from rankwise.rankers._checkpoint import Checkpoint
from rankwise.rankers._explanation import Explanation, explain_rows
from rankwise.rankers._features import as_features, training_rows
from rankwise.rankers._parameters import (
    MAPPING,
    METRIC,
    N_JOBS,
    NONE,
    SEQUENCE,
    TEXT,
    VERBOSE,
    Constraint,
    Integer,
    OneOf,
    Real,
    check_parameters,
)
from rankwise.rankers._score_functions._functions import TreeSum, kind_and_names
from rankwise.rankers.trees._capacity import fill_in
from rankwise.rankers.trees._lightgbm import engine_threads
from rankwise.rankers.trees._local import make_local_trainer
from rankwise.rankers.trees._model_text import join_trees, read_booster
from rankwise.rankers.trees._plan import resolve_init
from rankwise.rankers.trees._predict import average_scores
from rankwise.rankers.trees._saved import from_saved, to_saved
from rankwise.rankers.trees._score_function import booster_trees
from rankwise.rankers.trees._streaming import as_stream, survey
from rankwise.rankers.trees._training import Trainer, save_after_loss, train
from rankwise.rankers.trees._training_state import TrainingState
from rankwise.types import Features, FloatArray, IntArray

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger(__name__)

Callback: TypeAlias = Callable[[int, dict[str, float]], object]
Path: TypeAlias = "str | PathLike[str]"
# One row per document, in memory or in Parquet files.
Rows: TypeAlias = "Features | RankingData | RowSource | Path | Sequence[Path]"


class LambdaMART(Ranker):
    """Boosted trees that learn to rank by the metric they are evaluated by.

    `metric` is any metric of rankwise, by text or by value; the trees descend its λ-gradients, `score` is its value,
    and with an `eval_set` training stops on it. Labels may be any finite numbers (below 0: not judged), queries of any
    length, rows in any order; a feature that is NaN is missing.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        What to rank by and to stop on, as `rankwise.metrics.parse` reads it.
    n_estimators : int in [1, 1e6] or None, default=None
        Rounds, each of which adds a tree; of a plain loss that comes first as many again. Here and below, None follows
        the data (see Notes).
    learning_rate : float in (0, 1000] or None, default=None
        How much of each tree is added.
    num_leaves : int in [2, 131072] or None, default=None
        Leaves that a tree has at most.
    grow_policy : {"lossguide", "symmetric"} or None, default=None
        "lossguide" splits the leaf that gains most, by LightGBM; "symmetric" asks the same question in all leaves of a
        depth, as CatBoost does, which generalises better from few queries. None follows the data where `num_leaves`
        does, too, and is "lossguide" where that is given.
    min_child_samples : int in [0, 2147483647], default=20
        Rows that a leaf has at least.
    min_sum_hessian_in_leaf : float in [1e-6, 1e300], default=1.0
        Sum of Hessians that a leaf has at least: below 1e-6, rounding makes leaves that hold no row, which LightGBM
        fails on. See Notes.
    reg_lambda : float in [0, 1e300], default=5.0
        L2 penalty on the values of leaves, which is added to their sum of Hessians.
    colsample_bytree : float in (0, 1], default=1.0
        Share of the features that each tree may split by.
    max_bin : int in [2, 65535] or None, default=None
        Bins per feature. None is 255, and 127 for 50,000 rows or more, where fewer bins lost nothing.
    monotone_constraints : sequence or mapping, default=None
        -1 (falling), 0 (free) or 1 (rising) for each feature, or a mapping from some of them, by name or number.
    categorical_feature : sequence of str or int, default=None
        Names or numbers of features that are categories (whole numbers from 0); category columns of pandas are known
        without it.
    surrogate : {"auto", "swap"} or metric, default="auto"
        Whose λ's are descended. "auto" is what trains the metric best (`Metric.for_training`), "swap" the change of the
        metric itself when two documents change places, as in the papers, and a metric that of another one; training
        stops on `metric` in any case.
    norm : {"gap"} or None, default="gap"
        "gap" divides |ΔM| of a pair by 0.01 plus the difference of its scores, as LightGBM does; None leaves it.
    sigma : float in (0, 1e6], default=1.0
        Steepness σ of the pairs' logistic cost.
    bags : int in [1, 10000], default=1
        Models on bootstraps of the queries (of the rows, if there is one list), whose scores are averaged.
    query_subsample : float in (0, 1], default=1.0
        Share of the queries that each round learns from.
    split_noise : float in [0, 1000] or None, default=None
        Noise in the choice of splits, in units of the gradients' mean size: trees are grown on noisy gradients, and
        their leaves take the values of the true ones. With few queries it keeps trees from learning them by heart.
    ranking_noise : float in [0, 1e6], default=0.0
        Noise in the ranking that λ's are computed from, in units of scores, drawn anew in each round.
    init : {"auto", "logloss", "l2"} or None, default="auto"
        Plain loss to train on first, with as many rounds and the same stopping, before the trees turn to the metric
        with a fifth of the learning rate: "logloss" (of labels above 0), "l2", or None for none. "auto" is "logloss"
        for one list with labels 0 and another, unless `fit` gets an `init_score`, `init_model` or `position`; else
        None.
    early_stopping_rounds : int in [1, 1e6] or None, default=100
        With an `eval_set`, rounds without a better value before training ends; the rounds up to the best are kept.
        None trains and keeps all rounds.
    random_state : int in [0, 4294967295], RandomState or None, default=None
        A number makes the same data give the same model, bit for bit, whatever the number of threads.
    n_jobs : int in [-1024, 1024] or None, default=None
        Threads; None is all cores. Bags are trained at once, as many as there are threads, on up to a million rows in
        all; callbacks then see a round of one bag after that of another, and Ctrl-C keeps the best rounds of each.
    verbose : int in [0, 1e6], default=0
        Log the metric every so many rounds; 0 is never.

    Attributes
    ----------
    boosters_ : list of lightgbm.Booster
        The trees of each bag.
    evals_result_ : dict
        Values of the metric after each round, by eval_set ("valid_0", with bags "bag_0.valid_0") and metric.
    best_iteration_ : int
        Rounds in the model, of the longest bag.
    best_score_ : float or None
        The metric of the model on the first eval_set.
    n_rows_ : int
        Rows of the training data.
    n_queries_ : int
        Queries of the training data.
    positions_ : ndarray of int or None
        Positions of the clicks that were learned from.
    propensities_ : ndarray of float or None
        How likely each of `positions_` is looked at.
    interrupted_ : bool
        Whether Ctrl-C ended training.
    n_features_in_ : int
        Features of the training data.
    feature_names_in_ : ndarray of str
        Their names, where they have some.

    See Also
    --------
    LambdaRank : A neural net on the same gradients.

    Notes
    -----
    For a pair of documents of a query with labels yᵢ > yⱼ and scores sᵢ, sⱼ the cost is
    C = |ΔMᵢⱼ| log(1 + exp(-σ(sᵢ - sⱼ))), where ΔMᵢⱼ is the change of the metric when the two change places. A row's λ
    is the sum of ∂C/∂s over its pairs, and a leaf takes the Newton step -Σλ / (Σw + `reg_lambda`), w being the second
    derivatives (Burges 2010, section 7).

    With few rows |ΔMᵢⱼ| and the cost are others (`surrogate`). Parameters that are None are, for several queries of up
    to 20,000 rows, 400 symmetric trees of 64 leaves at a learning rate of 0.05 with split noise 2 (where symmetric
    trees cannot be grown or `num_leaves` is given, 200 of 8 leaves at 0.1 with split noise 1); up to 50,000 rows 200 of
    31 leaves at 0.1 with split noise 1; else, and for one list, 100 of 31 leaves at 0.1 without noise.

    λ's are scaled so that a row's mean Hessian at equal scores is 1/4, whatever the metric: limits and penalties on
    Hessians mean what they mean for the log loss. The defaults come from benchmarks/tune_lambdamart.py.

    References
    ----------
    C. J. C. Burges, R. Ragno, Q. V. Le (2006). Learning to Rank with Nonsmooth Cost Functions. NIPS 19.

    C. J. C. Burges (2010). From RankNet to LambdaRank to LambdaMART: An Overview. Microsoft Research MSR-TR-2010-82.

    S. J. Welleck (2016). Efficient AUC Optimization for Information Ranking Applications. ECIR.

    Examples
    --------
    >>> import rankwise as rw
    >>> data = rw.data.cubic(queries=20, documents=20, features=5)
    >>> model = rw.LambdaMART("ndcg@5", n_estimators=5, random_state=0).fit(data)
    >>> model.score(data) > 0.7
    True
    """

    kind: ClassVar[str] = "lambdamart"
    _takes_categories: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "n_estimators": [Integer(1, 10**6), NONE],
        "learning_rate": [Real(0, 1e3, open_low=True), NONE],
        "num_leaves": [Integer(2, 131_072), NONE],
        "grow_policy": [OneOf("lossguide", "symmetric"), NONE],
        "min_child_samples": [Integer(0, 2**31 - 1)],
        "min_sum_hessian_in_leaf": [Real(1e-6, 1e300)],
        "reg_lambda": [Real(0, 1e300)],
        "colsample_bytree": [Real(0, 1, open_low=True)],
        "max_bin": [Integer(2, 65_535), NONE],
        "monotone_constraints": [SEQUENCE, MAPPING, NONE],
        "categorical_feature": [SEQUENCE, NONE],
        "surrogate": [TEXT, METRIC],
        "norm": [OneOf("gap"), NONE],
        "sigma": [Real(0, 1e6, open_low=True)],
        "bags": [Integer(1, 10**4)],
        "query_subsample": [Real(0, 1, open_low=True)],
        "split_noise": [Real(0, 1e3), NONE],
        "ranking_noise": [Real(0, 1e6)],
        "init": [OneOf("auto"), NONE, OneOf("logloss", "l2")],
        "early_stopping_rounds": [Integer(1, 10**6), NONE],
        "n_jobs": [N_JOBS],
        "verbose": [VERBOSE],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        n_estimators: int | None = None,
        learning_rate: float | None = None,
        num_leaves: int | None = None,
        grow_policy: str | None = None,
        min_child_samples: int = 20,
        min_sum_hessian_in_leaf: float = 1.0,
        reg_lambda: float = 5.0,
        colsample_bytree: float = 1.0,
        max_bin: int | None = None,
        monotone_constraints: Sequence[int] | Mapping[str | int, int] | None = None,
        categorical_feature: Sequence[str | int] | None = None,
        surrogate: Surrogate = "auto",
        norm: Norm | None = "gap",
        sigma: float = 1.0,
        bags: int = 1,
        query_subsample: float = 1.0,
        split_noise: float | None = None,
        ranking_noise: float = 0.0,
        init: str | None = "auto",
        early_stopping_rounds: int | None = 100,
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.grow_policy = grow_policy
        self.min_child_samples = min_child_samples
        self.min_sum_hessian_in_leaf = min_sum_hessian_in_leaf
        self.reg_lambda = reg_lambda
        self.colsample_bytree = colsample_bytree
        self.max_bin = max_bin
        self.monotone_constraints = monotone_constraints
        self.categorical_feature = categorical_feature
        self.surrogate = surrogate
        self.norm = norm
        self.sigma = sigma
        self.bags = bags
        self.query_subsample = query_subsample
        self.split_noise = split_noise
        self.ranking_noise = ranking_noise
        self.init = init
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Rounds that training on these labels can take through all bags and stages; callbacks count up to it.

        Parameters
        ----------
        y : array_like
            The labels.
        qid : array_like, default=None
            The query of each row; None is one list.

        Returns
        -------
        int
            The number of rounds.
        """
        labels = as_vector("labels", y)
        n_queries = QueryGroups.of_rows(qid, labels.size).n_queries
        parameters = fill_in(self.get_params(deep=False), labels.size, n_queries, may_be_symmetric=True)
        init = resolve_init(self.init, labels, n_queries)
        return int(self.bags * parameters["n_estimators"] * (1 if init is None else 2))

    def fit(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        eval_set: Any = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        position: ArrayLike | None = None,
        init_score: ArrayLike | None = None,
        init_model: object = None,
        callbacks: Iterable[Callback] | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        client: Client | None = None,
    ) -> Self:
        """Train on rows in any order.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix, data frame, path or list of paths
            The features. RankingData brings its labels, queries, query weights and positions along. Parquet files are
            named by a path, a pattern (`parts/*.parquet`) or a list of them, with the columns that `rankwise.read`
            knows; they are read in passes and need not fit into memory, and the model is the same.
        y : array_like, default=None
            The label of each row, where X does not bring it along.
        qid : array_like, default=None
            The query of each row; None is one list.
        eval_set : RankingData, tuple, path or list of these, default=None
            Rows to evaluate the metric on after each round, as RankingData, (X, y, qid) or Parquet files; training
            stops on the first. With an `init_score`, (X, y, qid, scores).
        sample_weight : array_like, default=None
            Weight of each row: a pair of documents weighs the product of theirs times its query's `query_weight`.
        query_weight : array_like, default=None
            Weight of each query, by first appearance.
        position : array_like, default=None
            For click logs: labels above 0 are clicks, a query is one list as it was shown, and `position` says where
            each document stood in it, in whole numbers. How likely each position is looked at is learned with the
            trees (`propensities_`, beside `positions_`), and documents weigh accordingly (docs/clicks.md).
        init_score : array_like, default=None
            One score per row that training starts from. It is no part of the model: `predict` gives what is to be
            added to it.
        init_model : LambdaMART, LGBMModel or lightgbm.Booster, default=None
            Fitted trees of one score that are continued on the metric, with a fifth of the learning rate, and are
            part of the model. With an `init_score` too, training starts from the sum of both.
        callbacks : iterable of callable, default=None
            Each is called after every round with its number and {metric: value} on the first eval_set.
        checkpoint : path, default=None
            File that is kept up to date for `resume`.
        resume : bool, default=False
            Go on from the checkpoint, if it is there: training ends with the same model as if it had never stopped,
            given the same data and parameters.
        client : distributed.Client, default=None
            Of a Dask cluster, whose workers then hold the rows, whole queries each; X may be a Dask DataFrame as well.

        Returns
        -------
        LambdaMART
            The fitted model itself.

        Raises
        ------
        DataError
            If parameters or data cannot be learned from.
        WorkerLostError
            If a worker of the cluster dies; the message names a checkpoint to go on from.

        Notes
        -----
        Ctrl-C ends training early: the best rounds so far are kept, `interrupted_` is True and a warning is logged.
        """
        check_parameters(self)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        file = Checkpoint.open(checkpoint, TrainingState, resume=resume)
        state = file.state or TrainingState()
        if self.random_state is None and file.seed is not None:
            seed = file.seed
        data = training_rows(
            X, y, qid, sample_weight=sample_weight, query_weight=query_weight, position=position, takes_position=True
        )
        trainer: Trainer
        if client is None:
            trainer = make_local_trainer(self, data, eval_set, init_score, init_model, seed)
        else:
            trainer = _on_cluster().make_cluster_trainer(self, client, data, eval_set, init_score, init_model, seed)
        try:
            file.follow(seed, lambda: trainer.fingerprint(self.get_params(deep=False)))
            interrupted = self._train(trainer, state, file, list(callbacks or ()))
            self._set_fitted(trainer, state)
        except WorkerLostError as problem:
            raise save_after_loss(problem, trainer, state, self.get_params(deep=False), file) from problem
        finally:
            trainer.close()
        self.interrupted_ = interrupted
        if not (self.best_iteration_ or interrupted):
            log.warning(
                "no tree helped, so all scores are alike; pass more rows, or lower min_sum_hessian_in_leaf or noise"
            )
        return self

    def _train(
        self, trainer: Trainer, state: TrainingState, file: Checkpoint[TrainingState], callbacks: Sequence[Callback]
    ) -> bool:
        """Take the state to the end of the plan; whether Ctrl-C ended it before."""
        name = str(trainer.plan.metric)

        def report(number: int, values: list[float]) -> None:
            if self.verbose and number % self.verbose == 0:
                log.info("round %d %s", number, " ".join(f"{name} {value:.5f}" for value in values))
            for callback in callbacks:
                callback(number, {name: values[0]} if values else {})

        try:
            train(trainer, state, file, report)
        except KeyboardInterrupt:
            state.keep_best_rounds(trainer.plan)
            return True
        return False

    def _set_fitted(self, trainer: Trainer, state: TrainingState) -> None:
        plan, name = trainer.plan, str(trainer.plan.metric)
        self.boosters_: list[lgb.Booster] = []
        self.evals_result_: dict[str, dict[str, list[float]]] = {}
        for bag in state.bags:
            self.boosters_.append(read_booster(join_trees(*bag.header_and_trees(plan))))
            for k in range(trainer.n_eval_sets):
                history = [values[k] for rounds in bag.finished for values in rounds.values[1:]]
                self.evals_result_[f"bag_{bag.bag}.valid_{k}" if plan.has_bags else f"valid_{k}"] = {name: history}
        self.best_iteration_ = max(booster.current_iteration() for booster in self.boosters_)
        self.best_score_: float | None = trainer.evaluate(self.boosters_) if trainer.n_eval_sets else None
        self.n_rows_, self.n_queries_ = trainer.n_rows, trainer.n_queries
        self.positions_: IntArray | None = None
        self.propensities_: FloatArray | None = None
        if (propensities := trainer.propensities(self.boosters_)) is not None:
            self.positions_, self.propensities_ = propensities

    def _average(self, X: Any, **options: bool) -> FloatArray:
        return average_scores(self.boosters_, X, engine_threads(self.n_jobs), **options)

    def predict(self, X: Rows, *, client: Client | None = None) -> FloatArray:
        """A score for each row: the higher, the better its rank.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix, data frame, path or list of paths
            Rows with the features of the training data; Parquet files are read in passes.
        client : distributed.Client, default=None
            Of a Dask cluster, whose workers then read the files; X may be a Dask DataFrame as well.

        Returns
        -------
        ndarray of float
            One score per row, in the order of the rows.
        """
        check_is_fitted(self, "boosters_")
        if client is not None:
            cluster = _on_cluster()
            rows = as_features(self, cluster.distribute(client, X), fitting=False)
            return np.concatenate(list(cluster.cluster_scores(self.boosters_, client, rows)))
        stream = as_stream(X)
        return self._average(as_features(self, X if stream is None else stream, fitting=False))

    def score(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """The metric of this model on these rows, queries without a value left out.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix, data frame, path or list of paths
            Rows with the features of the training data; RankingData and Parquet files bring labels and queries along.
        y : array_like, default=None
            The label of each row, where X does not bring it along.
        qid : array_like, default=None
            The query of each row; None is one list.
        sample_weight : array_like, default=None
            Metrics weigh queries, not rows: a query weighs the mean of this over its rows.

        Returns
        -------
        float
            The value of the metric.
        """
        stream = as_stream(X, y, qid)
        if stream is not None:
            surveyed = survey(stream, 0)
            y, qid = surveyed.y, surveyed.qid
        rows: Any = X if stream is None else stream
        return super().score(rows, y, qid, sample_weight)

    def checked_scores(self, X: FloatArray) -> FloatArray:
        """Scores of a matrix known to be sound, without the checks, which take long beside the trees of few rows.

        Parameters
        ----------
        X : ndarray
            One column per feature, nothing infinite.

        Returns
        -------
        ndarray of float
            What `predict` gives.
        """
        return np.asarray(self._average(X), dtype=np.float64)

    def staged_predict(self, X: Features | RankingData) -> Iterator[FloatArray]:
        """Scores after each round, the last being those of `predict`.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix or data frame
            Rows with the features of the training data.

        Yields
        ------
        ndarray of float
            One score per row.
        """
        check_is_fitted(self, "boosters_")
        features = as_features(self, X, fitting=False)
        scores = [np.zeros(features.shape[0]) for _ in self.boosters_]
        for number in range(self.best_iteration_):
            for total, booster in zip(scores, self.boosters_, strict=True):
                if number < booster.current_iteration():
                    total += booster.predict(features, raw_score=True, start_iteration=number, num_iteration=1)
            yield np.asarray(sum(scores[1:], start=scores[0]) / len(scores))

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the gain of all splits."""
        check_is_fitted(self, "boosters_")
        gain = np.sum([booster.feature_importance("gain") for booster in self.boosters_], axis=0)
        return np.asarray(gain / max(gain.sum(), np.finfo(float).tiny))

    def explain(self, X: Features | RankingData, i: int, j: int) -> Explanation:
        """Why row `i` of X is above row `j` (or below): what each feature adds to the difference of their scores.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix or data frame
            Rows with the features of the training data.
        i : int
            Number of a row of X, from 0.
        j : int
            Number of another.

        Returns
        -------
        Explanation
            The difference of the two scores, feature by feature.
        """
        check_is_fitted(self, "boosters_")
        return explain_rows(self, as_features(self, X, fitting=False), i, j)

    def to_saved(self) -> SavedModel:
        """The fitted model as plain values and bytes.

        Returns
        -------
        SavedModel
            What a model file holds.
        """
        check_is_fitted(self, "boosters_")
        return to_saved(self)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The model that `to_saved` described.

        Parameters
        ----------
        saved : SavedModel
            What a model file holds.

        Returns
        -------
        LambdaMART
            The fitted model.

        Raises
        ------
        ModelFileError
            If anything is wrong with it.
        """
        return from_saved(cls, saved)

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> TreeSum:
        """The trees of all bags, each leaf by its share."""
        trees = [tree for booster in self.boosters_ for tree in booster_trees(booster, 1.0 / len(self.boosters_))]
        return TreeSum(*kind_and_names(self), trees)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _on_cluster() -> ModuleType:
    """What needs dask, which is an extra."""
    from rankwise.rankers.trees import dask as distributed

    return distributed
