"""What rankers that learn from pairs share: checked rows, steps that can be observed and stopped, model files."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.errors import ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import Ranker, SavedModel
from rankwise.rankers._eval_sets import EvalSet, list_eval_sets, make_eval_set, warn_of_one_list
from rankwise.rankers._explanation import Explanation, rows_to_explain
from rankwise.rankers._features import TrainingRows, as_features, training_rows
from rankwise.rankers._pair_rows import PairRows, pair_rows
from rankwise.rankers._parameters import VERBOSE, Constraint, check_parameters
from rankwise.rankers._persistence import make_saved, restore_training, training_summary, unfitted_model
from rankwise.rankers.pairs._matrix import Matrix
from rankwise.types import Features, FloatArray, JsonObject

log = logging.getLogger(__name__)

Callback = Callable[[int, dict[str, float]], object]
Attributes = dict[str, object]  # what `fit` sets, by name


@dataclass(frozen=True, eq=False)
class Step:
    """Where training stands after a step."""

    learned: Callable[[], Attributes]  # of the best model so far, which is kept if training ends here
    values: list[float] = field(default_factory=list)  # the metric of this step's model, if evaluated, by eval_set
    best_values: list[float] = field(default_factory=list)  # those of the best model


class PairRanker(Ranker):
    """A ranker that learns in steps; its subclass defines a step, and what is learned."""

    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {"verbose": [VERBOSE]}

    missing_values = False  # whether NaN is a missing value, or an error
    verbose: int
    n_features_in_: int

    @abstractmethod
    def _steps(self, rows: PairRows, eval_sets: list[EvalSet]) -> Iterator[Step]:
        """Learn; yield after each step what to keep."""

    @abstractmethod
    def _scores(self, X: Matrix) -> FloatArray:
        """A score for each row of checked features."""

    @abstractmethod
    def _contributions(self, X: Matrix) -> FloatArray:
        """What each feature (by column) adds to the score of each row."""

    @abstractmethod
    def _get_state(self) -> JsonObject:
        """What was learned, as plain values of JSON."""

    @abstractmethod
    def _set_state(self, state: JsonObject) -> None:
        """Set what `_get_state` returned, all of it checked; whatever is wrong raises ModelFileError."""

    @abstractmethod
    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Steps that training can take.

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
    ) -> Self:
        """Train on rows in any order.

        Ctrl-C ends training early: the best so far is kept, `interrupted_` is True and a warning is logged.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and query weights along.
        y : array-like of shape (n_rows,), optional
            Labels, the higher the better; below 0 means not judged, and counts as 0.
        qid : array-like of shape (n_rows,), optional
            The query of each row; without it all rows are one list.
        eval_set : RankingData, tuple (X, y, qid) or list of these, optional
            Rows to evaluate the metric on; what is best on the first of them is kept.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of documents; a pair weighs the product of its documents' weights.
        query_weight : array-like of shape (n_queries,), optional
            Weights of queries, by first appearance, times which their pairs count.
        callbacks : iterable of callable, optional
            Each is called after every step with its number and {metric: value} on the first eval_set.

        Returns
        -------
        self
            The fitted ranker.
        """
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        return self._fit(data, eval_set, list(callbacks or ()))

    def _fit(self, data: TrainingRows, eval_set: object, callbacks: list[Callback]) -> Self:
        check_parameters(self)
        metric = parse(self.metric)
        rows = self._pair_rows(data, fitting=True)
        n_queries = rows.offsets.size - 1
        warn_of_one_list(metric, rows.y.size, n_queries)
        listed = list_eval_sets(eval_set, n_queries)
        eval_sets = [make_eval_set(entry, lambda X: self._features(X, False)) for entry in listed]
        latest, number, history, interrupted = None, 0, [], False
        try:
            for number, step in enumerate(self._steps(rows, eval_sets), start=1):
                latest = step
                history += [step.values] if step.values else []
                if self.verbose and number % self.verbose == 0:
                    log.info("step %d %s", number, " ".join(f"{metric} {value:.5f}" for value in step.values))
                for callback in callbacks:
                    callback(number, {str(metric): step.values[0]} if step.values else {})
        except KeyboardInterrupt:
            if latest is None:
                raise
            interrupted = True
            log.warning("training was interrupted; the best so far is kept")
        assert latest is not None
        self.best_iteration_ = number  # unless the attributes below include it
        for name, value in latest.learned().items():
            setattr(self, name, value)
        self.best_score_: float | None = latest.best_values[0] if latest.best_values else None
        self.evals_result_ = {
            f"valid_{k}": {str(metric): [values[k] for values in history]} for k in range(len(eval_sets))
        }
        self.n_rows_, self.n_queries_ = rows.y.size, rows.offsets.size - 1
        self.interrupted_ = interrupted
        return self

    def _pair_rows(self, data: TrainingRows, fitting: bool) -> PairRows:
        features = self._features(data.X, fitting)
        return pair_rows(type(self).__name__, features, data.y, data.qid, data.sample_weight, data.query_weight)

    def _features(self, X: object, fitting: bool) -> Matrix:
        """Numbers in an array or a CSR matrix, finite where a missing value cannot be left out."""
        features: Matrix = as_features(self, X, fitting=fitting, allow_nan=self.missing_values)
        return features

    def predict(self, X: Features | RankingData) -> FloatArray:
        """Return a score for each row.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores: the higher, the better the rank.
        """
        check_is_fitted(self, "n_rows_")
        return self._scores(self._features(X, False))

    def explain(self, X: Features | RankingData, i: int, j: int) -> Explanation:
        """Explain why one row is above another (or below): what each feature adds to the difference of their scores.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.
        i : int
            The first of the two rows.
        j : int
            The second of the two rows.

        Returns
        -------
        Explanation
            The contribution of each feature.
        """
        check_is_fitted(self, "n_rows_")
        return rows_to_explain(self, self._features(X, False), i, j, self._scores, self._contributions)

    @inherit_sections(Ranker.to_saved)
    def to_saved(self) -> SavedModel:
        """Return the fitted model as plain values."""
        check_is_fitted(self, "n_rows_")
        summary = {"engine": "rankwise", **training_summary(self), "learned": self._get_state()}
        return make_saved(self, str(parse(self.metric)), summary)

    @classmethod
    @inherit_sections(Ranker.from_saved)
    def from_saved(cls, saved: SavedModel) -> Self:
        """Return the model that `to_saved` described."""
        model = unfitted_model(cls, saved)
        if saved.members or not isinstance(saved.summary.get("learned"), dict):
            raise ModelFileError("the model must consist of its manifest, with what it learned; save it again")
        restore_training(model, saved.summary)
        model._set_state(saved.summary["learned"])
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.missing_values
        tags.input_tags.sparse = True
        return tags
