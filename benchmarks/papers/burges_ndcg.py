"""Burges 2006 section 6.3: does training on NDCG's λ's pay in NDCG, against RankNet?

    python benchmarks/papers/burges_ndcg.py [--queries 10000] [--only cubic|mq2008]

- Figure 2, left: `rankwise.data.cubic` (50 features, 50 documents per query, 5 grades) with N queries to train on, N/2
  to validate on and N to test on; the paper has N = 10,000. How much the two differ depends on the polynomial that is
  drawn, so several are, and their test queries are put together; with `--cache FOLDER` a run that was killed goes on
  with the polynomials that are not there.
- Figure 2, right, is on intranet data that are not public (400 queries, 87 features). In their place stands MQ2008 (784
  queries, 46 features) by the paper's split: five parts, two to train on, two to validate on, one to test on.
- Figure 3 is on web data that are not public; `figure_3` is its protocol for any data, which `letor.py` runs.

Nets are linear or have 10 hidden nodes, as in the paper. RankNet and LambdaRank are trained by its rules (see
`burges_trainer.py`): gradient descent query by query, the rate × 0.8 when the training cost rises (RankNet: (8),
LambdaRank: minus NDCG@10), new weights after 50 epochs without progress, the epoch and the rate that are best by
NDCG@10 on the validation queries. LambdaRank descends (9): plain λ's of NDCG without truncation. Gains are those of
section 6.3, "0, 3, 7, 15 and 31": grades above 0 count one more than their number. Beside them stands
`rw.LambdaRank("ndcg@10")` as it is by default ("ours"). Open in the paper, and decided here: hidden nodes are tanh,
features are standardized, and training ends after 300 epochs or when none of the last 60 was better on the validation
queries, so that a restart has ten epochs to show its worth. Test queries are looked at once.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import RESULTS, machine, write
from papers.burges_trainer import PaperNet

import rankwise as rw
from rankwise.data import cubic
from rankwise.metrics.comparison._statistics import bootstrap_interval, fisher_randomization, t_interval

matplotlib.use("agg")
import matplotlib.pyplot as plt

LEVELS = tuple(f"ndcg@{k}" for k in range(1, 11))
NETS: dict[str, tuple[int, ...]] = {"linear": (), "two layers": (10,)}
EPOCHS, PATIENCE = 300, 60
Data = rw.RankingData
Values = dict[tuple[str, str], NDArray[np.float64]]  # by net and trainer: NDCG, levels × test queries
Row = dict[str, Any]


@dataclass(frozen=True)
class Trainer:
    """A kind of net, and the learning rates among which the validation queries choose."""

    kind: Callable[..., Any]
    rates: tuple[float, ...]

    def best_net(self, train: Data, valid: Data, **settings: Any) -> Any:
        """The net that is best on the validation queries, over epochs and rates."""
        fitted = [self.kind(learning_rate=rate, **settings).fit(train, eval_set=valid) for rate in self.rates]
        return max(fitted, key=lambda net: net.best_score_)


def ours(*, epochs: int, early_stopping_rounds: int, **settings: Any) -> Any:
    """As it is by default: AdamW, 100 epochs at most, its own patience."""
    return rw.LambdaRank("ndcg@10", epochs=min(epochs, 100), **settings)


TRAINERS = {
    "RankNet": Trainer(partial(PaperNet, False), (3e-5, 1e-4, 3e-4, 1e-3)),
    "LambdaRank": Trainer(partial(PaperNet, True), (1e-3, 3e-3, 1e-2, 3e-2)),
    "LambdaRank, ours": Trainer(ours, (1e-2,)),
}


def with_gains(data: Data) -> Data:
    """The same rows with grades 0, 2, 3, 4, 5 for 0 to 4: their gains, 2^y − 1, are the paper's 0, 3, 7, 15, 31."""
    return rw.RankingData(data.X, np.where(data.y > 0, data.y + 1, data.y), data.qid)


