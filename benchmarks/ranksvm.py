"""RankSVM and AUCSVM: quality on MQ2008, time against LinearSVC, memory.

    python benchmarks/ranksvm.py [--only PART]

- quality: five folds as published; C is chosen on the validation part, by MAP (by MAUC for AUCSVM), or by rotation:
  by the mean MAP where each of the four parts that do not test is held out in turn. MAP is that of LETOR's script, as a
  mean over folds. The ways to weigh queries are compared, features with and without their quantiles, and LinearSVC on
  200 pairs of each query drawn at random, with several seeds.
- pairs: the training part of fold 1, and web-search-like data of 1,000 queries, its features standardized, against
  LinearSVC on pairs written out (making them included): at most 200 of each query, and all of them where they are few
  enough, which is the very problem that we solve.
- rows, scaled-rows: a million rows of 100 features, two classes, one list or lists of 100, against LinearSVC on the
  same rows; both at their defaults. Its C is that of a sum over rows, so that we are also run with C times the number
  of rows.
- sparse: a million rows of 50,000 features in CSR.
- memory: the growth of resident memory while fitting, beyond the data.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from harness import RESULTS, Row, least_seconds, machine, peak_growth, show, write
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import LinearSVC

import rankwise as rw
from rankwise.data import web
from rankwise.kernels._tiers import compiled_always

GRID = [10.0 ** (k / 2) for k in range(-4, 7)]
PAIRS = 200
PER_PAIR = 1e-4  # LinearSVC's C where times are taken: among those that are chosen
BAR_MAP, BAR_PAIRS = 0.482, 20.0
PUBLISHED_AS = {
    "published": {
        "RankSVM, LETOR 4.0": 0.470,
        "RankSVM, re-run by JasonWyse/letor40": 0.472,
        "SVM-Perf, Welleck 2016, MAUC": 0.737,
    }
}
Array = NDArray[np.float64]


def folds(folder: Path) -> Iterator[tuple[rw.RankingData, rw.RankingData, rw.RankingData]]:
    parts = [folder / f"S{part}.txt" for part in range(1, 6)]
    for f in range(5):
        yield rw.read(*(parts[(f + s) % 5] for s in range(3))), rw.read(parts[(f + 3) % 5]), rw.read(parts[(f + 4) % 5])


def written_out(data: rw.RankingData, most: int | None, seed: int = 0) -> Array:
    """Differences of the pairs of each query, at most so many; and the sign that each is given in turn."""
    rng, found = np.random.default_rng(seed), []
    offsets = data.groups.offsets
    X, y = data.groups.grouped(np.asarray(data.X, dtype=np.float64)), data.groups.grouped(data.y)
    for start, stop in pairwise(offsets):
        better, worse = np.nonzero(y[start:stop, None] > y[None, start:stop])
        if most is not None and better.size > most:
            drawn = rng.choice(better.size, most, replace=False)
            better, worse = better[drawn], worse[drawn]
        found.append(X[start + better] - X[start + worse])
    return np.concatenate(found)


def on_pairs(differences: Array, C: float) -> Array:
    """LinearSVC's weights; every other pair is turned round, as it wants two classes."""
    sign = np.where(np.arange(len(differences)) % 2, -1.0, 1.0)
    model = LinearSVC(C=C, fit_intercept=False, dual=False)
    return np.asarray(model.fit(differences * sign[:, None], sign).coef_[0])


