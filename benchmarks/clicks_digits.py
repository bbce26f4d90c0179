"""Where `position=` does not pay: few clicks per document, shown by a ranker that is good, or that knows nothing.

    python benchmarks/clicks_digits.py [--seeds 3] [--sessions 10]

On `rw.load_example("digits")` lists are shown by the sum of all pixel differences, which is nearly as good as a model
of the true labels, or by one pixel, which puts documents in next to random places: raw clicks are then hardly wrong,
and weighing them by 1/θ costs precision. "known" has the true propensities as weights. p is of a paired t-test over
the test queries, against the same engine on raw clicks, of means over seeds.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import lightgbm as lgb
import numpy as np
from harness import machine, write
from numpy.typing import NDArray
from scipy.stats import ttest_rel

import rankwise as rw
from rankwise.data import ClickLog, simulate_clicks

ROUNDS, RATE, LEAVES = 60, 0.1, 15
Scores = NDArray[np.float64]
SHOWN_BY = {
    "the sum of all pixel differences": lambda X: -X.sum(axis=1),
    "one pixel": lambda X: -X[:, 28],
}


def ours(X: Scores, log: ClickLog, rows: Any, **more: Any) -> tuple[Scores, Any]:
    model = rw.LambdaMART(
        "ndcg@10", n_estimators=ROUNDS, learning_rate=RATE, num_leaves=LEAVES, random_state=0, n_jobs=1
    )
    model.fit(X, log.clicked, qid=log.session, **more)
    return model.predict(rows), model.propensities_


def lightgbm(X: Scores, log: ClickLog, rows: Any, position: Any = None) -> tuple[Scores, Any]:
    given = {
        "objective": "lambdarank", "learning_rate": RATE, "num_leaves": LEAVES, "num_threads": 1, "seed": 0,
        "verbose": -1,
    }  # fmt: skip
    data = lgb.Dataset(X, log.clicked, group=np.bincount(log.session), position=position, params=given)
    return np.asarray(lgb.train(given, data, ROUNDS).predict(rows)), None


MODELS = {
    "rankwise, raw clicks": ours,
    "rankwise, position=": lambda X, log, rows: ours(X, log, rows, position=log.position),
    "rankwise, known": lambda X, log, rows: ours(
        X, log, rows, sample_weight=np.where(log.clicked > 0, 1.0 / log.propensities[log.position - 1], 1.0)
    ),
    "LightGBM, raw clicks": lightgbm,
    "LightGBM, position=": lambda X, log, rows: lightgbm(X, log, rows, position=log.position - 1),
}


def ndcg(test: rw.RankingData, scores: Scores) -> Scores:
    return rw.evaluate(test.y, scores, test.qid, "ndcg@10").per_query["ndcg@10"]


def measure(shown_by: str, sessions: int, seeds: int) -> dict[str, Any]:
    train, test = rw.load_example("digits")
    values: dict[str, list[Scores]] = {name: [] for name in MODELS}
    clicks, errors = [], []
    for seed in range(seeds):
        log = simulate_clicks(train, SHOWN_BY[shown_by](train.X), sessions=sessions, seed=seed)
        clicks.append(int(log.clicked.sum()))
        for name, fit in MODELS.items():
            scores, propensities = fit(train.X[log.rows], log, test.X)
            values[name].append(ndcg(test, scores))
            if propensities is not None:
                errors.append(float(np.abs(propensities / log.propensities - 1.0).max()))
        print(shown_by, seed, {name: round(float(of[-1].mean()), 4) for name, of in values.items()}, flush=True)
    means = {name: np.mean(of, axis=0) for name, of in values.items()}
    models = {}
    for name, mine in means.items():
        raw = means[f"{name.split(',')[0]}, raw clicks"]
        models[name] = {"ndcg@10": float(mine.mean()), "above raw": float((mine - raw).mean())}
        if mine is not raw:
            models[name]["p"] = float(ttest_rel(mine, raw).pvalue)
    shown = float(ndcg(test, SHOWN_BY[shown_by](test.X)).mean())
    return {"shown": shown, "clicks": clicks, "propensity_error": errors, "models": models}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sessions", type=int, default=10)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    lists = {shown_by: measure(shown_by, asked.sessions, asked.seeds) for shown_by in SHOWN_BY}
    write("clicks_digits", {"machine": machine(), **vars(asked), "shown_by": lists})


if __name__ == "__main__":
    main()
