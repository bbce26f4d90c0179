"""Every metric through every check, and deliberately wrong metrics that must fail them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from rankwise.checks import _metric as checks
from rankwise.metrics import NDCG, AveragePrecision, Metric, metric_classes, parse
from rankwise.metrics._names import EXAMPLES
from rankwise.types import FloatArray

VARIANTS = (
    "ndcg ndcg@1 ndcg[linear]@3 ndcg[letor]@3 dcg dcg[linear]@2 map@1 map[capped]@3 mrr@2 err err[4]@3 mauc[1,2] "
    "mauc[1:0.7,3:0.3] auc[0] p[capped]@4 p@1 r@1 success@1 success@3 rbp[0.5]@3 "
    "pauc[0,1] pauc[0.2,0.7] aucpr[0,1] r@p=0.5 p@r=0.5 tpr@fpr=0.3 f0.5"
).split()
SUMS = ["ndcg@2 + map", "2*p-micro@3 + 0.5*err@3 + pairs", "1e-3*f1 + 3*mrr", "0.5*dcg + 0.5*p[capped]@4 + bpref"]


@pytest.mark.parametrize("check", checks.metric_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("text", [*EXAMPLES, *VARIANTS, *SUMS])
def test_contract(text: str, check: Callable[[Metric], None]) -> None:
    check(parse(text))


def test_every_shipped_metric_is_checked() -> None:
    shipped = {cls for cls in metric_classes() if cls.__module__.startswith("rankwise.")}
    assert {type(parse(text)) for text in EXAMPLES} == shipped


@dataclass(frozen=True)
class Wrong(AveragePrecision):
    """Average precision that each subclass breaks in one place."""

    name: ClassVar[str] = ""


class WrongDelta(Wrong):
    def _swap_delta(self, ranked: FloatArray, i: Any, j: Any, ideal: FloatArray) -> Any:
        return 2 * AveragePrecision().swap_delta(ranked, i, j, ideal)


class LopsidedDelta(Wrong):
    def _swap_delta(self, ranked: FloatArray, i: Any, j: Any, ideal: FloatArray) -> Any:
        return np.sign(j - i) * AveragePrecision().swap_delta(ranked, i, j, ideal)


class WrongFactors(Wrong):
    def _swap_factors(self, ranked: FloatArray, ideal: FloatArray, grades: FloatArray) -> Any:
        classes, heights, weights = AveragePrecision().swap_factors(ranked, ideal, grades)  # type: ignore[misc]
        return classes, heights, weights[:, ::-1, ::-1]


class WrongTies(Wrong):
    def _tied_value(self, ranked: FloatArray, runs: Any, ideal: FloatArray) -> float:
        return AveragePrecision().value(ranked, ideal)


class PrefersTheWorst(Wrong):
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        return 1.0 - AveragePrecision().value(ranked, ideal)


class LeavesTheRange(Wrong):
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        return 1.0 + AveragePrecision().value(ranked, ideal)


class SometimesNaN(Wrong):
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        return AveragePrecision().value(ranked, ideal) if ranked[0] > 0 else float("nan")


@dataclass(frozen=True)
class MisspeltNDCG(NDCG, register=False):
    name: ClassVar[str] = "ndcg"

    def __str__(self) -> str:
        return "map"


class ReadsRowOrder(Wrong):
    """Cannot be written against labels alone; counting calls stands in for any hidden state."""

    calls: ClassVar[list[int]] = []

    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        self.calls.append(1)
        return (len(self.calls) % 7) / 7

    def _tied_value(self, ranked: FloatArray, runs: Any, ideal: FloatArray) -> float:
        return self._value(ranked, ideal)


@pytest.mark.parametrize(
    ("metric", "check"),
    [
        (WrongDelta(), checks.check_swaps),
        (LopsidedDelta(), checks.check_swaps),
        (WrongFactors(), checks.check_factors),
        (WrongTies(), checks.check_ties),
        (PrefersTheWorst(), checks.check_best_order),
        (LeavesTheRange(), checks.check_range),
        (SometimesNaN(), checks.check_range),
        (MisspeltNDCG(), checks.check_text),
        (ReadsRowOrder(), checks.check_rows),
        (ReadsRowOrder(), checks.check_compiled),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_a_wrong_metric_fails(metric: Metric, check: Callable[[Metric], None]) -> None:
    with pytest.raises(AssertionError):
        check(metric)
    with pytest.raises(AssertionError):
        checks.check_metric(metric)