def quality(folder: Path) -> list[dict[str, Any]]:
    data = list(folds(folder))
    rows = []

    def judge(name: str, metric: str, fit: Callable[[rw.RankingData, rw.RankingData], tuple[Any, float]]) -> None:
        found, chosen = [], []
        for train, valid, test in data:
            predict, C = fit(train, valid)
            scores = predict(test.X)
            letor = rw.evaluate(test.y, scores, test.qid, "map", convention="letor4")["map"]
            standard = rw.evaluate(test.y, scores, test.qid, ["mauc", "ndcg@10", "auc"])
            found.append([letor, *(standard[name] for name in ("mauc", "ndcg@10", "auc"))])
            chosen.append(C)
        means = dict(zip(("map letor4", "mauc", "ndcg@10", "auc"), np.mean(found, axis=0).tolist(), strict=True))
        rows.append({"model": name, "chosen by": metric, **means, "C": chosen})
        print(name, {key: round(value, 4) for key, value in means.items()}, "C", [f"{C:.2g}" for C in chosen])

    def learned(model: Any) -> tuple[Callable[[Any], Any], float]:
        return model.predict, model.C_

    def ours(model: Any) -> Callable[[rw.RankingData, rw.RankingData], tuple[Any, float]]:
        def fit(train: rw.RankingData, valid: rw.RankingData) -> tuple[Any, float]:
            return learned(clone(model).fit(train.X, train.y, qid=train.qid, eval_set=(valid.X, valid.y, valid.qid)))

        return fit

    def drawn(seed: int) -> Callable[[rw.RankingData, rw.RankingData], tuple[Any, float]]:
        def fit(train: rw.RankingData, valid: rw.RankingData) -> tuple[Any, float]:
            differences, best = written_out(train, PAIRS, seed), (-np.inf, None, 0.0)
            for C in (1e-4, 1e-3, 1e-2, 0.1, 1.0):
                coef = on_pairs(differences, C)
                scores = np.asarray(valid.X, dtype=np.float64) @ coef
                best = max(best, (rw.evaluate(valid.y, scores, valid.qid, "map")["map"], coef, C), key=lambda b: b[0])
            return lambda X: np.asarray(X, dtype=np.float64) @ best[1], best[2]

        return fit

    def rotated(model: Any) -> Callable[[rw.RankingData, rw.RankingData], tuple[Any, float]]:
        def fit(train: rw.RankingData, valid: rw.RankingData) -> tuple[Any, float]:
            number = next(k for k, fold in enumerate(data) if fold[0] is train)
            parts = [folder / f"S{part}.txt" for part in range(1, 6) if part != (number + 4) % 5 + 1]
            totals = np.zeros(len(GRID))
            for part in parts:
                held_out, others = rw.read(part), rw.read(*(other for other in parts if other != part))
                models = [clone(model).set_params(C=C).fit(others) for C in GRID]
                totals += [model.score(held_out) for model in models]
            return learned(clone(model).set_params(C=GRID[int(np.argmax(totals))]).fit(train))

        return fit

    for quantiles in (False, True):
        beside = ", quantiles" * quantiles
        judge(f"RankSVM as it comes, C=1{beside}", "nothing", ours(rw.RankSVM("map", quantiles=quantiles)))
        for loss in ("squared_hinge", "hinge"):
            for pair_weighting in ("documents", "queries", "pairs"):
                settings = {"loss": loss, "pair_weighting": pair_weighting, "quantiles": quantiles}
                name = f"RankSVM {loss}, pair_weighting={pair_weighting}{beside}"
                judge(name, "map", ours(rw.RankSVM("map", C=GRID, **settings)))
                if pair_weighting != "pairs":
                    judge(f"{name}, by rotation", "map", rotated(rw.RankSVM("map", **settings)))
    judge("RankSVM, standardize=False", "map", ours(rw.RankSVM("map", C=GRID, standardize=False)))
    for seed in range(5):
        judge(f"LinearSVC on {PAIRS} pairs per query, seed {seed}", "map", drawn(seed))
    for loss in ("hinge", "squared_hinge"):
        judge(f"AUCSVM {loss}", "mauc", ours(rw.AUCSVM("mauc", C=GRID, loss=loss)))
    return rows


