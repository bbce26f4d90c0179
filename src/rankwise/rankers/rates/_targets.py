"""Labels of any kind as columns of positives: two classes are one column, several are one each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.types import BoolArray

Kind = Literal["binary", "multiclass", "multilabel"]


@dataclass(frozen=True, eq=False)
class Targets:
    """Which rows are positive, a column for each model, and what the classes are called."""

    kind: Kind
    classes: NDArray[Any]
    positive: BoolArray


def class_labels(X: Any, y: Any) -> Any:
    """The labels that go with X: RankingData brings its own, of which those above 0 are positive."""
    if not isinstance(X, RankingData):
        return y
    if y is not None:
        raise DataError("RankingData brings its y along, got y too; pass the data alone")
    return (X.y > 0).astype(np.int64)


def positives_of(y: Any, kind: Kind | None = None, known: NDArray[Any] | None = None) -> Targets:
    """Labels as columns; those of other rows than were trained on with the kind and classes already known."""
    if y is None:
        raise DataError("RateClassifier requires y to be passed, but the target y is None; pass the labels")
    try:
        with np.errstate(invalid="ignore"):  # it looks at NaN before it refuses it
            check_classification_targets(y)
    except ValueError as problem:
        raise DataError(f"{str(problem).rstrip('.')}; pass labels of classes") from problem
    several = type_of_target(y, input_name="y").startswith("multilabel")
    if several or kind == "multilabel":
        found = np.asarray(y.toarray() if hasattr(y, "toarray") else y) > 0
        if known is not None and (kind != "multilabel" or found.shape[1:] != known.shape):
            raise ShapeError(f"y must have the columns of the training labels, got {found.shape[1:]}; check y")
        return Targets("multilabel", np.arange(found.shape[1]), found)
    labels = column_or_1d(y, warn=True)
    classes = np.unique(labels) if known is None else known
    if classes.size < 2:
        raise DataError(
            f"RateClassifier needs rows of two classes or more, got one class, {classes.tolist()[0]!r}; check y"
        )
    strange = labels[~np.isin(labels, classes)]
    if strange.size:
        raise DataError(f"the label {strange.tolist()[0]!r} is no class of the training rows; check y")
    if classes.size == 2:
        return Targets("binary", classes, (labels == classes[1])[:, None])
    return Targets("multiclass", classes, labels[:, None] == classes)
