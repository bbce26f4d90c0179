"""Models that were loaded from a file; those of several kinds of targets have methods that others lack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._output import working
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.types import AnyArray, FloatArray


def load_model(path: Path) -> Any:
    """The model in a file."""
    with working("loading"):
        from rankwise.models import load

        return load(path)


def row_scores(model: Any, X: object) -> FloatArray:
    """One number per row, which a classifier of several classes does not have."""
    scores: FloatArray = model.scores(X)
    if scores.ndim != 1:
        raise DataError(
            f"a command needs one score per row, got a model of {scores.shape[1]} classes; load it in Python instead"
        )
    return scores


def positive_probabilities(model: Any, X: object) -> FloatArray:
    """How likely each row is positive, by a classifier of two classes."""
    if not hasattr(model, "predict_proba"):
        raise DataError(f"--proba is for classifiers, got a model of kind {model.kind}, which only ranks; drop it")
    if model.kind_of_target_ != "binary":
        raise DataError(
            f"--proba writes one probability per row, got a model of {len(model.classes_)} classes; "
            "load it in Python instead"
        )
    probabilities: FloatArray = model.predict_proba(X)
    return probabilities[:, model.classes_.tolist().index(model.pos_label_)]


def row_labels(model: Any, X: object) -> AnyArray:
    """The class of each row by the model's own threshold, as text."""
    import numpy as np

    if not is_classifier(model):
        raise DataError(
            f"--labels is for classifiers, which have a threshold, got a model of kind {model.kind}; drop it"
        )
    labels = model.predict(X)
    if labels.ndim != 1:
        raise DataError(
            f"--labels writes one class per row, got a model of {labels.shape[1]} labels; load it in Python instead"
        )
    return np.array(
        [f"{label:g}" if isinstance(label, float) else str(label) for label in labels.tolist()], dtype=object
    )


def is_classifier(model: object) -> bool:
    """Whether it has classes and a threshold of its own."""
    return hasattr(model, "set_threshold")


def feature_labels(model: Any) -> list[str]:
    """What its features are called; those without a name by number, from 1 as in LETOR files and `--feature`."""
    from rankwise.rankers._features import feature_names_of

    return feature_names_of(model) or [f"feature {number}" for number in range(1, model.n_features_in_ + 1)]
