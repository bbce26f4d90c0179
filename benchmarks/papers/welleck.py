"""Welleck 2016 on MQ2008: does training on AUC or MAUC pay in AUC or MAUC, against training on NDCG?

    python benchmarks/papers/welleck.py [--data ../shared/data/MQ2008]

Five folds as published; the learning rate is picked on the validation part from Welleck 2016's grid; early stopping on
the metric that is trained on. Every test query is judged once, so that the 784 values of two models are paired. MQ2008
is part of
LETOR 4.0 and comes with the project's shared data; it is not in the repository.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import machine, write

import rankwise as rw

TRAINED_ON = ("auc", "mauc", "ndcg@10")
RATES = (0.1, 0.25, 0.5, 0.9)  # Welleck 2016 section 5
ROUNDS = 150
JUDGED = ("auc", "mauc", "auc[1]", "auc[2]", "map", "ndcg@10")
PRECISIONS = tuple(f"p-micro@{k}" for k in range(1, 11))  # Welleck 2016's macro precision is the same number
PUBLISHED = {"mauc": "0.734 (SVM-Perf 0.737)", "map, empty=0": "0.474 (SVM-Perf 0.458)"}


def scores_of(parts: list[rw.RankingData], metric: str) -> tuple[NDArray[np.float64], list[float]]:
    """Scores for all parts, each by the model of the fold in which it is the test part; and the rates picked."""
    scores, picked = [np.empty(0)] * 5, []
    for fold in range(5):
        train = [parts[(fold + step) % 5] for step in (0, 1, 2)]
        valid, test = parts[(fold + 3) % 5], (fold + 4) % 5
        X, y = np.concatenate([part.X for part in train]), np.concatenate([part.y for part in train])
        qid = np.concatenate([part.qid for part in train])
        models = []
        for rate in RATES:
            settings = {"n_estimators": ROUNDS, "learning_rate": rate, "num_leaves": 15, "split_noise": 0.0}
            model = rw.LambdaMART(metric, surrogate="swap", random_state=0, **settings)
            models.append(model.fit(X, y, qid=qid, eval_set=(valid.X, valid.y, valid.qid)))
        best = max(models, key=lambda model: model.best_score_)
        picked.append(best.learning_rate)
        scores[test] = best.predict(parts[test].X)
    return np.concatenate(scores), picked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(shared) / "MQ2008", help="folder with S1.txt to S5.txt")
    folder = parser.parse_args().data
    parts = [rw.read(folder / f"S{part}.txt") for part in range(1, 6)]
    whole = rw.read(*(folder / f"S{part}.txt" for part in range(1, 6)))
    scores, rates = {}, {}
    for metric in TRAINED_ON:
        scores[metric], rates[metric] = scores_of(parts, metric)
    comparison = rw.compare(whole.y, scores, whole.qid, [*JUDGED, *PRECISIONS])
    table = Table(title="MQ2008, 5 folds, 784 queries: mean and 95% interval over queries")
    for column in ("judged by", *(f"trained on {metric}" for metric in TRAINED_ON), "published, LambdaMART-MAUC"):
        table.add_column(column)
    results: dict[str, dict[str, object]] = {}
    for judged in (*JUDGED, *PRECISIONS):
        cells = []
        for metric in TRAINED_ON:
            low, high = comparison.evaluations[metric].interval(judged)
            mean = comparison.evaluations[metric][judged]
            results.setdefault(judged, {})[metric] = {"mean": mean, "interval": [low, high]}
            cells.append(f"{mean:.4f}  {low:.4f}–{high:.4f}")
        table.add_row(judged, *cells, PUBLISHED.get(judged, ""))
    # LETOR's own script, and so very likely Welleck 2016, counts per query without a relevant document as 0.
    zero = {m: rw.evaluate(whole.y, scores[m], whole.qid, "map", empty="0")["map"] for m in TRAINED_ON}
    results["map, empty=0"] = dict(zero)
    table.add_row("map, empty=0", *(f"{zero[m]:.4f}" for m in TRAINED_ON), PUBLISHED["map, empty=0"])
    Console(width=130).print(table)
    tests = [test for test in comparison.tests if test.metric in JUDGED]
    for test in tests:
        low, high = test.interval
        print(
            f"{test.metric:8} trained on {test.a} − on {test.b}: {test.difference:+.4f} ({low:+.4f} to {high:+.4f}), "
            f"Fisher p {test.fisher_p:.4f}, won {test.wins} tied {test.ties} lost {test.losses}"
        )
    write(
        "welleck",
        {
            "rows": results,
            "learning rates picked": rates,
            "tests": [
                {"metric": t.metric, "a": t.a, "b": t.b, "difference": t.difference, "fisher_p": t.fisher_p}
                for t in tests
            ],
            "left out": {m: comparison.evaluations["auc"].left_out[m].count for m in JUDGED},
            "machine": machine(),
        },
    )


if __name__ == "__main__":
    main()