def pairs(folder: Path) -> list[dict[str, Any]]:
    mq2008, large = next(folds(folder))[0], standardized(web(1000, 120, seed=0))
    rows = []
    for name, train in (("MQ2008 fold 1", mq2008), ("web", large)):
        few, every = written_out(train, PAIRS), count_pairs(train)
        tasks: dict[str, Callable[[], object]] = {
            "rankwise, all pairs": partial(ours_of_pairs, train, PER_PAIR * every),
            "rankwise as it comes": lambda train=train: rw.RankSVM().fit(train.X, train.y, qid=train.qid),
            f"LinearSVC, {PAIRS} pairs per query": lambda train=train: on_pairs(written_out(train, PAIRS), PER_PAIR),
        }
        if every <= 10**6:
            tasks["LinearSVC, all pairs"] = lambda train=train: on_pairs(written_out(train, None), PER_PAIR)
        with compiled_always():
            tasks["rankwise, all pairs"]()
        repeats = {task: 5 if task.startswith("rankwise") else 3 if every <= 10**6 else 1 for task in tasks}
        seconds = least_seconds(tasks, repeats, time.perf_counter)
        case = f"{name}: {len(train):,} rows × {train.n_features}, {len(few):,} or all {every:,} pairs"
        bars = {f"LinearSVC, {PAIRS} pairs per query": BAR_PAIRS, "LinearSVC, all pairs": BAR_PAIRS}
        rows += timed(case, seconds, "rankwise, all pairs", bars)
    return rows


def standardized(data: rw.RankingData) -> rw.RankingData:
    spread = data.X.std(axis=0)
    return rw.RankingData((data.X - data.X.mean(axis=0)) / np.where(spread > 0, spread, 1), data.y, data.qid)


def count_pairs(data: rw.RankingData) -> int:
    sizes = [np.unique(data.y[data.qid == q], return_counts=True)[1] for q in data.groups.qids]
    return sum((int(n.sum()) ** 2 - int((n**2).sum())) // 2 for n in sizes)


def ours_of_pairs(train: rw.RankingData, C: float) -> Any:
    """The problem that LinearSVC has with all pairs."""
    return rw.RankSVM(C=C, pair_weighting="pairs", standardize=False).fit(train.X, train.y, qid=train.qid)


def one_list(rows: int, features: int = 100) -> tuple[NDArray[np.float32], Array]:
    """Correlated features on different scales; two classes, a third of the rows positive."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features), dtype=np.float32)
    X[:, 1:] += 0.5 * X[:, :-1]
    X *= rng.uniform(0.1, 10, features).astype(np.float32)
    line = X @ (rng.normal(size=features) / X.std(axis=0)).astype(np.float32)
    return X, (2 * line / line.std() + rng.logistic(size=rows) > 1).astype(np.float64)


def rows_of_two_classes(scaled: bool) -> list[dict[str, Any]]:
    X, y = one_list(10**6)
    given = (X - X.mean(axis=0)) / X.std(axis=0) if scaled else X
    del X
    qid = np.arange(len(y)) // 100
    for lists in (None, qid[:50_000]):
        rw.RankSVM("auc").fit(given[:50_000], y[:50_000], qid=lists)  # compiles
    tasks: dict[str, Callable[[], Any]] = {
        "rankwise RankSVM": lambda: rw.RankSVM("auc").fit(given, y),
        "rankwise RankSVM, queries of 100": lambda: rw.RankSVM("auc").fit(given, y, qid=qid),
        "rankwise RankSVM, C=1e6": lambda: rw.RankSVM("auc", C=1e6).fit(given, y),
        "rankwise AUCSVM (hinge)": lambda: rw.AUCSVM().fit(given, y),
        "LinearSVC": lambda: LinearSVC().fit(given, y),
    }
    seconds, aucs = {}, {}
    for name, task in tasks.items():
        start = time.perf_counter()
        model = task()
        seconds[name] = time.perf_counter() - start
        aucs[name] = rw.evaluate(y, given @ model.coef_.ravel(), None, "auc")["auc"]
    case = f"1,000,000 rows × 100, two classes, one list, features {'standardized' if scaled else 'on any scale'}"
    rows = timed(case, seconds, "rankwise RankSVM", {"LinearSVC": 1.0})
    print({name: round(value, 6) for name, value in aucs.items()})
    return [row | {"auc on the training rows": aucs[row["name"]]} for row in rows]


def texts(rows: int, columns: int = 50_000, words: int = 50) -> tuple[sp.csr_matrix, Array]:
    """Rows of words by Zipf's law, weighed by how rare they are, of length 1."""
    rng = np.random.default_rng(0)
    chance = np.cumsum(1.0 / np.arange(1, columns + 1))
    found = np.searchsorted(chance / chance[-1], rng.random(rows * words)).astype(np.int32)
    X = sp.csr_matrix((np.ones(found.size), found, np.arange(0, found.size + 1, words)), shape=(rows, columns))
    X.sum_duplicates()
    rare = np.log(rows / np.maximum(1, np.bincount(X.indices, minlength=columns)))
    X.data = (1.0 + np.log(X.data)) * rare[X.indices]
    X.data /= np.repeat(np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])), np.diff(X.indptr))
    line = X @ (rng.normal(size=columns) * (rng.random(columns) < 0.2))
    return X, (2 * line / line.std() + rng.logistic(size=rows) > 2).astype(np.float64)


