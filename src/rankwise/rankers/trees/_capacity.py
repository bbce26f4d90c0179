"""How large a model the data can bear: what the parameters of LambdaMART are where they are left at None.

The table was chosen by cross-validation over training queries (benchmarks/defaults.py, results/capacity.json).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

from rankwise.errors import DataError
from rankwise.metrics import parse
from rankwise.objectives.lambdas._surrogates import surrogate_metric
from rankwise.types import JsonObject


@dataclass(frozen=True)
class Capacity:
    """Parameters of LambdaMART that follow the data."""

    n_estimators: int
    learning_rate: float
    num_leaves: int
    grow_policy: str
    split_noise: float


class SizeLimit(NamedTuple):
    """What holds up to so many rows of several queries."""

    rows: int
    capacity: Capacity


SYMMETRIC = SizeLimit(20_000, Capacity(400, 0.05, 64, "symmetric", 2.0))
SMALL = SizeLimit(20_000, Capacity(200, 0.1, 8, "lossguide", 1.0))  # where trees cannot or shall not be symmetric
MEDIUM = SizeLimit(50_000, Capacity(200, 0.1, 31, "lossguide", 1.0))
LARGE = Capacity(100, 0.1, 31, "lossguide", 0.0)  # and for one list, whose rows are compared with all others

SYMMETRIC_BINS, DEFAULT_BINS, LARGE_DATA_BINS = 64, 255, 127
LARGE_DATA_ROWS = 50_000  # from which on fewer bins lost nothing


def capacity_for(n_rows: int, n_queries: int, *, symmetric: bool) -> Capacity:
    """The capacity for so many rows and queries."""
    if n_queries > 1:
        for limit in (SYMMETRIC if symmetric else SMALL, MEDIUM):
            if n_rows <= limit.rows:
                return limit.capacity
    return LARGE


def fill_in(parameters: JsonObject, n_rows: int, n_queries: int, *, may_be_symmetric: bool) -> JsonObject:
    """Parameters with what the data decide in place of None."""
    is_constrained = parameters["monotone_constraints"] is not None
    policy = parameters["grow_policy"]
    if policy == "symmetric" and (is_constrained or not may_be_symmetric):
        raise DataError(
            "symmetric trees know neither monotone_constraints nor categories nor clusters, got one of them; "
            'use grow_policy="lossguide"'
        )
    may_be_symmetric = may_be_symmetric and not is_constrained and parameters["num_leaves"] is None
    capacity = capacity_for(n_rows, n_queries, symmetric=policy == "symmetric" or (policy is None and may_be_symmetric))
    decided = {name: value for name, value in asdict(capacity).items() if parameters[name] is None}
    if is_constrained:
        if parameters["split_noise"]:
            raise DataError(
                "with split_noise the values of leaves may break monotone_constraints, got both; leave it at None"
            )
        decided["split_noise"] = 0.0
    filled = parameters | decided
    if filled["max_bin"] is None:
        by_rows = LARGE_DATA_BINS if n_rows >= LARGE_DATA_ROWS else DEFAULT_BINS
        filled["max_bin"] = SYMMETRIC_BINS if filled["grow_policy"] == "symmetric" else by_rows
    metric = parse(filled["metric"])
    filled["surrogate"] = surrogate_metric(filled["surrogate"], metric, n_rows if n_queries > 1 else None)
    return filled
