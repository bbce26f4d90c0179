"""How the score depends on a feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.plot._axes import name_axes, own_axes, short
from rankwise.plot._style import series_colour
from rankwise.rankers._features import columns_of_categories, feature_names_of
from rankwise.types import FloatArray

MAX_ROWS = 2000  # of the data that the mean is over
MAX_LINES = 30  # of single rows


def partial_dependence(
    model: Any,
    data: RankingData,
    feature: str | int,
    *,
    points: int = 30,
    random_state: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean score of rows as one feature goes over its range and the others stay, and some single rows.

    Scores are centred on their mean row by row, since a ranking depends on differences alone.

    Parameters
    ----------
    model : Ranker or RateClassifier
        A fitted model.
    data : RankingData
        Rows to average over; more than 2,000 are thinned at random.
    feature : str or int
        Name of the feature, or its number from 0.
    points : int, default=30
        Values that the feature takes, at its quantiles from 1% to 99%; a category takes all of its values.
    random_state : int, default=0
        Seed of the thinning.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    DataError
        If there is no such feature.
    """
    column, name = feature_column(model, feature)
    values, curves = dependence_curves(model, data, column, points, random_state)
    categories = columns_of_categories(model).get(column)
    ax = own_axes(ax)
    marker = "o" if categories is not None else None
    ax.plot(values, curves[:MAX_LINES].T, color=series_colour(5), linewidth=0.5, alpha=0.5, label="_rows")
    ax.plot(values, curves.mean(axis=0), color=series_colour(0), linewidth=2.0, marker=marker, label="mean")
    if categories is not None:
        ax.set_xticks(values, [short(categories[int(v)]) for v in values], rotation=90, parse_math=False)
    name_axes(ax, name, "score, centred by row")
    return ax


def feature_column(model: Any, feature: str | int) -> tuple[int, str]:
    """Number and name of a feature."""
    names = feature_names_of(model) or [f"feature {number}" for number in range(1, model.n_features_in_ + 1)]
    if isinstance(feature, str):
        if feature not in names:
            some = ", ".join(names[:5])
            raise DataError(f"there is no feature {feature!r}, its first are {some}; name one that the model has")
        return names.index(feature), feature
    if not 0 <= feature < len(names):
        raise DataError(f"features are counted from 0 to {len(names) - 1}, got {feature}; name one of these")
    return int(feature), names[feature]


def dependence_curves(
    model: Any, data: RankingData, column: int, points: int, random_state: int
) -> tuple[FloatArray, FloatArray]:
    """Values of a feature, and by row its scores at these, less their mean."""
    rng = np.random.default_rng(random_state)
    rows = rng.permutation(len(data))[:MAX_ROWS]
    features = data.X[np.sort(rows)]
    features = np.array(features.toarray() if data.is_sparse else features, dtype=np.float64)
    present = features[:, column][~np.isnan(features[:, column])]
    if present.size == 0:
        raise DataError(f"feature {column} is missing in all rows; choose another or pass other rows")
    if column in columns_of_categories(model) or np.unique(present).size <= points:
        values = np.unique(present)
    else:
        values = np.unique(np.quantile(present, np.linspace(0.01, 0.99, points)))
    curves = np.empty((len(features), values.size))
    for place, value in enumerate(values):
        features[:, column] = value
        curves[:, place] = model.checked_scores(features)
    return values, curves - curves.mean(axis=1, keepdims=True)
