"""Burges 2006 section 6.3: does training on NDCG's λ's pay in NDCG, against RankNet?

    python benchmarks/papers/burges_ndcg.py [--full] [--only cubic]

- Cubic: `rankwise.data.cubic` (50 features, 50 documents per query, 5 grades), linear nets and nets with 10 hidden
nodes,
  NDCG@1 to NDCG@10 on test queries with 95% intervals (bootstrap over queries), as in Burges 2006's figure 2. How much
  the two differ depends on the polynomial that is drawn, so the default takes three, each with 2,000/1,000/4,000
  queries, and puts the test queries together; `--full` is one polynomial with Burges 2006's 10K/5K/10K. Published:
  LambdaRank above RankNet at every level.
- MQ2008, five folds as published: RankNet and LambdaRank with 10 hidden nodes, and LambdaMART; every test query is
  judged once, and Fisher's randomization compares the values of all 784 queries.

RankNet and LambdaRank are `rw.RankNet` and `rw.LambdaRank("ndcg@10")` with the same settings. For each, the net that is
best by NDCG@10 on the validation queries is chosen among the same learning rates and all epochs; on MQ2008, which is
small, also among three random starts. The best LambdaMART is chosen in the same way. Test queries are looked at once.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import RESULTS, machine, write

import rankwise as rw
from rankwise.data import cubic
from rankwise.metrics.comparison._statistics import bootstrap_interval, fisher_randomization, t_interval

matplotlib.use("agg")
import matplotlib.pyplot as plt

CHOSEN_BY = "ndcg@10"
LEVELS = tuple(f"ndcg@{k}" for k in range(1, 11))
EPOCHS = {"cubic": 60, "mq2008": 100}
POLYNOMIALS = 3
STARTS = {"cubic": 1, "mq2008": 3}
CUBIC_RATES, MQ2008_RATES, TREE_RATES = (0.01, 0.03, 0.1), (0.001, 0.003, 0.01, 0.03), (0.03, 0.1)
NETS = {"linear": (), "two layers": (10,)}
TRAINERS = {"RankNet": rw.RankNet, "LambdaRank": rw.LambdaRank}
JUDGED = ("ndcg@10", "ndcg@3", "map", "auc")
Data = rw.RankingData


def best_of(
    kind: Any, rates: tuple[float, ...], starts: int, train: Data, valid: Data, **settings: Any
) -> tuple[Any, float]:
    """The model that is best on the validation queries, and the CPU seconds that all of them took."""
    start = time.process_time()
    fitted = [
        kind(CHOSEN_BY, learning_rate=rate, random_state=seed, **settings).fit(
            train.X, train.y, qid=train.qid, eval_set=(valid.X, valid.y, valid.qid)
        )
        for rate in rates
        for seed in range(starts)
    ]
    return max(fitted, key=lambda model: model.best_score_), time.process_time() - start


def queries(data: Data, first: int, last: int) -> Data:
    of_row = data.groups.query_of_row()
    return data.rows((of_row >= first) & (of_row < last))


def on_cubic(sizes: tuple[int, int, int], polynomials: int, epochs: int) -> dict[str, Any]:
    """Values of all test queries of all polynomials, by net and trainer."""
    a, b, c = (int(end) for end in np.cumsum(sizes))
    values: dict[tuple[str, str], list[NDArray[np.float64]]] = {}
    picked = []
    for seed in range(polynomials):
        made = cubic(queries=c, seed=seed)
        train, valid, test = queries(made, 0, a), queries(made, a, b), queries(made, b, c)
        for net, hidden in NETS.items():
            for name, kind in TRAINERS.items():
                settings = {"hidden": hidden, "epochs": epochs}
                model, seconds = best_of(kind, CUBIC_RATES, STARTS["cubic"], train, valid, **settings)
                found = rw.evaluate(test.y, model.predict(test.X), test.qid, LEVELS)
                values.setdefault((net, name), []).append(np.stack([found.per_query[level] for level in LEVELS]))
                means = {level: found[level] for level in LEVELS}
                row = {"polynomial": seed, "net": net, "trainer": name, "learning rate": model.learning_rate}
                picked.append({**row, "epoch": model.best_iteration_, "means": means, "cpu seconds": seconds})
                print(row, f"NDCG@1 {found['ndcg@1']:.4f}, NDCG@10 {found['ndcg@10']:.4f}", flush=True)
    together = {of: np.concatenate(parts, axis=1) for of, parts in values.items()}
    systems = [
        {"net": net, "trainer": name, "points": [point(level, its) for level, its in zip(LEVELS, found, strict=True)]}
        for (net, name), found in together.items()
    ]
    return {"queries": sizes, "systems": systems, "differences": differences(together), "fits": picked}


def point(level: str, values: NDArray[np.float64]) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    return {"metric": level, "mean": float(known.mean()), "interval": bootstrap_interval(known)}


def differences(values: dict[tuple[str, str], NDArray[np.float64]]) -> list[dict[str, Any]]:
    """LambdaRank minus RankNet on the same queries, by net and level."""
    rows = []
    for net in NETS:
        for level, ours, theirs in zip(LEVELS, values[net, "LambdaRank"], values[net, "RankNet"], strict=True):
            judged = ~np.isnan(ours) & ~np.isnan(theirs)
            mine, its = ours[judged], theirs[judged]
            row = {"net": net, "metric": level, "difference": float(np.mean(mine - its))}
            row |= {"interval": t_interval(mine - its), "fisher_p": fisher_randomization(mine, its)}
            apart = point(level, ours)["interval"][0] > point(level, theirs)["interval"][1]
            rows.append({**row, "above": row["difference"] > 0, "intervals apart": apart})
    return rows


def case(found: dict[str, Any], polynomials: int) -> str:
    sizes = "/".join(f"{size:,}" for size in found["queries"])
    return f"Cubic data, {sizes} queries of each of {polynomials} polynomial{'s' * (polynomials > 1)}"


def show_cubic(found: dict[str, Any], polynomials: int) -> None:
    table = Table(title=f"{case(found, polynomials)}: mean and 95% interval")
    columns = [f"{system['trainer']}, {system['net']}" for system in found["systems"]]
    for column in ("", *columns, *(f"Δ {net}, p" for net in NETS)):
        table.add_column(column)
    for k, metric in enumerate(LEVELS):
        points = [system["points"][k] for system in found["systems"]]
        cells = [f"{p['mean']:.4f} {p['interval'][0]:.4f}–{p['interval'][1]:.4f}" for p in points]
        for row in (row for row in found["differences"] if row["metric"] == metric):
            cells.append(f"{row['difference']:+.4f} {row['fisher_p']:.4f}{' apart' * row['intervals apart']}")
        table.add_row(metric, *cells)
    Console(width=170).print(table)
    for net in NETS:
        mine = [row for row in found["differences"] if row["net"] == net]
        above, apart = (sum(row[key] for row in mine) for key in ("above", "intervals apart"))
        print(f"{net}: LambdaRank above RankNet at {above} of {len(mine)} levels, intervals apart at {apart}")


def picture(found: dict[str, Any], polynomials: int, name: str) -> None:
    figure, panel = plt.subplots(figsize=(7.5, 4.8))
    for system in found["systems"]:
        means = np.array([point["mean"] for point in system["points"]])
        ends = np.array([point["interval"] for point in system["points"]]).T
        style = "-o" if system["trainer"] == "LambdaRank" else "--s"
        colour = "tab:blue" if system["net"] == "linear" else "tab:red"
        label = f"{system['trainer']}, {system['net']}"
        at = np.arange(1, 11)
        panel.errorbar(at, means, np.abs(ends - means), fmt=style, color=colour, capsize=3, ms=4, label=label)
    panel.set(xlabel="truncation level", ylabel="NDCG", xticks=range(1, 11))
    panel.set_title(f"{case(found, polynomials)}, 95% intervals", fontsize=10)
    panel.grid(alpha=0.3)
    panel.legend()
    figure.tight_layout()
    figure.savefig(RESULTS / f"{name}.png", dpi=120)


def on_mq2008(folder: Path, starts: int, epochs: int) -> dict[str, Any]:
    parts = [rw.read(folder / f"S{part}.txt") for part in range(1, 6)]
    values: dict[str, dict[str, list[NDArray[np.float64]]]] = {}
    seconds: dict[str, float] = {}
    nets = {"hidden": (10,), "epochs": epochs}
    tried: dict[str, tuple[Any, tuple[float, ...], dict[str, Any]]] = {
        "RankNet": (rw.RankNet, MQ2008_RATES, nets),
        "LambdaRank": (rw.LambdaRank, MQ2008_RATES, nets),
        "LambdaMART": (rw.LambdaMART, TREE_RATES, {"n_estimators": 150, "num_leaves": 15, "colsample_bytree": 0.9}),
    }
    for fold in range(5):
        train = rw.read(*(folder / f"S{(fold + step) % 5 + 1}.txt" for step in range(3)))
        valid, test = parts[(fold + 3) % 5], parts[(fold + 4) % 5]
        for name, (kind, rates, settings) in tried.items():
            model, took = best_of(kind, rates, starts, train, valid, **settings)
            found = rw.evaluate(test.y, model.predict(test.X), test.qid, JUDGED)
            seconds[name] = seconds.get(name, 0.0) + took
            for metric in JUDGED:
                values.setdefault(name, {}).setdefault(metric, []).append(found.per_query[metric])
    judged = {name: {m: np.concatenate(of[m]) for m in JUDGED} for name, of in values.items()}
    means = {name: {m: float(np.nanmean(of[m])) for m in JUDGED} for name, of in judged.items()}
    tests = []
    for a, b in (("LambdaRank", "RankNet"), ("LambdaMART", "LambdaRank"), ("LambdaMART", "RankNet")):
        for metric in JUDGED:
            pair = np.stack([judged[a][metric], judged[b][metric]])
            first, second = pair[:, ~np.isnan(pair).any(axis=0)]
            row = {"metric": metric, "a": a, "b": b, "difference": float(np.mean(first - second))}
            tests.append({**row, "fisher_p": fisher_randomization(first, second)})
    return {"means": means, "tests": tests, "cpu seconds": seconds}


def show_mq2008(found: dict[str, Any]) -> None:
    table = Table(title="MQ2008, 5 folds, 784 queries: mean over queries")
    for column in ("", *JUDGED):
        table.add_column(column)
    for name, means in found["means"].items():
        table.add_row(name, *(f"{means[metric]:.4f}" for metric in JUDGED))
    for start in range(0, len(found["tests"]), len(JUDGED)):
        rows = found["tests"][start : start + len(JUDGED)]
        cells = (f"{row['difference']:+.4f}, p {row['fisher_p']:.4f}" for row in rows)
        table.add_row(f"{rows[0]['a']} − {rows[0]['b']}", *cells)
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(shared), help="folder with MQ2008 in it")
    parser.add_argument("--full", action="store_true", help="as many cubic queries as Burges 2006 had")
    parser.add_argument("--quick", action="store_true", help="a hundred queries and one fit of each, nothing written")
    parser.add_argument("--only", choices=["cubic", "mq2008"], help="one of the two")
    options = parser.parse_args()
    if options.only in (None, "cubic"):
        sizes = (10_000, 5000, 10_000) if options.full else (100, 50, 500) if options.quick else (2000, 1000, 4000)
        polynomials = 1 if options.full else 2 if options.quick else POLYNOMIALS
        epochs = 5 if options.quick else EPOCHS["cubic"]
        found = on_cubic(sizes, polynomials, epochs)
        show_cubic(found, polynomials)
        if not options.quick:
            name = f"burges_ndcg-cubic{'-full' * options.full}"
            picture(found, polynomials, name)
            more = {"polynomials": polynomials, "epochs": epochs, "rates": CUBIC_RATES, "machine": machine("torch")}
            write(name, {**found, **more})
    if options.only in (None, "mq2008"):
        starts, epochs = (1, 5) if options.quick else (STARTS["mq2008"], EPOCHS["mq2008"])
        found = on_mq2008(options.data / "MQ2008", starts, epochs)
        show_mq2008(found)
        if not options.quick:
            rates = {"nets": MQ2008_RATES, "trees": TREE_RATES}
            write("burges_ndcg-mq2008", {**found, "epochs": epochs, "rates": rates, "machine": machine("torch")})


if __name__ == "__main__":
    main()
