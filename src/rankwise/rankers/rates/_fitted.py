"""What a fitted `RateClassifier` says of itself and of rows."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from rankwise._docstrings import inherit_sections
from rankwise._validation import check_aligned
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.objectives.rates._soft_counts import objective_value
from rankwise.rankers._base import SavableModel, SavedModel
from rankwise.rankers._eval_sets import check_weights
from rankwise.rankers._score_functions._functions import ScoreFunction
from rankwise.rankers.rates._decisions import RateDecisions
from rankwise.types import AnyArray, Features, FloatArray, JsonObject

PLAIN = "cross entropy"


class FittedRates(ClassifierMixin, RateDecisions):  # type: ignore[misc]
    """Predictions, probabilities and the score of the models of a classifier, and its file."""

    @property
    def trained_for_(self) -> str | list[str]:
        """What the model was trained for: the objective, or "cross entropy" where that is as good; `history_` says why.

        Returns
        -------
        str or list of str
            The name of the objective, or "cross entropy"; with several models, of each.
        """
        return self._of_models([str(self._objective()) if m.is_tuned else PLAIN for m in self._fitted_models()])

    @property
    def multipliers_(self) -> FloatArray | list[FloatArray]:
        """How many true positives a false positive is worth at each point of the objective.

        Returns
        -------
        ndarray or list of ndarray
            One number per point; with several models, of each.
        """
        return self._of_models([model.multipliers for model in self._fitted_models()])

    @property
    def history_(self) -> JsonObject | list[JsonObject]:
        """What the choice between the two models rested on.

        Returns
        -------
        dict or list of dict
            The metric of the `baseline` and of the `tuned` model, if there was one, on rows that they were not trained
            on, the `gain` and its `error` over resamples of these, which was `chosen`, and the `reason` in a sentence;
            with several models, of each.
        """
        return self._of_models([model.history for model in self._fitted_models()])

    @inherit_sections(SavableModel.scores)
    def decision_function(self, X: Features | RankingData) -> FloatArray:
        """Give scores less the threshold that `fit` placed: of two classes, high for the last of `classes_`."""
        decisions = self._decisions(X)
        if self.kind_of_target_ != "binary":
            return decisions
        # scikit-learn's scorers take it for the last of two classes, whichever is positive.
        return decisions[:, 0] if self._positive_is_last else -decisions[:, 0]

    @property
    def _positive_is_last(self) -> bool:
        return bool(self.classes_.tolist()[-1] == self.pos_label_)

    @inherit_sections(SavableModel.scores)
    def scores(self, X: Features | RankingData) -> FloatArray:
        """Give scores of being positive less the threshold in use: from 0 on, `predict` says yes."""
        margins = self._decisions(X) - [model.yes_from for model in self.models_]
        return np.asarray(margins[:, 0] if self.kind_of_target_ == "binary" else margins)

    @inherit_sections(SavableModel.scores)
    def predict(self, X: Features | RankingData) -> AnyArray:
        """Say yes where the score is at or above the threshold; of several classes, the one farthest above its own.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_labels)
            A class per row, or 0 and 1 in a column per label.
        """
        decisions = self._decisions(X)
        yes = decisions >= [model.yes_from for model in self.models_]
        if self.kind_of_target_ == "multilabel":
            return yes.astype(np.int64)
        return self._named(yes[:, 0]) if self.kind_of_target_ == "binary" else self._likeliest(decisions)

    def _likeliest(self, decisions: FloatArray) -> AnyArray:
        """Of classes that exclude each other, the one farthest above its threshold, if any has a threshold to trust."""
        has_threshold = np.array([model.reached or model.set_to is not None for model in self.models_])
        if not has_threshold.any():
            return np.asarray(self.classes_[self._probabilities(decisions).argmax(axis=1)])
        margins = decisions - [model.yes_from for model in self.models_]
        return np.asarray(self.classes_[np.where(has_threshold, margins, -np.inf).argmax(axis=1)])

    @inherit_sections(SavableModel.scores)
    def predict_proba(self, X: Features | RankingData) -> FloatArray:
        """Give calibrated probabilities.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            A column per class; of classes that exclude each other, rows add up to 1.
        """
        probabilities = self._probabilities(self._decisions(X))
        if self.kind_of_target_ == "binary":
            both = np.concatenate([1.0 - probabilities, probabilities], axis=1)
            return both if self._positive_is_last else both[:, ::-1].copy()
        if self.kind_of_target_ == "multilabel":
            return probabilities
        total = probabilities.sum(axis=1, keepdims=True)
        return np.where(total > 0, probabilities / np.where(total > 0, total, 1.0), 1.0 / probabilities.shape[1])

    def _probabilities(self, decisions: FloatArray) -> FloatArray:
        """The probability of each model's own class."""
        models = zip(decisions.T, self.models_, strict=True)
        return np.stack([model.calibration(column) for column, model in models], axis=1)

    def score(
        self, X: Features | RankingData, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Give the metric that the objective names, as `evaluate` computes it from scores, wherever its threshold.

        So it tells models apart that are to be tuned or chosen among, and so do `cross_val_score` and `GridSearchCV`.
        The best threshold of these very rows is hindsight: what `predict` does at its own, tell
        `sklearn.metrics.precision_score(y, model.predict(X))` and `recall_score`.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.
        y : array-like of shape (n_rows,) or (n_rows, n_labels), default=None
            Classes; RankingData brings its labels along.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of rows; one of weight 2 counts as two.

        Returns
        -------
        float
            The value; of several classes the mean over those that have a value on these rows.

        Raises
        ------
        DataError
            If the metric has no value on these rows, as they are all of one class.
        """
        check_aligned(X=X, y=y, sample_weight=sample_weight)
        decisions, positive = self._decisions(X), self._positive(X, y)
        if len(positive) != len(decisions):
            raise ShapeError(f"y must have one entry per row: got {len(positive)} for {len(decisions)} rows")
        weight = check_weights("sample_weight", sample_weight, len(positive), "row")
        objective = self._objective()
        values = [objective_value(objective, *columns, weight) for columns in zip(decisions.T, positive.T, strict=True)]
        known = [value for value in values if value is not None]
        if not known:
            raise DataError(
                f"{objective} has no value on rows that are all of one class, got {len(positive)}; pass rows of both"
            )
        return float(np.mean(known))

    @inherit_sections(SavableModel.to_saved)
    def to_saved(self) -> SavedModel:
        """Give the fitted model as plain values and bytes."""
        from rankwise.rankers.rates._saved import to_saved

        self._fitted_models()
        return to_saved(self)

    @classmethod
    @inherit_sections(SavableModel.from_saved)
    def from_saved(cls, saved: SavedModel) -> Self:
        """Make the model that `to_saved` described."""
        from rankwise.rankers.rates._saved import from_saved

        return from_saved(cls, saved)

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> ScoreFunction:
        """The score less the threshold: a row is positive from 0 on."""
        if len(self.models_) > 1:
            raise DataError(
                f"an exported model gives one score per row, got a classifier of {len(self.classes_)} classes; "
                "train one of two classes each"
            )
        (binary,) = self.models_
        if not binary.reached and binary.set_to is None:
            raise DataError(
                f"no threshold reached {self._objective()}, so this classifier says no to every row and there is "
                "nothing to export; set a threshold by set_threshold, or train for less"
            )
        return binary.scorer.to_score_function(self, -(binary.threshold + binary.yes_from))

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.model == "trees"
        return tags
