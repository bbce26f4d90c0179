"""From what `fit` of a RateClassifier is given to rows, families and an objective: everything is checked here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError, need_extra
from rankwise.objectives.rates._objective import RateObjective, rate_objective
from rankwise.rankers._eval_sets import check_weights
from rankwise.rankers._features import as_features, categorical_columns
from rankwise.rankers._parameters import check_parameters
from rankwise.rankers.nets._plan import net_features
from rankwise.rankers.rates._rows import Rows
from rankwise.rankers.rates._targets import Targets, class_labels, positives_of
from rankwise.rankers.rates.families._base import Family
from rankwise.rankers.rates.families._linear import LinearFamily
from rankwise.rankers.rates.families._trees import TreeFamily
from rankwise.rankers.trees._lightgbm import engine_threads

FAMILIES = ("trees", "linear", "net")


def checked_objective(model: Any) -> RateObjective:
    """The objective, after a look at all parameters."""
    check_parameters(model)
    return rate_objective(model.objective, anchors=model.anchors)


def family_of(model: Any, seed: int) -> Family:
    """The family that the parameters describe."""
    if model.model == "linear":
        return LinearFamily(model.penalty)
    if model.model == "trees":
        given = (model.n_estimators, model.num_leaves, model.learning_rate, model.min_child_samples)
        return TreeFamily(
            *given, threads=engine_threads(model.n_jobs), seed=seed, categorical=categorical_columns(model)
        )
    need_extra("torch", extra="torch")
    from rankwise.rankers.rates.families._net import NetFamily

    net = {"torch_module": None if model.model == "net" else model.model}
    net |= {name: getattr(model, name) for name in ("hidden", "activation", "dropout")}
    return NetFamily(net, model.epochs, model.net_learning_rate, model.batch_rows, seed)


def features_of(model: Any, X: Any, *, fitting: bool) -> Any:
    """X as numbers; only trees know what to do with what is missing."""
    if model.model != "trees":
        who = "a linear model" if model.model == "linear" else "a net"
        return net_features(model, X, fitting=fitting, who=who, instead='model="trees"')
    return as_features(model, X, fitting=fitting)


def seen(model: Any, features: Any) -> Any:
    """Features as the family takes them."""
    if model.standardizer_ is None:
        return features
    rows = model.standardizer_.apply(features)
    return rows.astype(np.float64) if model.model == "linear" else rows


def rows_of_targets(model: Any, features: Any, targets: Targets, weight: ArrayLike | None, whose: str) -> Rows:
    """Rows as the family takes them, with a column of positives for each class."""
    count = features.shape[0]
    if targets.positive.shape[0] != count:
        raise ShapeError(f"y{whose} must have one entry per row: got {targets.positive.shape[0]} for {count} rows")
    weights = check_weights(f"sample_weight{whose}", weight, count, "row")
    return Rows(seen(model, features), targets.positive, np.ones(count) if weights is None else weights)


def judged_rows(model: Any, eval_set: Any, known: Targets) -> Rows | None:
    """The rows to choose by, if there are any."""
    if eval_set is None:
        return None
    if isinstance(eval_set, RankingData):
        eval_set = (eval_set, class_labels(eval_set, None))
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise DataError(f"eval_set must be RankingData, (X, y) or (X, y, weights), got {type(eval_set).__name__}")
    X, y, weight = (*eval_set, None)[:3]
    features = features_of(model, X, fitting=False)
    return rows_of_targets(model, features, positives_of(y, known.kind, known.classes), weight, " of eval_set")


def column(model: Any, rows: Rows, k: int) -> Rows:
    """The rows of one model that weigh anything, which must be of both kinds."""
    counted = np.flatnonzero(rows.weight > 0)
    positive = rows.positive[counted, k]
    if not positive.any() or positive.all():
        name = model.classes_.tolist()[-1 if model.kind_of_target_ == "binary" else k]
        raise DataError(f"there must be rows of the class {name!r} and rows that are not of it; drop it or add rows")
    X = rows.X if counted.size == rows.weight.size else rows.X[counted]
    return Rows(X, positive, rows.weight[counted])
