"""The linear program that cutting planes grow: the best combination of hypotheses, as far as the cuts so far tell."""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import DataError
from rankwise.types import FloatArray

FEASIBILITY = 1e-10  # tolerance of HiGHS
OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "threads": 1,
    "presolve": "off",
    "solver": "simplex",
    "primal_feasibility_tolerance": FEASIBILITY,
    "dual_feasibility_tolerance": FEASIBILITY,
}


class Master:
    """max t subject to t <= g_c·α for every cut c, α in the simplex; warm starts for all that is added."""

    def __init__(self) -> None:
        self.cuts, self.columns = 0, 0
        self.solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in OPTIONS.items():
            self.solver.setOptionValue(option, value)
        infinity, nothing = highspy.kHighsInf, (np.zeros(0, np.int32), np.zeros(0))
        self.solver.addCol(-1.0, -infinity, infinity, 0, *nothing)  # t
        self.solver.addRow(1.0, 1.0, 0, *nothing)  # Σα = 1

    def add_columns(self, coefficients: FloatArray) -> None:
        """Add hypotheses: one line each, with the coefficient of every cut so far."""
        count = len(coefficients)
        values = np.hstack([np.ones((count, 1)), -coefficients])
        rows = np.arange(self.cuts + 1, dtype=np.int32)
        starts = np.arange(count, dtype=np.int32) * rows.size
        bounds = (np.zeros(count), np.full(count, highspy.kHighsInf))
        self.solver.addCols(count, np.zeros(count), *bounds, values.size, starts, np.tile(rows, count), values.ravel())
        self.columns += count

    def add_cut(self, coefficients: FloatArray) -> None:
        """Add t <= Σ coefficient·α over the hypotheses so far."""
        places = np.arange(self.columns + 1, dtype=np.int32)
        values = np.append(1.0, -coefficients)
        self.solver.addRow(-highspy.kHighsInf, 0.0, values.size, places, values)
        self.cuts += 1

    def drop_cuts(self, numbers: ArrayLike) -> None:
        """Forget some cuts, by number."""
        rows = np.asarray(numbers, dtype=np.int32) + 1
        self.solver.deleteRows(rows.size, rows)
        self.cuts -= rows.size

    def solve(self) -> tuple[FloatArray, FloatArray]:
        """The best weights of the hypotheses, and of the cuts, a mixture that bounds the optimum; both add up to 1."""
        self.solver.run()
        solution = self.solver.getSolution()
        alpha = np.maximum(np.array(solution.col_value[1:]), 0.0)
        weights = np.maximum(-np.array(solution.row_dual[1:]), 0.0)
        if not (alpha.sum() > 0.0 and weights.sum() > 0.0):  # zeros or NaN, which would go on as a solution
            status = self.solver.modelStatusToString(self.solver.getModelStatus())
            raise DataError(f"HiGHS found no solution of the margin program ({status}); scale the features")
        return alpha / alpha.sum(), weights / weights.sum()
