"""What LambdaRank and RankNet share: an estimator around a net."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankwise.errors import need_extra
from rankwise.rankers._base import Ranker, SavedModel
from rankwise.rankers._checkpoint import Checkpoint
from rankwise.rankers._explanation import Explanation
from rankwise.rankers._features import training_rows
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
)
from rankwise.rankers._score_functions._functions import NetFunction
from rankwise.rankers.nets._objectives import Descent
from rankwise.rankers.nets._plan import NetPlan, make_net_plan, net_features
from rankwise.rankers.nets._score_function import net_function
from rankwise.rankers.nets._state import NetState
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.rankers.nets._training import NetTraining

log = logging.getLogger(__name__)

Callback = Callable[[int, dict[str, float]], object]


class NetRanker(Ranker):
    """A net that learns to rank; torch is imported when it is fitted, loaded or asked, not before."""

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "hidden": [HIDDEN],
        "activation": [OneOf("relu", "tanh")],
        "standardize": [BOOLEAN],
        "optimizer": [OneOf("adamw", "p2")],
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

    device: str
    epochs: int
    random_state: Any
    verbose: int

    @abstractmethod
    def _descent(self, plan: NetPlan) -> Descent:
        """What the net descends."""

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Epochs that training can take; callbacks count up to it."""
        return self.epochs

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        eval_set: Any = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        callbacks: Iterable[Callback] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        resume: bool = False,
    ) -> Self:
        """Train on rows in any order; `qid=None` is one list.

        X may be RankingData, which brings its labels, queries and query weights along, and so may each eval_set.
        `eval_set` is (X, y, qid) or a list of these; the net of the epoch that is best on the first is kept. A pair of
        documents weighs the product of their `sample_weight`s times its query's `query_weight` (queries by first
        appearance). After each epoch, every callback is called with its number and {metric: value} on the first
        eval_set.

        Ctrl-C ends training early: the best epoch so far is kept, `interrupted_` is True and a warning is logged.
        `checkpoint` names a file that is kept up to date; with `resume=True`, training goes on from it, if it is
        there, and ends with the same net as if it had never stopped, given the same data and parameters.

        Started by `torchrun`, several processes train one net; each is to call `fit` with all of the data.
        """
        need_extra("torch", extra="torch")
        from torch.random import fork_rng

        from rankwise.rankers.nets._replicas import joined_ranks
        from rankwise.rankers.nets._training import NetTraining

        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        ranks = joined_ranks()
        with fork_rng(devices=[]):
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            file = Checkpoint.open(checkpoint, NetState, resume=resume)
            file.is_writer = ranks.rank == 0
            if self.random_state is None and file.seed is not None:
                seed = file.seed
            seed = int(ranks.same([float(seed)])[0])
            plan = make_net_plan(self, data.X, data.y, data.qid, eval_set, data.sample_weight, data.query_weight, seed)
            file.follow(seed, plan.fingerprint)
            training = NetTraining(plan, self._descent(plan), file.state, ranks)
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
        self._set_learned(plan, training)
        self.interrupted_ = interrupted
        return self

    def _reporter(
        self, plan: NetPlan, callbacks: Iterable[Callback] | None, file: Checkpoint[NetState]
    ) -> Callable[[NetState, Callable[[], NetState]], None]:
        """What happens after each epoch."""
        called, name = list(callbacks or ()), str(plan.metric)

        def report(state: NetState, present: Callable[[], NetState]) -> None:
            number, values = state.epochs, state.values[-1]
            if file.is_due():
                file.write(present())
            if self.verbose and number % self.verbose == 0:
                log.info("epoch %d %s", number, " ".join(f"{name} {value:.5f}" for value in values))
            for callback in called:
                callback(number, {name: values[0]} if values else {})

        return report

    def _set_learned(self, plan: NetPlan, training: NetTraining) -> None:
        state, name = training.state, str(plan.metric)
        self.module_ = training.best_module()
        self.standardizer_ = plan.standardizer
        self.best_iteration_ = state.best_epoch()
        self.evals_result_ = {
            f"valid_{k}": {name: [values[k] for values in state.values]} for k in range(len(plan.judged))
        }
        self.best_score_: float | None = state.values[self.best_iteration_ - 1][0] if plan.judged else None
        self.n_rows_, self.n_queries_ = plan.y.size, plan.offsets.size - 1

    def predict(self, X: Any) -> FloatArray:
        """A score for each row: the higher, the better its rank."""
        check_is_fitted(self, "module_")
        from rankwise.rankers.nets._module import module_row_scores

        rows = self.standardizer_.apply(net_features(self, X, fitting=False))
        return module_row_scores(self.module_, rows, self.device)

    def explain(self, X: Any, i: int, j: int) -> Explanation:
        """Why row `i` of X is above row `j` (or below): what each feature adds to the difference of their scores."""
        check_is_fitted(self, "module_")
        from rankwise.rankers.nets._explanation import explain_net

        return explain_net(self, net_features(self, X, fitting=False), i, j)

    def to_saved(self) -> SavedModel:
        """The fitted net as plain values and bytes."""
        check_is_fitted(self, "module_")
        need_extra("safetensors", extra="torch")
        from rankwise.rankers.nets._saved import to_saved

        return to_saved(self)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The net that `to_saved` described; whatever is wrong with it raises ModelFileError."""
        need_extra("torch", "safetensors", extra="torch")
        from rankwise.rankers.nets._saved import from_saved

        model: Self = from_saved(cls, saved)
        return model

    def to_score_function(self) -> NetFunction:
        """The layers of the net."""
        return net_function(self, self.module_, self.activation, self.standardizer_, self.torch_module)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