def sparse() -> list[dict[str, Any]]:
    X, y = texts(10**6)
    rw.RankSVM("auc").fit(X[:50_000], y[:50_000])  # compiles
    found = []
    for model in (rw.RankSVM("auc", C=1000.0), rw.AUCSVM(C=1000.0)):
        start = time.perf_counter()
        grown = peak_growth(lambda model=model: model.fit(X, y))
        row = {"model": type(model).__name__, "seconds": time.perf_counter() - start, "growth in MB": grown / 2**20}
        row |= {"auc": model.score(X, y), "steps": model.n_iter_, "relative gap": model.duality_gap_ / model.objective_}
        found.append(row | {"shape": X.shape, "entries": X.nnz, "data in MB": (12 * X.nnz + 4 * X.shape[0]) / 2**20})
        print(found[-1])
    return found


def memory() -> list[dict[str, Any]]:
    found = []
    rw.RankSVM("auc").fit(*one_list(50_000))  # compiles
    for rows in (250_000, 500_000, 10**6):
        X, y = one_list(rows)
        grown = peak_growth(lambda X=X, y=y: rw.RankSVM("auc").fit(X, y))
        found.append({"rows": rows, "data in MB": X.nbytes / 2**20, "growth in MB": grown / 2**20})
        print(found[-1])
    return found


def timed(case: str, seconds: dict[str, float], ours: str, bars: dict[str, float | None]) -> list[dict[str, Any]]:
    rows = [Row(case, name, value, value / seconds[ours], bars.get(name)) for name, value in seconds.items()]
    show(rows, case)
    return [row.to_dict() for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("--data", type=Path, default=shared / "MQ2008", help="folder with S1.txt to S5.txt")
    parts: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
        "quality": quality,
        "pairs": pairs,
        "rows": lambda _: rows_of_two_classes(scaled=False),
        "scaled-rows": lambda _: rows_of_two_classes(scaled=True),
        "sparse": lambda _: sparse(),
        "memory": lambda _: memory(),
    }
    parser.add_argument("--only", choices=list(parts), help="one part; the others stay as they were measured")
    options = parser.parse_args()
    path = RESULTS / "ranksvm.json"
    results = json.loads(path.read_text()) if options.only and path.exists() else {}
    for name in [options.only] if options.only else parts:
        results[name] = {"rows": parts[name](options.data), "machine": machine()}
    write(
        "ranksvm", results | {"bars": {"map letor4": BAR_MAP, "times faster than on pairs": BAR_PAIRS}, **PUBLISHED_AS}
    )


if __name__ == "__main__":
    main()
