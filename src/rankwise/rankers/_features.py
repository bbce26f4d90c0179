"""Features as arrays, from any form that they come in; named and numbered as scikit-learn does."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.validation import _check_feature_names, _check_n_features

from rankwise._validation import as_array, check_aligned
from rankwise.data._arrow_columns import Categories
from rankwise.data._columns import LABEL_NAMES, QID_NAMES
from rankwise.data._frames import as_table, encode_table, is_frame
from rankwise.data._ranking_data import RankingData
from rankwise.data._sources import RowSource
from rankwise.errors import DataError, RankwiseError, ShapeError

# What to do, by words of what scikit-learn says.
REMEDIES = {
    "is expecting": "pass the columns of the training data",
    "feature names should match": "pass the columns of the training data in their order",
    "0 feature(s)": "pass at least one column",
    "sample(s)": "pass more documents",
    "Expected 2D": "Reshape your data to one row of features per document",  # in words that its own checks look for
    "unique column names": "rename one of two columns of the same name",
    "too large to convert": "scale the numbers",
    "infinity": "replace it, by NaN where the value is missing",
}
REMEDY = "pass one row of numbers per document"
FEW_ROWS, ROWS_AT_ONCE = 16, 4096

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class MatchedColumns:
    """An array whose columns are known to be the model's features, so that their names need not be checked."""

    values: Any


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """What `fit` learns from; X may still be anything that `as_features` takes."""

    X: Any
    y: Any
    qid: Any = None
    sample_weight: Any = None
    query_weight: Any = None
    position: Any = None


def training_rows(
    X: Any,
    y: Any,
    qid: Any = None,
    *,
    sample_weight: Any = None,
    query_weight: Any = None,
    position: Any = None,
    takes_position: bool = False,
) -> TrainingRows:
    """The rows that `fit` or `score` is called with; RankingData brings its labels, queries, weights and positions."""
    check_aligned(X=X, y=y, qid=qid, sample_weight=sample_weight, position=position)
    if not isinstance(X, RankingData):
        return TrainingRows(X, y, qid, sample_weight, query_weight, position)
    passed = {"y": y, "qid": qid}
    passed |= {} if X.query_weight is None else {"query_weight": query_weight}
    passed |= {} if X.position is None else {"position": position}
    twice = [name for name, value in passed.items() if value is not None]
    if twice:
        raise DataError(f"RankingData brings its {twice[0]} along, got {twice[0]} too; pass the data alone")
    if X.position is not None and not takes_position:
        raise DataError(
            "only LambdaMART learns from clicks at positions, got RankingData with a position; "
            "fit a LambdaMART, or pass dataclasses.replace(data, position=None)"
        )
    return TrainingRows(
        X,
        X.y,
        X.qid,
        sample_weight,
        query_weight if X.query_weight is None else X.query_weight,
        position if X.position is None else X.position,
    )


