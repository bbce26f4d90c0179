"""What it costs to train for an operating point: a step of a net, a round of trees, against cross entropy.

    python benchmarks/rates.py [--quick]

- Nets: forward, loss, backward and a step of Adam on one batch, two hidden layers. `BCEWithLogitsLoss` is the plain
  loss; `AUCPRLoss` (10 anchors) and `RecallAtPrecisionLoss` are Eban 2017's saddle points for any loop; "soft counts"
  is what `RateClassifier` adds to cross entropy (10 anchors). Bar: 1.3 times cross entropy.
- Trees: 80 rounds on 1,000,000 rows × 28, 15 leaves, LightGBM's own binary objective against what `RateClassifier`
  grows small trees on (AUCPR, 10 anchors) and Eban 2017's saddle point with hinge. Bar: 1.5 times the binary
  objective, for the former.

CPU seconds of one thread, the least of several, in turns.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
from collections.abc import Callable
from typing import Any

import lightgbm as lgb
import numpy as np
import torch
from harness import least_seconds, machine, write
from rich.console import Console
from rich.table import Table
from saddle_trees import tree_gradients
from torch import nn

from rankwise.losses import AUCPRLoss, RecallAtPrecisionLoss
from rankwise.objectives import SaddlePoint, rate_objective
from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import Rows
from rankwise.rankers.rates.families._trees import TreeFamily, near_point_gradients

SHAPES = ((30, 64), (100, 128))
BATCHES = (256, 1024, 4096)
BARS = {"net": 1.3, "trees": 1.5}
PLAIN = "cross entropy"
ROUNDS = 80


def step_of(name: str, features: int, width: int, X: torch.Tensor, y: torch.Tensor) -> Callable[[], object]:
    """One training step."""
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1), nn.Flatten(0)
    )
    losses: dict[str, Any] = {
        PLAIN: nn.BCEWithLogitsLoss(),
        "AUCPRLoss, hinge": AUCPRLoss(surrogate="hinge"),
        "AUCPRLoss, log2": AUCPRLoss(),
        "RecallAtPrecisionLoss": RecallAtPrecisionLoss(0.9, surrogate="hinge"),
    }
    positive = y > 0
    if name in losses:
        loss = losses[name]
        parameters = [*net.parameters(), *loss.parameters()]
    else:
        objective = rate_objective("aucpr")
        scores = net(X).detach().double().numpy()
        points = SoftCounts(objective, positive.numpy(), np.ones(len(y))).points(scores, 1.0)
        thresholds = nn.Parameter(torch.tensor(points.thresholds, dtype=torch.float32))
        parameters = [*net.parameters(), thresholds]

        def loss(scores: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
            plain = nn.functional.softplus(torch.where(positive, -scores, scores))
            return (plain + 2.0 * points.of_tensors(scores, positive, thresholds)).mean()

    optimizer = torch.optim.Adam(parameters, lr=1e-3)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        loss(net(X), y).backward()
        optimizer.step()

    return step


def nets(repeats: int) -> list[dict[str, Any]]:
    rows = []
    names = (PLAIN, "AUCPRLoss, hinge", "AUCPRLoss, log2", "RecallAtPrecisionLoss", "soft counts")
    for features, width in SHAPES:
        for batch in BATCHES:
            generator = torch.Generator().manual_seed(0)
            X = torch.randn(batch, features, generator=generator)
            y = (X[:, 0] + torch.randn(batch, generator=generator) > 1.8).float()
            steps = {name: step_of(name, features, width, X, y) for name in names}

            def ten(step: Callable[[], object]) -> Callable[[], object]:
                return lambda: [step() for _ in range(10)]

            found = least_seconds({name: ten(step) for name, step in steps.items()}, dict.fromkeys(steps, repeats))
            case = f"{features}-{width}-{width}-1, batch {batch}"
            for name in names:
                ratio = found[name] / found[PLAIN]
                rows.append({"case": case, "loss": name, "ms": 100.0 * found[name], "ratio": ratio, "kind": "net"})
    return rows


def trees(size: int, repeats: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((size, 28)).astype(np.float32)
    positive = X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + rng.standard_normal(size) > 2.5
    rows = Rows(X, positive, np.ones(size))
    family = TreeFamily(600, 15, 0.05, 10, threads=1, seed=0, categorical=[])
    objective = rate_objective("aucpr")
    soft = SoftCounts(objective, positive, rows.weight)
    data = lgb.Dataset(X, positive.astype(float), params={"verbosity": -1, "feature_pre_filter": False}).construct()

    def saddle() -> Any:
        point = SaddlePoint(objective, positive).start(np.zeros(size))
        return lambda scores, _: tree_gradients(point, scores)

    tasks: dict[str, Callable[[], object]] = {
        PLAIN: lambda: family._boost(data, ROUNDS, Report()),
        "log loss near the point": lambda: family._boost(
            data, ROUNDS, Report(), gradients=near_point_gradients(rows, soft)
        ),
        "saddle point, hinge": lambda: family._boost(data, ROUNDS, Report(), gradients=saddle()),
    }
    found = least_seconds(tasks, dict.fromkeys(tasks, repeats))
    case = f"trees, {size:,} rows × 28, a round"
    return [
        {"case": case, "loss": name, "ms": 1e3 * s / ROUNDS, "ratio": s / found[PLAIN], "kind": "trees"}
        for name, s in found.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, nothing written")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = [*nets(5 if options.quick else 20), *trees(100_000 if options.quick else 1_000_000, 3)]
    table = Table(title="A step or a round, times that of cross entropy")
    for column in ("case", "loss", "ms", "ratio", "bar"):
        table.add_column(column)
    for row in rows:
        reached = "" if row["loss"] == PLAIN else "reached" if row["ratio"] <= BARS[row["kind"]] else "MISSED"
        table.add_row(row["case"], row["loss"], f"{row['ms']:.3f}", f"{row['ratio']:.2f}", reached)
    Console(width=110).print(table)
    if not options.quick:
        write("rates", {"rows": rows, "bars": BARS, "machine": machine("torch")})


if __name__ == "__main__":
    main()
