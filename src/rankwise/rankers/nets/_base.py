"""What LambdaRank and RankNet share: an estimator around a net."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import need_extra
from rankwise.metrics import Metric, parse
from rankwise.rankers._base import Ranker, SavedModel
from rankwise.rankers._checkpoint import Checkpoint
from rankwise.rankers._eval_sets import list_eval_sets, make_eval_set, warn_of_one_list
from rankwise.rankers._explanation import Explanation, explain_difference
from rankwise.rankers._features import TrainingRows, training_rows
from rankwise.rankers._pair_rows import pair_rows
from rankwise.rankers._parameters import (
    BOOLEAN,
    HIDDEN,
    MODULE,
    NONE,
    TEXT,
    VERBOSE,
    Constraint,
    Integer,
    OneOf,
    Real,
    check_parameters,
)
from rankwise.rankers._persistence import EvalHistory
from rankwise.rankers._score_functions._functions import NetFunction
from rankwise.rankers.nets._objectives import PairObjective
from rankwise.rankers.nets._plan import NetPlan, default_batch_queries, finite_features
from rankwise.rankers.nets._score_function import net_function
from rankwise.rankers.nets._state import NetState
from rankwise.types import AnyArray, Features, FloatArray

if TYPE_CHECKING:
    from torch import nn

    from rankwise.rankers.nets._training import NetTraining

log = logging.getLogger(__name__)

Callback = Callable[[int, dict[str, float]], object]


class NetRanker(Ranker):
    """A net that learns to rank; torch is imported when it is fitted, loaded or asked, not before.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        Any metric of rankwise, by text or by value: what `score` gives, and what the best epoch is chosen by with an
        `eval_set`.
    hidden : sequence of at most 100 int in [1, 1e6], default=(10,)
        Widths of the hidden layers; () is a linear model.
    activation : {"relu", "tanh"}, default="relu"
        Function of the hidden layers.
    standardize : bool, default=True
        Whether to subtract each feature's mean and divide by its deviation; both become part of the model.
    optimizer : {"adamw", "burges2006"}, default="adamw"
        "adamw", its rate falling along a cosine to 0 at the last epoch; or "burges2006", the rules of the paper:
        gradient descent query by query, the rate × 0.8 when the cost of the training data rises (LambdaRank: when its
        metric falls), new random weights after 50 epochs without progress.
    learning_rate : float in (0, 1000], default=0.01
        Size of the steps.
    weight_decay : float in [0, 1000], default=0.01
        Share of the weights, times the rate, that each step takes away.
    dropout : float in [0, 0.99], default=0.0
        Share of hidden values that training drops.
    epochs : int in [1, 1e6], default=100
        Passes over the data, at most.
    batch_queries : int in [1, 1e9] or None, default=None
        Whole queries in a batch; None: as many as have about 500 rows (one for "burges2006").
    early_stopping_rounds : int in [1, 1e6] or None, default=20
        With an `eval_set`, epochs without a better value before training ends; None: never.
    sigma : float in (0, 1e6], default=1.0
        Steepness of the pairs' logistic cost.
    torch_module : torch.nn.Module or None, default=None
        Your own net, from rows × features to scores, instead of `hidden`, `activation` and `dropout`. It is copied, and
        trained from the weights it has. Such a model cannot be saved by `rankwise.save`.
    device : str, default="cpu"
        Where the net is, as torch names it.
    random_state : int in [0, 4294967295], RandomState or None, default=None
        A number makes the same data give the same net on the same machine.
    verbose : int in [0, 1e6], default=0
        Log the metric every so many epochs; 0 never.

    Attributes
    ----------
    module_ : torch.nn.Module
        The net of the best epoch.
    standardizer_ : Standardizer
        Mean and scale of the features.
    best_iteration_ : int
        The epoch, from 1, that the net is of.
    best_score_ : float or None
        Its metric on the first `eval_set`.
    evals_result_ : dict
        The metric after each epoch: {"valid_0": {metric: [values]}, ...}.
    interrupted_ : bool
        Whether Ctrl-C ended training early.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if the training data named them.
    n_rows_ : int
        Rows trained on.
    n_queries_ : int
        Queries trained on.

    References
    ----------
    Christopher J. C. Burges, Robert Ragno and Quoc V. Le (2006). Learning to Rank with Nonsmooth Cost Functions.
    Advances in Neural Information Processing Systems 19.
    """

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "hidden": [HIDDEN],
        "activation": [OneOf("relu", "tanh")],
        "standardize": [BOOLEAN],
        "optimizer": [OneOf("adamw", "burges2006")],
        "learning_rate": [Real(0, 1e3, open_low=True)],
        "weight_decay": [Real(0, 1e3)],
        "dropout": [Real(0, 0.99)],
        "epochs": [Integer(1, 10**6)],
        "batch_queries": [Integer(1, 10**9), NONE],
        "early_stopping_rounds": [Integer(1, 10**6), NONE],
        "sigma": [Real(0, 1e6, open_low=True)],
        "torch_module": [MODULE, NONE],
        "device": [TEXT],
        "verbose": [VERBOSE],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        hidden: Sequence[int] = (10,),
        activation: Literal["relu", "tanh"] = "relu",
        standardize: bool = True,
        optimizer: Literal["adamw", "burges2006"] = "adamw",
        learning_rate: float = 0.01,
        weight_decay: float = 0.01,
        dropout: float = 0.0,
        epochs: int = 100,
        batch_queries: int | None = None,
        early_stopping_rounds: int | None = 20,
        sigma: float = 1.0,
        torch_module: nn.Module | None = None,
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.hidden = hidden
        self.activation = activation
        self.standardize = standardize
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.epochs = epochs
        self.batch_queries = batch_queries
        self.early_stopping_rounds = early_stopping_rounds
        self.sigma = sigma
        self.torch_module = torch_module
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @abstractmethod
    def _pair_objective(self, plan: NetPlan) -> PairObjective:
        """What the net minimizes."""

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Give the number of epochs that training can take; callbacks count up to it.

        Parameters
        ----------
        y : array-like
            Labels, which play no part.
        qid : array-like, default=None
            Queries, which play no part.

        Returns
        -------
        int
            The parameter `epochs`.
        """
        return self.epochs

    def fit(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        eval_set: object = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        callbacks: Iterable[Callback] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        resume: bool = False,
    ) -> Self:
        """Train on rows in any order.

        Ctrl-C ends training early: the best epoch so far is kept, `interrupted_` is True and a warning is logged.
        Started by `torchrun`, several processes train one net; each is to call `fit` with all of the data.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and query weights along.
        y : array-like of shape (n_rows,), default=None
            Labels: the higher, the better.
        qid : array-like of shape (n_rows,), default=None
            The query of each row; None is one list.
        eval_set : RankingData, (X, y, qid) or a list of these, default=None
            Rows to evaluate each epoch on; the net of the epoch that is best on the first is kept.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of rows: a pair of documents weighs the product of theirs, times the weight of the query.
        query_weight : array-like of shape (n_queries,), default=None
            Weights of queries, by first appearance.
        callbacks : iterable of callable, default=None
            Each is called after each epoch with its number and {metric: value} on the first `eval_set`.
        checkpoint : str or path-like, default=None
            A file that is kept up to date, to resume training from.
        resume : bool, default=False
            Whether to go on from the checkpoint, if it is there; training ends with the same net as if it had never
            stopped, for the same data and parameters.

        Returns
        -------
        NetRanker
            This ranker, fitted.
        """
        need_extra("torch", extra="torch")
        from torch.random import fork_rng

        from rankwise.rankers.nets._replicas import current_replicas
        from rankwise.rankers.nets._training import NetTraining

        check_parameters(self)
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        replicas = current_replicas()
        with fork_rng(devices=[]):
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            file = Checkpoint.open(checkpoint, NetState, resume=resume)
            file.is_writer = replicas.rank == 0
            if self.random_state is None and file.seed is not None:
                seed = file.seed
            seed = int(replicas.broadcast([float(seed)])[0])
            plan = self._plan(data, eval_set, seed)
            file.follow(seed, plan.fingerprint)
            training = NetTraining(plan, self._pair_objective(plan), file.state, replicas)
            interrupted = False
            try:
                training.run(self._reporter(plan, callbacks, file))
            except KeyboardInterrupt:
                if not training.state.epochs:
                    raise
                interrupted = True
                log.warning("training was interrupted; the best epoch so far is kept")
            if not interrupted:
                file.write(training.present())
        self._set_fitted(plan, training)
        self.interrupted_ = interrupted
        return self

    def _plan(self, data: TrainingRows, eval_set: object, seed: int) -> NetPlan:
        """What to train on and by; all data is checked here, before the first epoch."""
        features = finite_features(self, data.X, fitting=True)
        rows = pair_rows(type(self).__name__, features, data.y, data.qid, data.sample_weight, data.query_weight)
        n_queries = rows.offsets.size - 1
        warn_of_one_list(parse(self.metric), rows.y.size, n_queries)
        standardizer = Standardizer.none(features.shape[1])
        if self.standardize:
            standardizer = Standardizer.of(features, order=rows.order)

        def prepare(X: Features) -> AnyArray:
            return standardizer.apply(finite_features(self, X, fitting=False))

        return NetPlan(
            metric=parse(self.metric),
            X=standardizer.apply(features, rows.order),
            y=rows.y,
            offsets=rows.offsets,
            weight=rows.weight,
            eval_sets=[make_eval_set(entry, prepare) for entry in list_eval_sets(eval_set, n_queries)],
            standardizer=standardizer,
            batch_queries=self.batch_queries or default_batch_queries(self.optimizer, rows.offsets),
            parameters=self.get_params(deep=False),
            seed=seed,
        )

    def _reporter(
        self, plan: NetPlan, callbacks: Iterable[Callback] | None, file: Checkpoint[NetState]
    ) -> Callable[[NetState, Callable[[], NetState]], None]:
        """What happens after each epoch."""
        called, name = list(callbacks or ()), str(plan.metric)

        def report(state: NetState, present: Callable[[], NetState]) -> None:
            if file.is_due():
                file.write(present())
            number, values = state.epochs, state.values[-1]
            if self.verbose and number % self.verbose == 0:
                log.info("epoch %d %s", number, " ".join(f"{name} {value:.5f}" for value in values))
            for callback in called:
                callback(number, {name: values[0]} if values else {})

        return report

    def _set_fitted(self, plan: NetPlan, training: NetTraining) -> None:
        state = training.state
        self.module_ = training.best_module()
        self.standardizer_ = plan.standardizer
        self.best_iteration_ = state.best_epoch()
        self.evals_result_: EvalHistory = {
            f"valid_{k}": {str(plan.metric): [values[k] for values in state.values]} for k in range(len(plan.eval_sets))
        }
        self.best_score_: float | None = state.values[self.best_iteration_ - 1][0] if plan.eval_sets else None
        self.n_rows_, self.n_queries_ = plan.y.size, plan.offsets.size - 1

    @inherit_sections(Ranker.predict)
    def predict(self, X: Features | RankingData) -> FloatArray:
        """Give a score for each row: the higher, the better its rank."""
        check_is_fitted(self, "module_")
        from rankwise.rankers.nets._module import module_row_scores

        rows = self.standardizer_.apply(finite_features(self, X, fitting=False))
        return module_row_scores(self.module_, rows, self.device)

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
        check_is_fitted(self, "module_")
        from rankwise.rankers.nets._module import integrated_gradients

        def contributions(rows: AnyArray) -> tuple[float, FloatArray]:
            return integrated_gradients(self.module_, self.standardizer_.apply(rows))

        return explain_difference(self, finite_features(self, X, fitting=False), i, j, contributions)

    @inherit_sections(Ranker.to_saved)
    def to_saved(self) -> SavedModel:
        """Give the fitted net as plain values and bytes."""
        check_is_fitted(self, "module_")
        need_extra("safetensors", extra="torch")
        from rankwise.rankers.nets._saved import to_saved

        return to_saved(self)

    @classmethod
    @inherit_sections(Ranker.from_saved)
    def from_saved(cls, saved: SavedModel) -> Self:
        """Make the net that `to_saved` described."""
        need_extra("torch", "safetensors", extra="torch")
        from rankwise.rankers.nets._saved import from_saved

        return from_saved(cls, saved)

    @inherit_sections(Ranker.to_score_function)
    def to_score_function(self) -> NetFunction:
        """Give the layers of the net."""
        return net_function(self, self.module_, self.activation, self.standardizer_, self.torch_module)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
