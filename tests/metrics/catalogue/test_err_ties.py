"""ERR of long runs of ties: as exact as the definition, and in time that does not grow with the square of a run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankwise as rw
from rankwise.metrics.catalogue import _err_ties
from rankwise.metrics.catalogue._err_places import err_of_places
from rankwise.types import FloatArray
from tests.reference.ties_by_subsets import err_of_ties


def by_subsets(stops: FloatArray, start: int, places: int) -> float:
    """The mean over p-subsets of the chance to pass them all, for every p, one document after the other."""
    means = np.zeros(stops.size + 1)
    means[0] = 1.0
    for c, stop in enumerate(stops, start=1):
        p = np.arange(1, c + 1)
        means[1 : c + 1] += p / c * ((1.0 - stop) * means[:c] - means[1 : c + 1])
    return float(np.sum((means[:-1] - means[1:])[:places] / (start + np.arange(1, places + 1))))


CASES = {
    "half": ([0, 1], [0.5, 0.5], 1.0),
    "few": ([0, 1], [0.995, 0.005], 1.0),
    "grades": ([0, 1, 2, 3, 4], [0.9, 0.04, 0.03, 0.02, 0.01], 4.0),
    "chances below 1e-5": ([0, 1, 2], [0.5, 0.3, 0.2], 20.0),
    "all": ([1], [1.0], 1.0),
}
SURE = {"some end every search": ([0, 1, 60], [0.7, 0.2, 0.1], 60.0), "all but": ([60, 59], [0.1, 0.9], 60.0)}


@pytest.mark.parametrize("above", [0, 7, 10_000])
@pytest.mark.parametrize("case", CASES)
def test_the_integral_is_the_mean_over_all_orders(case: str, above: int, monkeypatch: pytest.MonkeyPatch) -> None:
    grades, shares, highest = CASES[case]
    labels = np.random.default_rng(0).choice(grades, 400, p=shares)
    stops = (2.0**labels - 1.0) / 2.0**highest
    values, counts = np.unique(stops, return_counts=True)
    monkeypatch.setattr(_err_ties, "STEP", 32)  # Python is slow, and this is enough for so few
    monkeypatch.setattr(_err_ties, "REACH", 115)
    found = _err_ties._by_integral(values, counts.astype(float), above)
    assert found == pytest.approx(by_subsets(stops, above, 400), rel=1e-9, abs=1e-16)


@pytest.mark.parametrize("above", [0, 10_000])
@pytest.mark.parametrize("places", [1, 2, 7, 30, 39])
@pytest.mark.parametrize("case", CASES | SURE)
def test_circles_are_the_mean_over_all_orders(case: str, places: int, above: int) -> None:
    grades, shares, highest = (CASES | SURE)[case]
    labels = np.random.default_rng(2).choice(grades, 40, p=shares)
    labels[0] = grades[-1]
    stops = (2.0**labels - 1.0) / 2.0**highest
    values, counts = np.unique(stops, return_counts=True)
    found = err_of_places(values, counts.astype(float), above, places)
    assert found == pytest.approx(err_of_ties(stops.tolist(), above, places), rel=1e-13)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("cut", [None, 3, 2_500])
def test_long_ties_are_worth_the_mean_over_all_orders(case: str, cut: int | None) -> None:
    grades, shares, highest = CASES[case]
    labels = np.random.default_rng(1).choice(grades, 4_000, p=shares).astype(float)
    name = f"err[{highest:g}]" + (f"@{cut}" if cut else "")
    found = rw.evaluate(labels, np.zeros(4_000), metrics=name)[name]
    expected = by_subsets((2.0**labels - 1.0) / 2.0**highest, 0, cut or 4_000)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_one_tie_of_millions_ends() -> None:
    """One relevant document stands anywhere: half the mean of 1/rank. 10^13 steps would take hours."""
    n = 3_000_000
    labels = np.zeros(n)
    labels[0] = 1.0
    expected = 0.5 * (math.log(n) + np.euler_gamma + 0.5 / n) / n
    assert rw.evaluate(labels, np.zeros(n), metrics="err[1]")["err[1]"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", [1_000, 300_000, 2_999_999])
def test_cut_offs_within_a_tie_of_millions_end(k: int) -> None:
    """Of two relevant documents, places of n, the first to come is at p with chance 2·(n − p)/(n·(n − 1))."""
    n = 3_000_000
    labels = np.zeros(n)
    labels[:2] = 60.0  # which ends every search, to the last digit
    harmonic = math.log(k) + np.euler_gamma + 0.5 / k - 1 / (12 * k**2)
    found = rw.evaluate(labels, np.zeros(n), metrics=f"err[60]@{k}")[f"err[60]@{k}"]
    assert found == pytest.approx(2.0 * (n * harmonic - k) / (n * (n - 1.0)), rel=1e-12)


def test_long_ties_of_all_grades_end() -> None:
    """A reader stops before the hundredth document, so that the run may as well be endless: −log(p)·p/(1 − p)."""
    labels = np.random.default_rng(0).random(1_000_000)
    p = float(np.mean((2.0**labels - 1.0) / 2.0))
    found = rw.evaluate(labels, np.zeros(labels.size), metrics="err[1]")["err[1]"]
    assert found == pytest.approx(-math.log(p) * p / (1.0 - p), rel=1e-5)
