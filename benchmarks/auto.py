"""AutoRanker on MQ2008's five folds, one for each metric, against CatBoost YetiRank with its default 1,000 trees.

    python benchmarks/auto.py [--seeds 1] [--max-fits 38] [--with-validation] [--metrics auc] [--json]

AutoRanker is fitted to the three training parts of each fold and chooses by folds of its own; the validation part, on
which CatBoost is stopped, is not shown to it unless `--with-validation` adds it to the training queries (CatBoost does
not get that). Its budget is given in fits, so that the result does not depend on how busy the machine is. CatBoost has
default parameters, and its trees are cut twice: by its own rule (`use_best_model`, by its own metric on the validation
part), and, as it would be used by someone who knows the metric, at the best of every tenth round by the judged metric
on the validation part. CPU seconds are those of fitting alone, one thread, summed over the five folds, mean over seeds;
fits of both take turns, since a busy machine slows whatever runs on it. Differences are over the test queries (a
query's values averaged over seeds), with Fisher's randomization test. Every finished fit is kept in the folder of
`--cache`, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import machine, write
from lambdamart import Fold, folds_of_mq2008
from rich.console import Console
from rich.table import Table

import rankwise as rw
from rankwise.metrics.comparison._statistics import fisher_randomization

JUDGED = ("ndcg@10", "map", "auc")
EVERY = 10  # rounds between values of the judged metric
OURS, PEER, CUT = "AutoRanker", "CatBoost, stopped by itself", "CatBoost, cut by the judged metric"
Record = dict[str, Any]


def per_query(test: rw.RankingData, scores: Any, metric: str) -> list[float]:
    return rw.evaluate(test, scores, metrics=metric).per_query[metric].tolist()


def auto(fold: Fold, metric: str, seed: int, max_fits: int | None, with_validation: bool) -> Record:
    train = fold.train
    if with_validation:
        parts = (train, fold.valid)
        X, y, qid = (np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y", "qid"))
        train = rw.RankingData(X, y, qid)
    start = time.process_time()
    model = rw.AutoRanker(metric, max_fits=max_fits, random_state=seed, n_jobs=1).fit(train)
    cpu = time.process_time() - start
    return {
        "values": per_query(fold.test, model.predict(fold.test), metric),
        "cpu_seconds": cpu,
        "held_out": model.best_score_,
        "members": model.weights_,
        "leaderboard": model.leaderboard_.to_dict(),
    }


def catboost(fold: Fold, seed: int) -> Record:
    import catboost as library

    def pool(data: rw.RankingData) -> Any:
        return library.Pool(data.X, data.y, group_id=data.groups.query_of_row())

    model = library.CatBoost(
        {"loss_function": "YetiRank", "random_seed": seed, "thread_count": 1, "logging_level": "Silent"}
        | {"allow_writing_files": False}
    )
    start = time.process_time()
    model.fit(pool(fold.train), eval_set=pool(fold.valid), use_best_model=False)
    cpu = time.process_time() - start
    stopped = int(model.get_best_iteration()) + 1  # where use_best_model cuts
    record: Record = {"cpu_seconds": cpu, "trees": model.tree_count_, "stopped": stopped, PEER: {}, CUT: {}, "cut": {}}
    staged = {name: list(model.staged_predict(data.X, eval_period=EVERY)) for name, data in judged_parts(fold).items()}
    own = model.predict(fold.test.X, ntree_end=stopped)
    for metric in JUDGED:
        on_valid = [rw.evaluate(fold.valid, scores, metrics=metric)[metric] for scores in staged["valid"]]
        best = int(np.argmax(on_valid))
        record["cut"][metric] = (best + 1) * EVERY
        record[PEER][metric] = per_query(fold.test, own, metric)
        record[CUT][metric] = per_query(fold.test, staged["test"][best], metric)
    return record


def judged_parts(fold: Fold) -> dict[str, rw.RankingData]:
    return {"valid": fold.valid, "test": fold.test}


def kept(folder: Path, name: str, make: Callable[[], Record]) -> Record:
    """What was made under this name, now or in an earlier run."""
    path = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"
    if path.exists():
        return json.loads(path.read_text())["record"]
    record = make()
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps({"name": name, "record": record}))
    unfinished.replace(path)
    Console(stderr=True).print(f"{name}: {record['cpu_seconds']:.1f} CPU s", highlight=False)
    return record


def measure(folds: list[Fold], options: argparse.Namespace) -> list[Record]:
    def auto_record(place: int, metric: str, seed: int) -> Record:
        name = f"auto {metric} fold {place} seed {seed} fits {options.max_fits} validation {options.with_validation}"
        return kept(
            options.cache, name, lambda: auto(folds[place], metric, seed, options.max_fits, options.with_validation)
        )

    def peer_record(place: int, seed: int) -> Record:
        return kept(options.cache, f"catboost fold {place} seed {seed}", lambda: catboost(folds[place], seed))

    seeds, places, judged = range(options.seeds), range(len(folds)), options.metrics.split()
    for seed in seeds:
        for place in places:  # in turns: what is asked for again below is kept
            for metric in judged:
                auto_record(place, metric, seed)
            peer_record(place, seed)
    ours = {metric: [[auto_record(place, metric, seed) for place in places] for seed in seeds] for metric in judged}
    peers = [[peer_record(place, seed) for place in places] for seed in seeds]
    rows = []
    peer_cpu = float(np.mean([sum(record["cpu_seconds"] for record in of_seed) for of_seed in peers]))
    for metric in judged:
        mine = [np.concatenate([record["values"] for record in of_seed]) for of_seed in ours[metric]]
        cpu = float(np.mean([sum(record["cpu_seconds"] for record in of_seed) for of_seed in ours[metric]]))
        mean = np.mean(mine, axis=0)
        row: Record = {
            "metric": metric,
            OURS: float(np.nanmean(mean)),
            "cpu_seconds": cpu,
            "CatBoost cpu_seconds": peer_cpu,
            "members": [[list(record["members"]) for record in of_seed] for of_seed in ours[metric]],
            "held_out": float(np.mean([record["held_out"] for of_seed in ours[metric] for record in of_seed])),
        }
        for peer in (PEER, CUT):
            its = np.mean([np.concatenate([record[peer][metric] for record in of_seed]) for of_seed in peers], axis=0)
            both = ~np.isnan(mean) & ~np.isnan(its)
            row[peer] = {
                "mean": float(np.nanmean(its)),
                "difference": float(np.mean(mean[both] - its[both])),
                "fisher_p": fisher_randomization(mean[both], its[both], random_state=0),
            }
        rows.append(row)
    return rows


def report(rows: list[Record]) -> None:
    table = Table(title="MQ2008, 5 folds: mean over test queries; in brackets AutoRanker's lead and its p")
    for column in ("metric", OURS, PEER, CUT, "CPU s", "CatBoost's CPU s"):
        table.add_column(column)
    for row in rows:
        peers = [
            f"{row[peer]['mean']:.4f} ({row[peer]['difference']:+.4f}, {row[peer]['fisher_p']:.3f})"
            for peer in (PEER, CUT)
        ]
        cpu = (f"{row['cpu_seconds']:.1f}", f"{row['CatBoost cpu_seconds']:.1f}")
        table.add_row(row["metric"], f"{row[OURS]:.4f}", *peers, *cpu)
    Console(width=150).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=shared / "MQ2008", help="folder with S1.txt to S5.txt")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--max-fits", type=int, default=38, help="fits of candidates, those to all rows included")
    parser.add_argument(
        "--with-validation", action="store_true", help="train AutoRanker on the validation part as well"
    )
    parser.add_argument("--metrics", default=" ".join(JUDGED), help="those judged, with spaces between")
    parser.add_argument("--cache", type=Path, default=Path("out/auto"), help="folder that finished fits are kept in")
    parser.add_argument("--json", action="store_true", help="write results/auto.json, or auto-validation.json")
    options = parser.parse_args()
    rows = measure(folds_of_mq2008(options.data), options)
    report(rows)
    if options.json:
        settings = {"seeds": options.seeds, "max_fits": options.max_fits, "with_validation": options.with_validation}
        name = "auto-validation" if options.with_validation else "auto"
        write(name, {**settings, "rows": rows, "machine": machine("catboost")})


if __name__ == "__main__":
    main()
