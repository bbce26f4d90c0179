"""Why one document stands above another, feature by feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rankwise.errors import DataError
from rankwise.metrics._evaluation import format_table
from rankwise.rankers._features import columns_of_categories
from rankwise.types import FloatArray

SHOWN = 10


@dataclass(frozen=True)
class Contribution:
    """What a feature adds to the score of the upper of two documents over the lower, and its values in both."""

    feature: str | int
    above: float | str | None
    below: float | str | None
    adds: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """What each feature adds to the score of row `i` over that of row `j`; the parts add up to `difference`.

    `str` shows the features that matter most, with their values in both rows.
    """

    i: int
    j: int
    difference: float
    features: list[str]
    contributions: FloatArray
    values: list[tuple[Any, Any]]

    def parts(self, names: Sequence[str | int]) -> list[Contribution]:
        """The features that matter, those that add or take most first; None is a value that is missing."""
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        return [
            Contribution(names[k], _known(self.values[k][0]), _known(self.values[k][1]), float(self.contributions[k]))
            for k in order[: np.count_nonzero(self.contributions)]
        ]

    def __str__(self) -> str:
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        shown = [k for k in order[:SHOWN] if self.contributions[k] != 0.0]
        place = "above" if self.difference > 0 else "below" if self.difference < 0 else "level with"
        rows = [("feature", f"row {self.i}", f"row {self.j}", "adds")]
        for k in shown:
            first, second = (_short(value) for value in self.values[k])
            rows.append((self.features[k], first, second, f"{self.contributions[k]:+.4f}"))
        others = float(self.contributions.sum() - self.contributions[shown].sum())
        rows.append(("all others", "", "", f"{others:+.4f}"))
        return f"row {self.i} is {place} row {self.j} by {abs(self.difference):.4f}\n{format_table(rows)}"


def _known(value: float | str) -> float | str | None:
    return value if isinstance(value, str) else None if np.isnan(value) else float(value)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def explain_rows(model: Any, X: Any, i: int, j: int) -> Explanation:
    """The parts of the difference of two scores, from the trees' own contributions (SHAP values)."""
    # The last part is what all rows share.
    return rows_to_explain(model, X, i, j, model._average, lambda two: model._average(two, pred_contrib=True)[:, :-1])


def rows_to_explain(
    model: Any,
    X: Any,
    i: int,
    j: int,
    scores_of: Callable[[Any], FloatArray],
    parts_of: Callable[[Any], FloatArray],
) -> Explanation:
    """The difference of two scores, feature by feature, where `parts_of` two rows is what each feature adds."""
    for row in (i, j):
        if not 0 <= row < X.shape[0]:
            raise DataError(f"rows are counted from 0 to {X.shape[0] - 1}, got {row}; name one of these")
    two = X[[i, j]]
    if isinstance(two, sp.csr_matrix):
        two = two.toarray()  # LightGBM rounds the contributions of sparse rows to their own precision
    parts = parts_of(two)
    names = getattr(model, "feature_names_in_", None)
    return Explanation(
        i=i,
        j=j,
        difference=float(np.subtract(*scores_of(two))),
        features=[f"feature {k}" for k in range(model.n_features_in_)] if names is None else [str(n) for n in names],
        contributions=parts[0] - parts[1],
        values=_values(two, columns_of_categories(model)),
    )


def _values(two: Any, categories: dict[int, tuple[str, ...]]) -> list[tuple[Any, Any]]:
    """The two values of each column; those of a category as texts."""
    columns = [list(pair) for pair in two.T]
    for place, values in categories.items():
        columns[place] = [code if np.isnan(code) else values[int(code)] for code in columns[place]]
    return [(first, second) for first, second in columns]
