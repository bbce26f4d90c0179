"""Suehiro 2011's programs against HiGHS (simplex on explicit pairs, PDLP on rows) and against scikit-learn's LinearSVC.

Data: Suehiro 2011's r-of-k functions (N=100, k=10, r=3, 5:5, 5% noise, ε=.2), whose features have two values, and
Gaussian features with a noisy linear label (ε=.3), which no solver finds easy: all pairs differ. Weights of the true
function are positive, so that HiGHS need not have the negatives of the features, which ours has; both find the same
value. The gap is 1e-6 throughout. Run it on an idle machine: python benchmarks/margins.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from harness import Row, least_seconds, machine, peak_growth, show, write
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

sys.path.insert(0, str(Path(__file__).parents[1]))
import rankwise as rw
from benchmarks.papers.suehiro_data import r_of_k
from tests.reference.margin_programs import soft_over_pairs

GAP = 1e-6
LIMIT = 60.0  # seconds of PDLP; its value is then NaN, and its time a lower bound
Data = tuple[NDArray[np.float32], NDArray[np.int64]]
Found = tuple[list[Row], dict[str, Any]]


def two_valued(rows: int) -> Data:
    made = r_of_k(rows, "5:5", 3, 0.05, seed=0, k=10)
    return made.X.astype(np.float32), made.y


def gaussian(rows: int) -> Data:
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, 100), dtype=np.float32)
    w = np.abs(random.standard_normal(100)) * (random.random(100) < 0.5)
    scores = X @ w + 0.3 * np.linalg.norm(w) * random.standard_normal(rows)
    return X, (scores > 0).astype(np.int64)


DATA: dict[str, tuple[Callable[[int], Data], float]] = {"r-of-k": (two_valued, 0.2), "Gaussian": (gaussian, 0.3)}


def ours(method: str, epsilon: float, data: Data) -> rw.MarginRanker:
    return rw.MarginRanker(epsilon=epsilon, method=method, tol=GAP).fit(*data)


def scaled(X: NDArray[Any]) -> NDArray[np.float64]:
    low, high = X.min(axis=0).astype(float), X.max(axis=0).astype(float)
    return (X - (low + high) / 2) / ((high - low) / 2)


def explicit_pairs(epsilon: float, data: Data) -> float:
    H, y = scaled(data[0]), data[1]
    plus, minus = H[y == 1], H[y == 0]
    return soft_over_pairs(plus, minus, epsilon * len(plus) * len(minus)).value


def pdlp(epsilon: float, data: Data, limit: float = LIMIT) -> float:
    """Suehiro 2011 (8) by HiGHS's PDLP, on one core as ours may use two: its CPU time is what counts."""
    H, y = scaled(data[0]), data[1]
    sign = np.where(y == 1, 1.0, -1.0)
    rows, N = H.shape
    nu = np.where(y == 1, np.sqrt(epsilon) * (y == 1).sum(), np.sqrt(epsilon) * (y == 0).sum())
    # ρ − ξ_i − s_i (α·h_i + b) <= 0, and Σα = 1
    A = sp.hstack([sp.csc_matrix(-sign[:, None] * H), np.ones((rows, 1)), -sign[:, None], -sp.eye(rows)], format="csc")
    simplex = sp.csc_matrix(np.concatenate([np.ones(N), np.zeros(2 + rows)])[None])
    matrix = sp.vstack([A, simplex], format="csc")
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = matrix.shape[1], matrix.shape[0]
    model.col_cost_ = np.concatenate([np.zeros(N), [-1.0, 0.0], 0.5 / nu])
    free = highspy.kHighsInf
    model.col_lower_ = np.concatenate([np.zeros(N), [-free, -free], np.zeros(rows)])
    model.col_upper_ = np.full(matrix.shape[1], free)
    model.row_lower_ = np.append(np.full(rows, -free), 1.0)
    model.row_upper_ = np.append(np.zeros(rows), 1.0)
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    engine = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("solver", "pdlp"),
        ("pdlp_optimality_tolerance", GAP),
        ("time_limit", limit),
    ):
        engine.setOptionValue(option, value)
    engine.passModel(model)
    engine.run()
    stopped = engine.getModelStatus() != highspy.HighsModelStatus.kOptimal
    return float("nan") if stopped else -engine.getInfo().objective_function_value


