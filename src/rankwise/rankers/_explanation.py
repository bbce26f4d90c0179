"""Why one document stands above another, feature by feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rankwise.errors import DataError
from rankwise.metrics._evaluation import format_table
from rankwise.rankers._base import SavableModel
from rankwise.rankers._features import columns_of_categories, feature_names_of
from rankwise.types import FloatArray

MAX_SHOWN_FEATURES = 10
MAX_EXPLAINED_FEATURES = 10**6  # each has a name and two values in a list, some hundred bytes


@dataclass(frozen=True)
class Contribution:
    """What a feature adds to the score of the upper of two documents over the lower, and its values in both.

    Parameters
    ----------
    feature : str or int
        Name or number of the feature.
    above : float or None
        Its value in the upper document; None is missing.
    below : float or None
        Its value in the lower document; None is missing.
    adds : float
        What it adds to the difference of the scores.
    """

    feature: str | int
    above: float | str | None
    below: float | str | None
    adds: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """What each feature adds to the score of row `i` over that of row `j`; the sum is `difference`.

    `str` shows the features that matter most, with their values in both rows.

    Parameters
    ----------
    i : int
        Number of the first row.
    j : int
        Number of the second row.
    difference : float
        The score of the first row less that of the second.
    features : list of str
        Names of the features.
    contributions : ndarray of shape (n_features,)
        What each feature adds to the difference.
    values : list of tuple
        The values of each feature in the two rows.
    """

    i: int
    j: int
    difference: float
    features: list[str]
    contributions: FloatArray
    values: list[tuple[Any, Any]]

    def parts(self, names: Sequence[str | int]) -> list[Contribution]:
        """List the features that matter, those that add or take most first.

        Parameters
        ----------
        names : sequence of str or int
            What to call the features.

        Returns
        -------
        list of Contribution
            All whose contribution is not 0.
        """
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        return [
            Contribution(names[k], above, below, float(self.contributions[k]))
            for k in order[: np.count_nonzero(self.contributions)]
            for above, below in [map(_as_plain, self.values[k])]
        ]

    def __str__(self) -> str:
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        shown = [k for k in order[:MAX_SHOWN_FEATURES] if self.contributions[k] != 0.0]
        place = "above" if self.difference > 0 else "below" if self.difference < 0 else "level with"
        rows = [("feature", f"row {self.i}", f"row {self.j}", "adds")]
        for k in shown:
            first, second = map(_as_text, self.values[k])
            rows.append((self.features[k], first, second, f"{self.contributions[k]:+.4f}"))
        others = float(self.contributions.sum() - self.contributions[shown].sum())
        rows.append(("all others", "", "", f"{others:+.4f}"))
        return f"row {self.i} is {place} row {self.j} by {abs(self.difference):.4f}\n{format_table(rows)}"


def _as_plain(value: float | str) -> float | str | None:
    return value if isinstance(value, str) else None if np.isnan(value) else float(value)


def _as_text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def explain_rows(model: SavableModel, X: Any, i: int, j: int) -> Explanation:
    """The difference of two scores by the contributions of trees (SHAP values); the last column is what rows share."""
    return rows_to_explain(model, X, i, j, model._average, lambda two: model._average(two, pred_contrib=True)[:, :-1])


def rows_to_explain(
    model: SavableModel,
    X: Any,
    i: int,
    j: int,
    scores_of: Callable[[Any], FloatArray],
    parts_of: Callable[[Any], FloatArray],
) -> Explanation:
    """The difference of two scores, feature by feature, where `parts_of` two rows is what each feature adds."""

    def contributions(two: Any) -> tuple[float, FloatArray]:
        return float(np.subtract(*scores_of(two))), np.subtract(*parts_of(two))

    return explain_difference(model, X, i, j, contributions)


def explain_difference(
    model: SavableModel, X: Any, i: int, j: int, contributions: Callable[[Any], tuple[float, FloatArray]]
) -> Explanation:
    """The difference of two scores, and what each feature adds to it, as `contributions` of the two rows has them."""
    for row in (i, j):
        if not 0 <= row < X.shape[0]:
            raise DataError(f"rows are counted from 0 to {X.shape[0] - 1}, got {row}; name one of these")
    if X.shape[1] > MAX_EXPLAINED_FEATURES:
        raise DataError(
            f"an explanation names every feature, {MAX_EXPLAINED_FEATURES:,} at most, got {X.shape[1]:,}; "
            "train on fewer to have their differences explained"
        )
    two = X[[i, j]]
    if isinstance(two, sp.csr_matrix):
        two = two.toarray()  # LightGBM rounds the contributions of sparse rows to their own precision
    difference, added = contributions(two)
    names = feature_names_of(model) or [f"feature {k}" for k in range(model.n_features_in_)]
    return Explanation(i, j, difference, names, added, _values(two, columns_of_categories(model)))


def _values(two: Any, categories: dict[int, tuple[str, ...]]) -> list[tuple[Any, Any]]:
    """The two values of each column; those of a category as texts."""
    columns: list[tuple[Any, Any]] = list(zip(*two.tolist(), strict=True))
    for place, values in categories.items():
        first, second = (code if np.isnan(code) else values[int(code)] for code in columns[place])
        columns[place] = first, second
    return columns
