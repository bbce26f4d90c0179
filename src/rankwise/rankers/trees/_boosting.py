"""How the trees of a `LambdaMART` are trained: in memory, from files or on a cluster, with checkpoints and Ctrl-C."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.errors import WorkerLostError
from rankwise.rankers._checkpoint import Checkpoint
from rankwise.rankers._features import training_rows
from rankwise.rankers._parameters import check_parameters
from rankwise.rankers.trees._capacity import fill_in
from rankwise.rankers.trees._fitted import FittedTrees, Path, Rows, on_cluster
from rankwise.rankers.trees._local import make_local_trainer
from rankwise.rankers.trees._model_text import join_trees, read_booster
from rankwise.rankers.trees._plan import resolve_init
from rankwise.rankers.trees._training import Trainer, save_after_loss, train
from rankwise.rankers.trees._training_state import TrainingState
from rankwise.types import FloatArray, IntArray

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger(__name__)

Callback: TypeAlias = Callable[[int, dict[str, float]], object]


class BoostedTrees(FittedTrees):
    """Training in rounds, each of which adds a tree."""

    bags: int
    init: str | None
    random_state: int | RandomState | None
    verbose: int

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
            trainer = on_cluster().make_cluster_trainer(self, client, data, eval_set, init_score, init_model, seed)
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
        self.boosters_ = []
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
