"""Training on clicks with position bias, judged by true labels: ours beside LightGBM's and XGBoost's unbiased modes.

    python benchmarks/clicks.py [--seeds 2] [--data ../shared/data/MQ2008] [--confirm]

Clicks are simulated over MQ2008 by the position-based model (`rankwise.data.simulate_clicks`): the ten best documents
of a query are shown by a RankSVM that has seen the labels of five queries, position k is looked at with probability
1/k, a document of grade 0, 1, 2 that is looked at is clicked with probability .1, .4, 1. "few": 20 lists per query;
"many": 100; "fixed": 100, but the list of a query is always the same. Each model is trained on the clicks of the three
training parts of a fold, with the same trees; the number of rounds (up to 150) is the best by NDCG@10 on the labels of
the validation part; figures are of the test part. p is of a paired t-test over all test queries (each the mean over
seeds) against the same engine on raw clicks, and against ours with positions. "known": ours, with each click weighed by
the true propensity. Seconds are of the training call on two threads.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import xgboost as xgb
from harness import RESULTS, machine, write
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import ttest_rel
from sources import confirm

import rankwise as rw
from rankwise.data import ClickLog, simulate_clicks

ROUNDS, STEP, RATE, LEAVES = 150, 10, 0.05, 15
JUDGED = ("ndcg@10", "map")
# lists per query, how far chance moves documents
SETTINGS = {"few": (20, 0.3), "many": (100, 0.3), "fixed": (100, 0.0)}
CONFIRMED = "few"  # the log that stands for all when figures are confirmed
LABELLED = 5  # queries that the ranker which shows the lists has learned from
Staged = Callable[[Any, int], NDArray[np.float64]]  # scores by so many rounds
Scores = NDArray[np.float64]


def ours(X: Scores, log: ClickLog, position: Any = None, weight: Any = None) -> tuple[Staged, Any]:
    model = rw.LambdaMART("ndcg@10", n_estimators=ROUNDS, learning_rate=RATE, num_leaves=LEAVES, random_state=0)
    model.fit(X, log.clicked, qid=log.session, position=position, sample_weight=weight)

    def staged(rows: Any, rounds: int) -> Scores:
        return np.asarray(model.boosters_[0].predict(rows, num_iteration=rounds, raw_score=True))

    return staged, model.propensities_


def lightgbm(X: Scores, log: ClickLog, position: Any = None) -> tuple[Staged, Any]:
    given = {
        "objective": "lambdarank", "learning_rate": RATE, "num_leaves": LEAVES, "num_threads": 2, "seed": 0,
        "verbose": -1,
    }  # fmt: skip
    data = lgb.Dataset(X, log.clicked, group=np.bincount(log.session), position=position, params=given)
    booster = lgb.train(given, data, ROUNDS)
    return lambda rows, rounds: np.asarray(booster.predict(rows, num_iteration=rounds)), None


def xgboost(X: Scores, log: ClickLog, unbiased: bool) -> tuple[Staged, Any]:
    """Positions are those of the rows in their group, as ours are in the log."""
    given = {
        "objective": "rank:ndcg", "eta": RATE, "max_leaves": LEAVES, "max_depth": 0, "grow_policy": "lossguide",
        "tree_method": "hist", "nthread": 2, "seed": 0, "lambdarank_pair_method": "topk",
        "lambdarank_num_pair_per_sample": 10, "lambdarank_unbiased": unbiased,
    }  # fmt: skip
    booster = xgb.train(given, xgb.DMatrix(X, log.clicked, group=np.bincount(log.session)), ROUNDS)
    told = json.loads(booster.save_config())["learner"]["objective"].get("ti+") if unbiased else None
    found = None if told is None else np.array(told, dtype=float)

    def staged(rows: Any, rounds: int) -> Scores:
        return np.asarray(booster.predict(xgb.DMatrix(rows), iteration_range=(0, rounds)), dtype=np.float64)

    return staged, found


MODELS: dict[str, Callable[[Scores, ClickLog], tuple[Staged, Any]]] = {
    "rankwise, raw clicks": ours,
    "rankwise, position=": lambda X, log: ours(X, log, position=log.position),
    "rankwise, known": lambda X, log: ours(
        X, log, weight=np.where(log.clicked > 0, 1.0 / log.propensities[log.position - 1], 1.0)
    ),
    "LightGBM, raw clicks": lightgbm,
    "LightGBM, position=": lambda X, log: lightgbm(X, log, position=log.position - 1),
    "XGBoost, raw clicks": lambda X, log: xgboost(X, log, unbiased=False),
    "XGBoost, unbiased": lambda X, log: xgboost(X, log, unbiased=True),
}
OURS = "rankwise, position="
RAW = {name: f"{name.split(',')[0]}, raw clicks" for name in MODELS}


def folds(folder: Path) -> Iterator[tuple[rw.RankingData, rw.RankingData, rw.RankingData]]:
    parts = [folder / f"S{number}.txt" for number in range(1, 6)]
    for k in range(5):
        turned = parts[k:] + parts[:k]
        yield rw.read(*turned[:3]), rw.read(turned[3]), rw.read(turned[4])


def shown_by(train: rw.RankingData, seed: int) -> Scores:
    """Scores of the ranker that shows the lists."""
    rng = np.random.default_rng(seed)
    seen = np.isin(train.qid, rng.choice(np.unique(train.qid), LABELLED, replace=False))
    few = train.rows(np.flatnonzero(seen))
    return rw.RankSVM().fit(few.X, few.y, qid=few.qid).predict(train.X)


def best_rounds(staged: Staged, valid: rw.RankingData) -> int:
    values = {
        rounds: rw.evaluate(valid.y, staged(valid.X, rounds), valid.qid, "ndcg@10")["ndcg@10"]
        for rounds in range(STEP, ROUNDS + 1, STEP)
    }
    return max(values, key=lambda rounds: values[rounds])


def measure(setting: str, seeds: int, folder: Path, names: Sequence[str] = tuple(MODELS)) -> dict[str, Any]:
    """All models on all folds and seeds; the models of one log are trained one after the other."""
    sessions, shuffle = SETTINGS[setting]
    values: dict[str, dict[str, list[Scores]]] = {name: {metric: [] for metric in JUDGED} for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    errors: dict[str, list[Scores]] = {name: [] for name in names}
    rows = clicks = 0
    for seed in range(seeds):
        for number, (train, valid, test) in enumerate(folds(folder)):
            log = simulate_clicks(
                train, shown_by(train, 5 * seed + number), sessions=sessions, shuffle=shuffle, seed=5 * seed + number
            )
            X, rows, clicks = train.X[log.rows], log.rows.size, int(log.clicked.sum())
            for name in names:
                start = time.perf_counter()
                staged, found = MODELS[name](X, log)
                seconds[name].append(time.perf_counter() - start)
                scores = staged(test.X, best_rounds(staged, valid))
                result = rw.evaluate(test.y, scores, test.qid, list(JUDGED))
                for metric in JUDGED:
                    values[name][metric].append(result.per_query[metric])
                if found is not None:
                    errors[name].append(np.abs(found / log.propensities - 1.0))
            print(setting, seed, number, flush=True)
    told: dict[str, Any] = {"rows": rows, "clicks": clicks, "sessions": sessions, "shuffle": shuffle, "models": {}}
    for name in names:
        one: dict[str, Any] = {"seconds": float(np.median(seconds[name]))}
        for metric in JUDGED:
            mine, raw = (_by_query(values[which][metric], seeds) for which in (name, RAW[name]))
            known = ~np.isnan(mine)
            one[metric] = float(mine[known].mean())
            one[f"{metric} above raw"] = float((mine - raw)[known].mean())
            one[f"{metric} p"] = None if name == RAW[name] else float(ttest_rel(mine[known], raw[known]).pvalue)
            best = _by_query(values[OURS][metric], seeds)
            one[f"{metric} p against ours"] = (
                None if name == OURS else float(ttest_rel(mine[known], best[known]).pvalue)
            )
        if errors[name]:
            by_position = np.mean(errors[name], axis=0)
            one["propensity_error"] = {
                "mean": float(by_position.mean()),
                "by_position": by_position.tolist(),
                "largest_of_a_run": [float(run.max()) for run in errors[name]],
            }
        told["models"][name] = one
    return told


def _by_query(values: list[Scores], seeds: int) -> Scores:
    """The mean over seeds of each test query of all folds; the folds of a seed come one after the other."""
    return np.mean([np.concatenate(values[5 * seed : 5 * seed + 5]) for seed in range(seeds)], axis=0)


def show(results: dict[str, Any]) -> None:
    for setting, told in results["settings"].items():
        table = Table(
            title=f"{setting}: {told['rows']:,} rows, {told['clicks']:,} clicks a fold, judged by true labels"
        )
        for column in ("model", "NDCG@10", "above raw", "p", "p against ours", "MAP", "largest error of θ", "s"):
            table.add_column(column, justify="left" if column == "model" else "right")
        for name, one in told["models"].items():
            p, p_ours, error = one["ndcg@10 p"], one["ndcg@10 p against ours"], one.get("propensity_error")
            table.add_row(
                name, f"{one['ndcg@10']:.4f}", f"{one['ndcg@10 above raw']:+.4f}", "" if p is None else f"{p:.2g}",
                "" if p_ours is None else f"{p_ours:.2g}",
                f"{one['map']:.4f}", "" if error is None else f"{max(error['by_position']):.1%}",
                f"{one['seconds']:.1f}",
            )  # fmt: skip
        Console(width=110).print(table)


def confirm_figures(folder: Path) -> None:
    """Repeat our models on the log that is cheapest; refuse if they have other values than in the results."""
    results = json.loads((RESULTS / "clicks.json").read_text())
    names = [RAW[OURS], OURS]
    remade = measure(CONFIRMED, results["seeds"], folder, names)
    for name in names:
        for metric in JUDGED:
            figures = [part["models"][name][metric] for part in (results["settings"][CONFIRMED], remade)]
            if not math.isclose(*figures, abs_tol=1e-9):
                raise SystemExit(
                    f"{name} has a {metric} of {figures[1]:.6f}, and of {figures[0]:.6f} in results/clicks.json: "
                    "run clicks.py anew"
                )
    confirm("clicks")
    print("the code of today gives the same figures")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/MQ2008"))
    parser.add_argument(
        "--confirm", action="store_true", help="repeat a part, for results that are older than the code"
    )
    asked = parser.parse_args()
    if asked.confirm:
        confirm_figures(asked.data)
        return
    results: dict[str, Any] = {"machine": machine("xgboost-cpu"), "seeds": asked.seeds, "settings": {}}
    for setting in SETTINGS:
        results["settings"][setting] = measure(setting, asked.seeds, asked.data)
        write("clicks", results)
    show(results)


if __name__ == "__main__":
    main()
