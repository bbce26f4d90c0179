"""What the parameters of rankers may be, and what the engine of trees is told."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.errors import DataError

# name: whole number, lowest (None: above 0), highest
RANGES: dict[str, tuple[bool, float | None, float]] = {
    "n_estimators": (True, 1, 10**6),
    "learning_rate": (False, None, 1e3),
    "num_leaves": (True, 2, 131_072),
    "min_child_samples": (True, 0, 2**31 - 1),
    "min_sum_hessian_in_leaf": (False, 0, 1e300),
    "reg_lambda": (False, 0, 1e300),
    "colsample_bytree": (False, None, 1),
    "max_bin": (True, 2, 65_535),
    "sigma": (False, None, 1e6),
    "bags": (True, 1, 10**4),
    "query_subsample": (False, None, 1),
    "early_stopping_rounds": (True, 1, 10**6),
    "verbose": (True, 0, 10**6),
    "epochs": (True, 1, 10**6),
    "weight_decay": (False, 0, 1e3),
    "dropout": (False, 0, 0.99),
    "batch_queries": (True, 1, 10**9),
    "anchors": (True, 1, 1000),
    "folds": (True, 2, 1000),
    "penalty": (False, 0, 1e6),
    "net_learning_rate": (False, None, 1e3),
    "batch_rows": (True, 1, 10**9),
    "tol": (False, None, 1),
    "max_iter": (True, 1, 10**9),
    "epsilon": (False, None, 1),
    "C": (False, None, 1e12),
}
SEVERAL = {"epsilon": "method", "C": "C"}  # may be a list, in a model that has the other parameter too
OPTIONAL = ("early_stopping_rounds", "max_bin", "batch_queries", "penalty")  # may be None
WORDS: dict[str, tuple[Any, ...]] = {
    "norm": ("gap", None),
    "activation": ("relu", "tanh"),
    "optimizer": ("adamw", "p2"),
    "calibration": ("isotonic", "sigmoid"),
    "method": ("pairs", "reduced", "heuristic", "hard"),
    "loss": ("hinge", "squared_hinge"),
    "weigh": ("documents", "queries", "pairs"),
}
MOST_LAYERS, WIDEST = 100, 10**6

BINS, FEWER_BINS, MANY_ROWS = 255, 127, 50_000  # the default of max_bin, and that from so many rows on


def check_parameters(given: dict[str, Any]) -> None:
    """Raise DataError on the first parameter that is out of its range."""
    for name, (whole, low, high) in RANGES.items():
        if name not in given or (name in OPTIONAL and given[name] is None):
            continue
        several = SEVERAL.get(name) in given and isinstance(given[name], list | tuple) and len(given[name]) > 0
        for value in given[name] if several else [given[name]]:
            kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
            fits = isinstance(value, kinds) and not (isinstance(value, bool) and name != "verbose")
            if not fits or not value <= high or (value <= 0 if low is None else value < low):  # NaN is not <= high
                kind = "a whole number" if whole else "a number"
                bounds = f"above 0 and at most {high:g}" if low is None else f"from {low:g} to {high:g}"
                raise DataError(f"{name} must be {kind} {bounds}, got {value!r}")
    for name, words in WORDS.items():
        if name in given and not (isinstance(given[name], str | None) and given[name] in words):
            known = " or ".join("None" if word is None else f'"{word}"' for word in words)
            raise DataError(f"{name} must be {known}, got {given[name]!r}")
    if not isinstance(given.get("n_jobs"), int | np.integer | None):
        raise DataError(f"n_jobs must be a number of threads, or None for all cores, got {given['n_jobs']!r}")
    if "hypotheses" in given:
        _check_hypotheses(given["hypotheses"])
    if "hidden" in given:
        _check_hidden(given["hidden"])
    if not isinstance(given.get("scale"), bool | np.bool_ | None):
        raise DataError(f"scale must be True, False, or None for dense features alone, got {given['scale']!r}")


def _check_hypotheses(given: Any) -> None:
    functions = isinstance(given, list | tuple) and len(given) > 0 and all(map(callable, given))
    if not functions and not (isinstance(given, str) and given in ("features", "stumps")):
        raise DataError(f'hypotheses must be "features", "stumps" or a list of functions of X, got {given!r}')


def _check_hidden(hidden: Any) -> None:
    widths = list(hidden) if isinstance(hidden, list | tuple) else None
    if (
        widths is None
        or len(widths) > MOST_LAYERS
        or not all(
            isinstance(width, int | np.integer) and not isinstance(width, bool) and 1 <= width <= WIDEST
            for width in widths
        )
    ):
        raise DataError(
            f"hidden must be the widths of at most {MOST_LAYERS} layers, whole numbers from 1 to {WIDEST}, got "
            f"{hidden!r}; () is a linear model"
        )


def engine_threads(n_jobs: int | None) -> int:
    """LightGBM's number of threads: 0 lets it use all cores."""
    return 0 if n_jobs is None or n_jobs < 1 else int(n_jobs)


def engine_parameters(given: dict[str, Any], rows: int, monotone: list[int] | None) -> dict[str, Any]:
    """Our parameters in LightGBM's words."""
    bins = given["max_bin"] or (FEWER_BINS if rows >= MANY_ROWS else BINS)
    told = {
        "objective": "none",
        "metric": "none",
        "verbosity": -1,
        "num_leaves": int(given["num_leaves"]),
        "min_data_in_leaf": int(given["min_child_samples"]),
        "min_sum_hessian_in_leaf": float(given["min_sum_hessian_in_leaf"]),
        "lambda_l2": float(given["reg_lambda"]),
        "feature_fraction": float(given["colsample_bytree"]),
        "max_bin": int(bins),
        "num_threads": engine_threads(given["n_jobs"]),
    }
    return told if monotone is None else told | {"monotone_constraints": monotone}
