"""Burges 2006 section 6.1: how much faster RankNet trains by λ's, and how its time grows with the documents of a query.

    python benchmarks/papers/burges_speed.py [--quick]

Three trainers descend the same cost, Burges 2006 (8), with one step after each query, as Burges 2006 ran both of its
own:

- V1, pair by pair: for each pair two forward passes, one derivative, two backward passes.
- V2, by λ's: a forward pass for each document, each λ a sum over pairs (one exponential per pair), then a forward and a
  backward pass for each document. Neither activations nor exponentials are kept (Burges 2006's footnote 3).
- V3, by λ's in linear time: V2 with the sums over pairs replaced by `RankNetObjective`, as `rw.RankNet` has it.

All three use the same forward and backward functions for one document, compiled by numba, so that none gains from a
matrix library; V1 and V2 are compiled loops over the queries, V3 calls `RankNetObjective` from Python for each. No
memory grows with the pairs. The script first checks that they end an epoch with the same weights. CPU seconds of one
thread, best of several in turns.

- Ratios: an epoch over 1,000 queries of `rankwise.data.web` with 26 documents in the mean and 367 features, the shape
  of Burges 2006's Web data; published V1/V2: 5.1 with one layer, 8.0 with two (10 hidden nodes).
- Slopes: an epoch on `rankwise.data.cubic` (50 features, 5 grades); the slope is that of a line through log time
  against log documents. Published: 1.943 (V1) and 1.185 (V2), "as the number of documents per query varies from 4,000
  to 512,000 in the artificial set". Two readings are measured: one query of 4,000 to 512,000 documents, and 1,000
  queries of 4 to 512 documents each, which are 4,000 to 512,000 in all. Ours (V3) is to be at most 1.05 by the first. A
  trainer stops before the size that would take longer than a limit; "up to" says where.
- What V2 spends on the net: the same epochs without the sums over pairs.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import itertools
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import RESULTS, least_seconds, machine, write

from rankwise.data import RankingData, cubic, web
from rankwise.objectives.lambdas._costs import RankNetObjective

matplotlib.use("agg")
import matplotlib.pyplot as plt

LAYERS = {"one layer": 0, "two layers": 10}
TRAINERS = ("V1", "V2", "V3")
ONE_QUERY, MANY_QUERIES = "one query", "1,000 queries"
MEASURED = {ONE_QUERY: TRAINERS, MANY_QUERIES: (*TRAINERS, "net")}  # "net" is V2 without its sums over pairs
PUBLISHED = {"ratio": {"one layer": 5.1, "two layers": 8.0}, "slope": {"V1": 1.943, "V2": 1.185}}
BAR = 1.05  # slope of V3
RATE = 1e-6
SECONDS_LIMIT = 15.0  # of an epoch that is measured
Net = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]  # hidden weights, biases, output weights
Times = dict[str, dict[str, list[tuple[int, float]]]]  # by layers and trainer: documents and seconds

compiled = numba.njit(fastmath=True)


@compiled
def forward(net: Any, x: Any, hidden: Any) -> float:
    """A document's score, and what its hidden nodes give; without hidden nodes, a linear function."""
    inner, bias, outer = net
    score = 0.0
    if hidden.size == 0:
        for d in range(x.size):
            score += outer[d] * x[d]
        return score
    for h in range(hidden.size):
        total = bias[h]
        for d in range(x.size):
            total += inner[h, d] * x[d]
        hidden[h] = np.tanh(total)
        score += outer[h] * hidden[h]
    return score


@compiled
def backward(net: Any, x: Any, hidden: Any, push: float, gradient: Any) -> None:
    """Add what a derivative `push` by the score of a document is by the weights."""
    inner, bias, outer = gradient
    if hidden.size == 0:
        for d in range(x.size):
            outer[d] += push * x[d]
        return
    for h in range(hidden.size):
        outer[h] += push * hidden[h]
        below = push * net[2][h] * (1.0 - hidden[h] ** 2)
        bias[h] += below
        for d in range(x.size):
            inner[h, d] += below * x[d]


@compiled
def pair_by_pair(net: Any, X: Any, y: Any, gradient: Any) -> None:
    """V1."""
    of_i, of_j = np.empty(net[1].size), np.empty(net[1].size)
    for i in range(y.size):
        for j in range(y.size):
            if y[i] > y[j]:
                difference = forward(net, X[i], of_i) - forward(net, X[j], of_j)
                push = -1.0 / (1.0 + np.exp(difference))
                backward(net, X[i], of_i, push, gradient)
                backward(net, X[j], of_j, -push, gradient)


@compiled
def scores_of(net: Any, X: Any) -> Any:
    hidden, scores = np.empty(net[1].size), np.empty(len(X))
    for i in range(len(X)):
        scores[i] = forward(net, X[i], hidden)
    return scores


