"""A fitted LambdaMART as plain values and texts, and back."""

from __future__ import annotations

import inspect
from typing import TypeVar

import lightgbm as lgb
import numpy as np

from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import Ranker, SavedModel
from rankwise.rankers._parameters import check_parameters
from rankwise.rankers._persistence import (
    manifest_fields,
    read_eval_history,
    read_int,
    read_optional_float,
    restore_features,
)
from rankwise.rankers.trees._model_text import model_to_text, read_booster
from rankwise.rankers.trees._tree_checks import check_tree_text
from rankwise.types import FloatArray, IntArray, JsonObject

R = TypeVar("R", bound=Ranker)


def to_saved(model: Ranker) -> SavedModel:
    """What is needed to predict, score and fit again."""
    return SavedModel(
        **manifest_fields(model),
        metric=str(parse(model.metric)),
        summary={
            "engine": f"lightgbm {lgb.__version__}",
            "rows": int(model.n_rows_),
            "queries": int(model.n_queries_),
            "trees": int(sum(booster.num_trees() for booster in model.boosters_)),
            "best_iteration": int(model.best_iteration_),
            "best_score": model.best_score_,
            "interrupted": bool(model.interrupted_),
            "evals_result": model.evals_result_,
        }
        | _position_fields(model),
        members={f"bag_{bag}.txt": model_to_text(booster).encode() for bag, booster in enumerate(model.boosters_)},
    )


def from_saved(cls: type[R], saved: SavedModel) -> R:
    """A fitted model; everything is checked before LightGBM sees it, which trusts what it reads."""
    unknown = sorted(set(saved.parameters) - set(inspect.signature(cls).parameters))
    if unknown:
        raise ModelFileError(f"the model has unknown parameters {unknown}; get a newer rankwise")
    if saved.parameters.get("metric") != saved.metric:
        raise ModelFileError(f"the model is one for {saved.metric!r}, but its parameters name another; save it again")
    model = cls(**saved.parameters)
    try:
        check_parameters(model)
    except (DataError, TypeError, ValueError) as problem:
        raise ModelFileError(f"the model's parameters are not possible ({problem}); save it again") from None
    if sorted(saved.members) != sorted(f"bag_{bag}.txt" for bag in range(len(saved.members))) or not saved.members:
        raise ModelFileError(f"the model must consist of bags from 0 on, got {sorted(saved.members)}; save it again")
    model.boosters_ = []
    for bag in range(len(saved.members)):
        text = check_tree_text(saved.members[f"bag_{bag}.txt"], saved.n_features)
        model.boosters_.append(read_booster(text))
    restore_features(model, saved)
    summary = saved.summary
    model.n_rows_, model.n_queries_ = read_int(summary, "rows"), read_int(summary, "queries")
    model.best_iteration_ = max(booster.current_iteration() for booster in model.boosters_)
    model.best_score_ = read_optional_float(summary, "best_score")
    model.interrupted_ = summary.get("interrupted") is True
    model.evals_result_ = read_eval_history(summary)
    model.positions_, model.propensities_ = _read_positions(summary)
    return model


def _position_fields(model: Ranker) -> JsonObject:
    if model.propensities_ is None:
        return {}
    return {"positions": model.positions_.tolist(), "propensities": model.propensities_.tolist()}


def _read_positions(summary: JsonObject) -> tuple[IntArray | None, FloatArray | None]:
    """Positions and propensities, of a model of clicks."""
    if "propensities" not in summary:
        return None, None
    try:
        positions = np.array(summary["positions"], np.int64)
        propensities = np.array(summary["propensities"], np.float64)
    except (KeyError, TypeError, ValueError, OverflowError):
        positions, propensities = np.zeros(0, np.int64), np.zeros(0)
    one_each = positions.ndim == 1 and positions.shape == propensities.shape and positions.size > 0
    if not one_each or not (propensities > 0).all():
        raise ModelFileError("the model's propensities are not numbers above 0, one per position; save it again")
    return positions, propensities
