"""LambdaMART: boosted trees on the λ-gradients of any metric, grown by LightGBM."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Self

import lightgbm as lgb
import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError, WorkerLostError
from rankwise.metrics import Metric
from rankwise.objectives.lambdas._objective import Norm
from rankwise.rankers._base import Ranker, SavedModel
from rankwise.rankers._checkpoint import Checkpoint
from rankwise.rankers._explanation import Explanation, explain_rows
from rankwise.rankers._features import as_features, training_rows
from rankwise.rankers._parameters import (
    MAPPING,
    N_JOBS,
    NONE,
    SEQUENCE,
    VERBOSE,
    Condition,
    Constraint,
    Integer,
    OneOf,
    Real,
)
from rankwise.rankers.trees._checkpoint import save_after_loss
from rankwise.rankers.trees._lightgbm import engine_threads
from rankwise.rankers.trees._model_text import join_trees, read_booster
from rankwise.rankers.trees._plan import first_loss, make_plan
from rankwise.rankers.trees._predict import mean_scores
from rankwise.rankers.trees._saved import from_saved, to_saved
from rankwise.rankers.trees._streaming import as_stream, survey
from rankwise.rankers.trees._training import Course, State, bag_trees, finish_stage, train
from rankwise.types import FloatArray, IntArray

log = logging.getLogger(__name__)

Callback = Callable[[int, dict[str, float]], object]

SCORES = Condition("scores", lambda value: SEQUENCE.accepts(value) or hasattr(value, "__array__"))
MODEL = Condition("a fitted model", lambda value: hasattr(value, "predict"))


class LambdaMART(Ranker):
    """Boosted trees that learn to rank by the metric they are judged by.

    `metric` is any metric of rankwise, by text or by value; the trees descend its λ-gradients, `score` is its value,
    and with an `eval_set` training stops on it. Labels may be any finite numbers (below 0: not judged), queries of any
    length, rows in any order; a feature that is NaN is missing.

    - `n_estimators`, `learning_rate`, `num_leaves`, `min_child_samples`, `min_sum_hessian_in_leaf`, `reg_lambda`,
      `colsample_bytree`, `max_bin`: as in LightGBM. λ's are scaled so that a row's mean Hessian at equal scores is 1/4,
      whatever the metric: limits and penalties on Hessians mean what they mean for the log loss. The defaults come from
      benchmarks/tune_lambdamart.py; with few data (a thousand queries or less) a `learning_rate` of 0.05 is better.
      `max_bin` None is 255, and 127 for 50,000 rows or more, where fewer bins lost nothing.
    - `monotone_constraints`: −1, 0 or 1 for each feature, or a mapping from some of them, by name or number.
    - `categorical_feature`: names or numbers of features that are categories (whole numbers from 0); category
      columns of pandas are known without it.
    - `norm`: "gap" divides |ΔM| of a pair by 0.01 plus the difference of its scores, as LightGBM does; None leaves it.
    - `sigma`: steepness of the pairs' logistic cost.
    - `bags`: models on bootstraps of the queries (of the rows, if there is one list), whose scores are averaged.
    - `query_subsample`: share of the queries that each round learns from.
    - `init`: what to start from before turning to the metric, with a fifth of the learning rate: "logloss" (of labels
      above 0) or "l2" train a plain model first, with as many rounds and the same stopping; a fitted model of trees is
      continued; scores, one per row, are the start of the training only, and `predict` gives what is to be added; None
      is nothing. "auto" is "logloss" for one list with labels 0 and another, else None.
    - `early_stopping_rounds`: with an `eval_set`, rounds without a better value before training ends; the rounds up to
      the best are kept. None trains and keeps all rounds.
    - `random_state`: a number makes the same data give the same model, bit for bit, whatever the number of threads.
    - `n_jobs`: threads of LightGBM, None for all cores; `verbose`: log the metric every so many rounds.

    >>> import rankwise.data
    >>> made = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = LambdaMART("ndcg@5", n_estimators=5, random_state=0).fit(made.X, made.y, qid=made.qid)
    >>> model.score(made.X, made.y, qid=made.qid) > 0.7
    True
    """

    kind: ClassVar[str] = "lambdamart"
    _takes_categories: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "n_estimators": [Integer(1, 10**6)],
        "learning_rate": [Real(0, 1e3, open_low=True)],
        "num_leaves": [Integer(2, 131_072)],
        "min_child_samples": [Integer(0, 2**31 - 1)],
        "min_sum_hessian_in_leaf": [Real(0, 1e300)],
        "reg_lambda": [Real(0, 1e300)],
        "colsample_bytree": [Real(0, 1, open_low=True)],
        "max_bin": [Integer(2, 65_535), NONE],
        "monotone_constraints": [SEQUENCE, MAPPING, NONE],
        "categorical_feature": [SEQUENCE, NONE],
        "norm": [OneOf("gap"), NONE],
        "sigma": [Real(0, 1e6, open_low=True)],
        "bags": [Integer(1, 10**4)],
        "query_subsample": [Real(0, 1, open_low=True)],
        "init": [OneOf("auto"), NONE, OneOf("logloss", "l2"), SCORES, MODEL],
        "early_stopping_rounds": [Integer(1, 10**6), NONE],
        "n_jobs": [N_JOBS],
        "verbose": [VERBOSE],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        min_child_samples: int = 20,
        min_sum_hessian_in_leaf: float = 1.0,
        reg_lambda: float = 5.0,
        colsample_bytree: float = 1.0,
        max_bin: int | None = None,
        monotone_constraints: Sequence[int] | Mapping[str | int, int] | None = None,
        categorical_feature: Sequence[str | int] | None = None,
        norm: Norm | None = "gap",
        sigma: float = 1.0,
        bags: int = 1,
        query_subsample: float = 1.0,
        init: Any = "auto",
        early_stopping_rounds: int | None = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_child_samples = min_child_samples
        self.min_sum_hessian_in_leaf = min_sum_hessian_in_leaf
        self.reg_lambda = reg_lambda
        self.colsample_bytree = colsample_bytree
        self.max_bin = max_bin
        self.monotone_constraints = monotone_constraints
        self.categorical_feature = categorical_feature
        self.norm = norm
        self.sigma = sigma
        self.bags = bags
        self.query_subsample = query_subsample
        self.init = init
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Rounds that training on these labels can take through all bags and stages; callbacks count up to it."""
        labels = as_vector("labels", y)
        init = first_loss(self.init, labels, QueryGroups.of_rows(qid, labels.size).n_queries)
        return self.bags * self.n_estimators * (2 if isinstance(init, str) else 1)

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        eval_set: Any = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        position: ArrayLike | None = None,
        callbacks: Iterable[Callback] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        resume: bool = False,
        client: Any = None,
    ) -> Self:
        """Train on rows in any order; `qid=None` is one list.

        X may be RankingData, which brings its labels, queries, query weights and positions along, and so may each
        eval_set. X may name Parquet files instead: a path, a pattern (`parts/*.parquet`) or a list of them, with the
        columns that `rankwise.read` knows. They are read in passes and need not fit into memory; the model is the same.

        `eval_set` is (X, y, qid) or a list of these; the first is what training stops on. A pair of documents weighs
        the product of their `sample_weight`s times its query's `query_weight` (queries by first appearance). After
        each round, every callback is called with the number of the round and {metric: value} on the first eval_set.

        `position` is for click logs: labels above 0 are clicks, a query is one list as it was shown, and `position`
        says where each document stood in it, in whole numbers. How likely each position is looked at is learned with
        the trees (`propensities_`, beside `positions_`), and documents weigh accordingly (docs/clicks.md).

        Ctrl-C ends training early: the best rounds so far are kept, `interrupted_` is True and a warning is logged.
        `checkpoint` names a file that is kept up to date; with `resume=True`, training goes on from it, if it is
        there, and ends with the same model as if it had never stopped, given the same data and parameters.

        `client` is one of a Dask cluster, whose workers then hold the rows: each holds whole queries, and X may be a
        Dask DataFrame as well. A worker that dies ends training with a WorkerLostError that names a checkpoint.
        """
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        file = Checkpoint.open(checkpoint, State, resume=resume)
        state = file.state or State()
        if self.random_state is None and file.seed is not None:
            seed = file.seed
        data = training_rows(
            X, y, qid, sample_weight=sample_weight, query_weight=query_weight, position=position, takes_position=True
        )
        position = data.position
        given = (data.X, data.y, data.qid, eval_set, data.sample_weight, data.query_weight)
        if client is not None and position is not None:
            raise DataError("positions are learned from on one machine, got a client too; leave out one of the two")
        plan: Course = (
            make_plan(self, *given, position, seed)
            if client is None
            else _on_cluster().make_cluster_plan(self, client, *given, seed)
        )
        try:
            file.follow(seed, lambda: plan.fingerprint(self.get_params(deep=False)))
            interrupted = self._train(plan, state, callbacks, file)
            self._set_learned(plan, state)
        except WorkerLostError as problem:
            raise save_after_loss(problem, plan, state, self.get_params(deep=False), file) from problem
        finally:
            plan.close()
        self.interrupted_ = interrupted
        return self

    def _train(self, plan: Course, state: State, callbacks: Iterable[Callback] | None, file: Checkpoint[State]) -> bool:
        """Take the state to the end of the plan; whether Ctrl-C ended it before."""
        try:
            train(plan, state, self._reporter(plan, callbacks, file))
        except KeyboardInterrupt:
            _keep_what_is_done(plan, state)
            return True
        file.write(state)
        return False

    def _reporter(
        self, plan: Course, callbacks: Iterable[Callback] | None, file: Checkpoint[State]
    ) -> Callable[[int, list[float], Callable[[], State]], None]:
        """What happens after each round."""
        called, name = list(callbacks or ()), str(plan.metric)

        def report(number: int, values: list[float], state: Callable[[], State]) -> None:
            if file.is_due():
                file.write(state())
            if self.verbose and number % self.verbose == 0:
                log.info("round %d %s", number, " ".join(f"{name} {value:.5f}" for value in values))
            for callback in called:
                callback(number, {name: values[0]} if values else {})

        return report

    def _set_learned(self, plan: Course, state: State) -> None:
        stages = plan.stages[: len(state.finished)]
        name = str(plan.metric)
        self.boosters_: list[lgb.Booster] = []
        self.evals_result_: dict[str, dict[str, list[float]]] = {}
        for bag in sorted({stage.bag for stage in stages}):
            trees = bag_trees(plan, state, bag)
            self.boosters_.append(read_booster(join_trees(state.finished[-1].header, trees)))
            rounds = [one for one, stage in zip(state.finished, stages, strict=True) if stage.bag == bag]
            for k in range(plan.judged_sets):
                history = [values[k] for one in rounds for values in one.values[1:]]
                self.evals_result_[f"bag_{bag}.valid_{k}" if self.bags > 1 else f"valid_{k}"] = {name: history}
        self.best_iteration_ = max(booster.current_iteration() for booster in self.boosters_)
        self.best_score_: float | None = plan.first_value(self.boosters_) if plan.judged_sets else None
        self.n_rows_, self.n_queries_ = plan.size
        self.positions_: IntArray | None = None
        self.propensities_: FloatArray | None = None
        if (found := plan.propensities(self.boosters_)) is not None:
            self.positions_, self.propensities_ = found

    def _average(self, X: Any, **options: Any) -> FloatArray:
        return mean_scores(self.boosters_, X, engine_threads(self.n_jobs), **options)

    def predict(self, X: Any, *, client: Any = None) -> FloatArray:
        """A score for each row: the higher, the better its rank.

        X may name Parquet files, which are read in passes; with the `client` of a Dask cluster its workers do that,
        and X may be a Dask DataFrame as well.
        """
        check_is_fitted(self, "boosters_")
        if client is not None:
            cluster = _on_cluster()
            rows = as_features(self, cluster.as_cluster_rows(client, X), fitting=False)
            return np.concatenate(list(cluster.cluster_scores(self.boosters_, client, rows)))
        features = as_features(self, X if (stream := as_stream(X)) is None else stream, fitting=False)
        return self._average(features)

    def score(
        self,
        X: Any,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """The metric of this model on these rows, which may be Parquet files; see `Ranker.score`."""
        stream = as_stream(X, y, qid)
        if stream is not None:
            found = survey(stream, 0)
            y, qid = found.y, found.qid
        return super().score(X if stream is None else stream, y, qid, sample_weight)

    def checked_scores(self, X: FloatArray) -> FloatArray:
        """`predict` of a matrix known to be sound, without the checks, which take long beside the trees of few rows."""
        return np.asarray(self._average(X), dtype=np.float64)

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Scores after each round, the last being those of `predict`."""
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

    def explain(self, X: Any, i: int, j: int) -> Explanation:
        """Why row `i` of X is above row `j` (or below): what each feature adds to the difference of their scores."""
        check_is_fitted(self, "boosters_")
        return explain_rows(self, as_features(self, X, fitting=False), i, j)

    def to_saved(self) -> SavedModel:
        """The fitted model as plain values and bytes."""
        check_is_fitted(self, "boosters_")
        return to_saved(self)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The model that `to_saved` described; whatever is wrong with it raises ModelFileError."""
        model: Self = from_saved(cls, saved)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _on_cluster() -> Any:
    """What needs dask, which is an extra."""
    from rankwise.rankers.trees import dask as distributed

    return distributed


def _keep_what_is_done(plan: Course, state: State) -> None:
    """After an interruption: whole bags, or the best rounds so far where there is none yet."""
    whole = [number for number in range(len(state.finished)) if plan.ends_bag(number)]
    if whole:
        del state.finished[whole[-1] + 1 :]
    elif state.rounds is not None and state.rounds.done:
        finish_stage(plan, state, interrupted=True)
    if not state.finished:
        raise KeyboardInterrupt
    log.warning("training was interrupted; the best rounds so far are kept")