@compiled
def sums_over_pairs(scores: Any, y: Any) -> Any:
    """V2's derivatives of the cost by the scores, −λ."""
    pushes = np.zeros(y.size)
    for i in range(y.size):
        for j in range(i):
            if y[i] != y[j]:
                if y[i] > y[j]:
                    push = -1.0 / (1.0 + np.exp(scores[i] - scores[j]))
                else:
                    push = 1.0 / (1.0 + np.exp(scores[j] - scores[i]))
                pushes[i] += push
                pushes[j] -= push
    return pushes


@compiled
def backward_of(net: Any, X: Any, pushes: Any, gradient: Any) -> None:
    hidden = np.empty(net[1].size)
    for i in range(len(X)):
        forward(net, X[i], hidden)
        backward(net, X[i], hidden, pushes[i], gradient)


@compiled
def compiled_epoch(net: Any, X: Any, y: Any, offsets: Any, by_pairs: bool, with_sums: bool) -> None:
    """V1 and V2, and what V2 spends on the net alone: a step after each query."""
    gradient = (np.zeros_like(net[0]), np.zeros_like(net[1]), np.zeros_like(net[2]))
    for q in range(offsets.size - 1):
        rows, labels = X[offsets[q] : offsets[q + 1]], y[offsets[q] : offsets[q + 1]]
        if by_pairs:
            pair_by_pair(net, rows, labels, gradient)
        else:
            scores = scores_of(net, rows)
            backward_of(net, rows, sums_over_pairs(scores, labels) if with_sums else scores, gradient)
        net[0][:] -= RATE * gradient[0]
        net[1][:] -= RATE * gradient[1]
        net[2][:] -= RATE * gradient[2]
        gradient[0][:] = 0.0
        gradient[1][:] = 0.0
        gradient[2][:] = 0.0


class Queries:
    """Documents of queries in turn; what V3 needs of the labels is made once, as it is in training."""

    def __init__(self, data: RankingData) -> None:
        self.X, self.y, self.offsets = np.array(data.X), np.array(data.y), data.groups.offsets
        self.slices = [slice(*ends) for ends in itertools.pairwise(self.offsets)]
        self.objectives = [RankNetObjective(self.y[rows]) for rows in self.slices]

    def epoch(self, trainer: str, hidden: int) -> Net:
        """The net after one pass over the queries."""
        net = new_net(self.X.shape[1], hidden)
        if trainer != "V3":
            compiled_epoch(net, self.X, self.y, self.offsets, trainer == "V1", trainer == "V2")
            return net
        for rows, objective in zip(self.slices, self.objectives, strict=True):
            gradient = (np.zeros_like(net[0]), np.zeros_like(net[1]), np.zeros_like(net[2]))
            pushes = objective.gradient_and_costs(scores_of(net, self.X[rows]))[0]
            backward_of(net, self.X[rows], pushes, gradient)
            for weights, change in zip(net, gradient, strict=True):
                weights -= RATE * change
        return net


def new_net(features: int, hidden: int) -> Net:
    rng = np.random.default_rng(0)
    inner = rng.normal(size=(hidden, features)) / np.sqrt(features)
    return inner, np.zeros(hidden), rng.normal(size=hidden or features) / np.sqrt(hidden or features)


def check(queries: Queries) -> None:
    """All three trainers do the same thing (this also compiles them)."""
    for hidden in LAYERS.values():
        reference, *others = (queries.epoch(trainer, hidden) for trainer in TRAINERS)
        start = new_net(queries.X.shape[1], hidden)
        for net in others:
            for before, weights, expected in zip(start, net, reference, strict=True):
                moved = np.abs(expected - before).max(initial=0.0)
                np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-6 * moved)


