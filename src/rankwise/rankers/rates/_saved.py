"""A fitted RateClassifier as plain values and bytes, and back: numbers in the manifest, trees and nets as members."""

from __future__ import annotations

import inspect
from typing import Any

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

from rankwise._validation import is_finite_number
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, MetricError, ModelFileError, need_extra
from rankwise.rankers._base import SavedModel
from rankwise.rankers._persistence import manifest_fields, read_int, restore_features
from rankwise.rankers.rates._calibration import Calibration
from rankwise.rankers.rates._one_vs_rest import BinaryModel
from rankwise.rankers.rates._plan import FAMILIES, checked_objective
from rankwise.rankers.rates.families._base import Scorer
from rankwise.rankers.rates.families._linear import LinearScorer
from rankwise.rankers.rates.families._trees import TreeScorer
from rankwise.rankers.trees._model_text import model_to_text, read_booster
from rankwise.rankers.trees._tree_checks import check_tree_text
from rankwise.types import FloatArray


def to_saved(model: Any, models: list[BinaryModel]) -> SavedModel:
    """What is needed to predict, certify and fit again."""
    if model.model not in FAMILIES:
        raise DataError(
            "a model file holds no code, so a net of your own cannot be saved in one, got "
            f"{type(model.model).__name__}; save the weights of model.models_[0].scorer.module by safetensors"
        )
    members: dict[str, bytes] = {}
    of_models = []
    for number, one in enumerate(models):
        of_scorer, its_members = _scorer_told(one.scorer, number)
        members |= its_members
        of_models.append(
            {
                "threshold": one.threshold,
                "multipliers": one.multipliers.tolist(),
                "history": one.history,
                "calibration": {
                    "scores": one.calibration.scores.tolist(),
                    "probabilities": one.calibration.probabilities.tolist(),
                    "slope": one.calibration.slope,
                    "shift": one.calibration.shift,
                },
                "scorer": of_scorer,
            }
        )
    objective, scale, told = str(checked_objective(model)), model.standardizer_, manifest_fields(model)
    return SavedModel(
        **told | {"parameters": told["parameters"] | {"objective": objective}},
        metric=objective,
        summary={
            "engine": f"lightgbm {lgb.__version__}" if model.model == "trees" else "rankwise",
            "rows": model.n_rows_,
            "target": model.kind_of_target_,
            "classes": model.classes_.tolist(),
            "standardizer": None if scale is None else {"mean": scale.mean.tolist(), "scale": scale.scale.tolist()},
            "models": of_models,
        },
        members=members,
    )


