"""Labels of any kind as columns of positives: two classes are one column, several are one each."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._missing import is_scalar_nan
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from rankwise._validation import as_array
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.rankers.rates._rows import RowMatrix, Rows
from rankwise.types import AnyArray, BoolArray, FloatArray

log = logging.getLogger(__name__)
TargetKind = Literal["binary", "multiclass", "multilabel"]
Label: TypeAlias = str | int | float | bool
KINDS_OF_LABELS = ("binary", "multiclass", "multilabel-indicator")


def class_labels(X: object, y: ArrayLike | None) -> ArrayLike | None:
    """The labels that go with X: RankingData brings its own, of which those above 0 are positive."""
    if not isinstance(X, RankingData):
        hides = isinstance(y, np.ma.MaskedArray) or hasattr(y, "detach")  # scikit-learn drops a mask in silence
        return as_array("y", y) if hides else y
    if y is not None:
        raise DataError("RankingData brings its y along, got y too; pass the data alone")
    return (X.y > 0).astype(np.int64)


def _kind_of_labels(y: ArrayLike) -> str:
    """scikit-learn's word for the labels; DataError if they are none of classes."""
    if (missing := _missing_row(y)) is not None:
        raise DataError(f"y has no label at row {missing}; drop the row, or name a class for it")
    try:
        with np.errstate(invalid="ignore"):  # it looks at NaN before it refuses it
            kind = str(type_of_target(y, input_name="y"))
            if kind not in KINDS_OF_LABELS:
                check_classification_targets(y)  # which says why not
    except ValueError as problem:
        raise DataError(f"{str(problem).rstrip('.')}; pass labels of classes") from problem
    return kind


def _missing_row(y: ArrayLike) -> int | None:
    """The first of labels of any type that is None or NaN, if there is one; numbers are looked at by scikit-learn."""
    labels = np.asarray(y) if isinstance(y, np.ndarray | list | tuple) or hasattr(y, "__array__") else np.zeros(0)
    if labels.dtype != object or labels.ndim != 1:
        return None
    return next((row for row, label in enumerate(labels) if label is None or is_scalar_nan(label)), None)


@dataclass(frozen=True, eq=False)
class Targets:
    """Whether each row is positive, a column for each model, and what the classes are called.

    Of two classes `pos_label` is the positive one; of more, each is in its turn, and it is None.
    """

    kind: TargetKind
    classes: AnyArray
    positive: BoolArray
    pos_label: Label | None = None

    @classmethod
    def of(
        cls,
        y: ArrayLike | None,
        kind: TargetKind | None = None,
        classes: AnyArray | None = None,
        pos_label: Label | None = None,
    ) -> Targets:
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
                _refuse_pos_label(pos_label, "columns of labels")
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
            place = _positive_place(classes, pos_label)
            return cls("binary", classes, (labels == classes[place])[:, None], classes.tolist()[place])
        _refuse_pos_label(pos_label, f"{classes.size} classes")
        return cls("multiclass", classes, labels[:, None] == classes)

    def warn_of_majority(self) -> None:
        """Say so where the positive of two classes, the one that sorts last, has most of the rows."""
        share = float(self.positive.mean())
        if self.kind == "binary" and share > 0.5:
            other, positive = self.classes.tolist()
            log.warning(
                "the positive class is %r, which sorts last and has %.0f%% of the rows; if %r is meant, "
                "pass pos_label=%r (--positive on the command line)",
                positive, 100 * share, other, other,
            )  # fmt: skip

    def rows_by_class(self, X: RowMatrix, weight: FloatArray | None) -> list[Rows]:
        """The rows of each model that weigh anything, which must be of both kinds."""
        weight = np.ones(len(self.positive)) if weight is None else weight
        counted, positive = np.flatnonzero(weight > 0), self.positive
        if counted.size < weight.size:
            X, positive, weight = X[counted], positive[counted], weight[counted]
        weight = weight / weight.max()
        weight = weight / weight.mean()  # their scale says nothing, but LightGBM wants some weight in a leaf
        names = [self.pos_label] if self.kind == "binary" else self.classes.tolist()
        for name, column in zip(names, positive.T, strict=True):
            if not column.any() or column.all():
                raise DataError(
                    f"there must be rows of the class {name!r} and rows that are not of it; drop it or add rows"
                )
        return [Rows(X, column.copy(), weight) for column in positive.T]


def _positive_place(classes: AnyArray, pos_label: Label | None) -> int:
    """Which of two sorted classes is positive: the last, if nothing was said."""
    names = classes.tolist()
    if pos_label is None:
        return 1
    if pos_label not in names:
        raise DataError(
            f"pos_label must be one of the classes {names[0]!r} and {names[1]!r}, got {pos_label!r}; check y"
        )
    return int(names.index(pos_label))


def _refuse_pos_label(pos_label: Label | None, instead: str) -> None:
    if pos_label is not None:
        raise DataError(
            f"pos_label={pos_label!r} is for two classes, got {instead}; drop it, or pass y == {pos_label!r}"
        )
