"""What rankers that learn from pairs share: rows made ready, steps that can be watched and stopped, model files."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import Ranker, SavedModel
from rankwise.rankers._eval_sets import EvalSet, list_eval_sets, make_eval_set
from rankwise.rankers._explanation import Explanation, rows_to_explain
from rankwise.rankers._features import TrainingRows, as_features, training_rows
from rankwise.rankers._pair_rows import PairRows, pair_rows
from rankwise.rankers._parameters import VERBOSE, Constraint, check_parameters
from rankwise.rankers._persistence import make_saved, restore_training, training_summary, unfitted_model
from rankwise.types import FloatArray

log = logging.getLogger(__name__)

Callback = Callable[[int, dict[str, float]], object]


@dataclass(frozen=True)
class Step:
    """Where training stands after a step.

    `learned` gives the attributes to keep if training ends here: those of the best model so far; `judged` the metric
    of this step's model on each eval_set, where it was judged; `best` those of the model to keep.
    """

    learned: Callable[[], dict[str, Any]]
    judged: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)


class PairRanker(Ranker):
    """A ranker that learns in steps; its subclass says what a step is, and what is learnt."""

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {"verbose": [VERBOSE]}

    missing_values = False  # whether NaN is a missing value, or an error
    verbose: int

    @abstractmethod
    def _steps(self, rows: PairRows, judged: list[EvalSet]) -> Iterator[Step]:
        """Learn; after each step say what to keep."""

    @abstractmethod
    def _scores(self, X: Any) -> FloatArray:
        """A score for each row of checked features."""

    @abstractmethod
    def _parts(self, X: Any) -> FloatArray:
        """What each feature (by column) adds to the score of each row."""

    @abstractmethod
    def _told(self) -> dict[str, Any]:
        """What was learnt as plain values of JSON."""

    @abstractmethod
    def _recall(self, told: dict[str, Any]) -> None:
        """Set what `_told` says, all of it checked; whatever is wrong raises ModelFileError."""

    @abstractmethod
    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Steps that training can take; callbacks count up to it."""

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
    ) -> Self:
        """Train on rows in any order; `qid=None` is one list.

        X may be RankingData, which brings its labels, queries and query weights along, and so may each eval_set.
        `eval_set` is (X, y, qid) or a list of these; what is best on the first is kept. A pair of documents weighs the
        product of their `sample_weight`s times its query's `query_weight` (queries by first appearance). After each
        step, every callback is called with its number and {metric: value} on the first eval_set.

        Ctrl-C ends training early: the best so far is kept, `interrupted_` is True and a warning is logged.
        """
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        return self._fit(data, eval_set, callbacks)

    def _fit(self, data: TrainingRows, eval_set: Any, callbacks: Iterable[Callback] | None) -> Self:
        check_parameters(self)
        metric, called = parse(self.metric), list(callbacks or ())
        features = self._features(data.X, True)
        rows = pair_rows(type(self).__name__, features, data.y, data.qid, data.sample_weight, data.query_weight)
        judged = [make_eval_set(one, lambda X: self._features(X, False)) for one in list_eval_sets(eval_set)]
        kept, number, history, interrupted = None, 0, [], False
        try:
            for number, step in enumerate(self._steps(rows, judged), start=1):
                kept = step
                history += [step.judged] if step.judged else []
                if self.verbose and number % self.verbose == 0:
                    log.info("step %d %s", number, " ".join(f"{metric} {value:.5f}" for value in step.judged))
                for callback in called:
                    callback(number, {str(metric): step.judged[0]} if step.judged else {})
        except KeyboardInterrupt:
            if kept is None:
                raise
            interrupted = True
            log.warning("training was interrupted; the best so far is kept")
        assert kept is not None
        self.best_iteration_ = number  # unless what is kept says otherwise
        for name, value in kept.learned().items():
            setattr(self, name, value)
        self.best_score_: float | None = kept.best[0] if kept.best else None
        self.evals_result_ = {
            f"valid_{k}": {str(metric): [values[k] for values in history]} for k in range(len(judged))
        }
        self.n_rows_, self.n_queries_ = rows.y.size, rows.offsets.size - 1
        self.interrupted_ = interrupted
        return self

    def _features(self, X: Any, fitting: bool) -> Any:
        """Numbers in an array or a CSR matrix, finite where a missing value cannot be left out."""
        found = as_features(self, X, fitting=fitting)
        if not self.missing_values:
            values = found if isinstance(found, np.ndarray) else found.data
            with np.errstate(over="ignore", invalid="ignore"):
                total = values.sum()  # passes NaN on, in one quick pass; infinities of other signs make one too
            if np.isnan(total) and np.isnan(values).any():
                raise DataError(
                    f"{type(self).__name__} needs every feature of every row, got NaN; impute it "
                    "(sklearn.impute.SimpleImputer), or use LambdaMART, for which NaN is a missing value"
                )
        return found

    def predict(self, X: Any) -> FloatArray:
        """A score for each row: the higher, the better its rank."""
        check_is_fitted(self, "n_rows_")
        return self._scores(self._features(X, False))

    def explain(self, X: Any, i: int, j: int) -> Explanation:
        """Why row `i` of X is above row `j` (or below): what each feature adds to the difference of their scores."""
        check_is_fitted(self, "n_rows_")
        return rows_to_explain(self, self._features(X, False), i, j, self._scores, self._parts)

    def to_saved(self) -> SavedModel:
        """The fitted model as plain values."""
        check_is_fitted(self, "n_rows_")
        summary = {"engine": "rankwise", **training_summary(self), "learned": self._told()}
        return make_saved(self, str(parse(self.metric)), summary)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The model that `to_saved` described; whatever is wrong with it raises ModelFileError."""
        model = unfitted_model(cls, saved)
        if saved.members or not isinstance(saved.summary.get("learned"), dict):
            raise ModelFileError("the model must consist of its manifest, with what it learnt; save it again")
        restore_training(model, saved.summary)
        model._recall(saved.summary["learned"])
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.missing_values
        tags.input_tags.sparse = True
        return tags
