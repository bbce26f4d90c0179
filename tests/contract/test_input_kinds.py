"""Every public function takes numbers in any kind of array, or refuses them by a sentence; never another answer."""

from __future__ import annotations

import pytest

from benchmarks.input_cases import cases
from benchmarks.input_kinds import Case, outcome

FITS = ("RankSVM.fit",)  # of the rankers, which share how they take features; extreme_numbers.py has all
LEFT_OUT = ("write_report", "linear_rates", "RateClassifier.fit")  # slow
SOME = (
    "masked",
    "torch requires_grad",
    "strided",
    ">f4",
    "sparse csr unsorted, repeated",
    "sparse dok matrix",
    "dates",
)


def listed() -> list[Case]:
    return [case for case in cases() if case.name not in LEFT_OUT]


@pytest.mark.parametrize("name", [case.name for case in listed()])
def test_right_or_refused(name: str) -> None:
    case = next(case for case in listed() if case.name == name)
    whole = "." not in name or name in FITS or name.startswith(("Metric", "Query", "RankingData", "Pool"))
    wrong = {
        (argument, kind.name): said
        for argument in case.arguments
        for kind in case.kinds(argument)
        if (whole or kind.name in SOME) and (said := outcome(case, argument, kind)).startswith(("WRONG", "no such"))
    }
    assert not wrong
