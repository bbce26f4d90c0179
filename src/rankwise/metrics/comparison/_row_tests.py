"""Is one system better than another on one list? Paired tests over its rows."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from rankwise.metrics._evaluation import Evaluation, format_table, plain
from rankwise.metrics.comparison._delong import auc_covariance, normal_interval, normal_p_value
from rankwise.metrics.comparison._one_list import OneList
from rankwise.metrics.comparison._statistics import format_p_value, holm
from rankwise.types import JsonObject

SAMPLES = 2000


@dataclass(frozen=True)
class RowTest:
    """System `a` against system `b` on the rows of one list.

    `difference` is value_a − value_b, with an interval of `difference` ± z · its standard error; `p` is the two-sided
    p-value of that z, `p_holm` is corrected for the pairs of this metric. The standard error is DeLong's for AUC, and
    of other metrics the deviation of the difference over lists whose rows are drawn with replacement, the same for
    both systems. NaN where `method` says why there is none.
    """

    metric: str
    a: str
    b: str
    rows: int
    value_a: float
    value_b: float
    difference: float
    interval: tuple[float, float]
    p: float
    p_holm: float
    method: str

    def to_dict(self) -> JsonObject:
        """Return all of it in plain Python types that `json.dumps` takes; None for a value that is not defined."""
        return {key: plain(value) for key, value in asdict(self).items()}


def row_tests(
    metric: str, evaluations: dict[str, Evaluation], lists: dict[str, OneList], level: float, random_state: int
) -> list[RowTest]:
    """All pairs of systems on one metric."""
    tests = []
    for a, b in combinations(evaluations, 2):
        difference = evaluations[a][metric] - evaluations[b][metric]
        error, method = _standard_error(metric, lists[a], lists[b], random_state)
        low, high = normal_interval(difference, error, level)
        if math.isnan(low) and error == error:  # no spread at all: the same order of rows
            low = high = difference
        test = RowTest(
            metric=metric,
            a=a,
            b=b,
            rows=lists[a].labels.size,
            value_a=evaluations[a][metric],
            value_b=evaluations[b][metric],
            difference=difference,
            interval=(low, high),
            p=normal_p_value(difference, error),
            p_holm=math.nan,  # until all pairs are known
            method=method,
        )
        tests.append(test)
    corrected = holm([test.p for test in tests]).tolist()
    return [replace(test, p_holm=p) for test, p in zip(tests, corrected, strict=True)]


def _standard_error(metric: str, a: OneList, b: OneList, random_state: int) -> tuple[float, str]:
    """That of the difference, and what made it, or why it is NaN."""
    reason = a.why_not(metric)
    if reason:
        return math.nan, f"none: {reason}"
    if a.has_delong(metric):
        _, ((first, both), (_, second)) = auc_covariance(a.labels > 0, [a.heights(), b.heights()])
        return math.sqrt(max(first + second - 2.0 * both, 0.0)), "DeLong"
    differences = a.values(SAMPLES, random_state)[metric] - b.values(SAMPLES, random_state)[metric]
    return float(np.std(differences, ddof=1)), f"bootstrap of rows, {differences.size:,} samples"


def row_test_table(tests: list[RowTest], level: float) -> list[tuple[str, ...]]:
    """Header and rows of the table that is printed."""
    rows: list[tuple[str, ...]] = [("metric", "pair", "difference", f"{level:.0%} interval", "p", "by")]
    for test in tests:
        low, high = test.interval
        interval = "–" if math.isnan(low) else f"{low:+.4f} to {high:+.4f}"
        cells = (test.metric, f"{test.a} − {test.b}", f"{test.difference:+.4f}", interval)
        rows.append((*cells, format_p_value(test.p_holm), test.method))
    return rows


def printed_row_tests(tests: list[RowTest], level: float) -> str:
    """The table as text, and how to read it."""
    return format_table(row_test_table(tests, level)) + f"\n{READING}"


READING = "p: paired over the rows of the one list, Holm-corrected for the pairs of one metric"