def ndcg_values(
    train: Data, valid: Data, test: Data, seeds: Iterable[int], length: dict[str, Any]
) -> tuple[Values, list[Row]]:
    """NDCG of every test query, the mean over seeds, and what was chosen for each net, trainer and seed."""
    train, valid, test = with_gains(train), with_gains(valid), with_gains(test)
    values: Values = {}
    fits: list[Row] = []
    for net, hidden in NETS.items():
        for name, trainer in TRAINERS.items():
            judged = []
            for seed in seeds:
                start = time.process_time()
                model = trainer.best_net(train, valid, hidden=hidden, random_state=seed, **length)
                evaluation = rw.evaluate(test, model.predict(test), metrics=LEVELS)
                judged.append([evaluation.per_query[level] for level in LEVELS])
                fit = {"net": net, "trainer": name, "seed": seed, "learning rate": model.learning_rate}
                fit |= {"epoch": model.best_iteration_, "ndcg@10": evaluation["ndcg@10"]}
                fits.append({**fit, "cpu seconds": time.process_time() - start})
                print(fits[-1], flush=True)
            values[net, name] = np.mean(judged, axis=0)
    return values, fits


def rows_of(values: Values) -> list[Row]:
    """Mean and 95% interval by net, trainer and level, and the paired difference to RankNet on the same queries."""
    rows: list[Row] = []
    for (net, name), by_level in values.items():
        for level, of_queries, of_ranknet in zip(LEVELS, by_level, values[net, "RankNet"], strict=True):
            judged = ~np.isnan(of_queries)  # a query without relevant documents has no NDCG
            ndcg, ranknet = of_queries[judged], of_ranknet[judged]
            row: Row = {"net": net, "trainer": name, "metric": level, "queries": int(judged.sum())}
            row |= {"mean": float(ndcg.mean()), "interval": bootstrap_interval(ndcg)}
            if name != "RankNet":
                row |= {"difference": float(np.mean(ndcg - ranknet)), "difference interval": t_interval(ndcg - ranknet)}
                row["fisher_p"] = fisher_randomization(ndcg, ranknet)
            rows.append(row)
    return rows


def figure_3(train: Data, valid: Data, test: Data, seeds: Iterable[int], quick: bool) -> list[Row]:
    """Burges 2006's figure 3 on any data: LambdaRank against RankNet, linear and two layers, NDCG@1 to NDCG@10.

    A row per net, trainer and level has the mean over test queries and its 95% interval, and, against RankNet, the
    paired difference with its interval and Fisher's p; values of a query are means over the seeds.
    """
    return rows_of(ndcg_values(train, valid, test, list(seeds), training_length(quick))[0])


def training_length(quick: bool) -> dict[str, Any]:
    return {"epochs": 3 if quick else EPOCHS, "early_stopping_rounds": PATIENCE}


def together(parts: list[Values]) -> Values:
    return {key: np.concatenate([part[key] for part in parts], axis=1) for key in parts[0]}


def queries(data: Data, first: int, last: int) -> Data:
    of_row = data.groups.query_of_row()
    return data.rows((of_row >= first) & (of_row < last))


def by_polynomial(parts: list[Values]) -> list[Row]:
    """LambdaRank less RankNet, a difference per polynomial, and the interval of its mean over polynomials."""
    rows = []
    for net in NETS:
        for k, level in enumerate(LEVELS):
            differences = [float(np.nanmean(part[net, "LambdaRank"][k] - part[net, "RankNet"][k])) for part in parts]
            interval = t_interval(differences)
            rows.append({"net": net, "metric": level, "differences": differences, "interval": interval})
    return rows