def feature_names_of(model: Any) -> list[str] | None:
    """The names of the features that a model was fitted with, if they have names."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def categories_of(model: Any) -> Categories:
    """The values of the features that are categories of a fitted model, by name."""
    categories: Categories = getattr(model, "categories_", {})
    return categories


def columns_of_categories(model: Any) -> dict[int, tuple[str, ...]]:
    """The same by the number of the feature."""
    return {_column(model, name, "categories"): values for name, values in categories_of(model).items()}


def as_features(model: Any, X: Any, *, fitting: bool, allow_nan: bool = True) -> Any:
    """X as an array or a CSR matrix; texts and categories are codes, in prediction those of the model.

    Parameters
    ----------
    model : estimator
        Whose features they are. Fitting sets `n_features_in_`, `feature_names_in_` and `categories_`; else X must agree
        with these.
    X : array-like, sparse matrix, data frame, RankingData or RowSource
        One row per document. In an array, categories are codes already.
    fitting : bool
        Whether the model is being fitted.
    allow_nan : bool, default=True
        Whether NaN is a missing value, or an error.

    Returns
    -------
    ndarray, csr_matrix or RowSource
        Checked features; rows that are read in passes stay such.

    Raises
    ------
    DataError
        If X holds what is no number, infinities, or other features than the model was fitted with.
    """
    try:
        features = _checked(model, X, fitting, allow_nan)
        if fitting and not _varies(features):
            log.warning(
                "no feature varies between the %d rows, so all scores will be alike; check X", features.shape[0]
            )
        return features
    except TypeError as problem:
        if "string names" not in str(problem):
            raise  # what is no number at all is a TypeError to scikit-learn
        raise DataError("names of columns must be texts, all of them or none; rename the columns") from problem
    except (ValueError, OverflowError) as problem:
        if isinstance(problem, RankwiseError):
            raise
        raise DataError(_with_remedy(str(problem))) from problem


def _varies(features: Any) -> bool:
    """Whether any feature differs between two rows; a piece at a time, as one of the first rows mostly does."""
    if isinstance(features, sp.csr_matrix):
        sizes = np.diff(features.indptr)
        if features.shape[0] < 2 or not (sizes == sizes[0]).all():
            return True
        features = np.hstack([part.reshape(len(sizes), -1) for part in (features.indices, features.data)])
    if not isinstance(features, np.ndarray) or len(features) < 2 or not features.size:
        return True  # read in passes, or nothing to compare
    first, starts = features[0], [1, *range(FEW_ROWS, len(features), ROWS_AT_ONCE), len(features)]
    pieces = (features[start:stop] for start, stop in pairwise(starts))
    return any(((piece != first) & ~(np.isnan(piece) & np.isnan(first))).any() for piece in pieces)


def _with_remedy(message: str) -> str:
    """What scikit-learn says as one sentence, without the numbers that it quotes, and what to do."""
    first, _, rest = message.rstrip().partition("\n")
    remedy = next((remedy for words, remedy in REMEDIES.items() if words in first), REMEDY)
    if "feature names" in first:
        listed = rest.replace(":\n- ", " ").replace("\n- ", ", ").replace("\n", "; ")
        return f"{first.rstrip('.')}: {listed.rstrip('.')}; {remedy}"
    return f"{first.split('. ')[0].rstrip('.:').removesuffix(', got')}; {remedy}"


def _checked(model: Any, X: Any, fitting: bool, allow_nan: bool) -> Any:
    if isinstance(X, RowSource):
        return _checked_stream(model, X, fitting)
    categories: Categories = {}
    if isinstance(X, RankingData):
        if fitting:
            _set_names(model, X.feature_names)
        else:
            if (X.feature_names is None) != (feature_names_of(model) is None):
                unnamed = X.source if X.feature_names is None else "the model"
                log.warning("%s has no names of features, so columns are matched by place; check their order", unnamed)
            X = X.with_features(feature_names_of(model), model.n_features_in_, categories_of(model))
        X, categories = X.X, X.categories
    elif isinstance(X, MatchedColumns):
        X = X.values
    elif is_frame(X):
        table = as_table(X)
        _check_feature_names(model, table, reset=fitting)
        if fitting:
            _warn_of_labels(feature_names_of(model))
        encoded = encode_table(table, None if fitting else categories_of(model))
        X, categories = encoded.X, encoded.categories
    else:
        if isinstance(X, np.ma.MaskedArray) or hasattr(X, "detach"):  # scikit-learn drops a mask in silence
            X = as_array("X", X)
        if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):  # and takes dates for numbers
            raise DataError(f"X must be numbers, got {X.dtype}; pass what they are days or seconds from")
        if fitting and type(X) is np.ndarray:  # which has no names; scikit-learn takes a while to tell
            _set_names(model, None)
        else:
            _check_feature_names(model, X, reset=fitting)
    if fitting:
        _set_categories(model, categories)
    least = 2 if fitting else 1  # one document has no rank to learn
    checked: Any = X if _is_sound(X, least) else _checked_by_sklearn(model, X, least, allow_nan)
    _check_n_features(model, checked, reset=fitting)
    return _canonical(checked) if hasattr(checked, "indptr") else checked


def _is_sound(X: Any, least: int) -> bool:
    """Whether X is an array of finite numbers as it should be; a sum tells, of squares where that is quicker."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in (np.float64, np.float32):
        return False
    if len(X) < least or X.shape[1] < 1:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = X.ravel(order="K") if X.flags.forc else None
        return bool(np.isfinite(X.sum() if numbers is None else numbers @ numbers))


