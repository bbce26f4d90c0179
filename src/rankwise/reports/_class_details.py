"""What is known of classifiers beside their scores: thresholds, probabilities and what they were trained for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.types import FloatArray


@dataclass(frozen=True, eq=False)
class ClassDetails:
    """By name of the system, as far as they are known."""

    thresholds: dict[str, float] = field(default_factory=dict)
    probabilities: dict[str, FloatArray] = field(default_factory=dict)
    objectives: dict[str, str] = field(default_factory=dict)


def class_details(
    data: ArrayLike | RankingData,
    scores: Mapping[str, FloatArray],
    threshold: float | Mapping[str, float] | None,
    models: Mapping[str, object] | None,
) -> ClassDetails:
    """What thresholds and models say; scores from 0 to 1 are taken for probabilities."""
    thresholds = _by_system(threshold, scores)
    details = ClassDetails(
        thresholds, {name: values for name, values in scores.items() if values.min() >= 0 and values.max() <= 1}
    )
    for name, model in (models or {}).items():
        if name not in scores:
            raise DataError(f"models must be of the systems, {', '.join(scores)}, got {name}; name one of them")
        if not isinstance(data, RankingData):
            raise DataError("models need the rows that they scored, got labels alone; pass RankingData as y")
        if name in thresholds:
            raise DataError(f"the model {name!r} has a threshold of its own, got {thresholds[name]:g}; leave one out")
        _add_model(details, name, model, data, scores[name])
    return details


def _add_model(details: ClassDetails, name: str, model: Any, data: RankingData, scores: FloatArray) -> None:
    """A classifier's `scores` are less its threshold; a ranker has none."""
    if not np.allclose(model.scores(data), scores):
        raise DataError(f"scores of {name!r} must be what model.scores(data) gives, got others; pass these")
    if np.ndim(getattr(model, "threshold_", ())) == 0:
        details.thresholds[name] = 0.0
        details.objectives[name] = str(model.objective)
        details.probabilities[name] = np.asarray(model.predict_proba(data))[:, _positive_column(model)]


def _positive_column(model: Any) -> int:
    return int(np.flatnonzero(np.asarray(model.classes_) == model.pos_label_)[0])


def _by_system(threshold: float | Mapping[str, float] | None, scores: Mapping[str, FloatArray]) -> dict[str, float]:
    if threshold is None:
        return {}
    by_name = dict(threshold) if isinstance(threshold, Mapping) else dict.fromkeys(scores, threshold)
    for name, value in by_name.items():
        if name not in scores:
            raise DataError(f"thresholds must be of the systems, {', '.join(scores)}, got {name}; name one of them")
        if not (isinstance(value, Real) and math.isfinite(value)):
            raise DataError(f"the threshold of {name!r} must be a finite number, got {value!r}")
    return {name: float(value) for name, value in by_name.items()}