def ratios(queries: Queries, repeats: int) -> dict[str, dict[str, float]]:
    """CPU seconds of an epoch by layers and trainer."""
    seconds = {}
    for layers, hidden in LAYERS.items():
        tasks: dict[str, Callable[[], object]] = {
            trainer: lambda trainer=trainer, hidden=hidden: queries.epoch(trainer, hidden)  # type: ignore[misc]
            for trainer in TRAINERS
        }
        seconds[layers] = least_seconds(tasks, {"V1": max(1, repeats // 2), "V2": repeats, "V3": repeats})
    return seconds


def times_by_size(reading: str, sizes: list[int], limit: float) -> Times:
    """CPU seconds of an epoch by layers and trainer, up to the last size that is expected to stay below `limit`."""
    times: Times = {layers: {trainer: [] for trainer in MEASURED[reading]} for layers in LAYERS}
    for size in sizes:
        queries = 1 if reading == ONE_QUERY else 1000
        data = Queries(cubic(queries=queries, documents=size // queries))
        data.epoch("V3", 0)  # long lists are sorted by another function: compile it
        for layers, hidden in LAYERS.items():
            for trainer, points in times[layers].items():
                if trainer in ("V1", "V2") and points and 4.0 * points[-1][1] > limit:
                    continue
                best, spent = np.inf, 0.0
                while spent < limit / 30:  # a short epoch several times, a long one once
                    start = time.process_time()
                    data.epoch(trainer, hidden)
                    seconds = time.process_time() - start
                    best, spent = min(best, seconds), spent + seconds
                points.append((size, best))
    return times


def slope(points: list[tuple[int, float]]) -> float | None:
    """That of log time against log documents; None of fewer than two sizes."""
    if len(points) < 2:
        return None
    size, seconds = np.log(np.array(points)).T
    return float(np.polyfit(size, seconds, 1)[0])


def slope_text(points: list[tuple[int, float]]) -> str:
    steepness = slope(points)
    return "–" if steepness is None else f"{steepness:.3f}"


def local_slopes(points: list[tuple[int, float]]) -> list[float | None]:
    """The slope from each size to the next, which shows where the pairs take over from the net."""
    return [slope(list(pair)) for pair in itertools.pairwise(points)]


def picture(times: dict[str, Times]) -> None:
    figure, panels = plt.subplots(1, 4, figsize=(17, 4.4), sharey=True)
    cases = [(reading, layers) for reading in times for layers in LAYERS]
    for panel, (reading, layers) in zip(panels, cases, strict=True):
        for (trainer, points), mark in zip(times[reading][layers].items(), "os^x", strict=False):
            name = "V2, net alone" if trainer == "net" else trainer
            panel.loglog(*zip(*points, strict=True), marker=mark, label=f"{name}: slope {slope_text(points)}")
        panel.set(title=f"{reading}, {layers}", xlabel="documents in all")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)
    panels[0].set_ylabel("CPU seconds of an epoch")
    figure.suptitle("RankNet pair by pair (V1), by λ's over pairs (V2), by λ's in linear time (V3)")
    figure.tight_layout()
    figure.savefig(RESULTS / "burges_speed.png", dpi=120)


def slope_rows(times: dict[str, Times]) -> list[dict[str, Any]]:
    return [
        {
            "reading": reading,
            "layers": layers,
            "trainer": trainer,
            "slope": slope(points),
            "local slopes": local_slopes(points),
            "points": points,
            "published": PUBLISHED["slope"].get(trainer),
        }
        for reading, by_layers in times.items()
        for layers, by_trainer in by_layers.items()
        for trainer, points in by_trainer.items()
    ]


def show(epochs: list[dict[str, Any]], slopes: list[dict[str, Any]]) -> None:
    table = Table(title="An epoch of 1,000 queries with 26 documents")
    for column in ("", "trainer", "CPU s", "times V2", "published"):
        table.add_column(column)
    for row in epochs:
        cells = (f"{row['seconds']:.4f}", f"{row['times V2']:.2f}", str(row["published"] or ""))
        table.add_row(row["layers"], row["trainer"], *cells)
    Console(width=100).print(table)
    table = Table(title="How an epoch grows with the documents")
    for column in ("", "", "trainer", "slope", "from size to size", "up to", "published", "bar"):
        table.add_column(column)
    for row in slopes:
        is_judged = row["trainer"] == "V3" and row["reading"] == ONE_QUERY
        bar = f"{BAR} {'reached' if row['slope'] <= BAR else 'MISSED'}" if is_judged else ""
        steps = " ".join(f"{step:.2f}" for step in row["local slopes"])
        cells = (slope_text(row["points"]), steps, f"{row['points'][-1][0]:,}", str(row["published"] or ""), bar)
        table.add_row(row["reading"], row["layers"], row["trainer"], *cells)
    Console(width=140).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    quick = parser.parse_args().quick
    check(Queries(web(20, 26, features=367)))
    seconds = ratios(Queries(web(50 if quick else 1000, 26, features=367)), 2 if quick else 6)
    epochs = [
        {
            "layers": layers,
            "trainer": trainer,
            "seconds": took,
            "times V2": took / by_trainer["V2"],
            "published": PUBLISHED["ratio"][layers] if trainer == "V1" else None,
        }
        for layers, by_trainer in seconds.items()
        for trainer, took in by_trainer.items()
    ]
    sizes = [4000 * 2**step for step in range(4 if quick else 8)]
    limit = 0.5 if quick else SECONDS_LIMIT
    times = {reading: times_by_size(reading, sizes, limit) for reading in MEASURED}
    slopes = slope_rows(times)
    show(epochs, slopes)
    if not quick:
        picture(times)
        more = {"slope bar": BAR, "limit in CPU seconds": limit, "machine": machine()}
        write("burges_speed", {"epochs": epochs, "slopes": slopes, **more})


if __name__ == "__main__":
    main()
