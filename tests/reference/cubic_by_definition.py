"""The artificial data of Burges 2005 (section 5.1) and Burges 2006 (section 6.3.1), row by row in plain Python.

Slow, and knows nothing of rankwise. Features, the permutations Q and R and the random vector are drawn in this order
from numpy's default generator, as `rankwise.data.cubic` draws them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class CubicRows:
    """Rows, the two permutations, and the three standardized terms of the polynomial for each row."""

    X: list[list[float]]
    q: list[int]
    r: list[int]
    terms: list[tuple[float, float, float]]

    def grades(self, shares: list[float]) -> list[int]:
        """Grades with these shares, by the mean of the terms; rows within one rank of a cut have −1, for undecided."""
        n = len(self.terms)
        order = sorted(range(n), key=lambda row: sum(self.terms[row]) / 3)
        grades = [0] * n
        for place, row in enumerate(order):
            covered = 0.0
            for share in shares[:-1]:
                covered += share / sum(shares)
                if abs(place - covered * (n - 1)) < 1:
                    grades[row] = -1
                    break
                grades[row] += place > covered * (n - 1)
        return grades


def standardized(values: list[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / deviation for value in values]


def cubic_rows(rows: int, features: int, seed: int) -> CubicRows:
    generator = np.random.default_rng(seed)
    X = [[float(np.float32(value)) for value in row] for row in generator.uniform(-1, 1, size=(rows, features))]
    q, r = ([int(i) for i in generator.permutation(features)] for _ in range(2))
    vector = [float(value) for value in generator.normal(size=features)]
    linear = [sum(w * value for w, value in zip(vector, x, strict=True)) for x in X]
    square = [sum(x[i] * x[q[i]] for i in range(features)) for x in X]
    cube = [sum(x[i] * x[q[i]] * x[r[i]] for i in range(features)) for x in X]
    return CubicRows(X, q, r, list(zip(*map(standardized, (linear, square, cube)), strict=True)))