def _scorer_told(scorer: Scorer, number: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What the manifest says of a scorer, and its members."""
    if isinstance(scorer, LinearScorer):
        told = {"weights": scorer.weights.tolist(), "intercept": scorer.intercept, "penalty": scorer.penalty}
        return told, {}
    if isinstance(scorer, TreeScorer):
        members = {}
        for place, booster in enumerate((scorer.shared, *scorer.averaged)):
            members[f"model_{number}_trees_{place}.txt"] = model_to_text(booster).encode()
        return {"boosters": len(members)}, members
    from rankwise.rankers.rates._saved_nets import net_member

    return {}, {f"model_{number}.safetensors": net_member(scorer)}


def from_saved(cls: type[Any], saved: SavedModel) -> Any:
    """A fitted model; everything is checked first."""
    model = _unfitted(cls, saved)
    said = saved.summary
    restore_features(model, saved)
    model.n_rows_ = read_int(said, "rows")
    model.kind_of_target_, model.classes_ = _classes(said)
    told, count = said.get("models"), model.classes_.size
    wanted = 1 if model.kind_of_target_ == "binary" else count
    if not isinstance(told, list) or len(told) != wanted:
        raise ModelFileError(f"the model must have {wanted} models for {count} classes; save it again")
    scale = said.get("standardizer")
    model.standardizer_ = None
    if model.model != "trees":
        model.standardizer_ = Standardizer(*(_numbers(scale, name, saved.n_features) for name in ("mean", "scale")))
    read: set[str] = set()
    model.models_ = [_binary(model, one, k, saved, read) for k, one in enumerate(told)]
    if read != set(saved.members):
        raise ModelFileError(
            f"the model has members that it does not use, {sorted(set(saved.members) - read)[:3]}; save it again"
        )
    return model


def _classes(said: dict[str, Any]) -> tuple[str, NDArray[Any]]:
    """The kind of target, and what its classes are called: by texts, numbers or truth values, each once."""
    kind: Any = said.get("target")
    named: Any = said.get("classes")
    if (
        kind not in ("binary", "multiclass", "multilabel")
        or not isinstance(named, list)
        or not all(isinstance(one, str | bool) or is_finite_number(one) for one in named)
        or len({type(one) for one in named}) != 1
        or len(set(named)) != len(named)
        or (len(named) != 2 if kind == "binary" else len(named) < 2)
    ):
        raise ModelFileError("the model's summary must name its classes; save it again")
    return kind, np.array(named)


def _unfitted(cls: type[Any], saved: SavedModel) -> Any:
    known = set(inspect.signature(cls).parameters)
    if set(saved.parameters) != known:
        odd = sorted(set(saved.parameters) ^ known)[:3]
        raise ModelFileError(
            f"the model has other parameters than this rankwise knows, {odd}; get the one that wrote it"
        )
    if saved.parameters["objective"] != saved.metric or saved.parameters["model"] not in FAMILIES:
        raise ModelFileError("the model's parameters do not fit what it is; save it again")
    model = cls(**saved.parameters)
    try:
        checked_objective(model)
    except (DataError, MetricError, TypeError, ValueError) as problem:
        raise ModelFileError(f"the model's parameters are not possible ({problem}); save it again") from None
    model.hidden = tuple(model.hidden)
    return model


def _binary(model: Any, told: Any, number: int, saved: SavedModel, read: set[str]) -> BinaryModel:
    threshold, curve = _number(told, "threshold"), told.get("calibration")
    scores, chances = (_numbers(curve, name) for name in ("scores", "probabilities"))
    if scores.size != chances.size or (np.diff(scores) < 0).any() or (np.abs(chances - 0.5) > 0.5).any():
        raise ModelFileError("the model's calibration must be probabilities of rising scores; save it again")
    calibration = Calibration(scores, chances, _number(curve, "slope"), _number(curve, "shift"))
    history = told.get("history")
    if not isinstance(history, dict) or history.get("chosen") not in ("plain", "tuned"):
        raise ModelFileError("the model must say how it was chosen; save it again")
    scorer = _scorer(model, told.get("scorer"), number, saved, read)
    return BinaryModel(scorer, threshold, _numbers(told, "multipliers"), calibration, history)


def _scorer(model: Any, told: Any, number: int, saved: SavedModel, read: set[str]) -> Scorer:
    if model.model == "linear":
        weights = _numbers(told, "weights", saved.n_features)
        return LinearScorer(weights, _number(told, "intercept"), _number(told, "penalty"))
    if model.model == "trees":
        boosters = read_int(told if isinstance(told, dict) else {}, "boosters")
        names = [f"model_{number}_trees_{place}.txt" for place in range(min(boosters, len(saved.members) + 1))]
        if not names or not set(names) <= set(saved.members):
            raise ModelFileError(f"the model must have the trees {names[:3]}; save it again")
        read.update(names)
        first, *more = (read_booster(check_tree_text(saved.members[name], saved.n_features)) for name in names)
        return TreeScorer(first, tuple(more), np.zeros(0))
    need_extra("torch", "safetensors", extra="torch")
    from rankwise.rankers.rates._saved_nets import net_scorer

    name = f"model_{number}.safetensors"
    if name not in saved.members:
        raise ModelFileError(f"the model must have {name}; save it again")
    read.add(name)
    return net_scorer(saved.members[name], model, saved.n_features)


def _number(told: Any, name: str) -> float:
    value: Any = told.get(name) if isinstance(told, dict) else None
    if not is_finite_number(value):
        raise ModelFileError(f"{name} of the model must be a number, got {str(value)[:20]}; save it again")
    return float(value)


def _numbers(told: Any, name: str, size: int | None = None) -> FloatArray:
    value = told.get(name) if isinstance(told, dict) else None
    if (
        not isinstance(value, list)
        or not all(map(is_finite_number, value))
        or (size is not None and len(value) != size)
    ):
        raise ModelFileError(f"{name} of the model must be {size or 'finite'} numbers; save it again")
    return np.array(value, dtype=np.float64)
