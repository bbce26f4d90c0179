"""Burges 2006 section 6.1: how much faster RankNet trains by λ's, and how its time grows with the documents of a query.

    python benchmarks/papers/burges_speed.py [--quick]

Three trainers descend the same cost, Burges 2006 (8), with one step after each query, as Burges 2006 ran both of its
own:

- V1, pair by pair: for each pair two forward passes, one derivative, two backward passes.
- V2, by λ's: a forward pass for each document, each λ a sum over pairs (one exponential per pair), then a forward and a
  backward pass for each document. Neither activations nor exponentials are kept (Burges 2006's footnote 3).
- V3, by λ's in linear time: V2 with the sums over pairs replaced by `RankNetObjective`, as `rw.RankNet` has it.

All three are loops compiled by numba with the same forward and backward functions for one document, so that none pays
for an interpreter and none gains from a matrix library; no memory grows with the pairs. The script first checks that
they end an epoch with the same weights. CPU seconds of one thread, best of several in turns.

- Ratios: an epoch over 1,000 queries of `rankwise.data.web` with 26 documents in the mean and 367 features, the shape
  of Burges 2006's Web data; published V1/V2: 5.1 with one layer, 8.0 with two (10 hidden nodes).
- Slopes: a step on one query of `rankwise.data.cubic` (50 features, 5 grades) of 4,000 to 512,000 documents; the slope
  is that of a line through log time against log documents; published 1.943 (V1) and 1.185 (V2), ours is to be at most
  1.05. V1 and V2 stop before the size that would take more than a minute; "up to" says where.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
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

from rankwise.data import cubic, web
from rankwise.objectives.lambdas._costs import RankNetObjective

matplotlib.use("agg")
import matplotlib.pyplot as plt

LAYERS = {"one layer": 0, "two layers": 10}
TRAINERS = ("V1", "V2", "V3")
PUBLISHED = {"ratio": {"one layer": 5.1, "two layers": 8.0}, "slope": {"V1": 1.943, "V2": 1.185}}
BAR = 1.05  # slope of V3
RATE = 1e-6
Net = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]  # hidden weights, biases, output weights

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


class Query:
    """The documents of a query; what V3 needs of the labels is made once, as it is in training."""

    def __init__(self, X: NDArray[np.float32], y: NDArray[np.float64]) -> None:
        self.X, self.y, self.objective = np.array(X), np.array(y), RankNetObjective(y)

    def step(self, trainer: str, net: Net) -> None:
        gradient = (np.zeros_like(net[0]), np.zeros_like(net[1]), np.zeros_like(net[2]))
        if trainer == "V1":
            pair_by_pair(net, self.X, self.y, gradient)
        else:
            scores = scores_of(net, self.X)
            if trainer == "V2":
                pushes = sums_over_pairs(scores, self.y)
            else:
                pushes = self.objective.gradient_and_costs(scores)[0]
            backward_of(net, self.X, pushes, gradient)
        for weights, change in zip(net, gradient, strict=True):
            weights -= RATE * change


def new_net(features: int, hidden: int) -> Net:
    rng = np.random.default_rng(0)
    inner = rng.normal(size=(hidden, features)) / np.sqrt(features)
    return inner, np.zeros(hidden), rng.normal(size=hidden or features) / np.sqrt(hidden or features)


def epoch(trainer: str, queries: list[Query], hidden: int) -> Net:
    """The net after one pass over the queries."""
    net = new_net(queries[0].X.shape[1], hidden)
    for query in queries:
        query.step(trainer, net)
    return net


def check(queries: list[Query]) -> None:
    """All three trainers do the same thing (this also compiles them)."""
    for hidden in LAYERS.values():
        nets = [epoch(trainer, queries, hidden) for trainer in TRAINERS]
        start = new_net(queries[0].X.shape[1], hidden)
        for net in nets[1:]:
            for before, mine, reference in zip(start, net, nets[0], strict=True):
                moved = np.abs(reference - before).max(initial=0.0)
                np.testing.assert_allclose(mine, reference, rtol=0, atol=1e-6 * moved)


def ratios(queries: list[Query], repeats: int) -> dict[str, dict[str, float]]:
    """CPU seconds of an epoch by layers and trainer."""
    found = {}
    for layers, hidden in LAYERS.items():
        tasks: dict[str, Callable[[], object]] = {
            trainer: lambda trainer=trainer, hidden=hidden: epoch(trainer, queries, hidden)  # type: ignore[misc]
            for trainer in TRAINERS
        }
        found[layers] = least_seconds(tasks, {"V1": max(1, repeats // 2), "V2": repeats, "V3": repeats})
    return found


def times_by_size(sizes: list[int], limit: float) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """CPU seconds of a step by layers and trainer, up to the last size that is expected to stay below `limit`."""
    found: dict[str, dict[str, list[tuple[int, float]]]] = {n: {t: [] for t in TRAINERS} for n in LAYERS}
    for size in sizes:
        data = cubic(queries=1, documents=size)
        query = Query(data.X, data.y)
        query.step("V3", new_net(query.X.shape[1], 0))  # long lists are sorted by another function: compile it
        for layers, hidden in LAYERS.items():
            for trainer, points in found[layers].items():
                if trainer != "V3" and points and 4.0 * points[-1][1] > limit:
                    continue
                best, spent = np.inf, 0.0
                while spent < limit / 30:  # a short step several times, a long one once
                    net, start = new_net(query.X.shape[1], hidden), time.process_time()
                    query.step(trainer, net)
                    seconds = time.process_time() - start
                    best, spent = min(best, seconds), spent + seconds
                points.append((size, best))
    return found


def slope(points: list[tuple[int, float]]) -> float:
    if len(points) < 2:
        return float("nan")
    size, seconds = np.log(np.array(points)).T
    return float(np.polyfit(size, seconds, 1)[0])


def picture(found: dict[str, dict[str, list[tuple[int, float]]]]) -> None:
    figure, panels = plt.subplots(1, len(found), figsize=(10, 4.2), sharey=True)
    for panel, (layers, trainers) in zip(panels, found.items(), strict=True):
        for (trainer, points), mark in zip(trainers.items(), "os^", strict=True):
            panel.loglog(*zip(*points, strict=True), marker=mark, label=f"{trainer}: slope {slope(points):.3f}")
        panel.set(title=layers, xlabel="documents of the query")
        panel.grid(alpha=0.3)
        panel.legend()
    panels[0].set_ylabel("CPU seconds of a step")
    figure.suptitle("RankNet pair by pair (V1), by λ's over pairs (V2), by λ's in linear time (V3)")
    figure.tight_layout()
    figure.savefig(RESULTS / "burges_speed.png", dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    quick = parser.parse_args().quick
    made = web(50 if quick else 1000, 26, features=367)
    queries = [Query(made.X[mine], made.y[mine]) for mine in (made.qid == q for q in np.unique(made.qid))]
    check(queries[:20])
    seconds = ratios(queries, 2 if quick else 6)
    sizes = [4000 * 2**step for step in range(4 if quick else 8)]
    found = times_by_size(sizes, 2.0 if quick else 60.0)
    table = Table(title="RankNet by three trainers")
    for column in ("", "trainer", "s an epoch, 26 documents", "times V2", "slope", "up to", "published", "bar"):
        table.add_column(column)
    rows: list[dict[str, Any]] = []
    for layers in LAYERS:
        for trainer in TRAINERS:
            points, took = found[layers][trainer], seconds[layers]
            ratio, steep = took[trainer] / took["V2"], slope(points)
            published = {"slope": PUBLISHED["slope"].get(trainer)}
            if trainer == "V1":
                published["ratio"] = PUBLISHED["ratio"][layers]
            bar = f"{BAR} {'reached' if steep <= BAR else 'MISSED'}" if trainer == "V3" else ""
            said = ", ".join(f"{what} {value}" for what, value in published.items() if value is not None)
            cells = (f"{took[trainer]:.4f}", f"{ratio:.2f}", f"{steep:.3f}", f"{points[-1][0]:,}", said, bar)
            table.add_row(layers, trainer, *cells)
            row = {"layers": layers, "trainer": trainer, "epoch seconds": took[trainer], "times V2": ratio}
            rows.append({**row, "slope": steep, "points": points, "published": published})
    Console(width=120).print(table)
    if not quick:
        picture(found)
        write("burges_speed", {"rows": rows, "slope bar": BAR, "machine": machine()})


if __name__ == "__main__":
    main()
