"""Labels of any kind as columns of positives: two classes are one column, several are one each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.rankers.rates._rows import RowMatrix, Rows
from rankwise.types import AnyArray, BoolArray, FloatArray

TargetKind = Literal["binary", "multiclass", "multilabel"]
KINDS_OF_LABELS = ("binary", "multiclass", "multilabel-indicator")


def class_labels(X: object, y: ArrayLike | None) -> ArrayLike | None:
    """The labels that go with X: RankingData brings its own, of which those above 0 are positive."""
    if not isinstance(X, RankingData):
        return y
    if y is not None:
        raise DataError("RankingData brings its y along, got y too; pass the data alone")
    return (X.y > 0).astype(np.int64)


def _kind_of_labels(y: ArrayLike) -> str:
    """scikit-learn's word for the labels; DataError if they are none of classes."""
    try:
        with np.errstate(invalid="ignore"):  # it looks at NaN before it refuses it
            kind = str(type_of_target(y, input_name="y"))
            if kind not in KINDS_OF_LABELS:
                check_classification_targets(y)  # which says why not
    except ValueError as problem:
        raise DataError(f"{str(problem).rstrip('.')}; pass labels of classes") from problem
    return kind


@dataclass(frozen=True, eq=False)
class Targets:
    """Whether each row is positive, a column for each model, and what the classes are called."""

    kind: TargetKind
    classes: AnyArray
    positive: BoolArray

    @classmethod
    def of(cls, y: ArrayLike | None, kind: TargetKind | None = None, classes: AnyArray | None = None) -> Targets:
        """Labels as columns; those of other rows than were trained on with the kind and classes of these."""
        if y is None:
            raise DataError("RateClassifier requires y to be passed, but the target y is None; pass the labels")
        if kind in (None, "multilabel") or np.ndim(y) != 1:  # else all that counts is that they are of the classes
            kind_of_labels = _kind_of_labels(y)
            if kind == "multilabel" or kind_of_labels.startswith("multilabel"):
                positive = np.asarray(y.toarray() if hasattr(y, "toarray") else y) > 0
                if classes is not None and (kind != "multilabel" or positive.shape[1:] != classes.shape):
                    raise ShapeError(
                        f"y must have the columns of the training labels, got {positive.shape[1:]}; check y"
                    )
                return cls("multilabel", np.arange(positive.shape[1]), positive)
        labels = column_or_1d(y, warn=True)
        classes = np.unique(labels) if classes is None else classes
        if classes.size < 2:
            raise DataError(
                f"RateClassifier needs rows of two classes or more, got one class, {classes.tolist()[0]!r}; check y"
            )
        strange = labels[~np.isin(labels, classes)]
        if strange.size:
            raise DataError(f"the label {strange.tolist()[0]!r} is no class of the training rows; check y")
        if classes.size == 2:
            return cls("binary", classes, (labels == classes[1])[:, None])
        return cls("multiclass", classes, labels[:, None] == classes)

    def rows_by_class(self, X: RowMatrix, weight: FloatArray | None) -> list[Rows]:
        """The rows of each model that weigh anything, which must be of both kinds."""
        weight = np.ones(len(self.positive)) if weight is None else weight
        counted, positive = np.flatnonzero(weight > 0), self.positive
        if counted.size < weight.size:
            X, positive, weight = X[counted], positive[counted], weight[counted]
        names = self.classes[-1:] if self.kind == "binary" else self.classes
        for name, column in zip(names.tolist(), positive.T, strict=True):
            if not column.any() or column.all():
                raise DataError(
                    f"there must be rows of the class {name!r} and rows that are not of it; drop it or add rows"
                )
        return [Rows(X, column.copy(), weight) for column in positive.T]
