"""Our parameters in LightGBM's words."""

from __future__ import annotations

from rankwise.types import JsonObject

# The default of max_bin, and that from so many rows on.
DEFAULT_BINS, LARGE_DATA_BINS, LARGE_DATA_ROWS = 255, 127, 50_000


def engine_threads(n_jobs: int | None) -> int:
    """LightGBM's number of threads: 0 lets it use all cores."""
    return 0 if n_jobs is None or n_jobs < 1 else int(n_jobs)


def engine_parameters(parameters: JsonObject, n_rows: int, monotone: list[int] | None) -> JsonObject:
    """Parameters of LightGBM for those of a LambdaMART."""
    bins = parameters["max_bin"] or (LARGE_DATA_BINS if n_rows >= LARGE_DATA_ROWS else DEFAULT_BINS)
    engine = {
        "objective": "none",
        "metric": "none",
        "verbosity": -1,
        "num_leaves": int(parameters["num_leaves"]),
        "min_data_in_leaf": int(parameters["min_child_samples"]),
        "min_sum_hessian_in_leaf": float(parameters["min_sum_hessian_in_leaf"]),
        "lambda_l2": float(parameters["reg_lambda"]),
        "feature_fraction": float(parameters["colsample_bytree"]),
        "max_bin": int(bins),
        "num_threads": engine_threads(parameters["n_jobs"]),
    }
    return engine if monotone is None else engine | {"monotone_constraints": monotone}
