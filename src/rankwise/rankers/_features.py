"""Features in any of the forms that LightGBM reads, named and numbered as scikit-learn does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.validation import _check_feature_names, _check_n_features

from rankwise.data._sources import RowSource
from rankwise.errors import DataError, RankwiseError, ShapeError

# What to do, by words of what scikit-learn says.
REMEDIES = {
    "is expecting": "pass the columns of the training data",
    "feature names should match": "pass the columns of the training data in their order",
    "0 feature(s)": "pass at least one column",
    "sample(s)": "pass more documents",
    "Expected 2D": "Reshape your data to one row of features per document",  # in words that its own checks look for
    "infinity": "replace it, by NaN where the value is missing",
}
REMEDY = "pass one row of numbers per document"


@dataclass(frozen=True, eq=False)
class NamedColumns:
    """Features in an array, dense or sparse, and the names of its columns: a table without a copy of its values."""

    values: Any
    names: list[str]


def is_table(X: Any) -> bool:
    """Whether X is a table of named columns (pandas, Arrow, polars), which LightGBM reads without our help."""
    return hasattr(X, "__dataframe__")


def as_features(model: Any, X: Any, *, fitting: bool) -> Any:
    """X as LightGBM takes it; in fitting it sets `n_features_in_` and `feature_names_in_`, else it must agree."""
    try:
        return _checked(model, X, fitting)
    except ValueError as problem:
        if isinstance(problem, RankwiseError):
            raise
        raise DataError(_with_remedy(str(problem))) from problem


def as_numbers(table: Any, who: str) -> Any:
    """A table as an array; what is missing is NaN."""
    try:
        return check_array(table, dtype=[np.float64, np.float32], ensure_all_finite=False)
    except (TypeError, ValueError) as problem:
        said = " ".join(str(problem).split())
        raise DataError(f"{who} needs numbers ({said}); encode what is not (sklearn.preprocessing)") from problem


def _with_remedy(said: str) -> str:
    """What scikit-learn says as one sentence, without the numbers that it quotes, and what to do."""
    first, _, rest = said.rstrip().partition("\n")
    remedy = next((remedy for words, remedy in REMEDIES.items() if words in first), REMEDY)
    if "feature names" in first:
        listed = rest.replace(":\n- ", " ").replace("\n- ", ", ").replace("\n", "; ")
        return f"{first.rstrip('.')}: {listed.rstrip('.')}; {remedy}"
    return f"{first.split('. ')[0].rstrip('.:')}; {remedy}"


def _checked(model: Any, X: Any, fitting: bool) -> Any:
    if isinstance(X, RowSource):
        return _checked_stream(model, X, fitting)
    if isinstance(X, NamedColumns):
        _check_names(model, X.names, fitting)
        X = X.values
    else:
        _check_feature_names(model, X, reset=fitting)
    least = 2 if fitting else 1  # one document has no rank to learn
    if is_table(X):
        if X.shape[0] < least or X.shape[1] == 0:
            raise DataError(
                f"a table must have {least} or more rows and at least one column, got {X.shape[0]} by {X.shape[1]}; "
                "pass more documents or features"
            )
        _check_n_features(model, X, reset=fitting)
        return X
    # NaN means missing, so only infinity is refused.
    checked: Any = check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan",
        ensure_min_samples=least,
        estimator=model,
        input_name="X",
    )
    _check_n_features(model, checked, reset=fitting)
    return sp.csr_matrix(checked) if hasattr(checked, "indptr") else checked


def _checked_stream(model: Any, rows: RowSource, fitting: bool) -> RowSource:
    """Names and the number of columns; what stands in them is checked as it is read."""
    if not rows.features:
        raise DataError(f"{rows} must have at least one feature, got none; name data with features")
    if not fitting:
        known = getattr(model, "feature_names_in_", None)
        return rows.with_features(None if known is None else list(known), model.n_features_in_)
    vars(model).pop("feature_names_in_", None)
    if rows.feature_names is not None:
        _check_names(model, rows.feature_names, fitting)
    model.n_features_in_ = len(rows.features)
    return rows


def _check_names(model: Any, names: list[str], fitting: bool) -> None:
    if fitting:
        model.feature_names_in_ = np.array(names, dtype=object)
    known = getattr(model, "feature_names_in_", None)
    if known is None or list(known) != names:
        raise DataError(
            f"the columns must be those of the training data, got {', '.join(names)[:200]}; pass those in their order"
        )


def _column(model: Any, named: Any, parameter: str) -> int:
    """Number of a column that is given by number or by name."""
    names = getattr(model, "feature_names_in_", None)
    if isinstance(named, str):
        if names is None or named not in names:
            raise DataError(f"{parameter} names the feature {named!r}, which X does not have; check its columns")
        return int(np.flatnonzero(names == named)[0])
    if not isinstance(named, int | np.integer) or not 0 <= named < model.n_features_in_:
        raise DataError(
            f"{parameter} must give columns by name or by number from 0 to {model.n_features_in_ - 1}, got {named!r}; "
            "name a column that X has"
        )
    return int(named)


def by_column(model: Any, given: Sequence[int] | Mapping[Any, int] | None, parameter: str) -> list[int] | None:
    """−1, 0 or 1 for each column, given in order or by name."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        values = [0] * model.n_features_in_
        for named, value in given.items():
            values[_column(model, named, parameter)] = value
    else:
        values = list(given)
    if len(values) != model.n_features_in_:
        raise ShapeError(
            f"{parameter} must have one entry per feature, got {len(values)} for {model.n_features_in_}; "
            "pass a mapping to give some of them only"
        )
    wrong = [value for value in values if value not in (-1, 0, 1)]
    if wrong:
        raise DataError(f"{parameter} must be -1 (falling), 0 (free) or 1 (rising), got {wrong[0]!r}; replace it")
    return [int(value) for value in values]


def categorical_columns(model: Any, X: Any, given: Sequence[Any] | None) -> list[int]:
    """Numbers of the categorical columns: those given, and those of an unordered category type of pandas."""
    columns = {_column(model, named, "categorical_feature") for named in (() if given is None else given)}
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):
        columns |= {i for i, kind in enumerate(X.dtypes) if getattr(kind, "ordered", None) is False}
    return sorted(columns)
