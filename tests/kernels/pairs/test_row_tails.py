"""The lowest of weighted values by counting, against sorting them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.kernels.pairs import _row_tails as row_tails


@st.composite
def weighted_values(draw):
    """Few values and thousands, equal ones, clusters far apart, and spreads from denormal to huge."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([1, 2, 7, 64, 65, 300, 5000]))
    values = {
        "ties": lambda: random.integers(-2, 3, size) / 2.0,
        "plain": lambda: random.normal(size=size),
        "equal": lambda: np.full(size, 0.3),
        "clusters": lambda: random.choice([0.0, 1.0, 1e9], size) + random.normal(size=size) * 1e-9,
        "one far off": lambda: np.where(np.arange(size) == 0, 1e12, random.random(size)),
        "denormal": lambda: random.integers(0, 9, size) * 5e-324,
        "huge": lambda: random.normal(size=size) * 1e300,
    }[draw(st.sampled_from(["ties", "plain", "equal", "clusters", "one far off", "denormal", "huge"]))]()
    weight = random.choice([0.1, 1.0, 3.7], size) if draw(st.booleans()) else np.ones(size)
    return values, weight


def lowest_by_sorting(values, weight, mass):
    """Shares, where equal values have equal shares of their weight; and the last value that has one."""
    share, left = np.zeros(values.size), mass
    for value in np.unique(values):
        level = values == value
        part = min(1.0, left / weight[level].sum())
        share[level] = part * weight[level] / mass
        left -= weight[level].sum()
        if left <= 1e-9 * mass:
            return share, value
    return share, values.max()


@pytest.mark.slow
@settings(max_examples=300)
@given(weighted_values(), st.one_of(st.floats(1e-4, 1.0), st.just(1.0)))
def test_the_lowest(given_values, part) -> None:
    values, weight = given_values
    mass = part * weight.sum()
    expected, last = lowest_by_sorting(values, weight, mass)
    share = np.full(values.size, np.nan)
    threshold, mean = row_tails.lowest(values, weight, mass, share)
    assert np.allclose(share, expected, rtol=0.0, atol=1e-9)
    assert share.sum() == pytest.approx(1.0, abs=1e-12)
    assert (share <= weight / mass * (1 + 1e-12)).all()
    assert mean == pytest.approx(float(share @ values), rel=1e-9)
    between = weight[(values > min(threshold, last)) & (values < max(threshold, last))].sum()
    assert threshold in values
    assert between <= 1e-9 * mass  # where the mass ends at a border of two values, either of them is the last


def test_a_whole_number_of_rows_ends_at_the_last_of_them() -> None:
    share = np.empty(5)
    threshold, mean = row_tails.lowest(np.array([3.0, 1.0, 2.0, 5.0, 4.0]), np.ones(5), 2.0, share)
    assert (threshold, mean) == (2.0, 1.5)
    assert share.tolist() == [0.0, 0.5, 0.5, 0.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_blocks_take_the_lowest_of_the_better_and_the_highest_of_the_worse(seed) -> None:
    random = np.random.default_rng(seed)
    rows, blocks = 400, 5
    scores, weight = random.integers(0, 60, rows) / 7.0, random.choice([0.5, 1.0, 2.0], rows)
    sides = [[np.sort(random.choice(rows, random.integers(1, 90), False)) for _ in range(blocks)] for _ in range(2)]
    starts = [np.append(0, np.cumsum([part.size for part in side])) for side in sides]
    masses = np.array([[random.random() * weight[side[b]].sum() for side in sides] for b in range(blocks)])
    block_share = random.random(blocks)
    low, high = 1, 4
    row_share, ends, means = np.zeros(rows), np.full((blocks, 2), np.nan), np.full((blocks, 2), np.nan)
    row_tails.block_tails(
        scores, weight, np.concatenate(sides[0]), starts[0], np.concatenate(sides[1]), starts[1], masses, block_share,
        low, high, row_share, ends, means,
    )  # fmt: skip
    expected = np.zeros(rows)
    for b in range(low, high):
        for side, sign in ((0, 1.0), (1, -1.0)):
            own = sides[side][b]
            share, last = lowest_by_sorting(sign * scores[own], weight[own], masses[b, side])
            expected[own] += sign * block_share[b] * share
            assert ends[b, side] == sign * last
            assert means[b, side] == pytest.approx(float(share @ scores[own]))
    assert np.allclose(row_share, expected, rtol=0.0, atol=1e-13)
    assert np.isnan(ends[[0, 4]]).all()
