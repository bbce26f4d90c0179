"""A fitted LambdaMART as plain values and texts, and back."""

from __future__ import annotations

import inspect
from typing import Any

import lightgbm as lgb
import numpy as np

from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import SavedModel
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


def to_saved(model: Any) -> SavedModel:
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
        | _told_positions(model),
        members={f"bag_{bag}.txt": model_to_text(booster).encode() for bag, booster in enumerate(model.boosters_)},
    )


def from_saved(cls: type[Any], saved: SavedModel) -> Any:
    """A fitted model; everything is checked before LightGBM sees it, which trusts what it reads."""
    known = set(inspect.signature(cls).parameters)
    if set(saved.parameters) - known:
        raise ModelFileError(
            f"the model has unknown parameters {sorted(set(saved.parameters) - known)}; get a newer rankwise"
        )
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
    said = saved.summary
    model.n_rows_, model.n_queries_ = read_int(said, "rows"), read_int(said, "queries")
    model.best_iteration_ = max(booster.current_iteration() for booster in model.boosters_)
    model.best_score_ = read_optional_float(said, "best_score")
    model.interrupted_ = said.get("interrupted") is True
    model.evals_result_ = read_eval_history(said)
    model.positions_, model.propensities_ = _positions(said)
    return model


def _told_positions(model: Any) -> dict[str, Any]:
    if model.propensities_ is None:
        return {}
    return {"positions": model.positions_.tolist(), "propensities": model.propensities_.tolist()}


def _positions(said: dict[str, Any]) -> tuple[Any, Any]:
    """Positions and propensities, of a model of clicks."""
    if "propensities" not in said:
        return None, None
    try:
        positions, propensities = np.array(said["positions"], np.int64), np.array(said["propensities"], np.float64)
    except (KeyError, TypeError, ValueError, OverflowError):
        positions, propensities = np.zeros(0, np.int64), np.zeros(0)
    if (
        positions.ndim != 1
        or positions.shape != propensities.shape
        or not (propensities > 0).all()
        or not positions.size
    ):
        raise ModelFileError("the model's propensities are not numbers above 0, one per position; save it again")
    return positions, propensities
