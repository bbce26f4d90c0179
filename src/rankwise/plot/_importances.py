"""Which features matter: by gain, and by what the metric loses without them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Metric, evaluate, parse
from rankwise.plot._axes import ink, name_axes, name_ticks, own_axes
from rankwise.plot._style import series_colour
from rankwise.rankers._features import feature_names_of
from rankwise.types import FloatArray


def importances(
    model: Any,
    data: RankingData | None = None,
    *,
    kind: Literal["gain", "permutation"] | None = None,
    metric: str | Metric | None = None,
    top: int = 15,
    repeats: int = 5,
    random_state: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the features that matter most.

    Parameters
    ----------
    model : Ranker or RateClassifier
        A fitted model.
    data : RankingData, optional
        Labelled rows, best those that the model did not learn from; for permutation importances.
    kind : {"gain", "permutation"}, optional
        The model's own shares (of the gain of splits, or of weights), or by how much the metric falls when the column
        is shuffled. By default permutation where there are data.
    metric : str or Metric, optional
        What permutation importances are measured by; by default the model's own metric.
    top : int, default=15
        How many features to show.
    repeats : int, default=5
        How often each column is shuffled; the line at the end of a bar is the deviation.
    random_state : int, default=0
        Seed of the shuffles.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    DataError
        If the model has no shares of its own, or permutation importances have no data.
    """
    kind = kind or ("gain" if data is None else "permutation")
    names = feature_names_of(model) or [f"feature {number}" for number in range(1, model.n_features_in_ + 1)]
    errors: FloatArray | None = None
    if kind == "gain":
        if not hasattr(model, "feature_importances_"):
            raise DataError(f"{type(model).__name__} has no shares of gain; pass data for permutation importances")
        values, axis = np.asarray(model.feature_importances_), "share of the gain or weights"
    elif data is None:
        raise DataError("permutation importances need labelled rows, got none; pass data")
    else:
        judged = parse(metric if metric is not None else getattr(model, "metric", None) or model.objective)
        values, errors = permutation_importances(model, data, judged, repeats, random_state)
        axis = f"fall of {judged} when shuffled"
    order = np.argsort(-values, kind="stable")[:top]
    order = order[values[order] != 0] if (values[order] != 0).any() else order[:1]
    ax = own_axes(ax, (5.4, 1.0 + 0.27 * order.size))
    spread = None if errors is None else errors[order]
    ax.barh(np.arange(order.size), values[order], xerr=spread, color=series_colour(0), ecolor=ink(), height=0.7)
    name_ticks(ax, [names[k] for k in order])
    name_axes(ax, axis, "")
    return ax


def permutation_importances(
    model: Any, data: RankingData, metric: Metric, repeats: int, random_state: int
) -> tuple[FloatArray, FloatArray]:
    """By feature the mean fall of the metric when its column is shuffled, and the deviation over shuffles."""
    from sklearn.inspection import permutation_importance

    def judge(fitted: Any, X: Any, y: Any) -> float:
        return evaluate(y, fitted.scores(X), data.qid, metric, query_weight=data.query_weight)[metric]

    features = data.X.toarray() if data.is_sparse else np.asarray(data.X)
    importances = permutation_importance(
        _Columns(model), features, data.y, scoring=judge, n_repeats=repeats, random_state=random_state
    )
    return np.asarray(importances.importances_mean), np.asarray(importances.importances_std)


class _Columns:
    """A model of plain columns: scikit-learn shuffles arrays, which have no names to check."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any) -> None:
        """What scikit-learn asks of an estimator; never called."""

    def scores(self, X: FloatArray) -> FloatArray:
        """Scores of rows whose columns are the model's own."""
        scores: FloatArray = self.model.checked_scores(X)
        return scores
