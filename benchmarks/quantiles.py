"""What quantiles of features give a RankSVM: beside the plain one, LambdaMART and LightGBM, on five data sets.

    python benchmarks/quantiles.py [--only mq2008 web]

Data, stops and judgements are those of it_pays.py: C (of RankSVM, among four values) or the number of rounds is chosen
on the validation queries for each judged metric, and the test queries are judged there. Queries are pooled over folds;
of digits, each of five draws has its own. Tests are paired over queries, against the RankSVM with quantiles.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import harness
import numpy as np
from it_pays_data import DATA, fold_of
from it_pays_models import Staged, lambdamart, lightgbm
from it_pays_runs import best_stops, judged_at

import rankwise as rw
from rankwise.kernels._threads import limit_threads
from rankwise.kernels._tiers import compiled_always
from rankwise.metrics.comparison._statistics import paired_t

METRICS = ("ndcg@10", "map", "auc")
DRAWS = 5


def ranksvm(train: rw.RankingData, seed: int, **settings: Any) -> Staged:
    models = [rw.RankSVM(C=C, **settings).fit(train) for C in (0.01, 0.1, 1.0, 10.0)]
    return lambda X: (model.predict(X) for model in models)


MODELS = {
    "RankSVM, quantiles": partial(ranksvm, quantiles=True),
    "RankSVM": ranksvm,
    "LambdaMART, NDCG@10": lambdamart("ndcg@10"),
    "LightGBM lambdarank": lightgbm("lambdarank"),
}


def row_of(data: str, shared: Path) -> dict[str, Any]:
    numbers = range(DRAWS) if DATA[data].draws else range(DATA[data].folds)
    values: dict[str, dict[str, list[Any]]] = {name: {metric: [] for metric in METRICS} for name in MODELS}
    seconds: dict[str, list[float]] = {name: [] for name in MODELS}
    for number in numbers:
        fold = fold_of(data, shared, number)
        for name, fit in MODELS.items():
            start = time.process_time()
            staged = fit(fold.part, 0)
            seconds[name].append(time.process_time() - start)
            judged = judged_at(staged, fold.test, best_stops(staged, fold.valid, METRICS))
            for metric in METRICS:
                values[name][metric].append(judged[metric])
    models = []
    for name, by_metric in values.items():
        judged = {}
        for metric, parts in by_metric.items():
            own, ours = (np.concatenate(listed) for listed in (parts, values["RankSVM, quantiles"][metric]))
            known = ~np.isnan(own)
            p = None if own is ours or np.array_equal(own, ours, equal_nan=True) else paired_t(own[known], ours[known])
            judged[metric] = {"mean": float(own[known].mean()), "p": p}
        models.append({"model": name, "judged": judged, "cpu_seconds": float(np.median(seconds[name]))})
        print(DATA[data].name, models[-1], flush=True)
    return {"data": DATA[data].name, "rows_trained_on": len(fold.part.y), "models": models}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[2] / "shared" / "data")))
    parser.add_argument("--data", type=Path, default=shared, help="folder with MQ2008, MSLR-sample and lightgbm-rank")
    parser.add_argument("--only", nargs="+", choices=list(DATA), default=list(DATA), help="some of the data sets")
    options = parser.parse_args()
    with limit_threads(1), compiled_always():
        rows = [row_of(data, options.data) for data in options.only]
    if options.only == list(DATA):
        harness.write("quantiles", {"draws": DRAWS, "rows": rows, "machine": harness.machine()})


if __name__ == "__main__":
    main()
