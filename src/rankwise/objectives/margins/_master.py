"""The linear program that cutting planes grow: the best combination of hypotheses, as far as the cuts so far tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from rankwise.types import FloatArray

EXACT = 1e-10  # feasibility of HiGHS


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """Weights of the hypotheses, and of the cuts: both add up to 1."""

    alpha: FloatArray
    weights: FloatArray


class Master:
    """max t subject to t <= g_c·α for every cut c, α in the simplex; warm starts for all that is added."""

    def __init__(self) -> None:
        self.cuts, self.columns = 0, 0
        engine: Any = highspy.Highs
        self.engine = engine()
        for option, value in (
            ("output_flag", False), ("threads", 1), ("presolve", "off"), ("solver", "simplex"),
            ("primal_feasibility_tolerance", EXACT), ("dual_feasibility_tolerance", EXACT),
        ):  # fmt: skip
            self.engine.setOptionValue(option, value)
        free = highspy.kHighsInf
        self.engine.addCol(-1.0, -free, free, 0, np.zeros(0, np.int32), np.zeros(0))  # t
        self.engine.addRow(1.0, 1.0, 0, np.zeros(0, np.int32), np.zeros(0))  # Σα = 1

    def add_columns(self, coefficients: FloatArray) -> None:
        """Hypotheses: one line each, with the coefficient of every cut so far."""
        count = len(coefficients)
        values = np.hstack([np.ones((count, 1)), -coefficients])
        rows = np.arange(self.cuts + 1, dtype=np.int32)
        self.engine.addCols(
            count,
            np.zeros(count),
            np.zeros(count),
            np.full(count, highspy.kHighsInf),
            values.size,
            np.arange(count, dtype=np.int32) * rows.size,
            np.tile(rows, count),
            values.ravel(),
        )
        self.columns += count

    def add_cut(self, coefficients: FloatArray) -> None:
        """t <= Σ coefficient·α over the hypotheses so far."""
        places = np.arange(self.columns + 1, dtype=np.int32)
        values = np.append(1.0, -coefficients)
        self.engine.addRow(-highspy.kHighsInf, 0.0, values.size, places, values)
        self.cuts += 1

    def drop_cuts(self, which: Any) -> None:
        """Forget some cuts, by number."""
        gone = np.asarray(which, dtype=np.int32) + 1
        self.engine.deleteRows(gone.size, gone)
        self.cuts -= gone.size

    def solve(self) -> MasterSolution:
        """The optimum; its dual weights say which mixture of the cuts bounds it."""
        self.engine.run()
        found = self.engine.getSolution()
        alpha = np.maximum(np.array(found.col_value[1:]), 0.0)
        weights = np.maximum(-np.array(found.row_dual[1:]), 0.0)
        return MasterSolution(alpha / alpha.sum(), weights / weights.sum())
