"""A number for each row that depends on what stands in it, and on nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._compile import helper, kernel, kernel_like
from rankwise.types import AnyArray, FloatArray

FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
HALF, THIRD, NEARLY_HALF = np.uint64(32), np.uint64(27), np.uint64(31)
QUARTER, LOW_BITS = np.uint64(16), np.uint64(0xFFFF)


@helper
def _mixed(bits: np.uint64) -> np.uint64:
    """Bits of a number, all over the word: those of a small integer sit at its top. 0 stays 0."""
    bits = (bits ^ (bits >> HALF)) * FIRST
    return bits ^ (bits >> THIRD)


def _add_by_numpy(numbers: AnyArray, multipliers: NDArray[np.uint64], sums: NDArray[np.uint64]) -> None:
    """`add_dense`."""
    bits = (numbers.astype(np.float64) + 0.0).view(np.uint64)
    sums += (_mixed(bits) * multipliers).sum(axis=1, dtype=np.uint64)  # type: ignore[arg-type]


@kernel_like(_add_by_numpy)
def add_dense(numbers: AnyArray, multipliers: NDArray[np.uint64], sums: NDArray[np.uint64]) -> None:
    """`sums[i] += Σ_c mixed(bits of numbers[i, c] + 0) · multipliers[c]`, modulo 2^64; −0 is a plain 0."""
    for i in range(sums.size):
        total = np.uint64(0)
        for c in range(multipliers.size):
            total += _mixed(np.float64(numbers[i, c] + 0.0).view(np.uint64)) * multipliers[c]
        sums[i] += total


@kernel
def add_sparse(
    bits: NDArray[np.uint64], columns: AnyArray, starts: AnyArray, multipliers: NDArray[np.uint64],
    sums: NDArray[np.uint64],
) -> None:  # fmt: skip
    """The same for the rows of a CSR matrix."""
    for i in range(sums.size):
        for k in range(starts[i], starts[i + 1]):
            sums[i] += _mixed(bits[k]) * multipliers[columns[k]]


def _words(sums: NDArray[np.uint64], seed: np.uint64) -> NDArray[np.uint64]:
    """What both hashes below make of all rows at once."""
    words: NDArray[np.uint64] = _mixed(sums + (seed + np.uint64(1)) * FIRST) * SECOND  # type: ignore[arg-type, assignment]
    return words ^ (words >> NEARLY_HALF)


def _uniform_by_numpy(sums: NDArray[np.uint64], seed: np.uint64) -> FloatArray:
    """`uniform_hash`."""
    return np.asarray((_words(sums, seed) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


def _bell_by_numpy(sums: NDArray[np.uint64], seed: np.uint64) -> FloatArray:
    """`bell_hash`."""
    words = _words(sums, seed)
    total = sum(((words >> (QUARTER * np.uint64(k))) & LOW_BITS).astype(np.float64) for k in range(4))
    return np.asarray((total / 65535.0 - 2.0) * 3.0**0.5)


@kernel_like(_uniform_by_numpy)
def uniform_hash(sums: NDArray[np.uint64], seed: np.uint64) -> FloatArray:
    """Numbers from 0 to 1 that look drawn at random, another draw for each seed."""
    out = np.empty(sums.size)
    for i in range(sums.size):
        word = _mixed(sums[i] + (seed + np.uint64(1)) * FIRST) * SECOND
        out[i] = ((word ^ (word >> NEARLY_HALF)) >> np.uint64(11)) * 2.0**-53
    return out


@kernel_like(_bell_by_numpy)
def bell_hash(sums: NDArray[np.uint64], seed: np.uint64) -> FloatArray:
    """Numbers of mean 0 and variance 1 that look drawn from a bell curve: the sum of four uniform ones."""
    out = np.empty(sums.size)
    for i in range(sums.size):
        word = _mixed(sums[i] + (seed + np.uint64(1)) * FIRST) * SECOND
        word ^= word >> NEARLY_HALF
        total = 0.0
        for _ in range(4):
            total += word & LOW_BITS
            word >>= QUARTER
        out[i] = (total / 65535.0 - 2.0) * 3.0**0.5
    return out