def against(
    case: str, tasks: dict[str, Any], repeats: dict[str, int], bars: dict[str, float]
) -> tuple[list[Row], dict]:
    """Times of all, and the value that each program was found to have."""
    values: dict[str, float] = {}

    def timed(name: str, task: Callable[[], Any]) -> None:
        found = task()
        if isinstance(found, rw.MarginRanker):
            values[name], values[f"{name} gap"] = found.certificate_.value, found.certificate_.gap
        elif isinstance(found, float):
            values[name] = found

    seconds = least_seconds({n: partial(timed, n, t) for n, t in tasks.items()}, repeats, time.perf_counter)
    mine = {name: s for name, s in seconds.items() if name.startswith("rankwise")}
    rows = []
    for name, s in seconds.items():
        for own in mine if name not in mine else ():
            rows.append(Row(f"{case}: {own.removeprefix('rankwise ')}", name, s, s / mine[own], bars.get(name)))
    rows += [Row(case, name, s, 1.0) for name, s in mine.items()]
    return rows, {"case": case, "values": values}


def memory(kind: str, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Bytes that a fit takes beyond its data, a row."""
    make, epsilon = DATA[kind]
    found = []
    for size in sizes:
        data = make(size)
        for method in ("pairs", "reduced"):
            grown = peak_growth(partial(ours, method, epsilon, data))
            found.append({"data": kind, "method": method, "rows": size, "bytes_a_row": grown / size})
            print(found[-1], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs; nothing is written")
    quick = parser.parse_args().quick
    pairs_at, many = (100, 300) if quick else (500, 1500), 20_000 if quick else 1_000_000
    rows: list[Row] = []
    told = []

    def take(found: Found) -> None:
        found[1]["values"] = {name: None if v != v else v for name, v in found[1]["values"].items()}  # NaN is no JSON
        rows.extend(found[0])
        told.append(found[1])
        show(found[0], found[1]["case"])

    for kind, (make_one, its) in DATA.items():
        for method in ("pairs", "reduced"):  # compiles what there is to compile
            ours(method, its, make_one(400))
        small, large = make_one(pairs_at[0]), make_one(pairs_at[1])
        tasks = {f"rankwise pairs, m={pairs_at[1]}": partial(ours, "pairs", its, large),
                 f"rankwise pairs, m={pairs_at[0]}": partial(ours, "pairs", its, small),
                 f"HiGHS, explicit pairs, m={pairs_at[0]}": partial(explicit_pairs, its, small)}  # fmt: skip
        if kind == "Gaussian" and not quick:
            tasks.popitem()  # HiGHS does not end within nine minutes
        repeats = {name: 5 if name.startswith("rankwise") else 1 for name in tasks}
        take(against(f"{kind}, all pairs", tasks, repeats, {f"HiGHS, explicit pairs, m={pairs_at[0]}": 1000.0}))
    for size in (2_000,) if quick else (10_000, 100_000):
        for kind, (make_one, its) in DATA.items():
            data = make_one(size)
            tasks = {"rankwise reduced": partial(ours, "reduced", its, data), "HiGHS PDLP": partial(pdlp, its, data)}
            take(against(f"{kind}, {size} rows", tasks, {"rankwise reduced": 3, "HiGHS PDLP": 1}, {"HiGHS PDLP": 10.0}))
    for kind, (make_one, its) in DATA.items():
        data = make_one(many)
        tasks = {f"rankwise {method}": partial(ours, method, its, data) for method in ("pairs", "reduced")}
        tasks["LinearSVC"] = partial(LinearSVC().fit, *data)
        take(against(f"{kind}, {many} rows", tasks, dict.fromkeys(tasks, 2) | {"LinearSVC": 1}, {"LinearSVC": 1.0}))
    sizes = (10_000, 20_000) if quick else (250_000, 500_000, 1_000_000)
    results = {"machine": machine("highspy"), "gap": GAP, "rows": [row.to_dict() for row in rows], "values": told,
               "memory": memory("Gaussian", sizes)}  # fmt: skip
    if not quick:
        write("margins", results)


if __name__ == "__main__":
    main()