def _checked_by_sklearn(model: Any, X: Any, least: int, allow_nan: bool) -> Any:
    """X as numbers, of any form that scikit-learn knows, with its words for what is wrong."""
    checked: Any = check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan",  # only infinity is refused
        ensure_min_samples=least,
        estimator=model,
        input_name="X",
    )
    if not allow_nan and np.isnan(checked if isinstance(checked, np.ndarray) else checked.data).any():
        raise DataError(
            f"{type(model).__name__} needs every feature of every row, got NaN; impute it "
            "(sklearn.impute.SimpleImputer), or use LambdaMART, for which NaN is a missing value"
        )
    return checked


def _warn_of_labels(names: list[str] | None) -> None:
    """Log where a column of X is named as labels or queries are: it may have been left in by mistake."""
    for name in names or ():
        if name.strip().lower() in (*LABEL_NAMES[:2], *QID_NAMES[:2]):
            log.warning("column %r of X is learnt from like any other; drop it if it holds the labels or queries", name)


def _canonical(checked: Any) -> sp.csr_matrix:
    """CSR with one entry per place, columns rising: LightGBM reads one of two. The caller's own stays as it is."""
    rows = sp.csr_matrix(checked)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _set_categories(model: Any, categories: Categories) -> None:
    if categories and not getattr(model, "_takes_categories", False):
        raise DataError(
            f"{type(model).__name__} needs numbers, got categories in column {next(iter(categories))!r}; encode them "
            "(sklearn.preprocessing.OneHotEncoder), or use trees (LambdaMART, RateClassifier), which take them"
        )
    model.categories_ = categories


def _checked_stream(model: Any, rows: RowSource, fitting: bool) -> RowSource:
    """Names and the number of columns; what stands in them is checked as it is read."""
    if not rows.features:
        raise DataError(f"{rows} must have at least one feature, got none; name data with features")
    if not fitting:
        return rows.with_features(feature_names_of(model), model.n_features_in_, categories_of(model))
    rows = rows.with_found_categories()
    _set_names(model, rows.feature_names)
    model.n_features_in_ = len(rows.features)
    _set_categories(model, rows.categories)
    return rows


def _set_names(model: Any, names: list[str] | None) -> None:
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_


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


def values_by_column(
    model: Any, constraints: Sequence[int] | Mapping[Any, int] | None, parameter: str
) -> list[int] | None:
    """−1, 0 or 1 for each column, from values in order or a mapping by name."""
    if constraints is None:
        return None
    if isinstance(constraints, Mapping):
        values = [0] * model.n_features_in_
        for named, value in constraints.items():
            values[_column(model, named, parameter)] = value
    else:
        values = list(constraints)
    if len(values) != model.n_features_in_:
        raise ShapeError(
            f"{parameter} must have one entry per feature, got {len(values)} for {model.n_features_in_}; "
            "pass a mapping to give some of them only"
        )
    wrong = [value for value in values if not isinstance(value, Real) or value not in (-1, 0, 1)]
    if wrong:
        raise DataError(f"{parameter} must be -1 (falling), 0 (free) or 1 (rising), got {wrong[0]!r:.100}; replace it")
    for column in categorical_columns(model, model.categorical_feature):
        if values[column]:  # LightGBM would end the process
            raise DataError(f"{parameter} must leave categories free, got {values[column]} for column {column}; pass 0")
    return [int(value) for value in values]


def categorical_columns(model: Any, declared: Sequence[Any] | None = None) -> list[int]:
    """Numbers of the categorical columns: those declared, and the categories that the model was fitted to."""
    named = [*([] if declared is None else declared), *categories_of(model)]
    return sorted({_column(model, column, "categorical_feature") for column in named})
