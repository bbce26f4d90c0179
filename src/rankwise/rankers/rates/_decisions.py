"""From scores to a yes or no: where the thresholds of a fitted `RateClassifier` lie, and how one is set."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankwise._validation import is_finite_number
from rankwise.data._ranking_data import RankingData
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Certificate, certify
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.rankers.rates._one_vs_rest import BinaryModel, SetThreshold
from rankwise.rankers.rates._preparation import RatePreparation
from rankwise.rankers.rates._targets import Label, Targets, class_labels
from rankwise.rankers.rates._trained_rows import WORTH_A_WORD, TrainedRows, row_keys
from rankwise.types import AnyArray, BoolArray, Features, FloatArray

Value = TypeVar("Value")

log = logging.getLogger(__name__)


class RateDecisions(RatePreparation):
    """The models of a classifier, their decisions and their thresholds."""

    models_: list[BinaryModel]
    classes_: AnyArray
    pos_label_: Label | None
    kind_of_target_: Literal["binary", "multiclass", "multilabel"]
    trained_rows_: TrainedRows
    standardizer_: Standardizer | None

    @property
    def threshold_(self) -> float | list[float]:
        """The score from which on `predict` says yes.

        Returns
        -------
        float or list of float
            In the model's own scores (`decision_function` is 0 where `fit` placed it); with several models, of each.
        """
        return self._of_models([model.threshold + model.yes_from for model in self._fitted_models()])

    @property
    def reached_(self) -> bool | list[bool]:
        """Whether `fit` found a threshold that has what the objective asks for, on rows that it was not trained on.

        Returns
        -------
        bool or list of bool
            False: no row gets a yes until `set_threshold` says from where on. With several models, of each; of classes
            that exclude each other those that were not reached are never predicted, unless none was.
        """
        return self._of_models([model.reached for model in self._fitted_models()])

    def _of_models(self, values: list[Value]) -> Value | list[Value]:
        return values[0] if self.kind_of_target_ == "binary" else values

    def _fitted_models(self) -> list[BinaryModel]:
        check_is_fitted(self, "models_")
        return self.models_

    def _decisions(self, X: Features | RankingData) -> FloatArray:
        """Scores of being positive less the threshold that `fit` placed, a column per model."""
        models = self._fitted_models()
        rows = self._standardize(self._features(X, fitting=False), self.standardizer_)
        return np.stack([model.decisions(rows) for model in models], axis=1)

    def _positive(self, X: Features | RankingData, y: ArrayLike | None) -> BoolArray:
        """Whether each row is positive, a column per model."""
        if isinstance(X, RankingData) and self.kind_of_target_ == "binary" and self.classes_.dtype.kind not in "biuf":
            labels: ArrayLike | None = self._named(X.y > 0)  # numbers, whatever the classes are called
        else:
            labels = class_labels(X, y)
        return Targets.of(labels, self.kind_of_target_, self.classes_, self.pos_label_).positive

    def _named(self, positive: BoolArray) -> AnyArray:
        """The positive of two classes where it is, and elsewhere the other."""
        place = self.classes_.tolist().index(self.pos_label_)
        return np.asarray(self.classes_[np.where(positive, place, 1 - place)])

    def certify(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        objective: str | None = None,
        confidence: float = 0.95,
    ) -> Certificate:
        """Find a threshold that keeps the objective's promise with this confidence; `set_threshold` puts it to use.

        The rows must be new: neither trained on nor chosen by. For two classes; see `rankwise.certify`.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.
        y : array-like of shape (n_rows,), default=None
            Classes; RankingData brings its labels along.
        objective : str, default=None
            Another promise than that of the model's own objective: `r@p=0.95`, `p@r=0.9` or `tpr@fpr=0.01`.
        confidence : float, default=0.95
            Chance that the promise is kept, over the draw of the rows.

        Returns
        -------
        Certificate
            The threshold, if there is one, and what to expect of it. It is one of `decision_function` (of its negative
            where the positive class sorts first).
        """
        features = self._features(X, fitting=False)
        if len(self._fitted_models()) > 1:
            raise DataError(f"a certificate is for two classes, got {len(self.classes_)}; certify each column yourself")
        positive = self._positive(X, y)[:, 0]
        decisions = self.models_[0].decisions(self._standardize(features, self.standardizer_))
        if (
            positive.size == decisions.size
            and (share := self.trained_rows_.share_of(row_keys(features, positive))) > WORTH_A_WORD
        ):
            log.warning(
                "%.0f%% of these rows are among those that the model was trained or chosen by, of which a certificate "
                "does not hold; certify by new rows",
                100 * share,
            )
        metrics = [term.metric for term in self._objective().terms]
        promised = objective or next((metric for metric in metrics if isinstance(metric, CurveMetric)), metrics[0])
        return certify(positive, decisions, promised, confidence=confidence)

    def set_threshold(self, threshold: Certificate | float | Sequence[Certificate | float | None]) -> Self:
        """Say yes from another threshold on than the one that `fit` placed.

        Parameters
        ----------
        threshold : Certificate, float or sequence of them
            What `certify` found, or a value of `decision_function` (of its negative where the positive class sorts
            first); with several models a list with one entry each, None for those to leave as they are.

        Returns
        -------
        RateClassifier
            This classifier. `predict` and `scores` follow the new threshold, and a model file keeps it;
            `decision_function` stays as it is, so that a threshold means the same whenever it is set.

        Raises
        ------
        DataError
            If the certificate has no threshold, or there is not one entry per model.

        Examples
        --------
        >>> import rankwise as rw
        >>> rng = np.random.default_rng(0)
        >>> X, noise = rng.standard_normal((6000, 3)), rng.standard_normal(6000)
        >>> y = X[:, 0] + 0.3 * noise > 1.5
        >>> model = rw.RateClassifier("r@p=0.8", model="linear", random_state=0).fit(X[:2000], y[:2000])
        >>> certificate = model.certify(X[2000:], y[2000:])
        >>> yes = model.set_threshold(certificate).predict(X[2000:])
        >>> bool((yes == (model.decision_function(X[2000:]) >= certificate.threshold)).all())
        True
        """
        models = self._fitted_models()
        entries = list(threshold) if isinstance(threshold, list | tuple | np.ndarray) else [threshold]
        if len(entries) != len(models):
            raise ShapeError(f"there must be a threshold per model, got {len(entries)} for {len(models)}; pass a list")
        places = [None if entry is None and len(models) > 1 else _as_threshold(entry) for entry in entries]
        self.models_ = [
            model if place is None else replace(model, set_to=place)
            for model, place in zip(models, places, strict=True)
        ]
        return self


def _as_threshold(entry: object) -> SetThreshold:
    """A threshold that can be used, with what is known of it."""
    if isinstance(entry, Certificate):
        if entry.threshold is None:
            raise DataError(f"this certificate has no threshold to set: {str(entry).rstrip('.')}; pass more rows")
        return SetThreshold(entry.threshold, entry.objective, entry.confidence)
    if isinstance(entry, np.generic):
        entry = entry.item()
    if not is_finite_number(entry):
        raise DataError(
            f"a threshold must be a certificate or a finite number, got {entry!r}; pass model.certify(X, y)"
        )
    return SetThreshold(float(entry))  # type: ignore[arg-type]
