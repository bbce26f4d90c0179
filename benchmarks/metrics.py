"""Judging rankings: ours against pytrec_eval, ranx and scikit-learn, interleaved in one run.

    python benchmarks/metrics.py [--quick]

NDCG@10, MAP, MRR and AUC, ties handled, of 10,000 queries × 100 documents and of one list of 10 million. The
peers have no AUC (pytrec_eval, ranx) or no MRR (scikit-learn) and are timed without it, which favours them.
Objects that a peer needs (dictionaries, Qrels, Run) are made outside the clock.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from harness import Row, machine, show, write
from numpy.typing import NDArray

import rankwise as rw

METRICS = ("ndcg@10", "map", "mrr", "auc")


def timed(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def interleaved(tasks: dict[str, Callable[[], object]], repeats: dict[str, int]) -> dict[str, float]:
    """The best time of each task; rounds go over all tasks in turn, so that a slow spell hits every one."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for number in range(max(repeats.values())):
        for name, task in tasks.items():
            if number < repeats[name]:
                times[name].append(timed(task))
    return {name: min(values) for name, values in times.items()}


def many_queries(queries: int, documents: int) -> dict[str, float]:
    """Ties occur in about three quarters of the queries: scores have three decimals."""
    import pytrec_eval
    import ranx
    from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

    rng = np.random.default_rng(0)
    n = queries * documents
    y = rng.choice([0, 1, 2], n, p=[0.8, 0.15, 0.05])
    scores = np.round(rng.normal(size=n) + 0.5 * y, 3)
    qid = np.repeat(np.arange(queries), documents)
    ids = [f"d{i}" for i in range(documents)]
    table_y, table_s = y.reshape(queries, documents), scores.reshape(queries, documents)
    qrels = {f"q{q}": dict(zip(ids, table_y[q].tolist(), strict=True)) for q in range(queries)}
    run = {f"q{q}": dict(zip(ids, table_s[q].tolist(), strict=True)) for q in range(queries)}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "recip_rank"})
    ranx_qrels, ranx_run = ranx.Qrels(qrels), ranx.Run(run)

    def sklearn() -> None:
        for labels, values in zip(table_y, table_s, strict=True):
            relevant = labels > 0
            ndcg_score([labels], [values], k=10)
            average_precision_score(relevant, values)
            roc_auc_score(relevant, values)

    tasks: dict[str, Callable[[], object]] = {
        "rankwise": lambda: rw.evaluate(y, scores, qid, METRICS),
        "pytrec_eval": lambda: evaluator.evaluate(run),
        "ranx": lambda: ranx.evaluate(ranx_qrels, ranx_run, ["ndcg_burges@10", "map", "mrr"]),
        "scikit-learn": sklearn,
    }
    tasks["rankwise"]()
    tasks["ranx"]()  # both compile on their first call
    return interleaved(tasks, {"rankwise": 15, "pytrec_eval": 5, "ranx": 15, "scikit-learn": 1})


def one_list(n: int) -> dict[str, float]:
    """Two in a hundred are relevant; scores as float32, so that ties occur."""
    from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

    rng = np.random.default_rng(1)
    y = (rng.random(n) < 0.02).astype(np.float64)
    scores: NDArray[np.float64] = (rng.normal(size=n) + y).astype(np.float32).astype(np.float64)

    def sklearn() -> None:
        ndcg_score([y], [scores], k=10)
        average_precision_score(y, scores)
        roc_auc_score(y, scores)

    tasks: dict[str, Callable[[], object]] = {
        "rankwise": lambda: rw.evaluate(y, scores, metrics=METRICS),
        "scikit-learn": sklearn,
    }
    rw.evaluate(y[:1000], scores[:1000], metrics=METRICS)
    return interleaved(tasks, {"rankwise": 5, "scikit-learn": 2})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the size, to see that it runs")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")  # ranx's own numba code warns
    cases = {
        "10,000 queries × 100 documents": many_queries(100 if quick else 10_000, 100),
        "one list of 10,000,000": one_list(100_000 if quick else 10_000_000),
    }
    bars = {
        "10,000 queries × 100 documents": {"pytrec_eval": 7.0, "ranx": 9.0, "scikit-learn": 100.0},
        "one list of 10,000,000": {"scikit-learn": 5.0},
    }
    rows = [
        Row(case, name, seconds, seconds / times["rankwise"], bars[case].get(name))
        for case, times in cases.items()
        for name, seconds in times.items()
    ]
    show(rows, "NDCG@10 + MAP + MRR + AUC")
    if not quick:
        write("metrics", {"metrics": list(METRICS), "rows": [row.to_dict() for row in rows], "machine": machine()})


if __name__ == "__main__":
    main()
