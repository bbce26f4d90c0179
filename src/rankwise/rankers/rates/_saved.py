"""A fitted RateClassifier as plain values and bytes, and back: numbers in the manifest, trees and nets as members."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, TypeVar

import lightgbm as lgb
import numpy as np

from rankwise._validation import is_finite_number
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, MetricError, ModelFileError
from rankwise.metrics.certification._operating_point import demand_of
from rankwise.rankers._base import SavedModel
from rankwise.rankers._persistence import make_saved, read_float, read_floats, read_int, unfitted_model
from rankwise.rankers.rates._calibration import Calibration
from rankwise.rankers.rates._one_vs_rest import BinaryModel, SetThreshold
from rankwise.rankers.rates._targets import Label, TargetKind
from rankwise.rankers.rates._trained_rows import TrainedRows
from rankwise.rankers.rates.families._base import Family
from rankwise.types import AnyArray, JsonObject

if TYPE_CHECKING:
    from rankwise.rankers.rates._classifier import RateClassifier

CHOICES = ("baseline", "tuned")

Classifier = TypeVar("Classifier", bound="RateClassifier")


def to_saved(model: RateClassifier) -> SavedModel:
    """What is needed to predict, certify and fit again."""
    if not isinstance(model.model, str):
        raise DataError(
            "a model file holds no code, so a net of your own cannot be saved in one, got "
            f"{type(model.model).__name__}; save the weights of model.models_[0].scorer.module by safetensors"
        )
    members: dict[str, bytes] = {}
    models = []
    for number, binary in enumerate(model.models_):
        scorer_fields, scorer_members = binary.scorer.to_saved(f"model_{number}")
        members |= scorer_members
        models.append(
            {
                "threshold": binary.threshold,
                "reached": binary.reached,
                "set_to": None if binary.set_to is None else asdict(binary.set_to),
                "multipliers": binary.multipliers.tolist(),
                "history": binary.history,
                "calibration": _as_lists(binary.calibration),
                "scorer": scorer_fields,
            }
        )
    summary = {
        "engine": f"lightgbm {lgb.__version__}" if model.model == "trees" else "rankwise",
        "rows": model.n_rows_,
        "interrupted": model.interrupted_,
        "target": model.kind_of_target_,
        "classes": model.classes_.tolist(),
        "positive": model.pos_label_,
        "standardizer": None if model.standardizer_ is None else _as_lists(model.standardizer_),
        "models": models,
    }
    return make_saved(model, str(model._objective()), summary, members, metric_parameter="objective")


def _as_lists(record: Calibration | Standardizer) -> JsonObject:
    """The fields of a record as JSON has them."""
    return {field.name: np.asarray(getattr(record, field.name)).tolist() for field in fields(record)}


def from_saved(cls: type[Classifier], saved: SavedModel) -> Classifier:
    """A fitted model; everything is checked first."""
    model, summary = unfitted_model(cls, saved, metric_parameter="objective"), saved.summary
    model.hidden = tuple(model.hidden)
    model.n_rows_, model.interrupted_ = read_int(summary, "rows"), summary.get("interrupted") is True
    model.kind_of_target_, model.classes_, model.pos_label_ = _read_classes(summary)
    n_models = 1 if model.kind_of_target_ == "binary" else model.classes_.size
    models = summary.get("models")
    if not isinstance(models, list) or len(models) != n_models:
        raise ModelFileError(f"the model must have {n_models} models for {model.classes_.size} classes; save it again")
    model.standardizer_ = None
    if model.model != "trees":
        moments = (read_floats(summary.get("standardizer"), name, saved.n_features) for name in ("mean", "scale"))
        model.standardizer_ = Standardizer(*moments)
    family, members = model._family(seed=0), dict(saved.members)
    model.trained_rows_ = TrainedRows.unknown()
    model.models_ = [
        _read_binary(family, entry, f"model_{number}", members, saved.n_features) for number, entry in enumerate(models)
    ]
    if members:
        raise ModelFileError(f"the model has members that it does not use, {sorted(members)[:3]}; save it again")
    return model


def _read_classes(summary: JsonObject) -> tuple[TargetKind, AnyArray, Label | None]:
    """The kind of target, what its classes are called (by texts, numbers or truth values, each once), the positive."""
    kind, names, positive = summary.get("target"), summary.get("classes"), summary.get("positive")
    if (
        kind not in ("binary", "multiclass", "multilabel")
        or not isinstance(names, list)
        or not all(isinstance(name, str | bool) or is_finite_number(name) for name in names)
        or len({type(name) for name in names}) != 1
        or len(set(names)) != len(names)
        or (len(names) != 2 if kind == "binary" else len(names) < 2)
    ):
        raise ModelFileError("the model's summary must name its classes; save it again")
    of_names = [name for name in names if type(name) is type(positive) and name == positive]
    if len(of_names) != (kind == "binary") or (kind != "binary" and positive is not None):
        raise ModelFileError("the model's summary must name the positive of two classes; save it again")
    return kind, np.array(names), positive


def _read_set_threshold(entry: JsonObject) -> SetThreshold | None:
    """The threshold that was set in place of the model's own, if one was."""
    fields_of = entry.get("set_to")
    if fields_of is None:
        return None
    at = read_float(fields_of, "at")
    objective, confidence = fields_of.get("objective"), fields_of.get("confidence")
    if objective is None and confidence is None:
        return SetThreshold(at)
    try:
        demand_of(objective)
    except (MetricError, TypeError, AttributeError):
        raise ModelFileError("a threshold that was set must name what it was certified for; save it again") from None
    return SetThreshold(at, objective, read_float(fields_of, "confidence", low=0.0, high=1.0))


def _read_binary(family: Family, entry: object, name: str, members: dict[str, bytes], n_features: int) -> BinaryModel:
    """The model of a class; takes its members out of `members`."""
    threshold = read_float(entry, "threshold")
    assert isinstance(entry, dict)
    reached = entry.get("reached")
    if not isinstance(reached, bool):
        raise ModelFileError("the model must say whether its threshold was reached; save it again")
    curve, history = entry.get("calibration"), entry.get("history")
    scores, probabilities = read_floats(curve, "scores"), read_floats(curve, "probabilities")
    if scores.size != probabilities.size or (np.diff(scores) < 0).any() or (np.abs(probabilities - 0.5) > 0.5).any():
        raise ModelFileError("the model's calibration must be probabilities of rising scores; save it again")
    calibration = Calibration(scores, probabilities, read_float(curve, "slope"), read_float(curve, "shift"))
    if (
        not isinstance(history, dict)
        or history.get("chosen") not in CHOICES
        or not isinstance(history.get("reason"), str)
    ):
        raise ModelFileError("the model must say how it was chosen; save it again")
    names = family.member_names(entry.get("scorer"), name)
    if not set(names) <= set(members):
        raise ModelFileError(f"the model must have the members {names[:3]}; save it again")
    scorer = family.read_scorer(entry.get("scorer"), [members.pop(member) for member in names], n_features)
    multipliers, set_to = read_floats(entry, "multipliers"), _read_set_threshold(entry)
    return BinaryModel(scorer, threshold, reached, multipliers, calibration, history, set_to)
