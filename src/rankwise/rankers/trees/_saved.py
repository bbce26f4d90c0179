"""A fitted LambdaMART as plain values and texts, and back."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np

from rankwise.errors import ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import SavedModel
from rankwise.rankers._persistence import make_saved, read_floats, restore_training, training_summary, unfitted_model
from rankwise.rankers.trees._model_text import model_to_text, read_booster
from rankwise.rankers.trees._tree_checks import check_tree_text


def to_saved(model: Any) -> SavedModel:
    """What is needed to predict, score and fit again."""
    summary = {
        "engine": f"lightgbm {lgb.__version__}",
        "trees": int(sum(booster.num_trees() for booster in model.boosters_)),
        **training_summary(model),
        **_told_positions(model),
    }
    members = {f"bag_{bag}.txt": model_to_text(booster).encode() for bag, booster in enumerate(model.boosters_)}
    return make_saved(model, str(parse(model.metric)), summary, members)


def from_saved(cls: type[Any], saved: SavedModel) -> Any:
    """A fitted model; everything is checked before LightGBM sees it, which trusts what it reads."""
    model = unfitted_model(cls, saved)
    if sorted(saved.members) != sorted(f"bag_{bag}.txt" for bag in range(len(saved.members))) or not saved.members:
        raise ModelFileError(f"the model must consist of bags from 0 on, got {sorted(saved.members)}; save it again")
    model.boosters_ = []
    for bag in range(len(saved.members)):
        text = check_tree_text(saved.members[f"bag_{bag}.txt"], saved.n_features)
        model.boosters_.append(read_booster(text))
    restore_training(model, saved.summary)
    model.best_iteration_ = max(booster.current_iteration() for booster in model.boosters_)
    model.positions_, model.propensities_ = _positions(saved.summary)
    return model


def _told_positions(model: Any) -> dict[str, Any]:
    if model.propensities_ is None:
        return {}
    return {"positions": model.positions_.tolist(), "propensities": model.propensities_.tolist()}


def _positions(said: dict[str, Any]) -> tuple[Any, Any]:
    """Positions and propensities, of a model of clicks."""
    if "propensities" not in said:
        return None, None
    positions, propensities = (read_floats(said, name, low=0.0, high=2.0**53) for name in ("positions", "propensities"))
    if positions.size != propensities.size or not positions.size or not (propensities > 0).all():
        raise ModelFileError("the model's propensities are not numbers above 0, one per position; save it again")
    return positions.astype(np.int64), propensities