def on_polynomial(n: int, seed: int, length: dict[str, Any], cache: Path | None) -> tuple[Values, list[Row]]:
    """What was measured on a polynomial, from the cache if it is there."""
    path = None if cache is None else cache / f"cubic-{n}-{seed}.npz"
    if path is not None and path.exists():
        with np.load(path) as stored:
            values = {(net, name): stored[f"{net}/{name}"] for net in NETS for name in TRAINERS}
            return values, json.loads(str(stored["fits"]))
    made = cubic(queries=n + n // 2 + n, seed=seed)
    parts = queries(made, 0, n), queries(made, n, n + n // 2), queries(made, n + n // 2, made.groups.n_queries)
    values, fits = ndcg_values(*parts, [seed], length)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {f"{net}/{name}": of_net for (net, name), of_net in values.items()}
        np.savez(path, fits=json.dumps(fits), **arrays)
    return values, fits


def on_cubic(options: argparse.Namespace) -> None:
    """Figure 2, left."""
    n = 60 if options.quick else options.queries
    length = training_length(options.quick)
    parts: list[Values] = []
    fits: list[Row] = []
    for seed in range(1 if options.quick else options.polynomials):
        values, chosen = on_polynomial(n, seed, length, options.cache)
        parts.append(values)
        fits += chosen
    rows = rows_of(together(parts))
    show(rows, "Figure 2, left: cubic data")
    if not options.quick:
        picture(
            rows, f"Cubic data, {n:,}/{n // 2:,}/{n:,} queries of each of {len(parts)} polynomials", "burges_ndcg-cubic"
        )
        settings = {"rates": {name: trainer.rates for name, trainer in TRAINERS.items()}, **length}
        found = {"queries": (n, n // 2, n), "polynomials": len(parts), "rows": rows}
        found |= {"by polynomial": by_polynomial(parts), "fits": fits, **settings, "machine": machine("torch")}
        write("burges_ndcg-cubic", found)


def on_mq2008(options: argparse.Namespace) -> None:
    """Figure 2, right, on other data: five parts, two to train on, two to validate on, one to test on."""
    files = [options.data / "MQ2008" / f"S{part}.txt" for part in range(1, 6)]
    length = training_length(options.quick)
    parts: list[Values] = []
    fits: list[Row] = []
    for fold in range(1 if options.quick else 5):
        of_fold = [files[(fold + step) % 5] for step in range(5)]
        train, valid, test = rw.read(*of_fold[:2]), rw.read(*of_fold[2:4]), rw.read(of_fold[4])
        values, picked = ndcg_values(train, valid, test, [fold], length)
        parts.append(values)
        fits += picked
    rows = rows_of(together(parts))
    show(rows, "Figure 2, right, on MQ2008")
    if not options.quick:
        picture(rows, "MQ2008, five folds", "burges_ndcg-mq2008")
        settings = {"rates": {name: trainer.rates for name, trainer in TRAINERS.items()}, **length}
        write("burges_ndcg-mq2008", {"rows": rows, "fits": fits, **settings, "machine": machine("torch")})


def show(rows: list[Row], title: str) -> None:
    table = Table(title=f"{title}: mean and 95% interval, difference to RankNet and its 95% interval")
    for column in ("net", "trainer", "metric", "NDCG", "minus RankNet", "p"):
        table.add_column(column)
    for row in rows:
        low, high = row["interval"]
        cells = [f"{row['mean']:.4f} ({low:.4f}–{high:.4f})", "", ""]
        if "difference" in row:
            low, high = row["difference interval"]
            cells[1:] = [f"{row['difference']:+.4f} ({low:+.4f} to {high:+.4f})", f"{row['fisher_p']:.4f}"]
        table.add_row(row["net"], row["trainer"], row["metric"], *cells)
    Console(width=130).print(table)


def picture(rows: list[Row], title: str, name: str) -> None:
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.6))
    for panel, net in zip(panels, NETS, strict=True):
        for trainer, style in zip(TRAINERS, ("--s", "-o", ":^"), strict=True):
            points = [row for row in rows if (row["net"], row["trainer"]) == (net, trainer)]
            means = np.array([row["mean"] for row in points])
            ends = np.array([row["interval"] for row in points]).T
            at = np.arange(1, len(LEVELS) + 1)
            panel.errorbar(at, means, np.abs(ends - means), fmt=style, capsize=3, ms=4, label=trainer)
        panel.set(title=net, xlabel="truncation level", ylabel="NDCG", xticks=range(1, len(LEVELS) + 1))
        panel.grid(alpha=0.3)
        panel.legend()
    figure.suptitle(f"{title}, 95% intervals", fontsize=10)
    figure.tight_layout()
    figure.savefig(RESULTS / f"{name}.png", dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(shared), help="folder with MQ2008 in it")
    parser.add_argument("--queries", type=int, default=2000, help="of cubic data to train on (Burges 2006: 10000)")
    parser.add_argument("--polynomials", type=int, default=3, help="that are drawn")
    parser.add_argument("--cache", type=Path, help="folder for what was measured on each polynomial")
    parser.add_argument("--quick", action="store_true", help="few queries, three epochs, nothing written")
    parser.add_argument("--only", choices=["cubic", "mq2008"], help="one of the two")
    options = parser.parse_args()
    if options.only in (None, "cubic"):
        on_cubic(options)
    if options.only in (None, "mq2008"):
        on_mq2008(options)


if __name__ == "__main__":
    main()
