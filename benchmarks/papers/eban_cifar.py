"""Eban 2017 section 7.2 in small: CIFAR-10, one class against the rest, at Eban 2017's five operating points.

    python benchmarks/papers/eban_cifar.py [--quick] [--seeds 2]

A small convolutional net learns the ten classes by softmax from 10,000 images. Its last features (128) of 10,000
other images train, for each class, linear models: by cross entropy, by pairwise AUC (RankNet's cost of all pairs), and
by `RateClassifier` for each metric, whose start is the cross-entropy model. All are judged on the 10,000 test images,
as is the net's own softmax. Differences are means over the classes, in points of a hundred as Eban 2017's table 1 has
them; their standard error and the paired t-test are over classes and seeds.

Eban 2017 trained whole nets for the objectives (published gains over softmax / pairwise AUC: AUCPR 9.6/0.0, P@R70
13.5/0.2, P@R95 24.1/0.8, R@P70 12.7/-0.2, R@P95 36.6/1.9). Here the features stay as they are: minutes on two cores.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = "1"

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from scipy.stats import ttest_1samp
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import machine, write
from papers.eban import pairwise_linear
from papers.eban_data import cifar10

import rankwise as rw
from rankwise.objectives import rate_objective
from rankwise.rankers.rates._one_vs_rest import fit_from_baselines
from rankwise.rankers.rates._rows import Rows, folds
from rankwise.rankers.rates.families._linear import LinearFamily

METRICS = ("aucpr", "p@r=0.7", "p@r=0.95", "r@p=0.7", "r@p=0.95")
SOFTMAX, PLAIN, PAIRS, OURS = "softmax of the net", "cross entropy", "pairwise AUC", "ours"
IMAGES, EPOCHS, BATCH = 10_000, 12, 128


class Small(nn.Module):
    """Three convolutions, then features, then ten classes."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for wide, narrow in ((3, 32), (32, 64), (64, 64)):
            layers += [nn.Conv2d(wide, narrow, 3, padding=1), nn.BatchNorm2d(narrow), nn.ReLU(), nn.MaxPool2d(2)]
        self.features = nn.Sequential(*layers, nn.Flatten(), nn.Linear(1024, 128), nn.ReLU())
        self.classes = nn.Linear(128, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.classes(self.features(images))


def as_images(pixels: Any) -> torch.Tensor:
    return torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 127.5 - 1.0


def trained(images: torch.Tensor, classes: torch.Tensor, seed: int, epochs: int) -> Small:
    torch.manual_seed(seed)
    net = Small()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    for epoch in range(epochs):
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * 0.5 * (1.0 + np.cos(np.pi * epoch / epochs))
        for rows in torch.randperm(len(images)).split(BATCH):
            some = images[rows]
            some = torch.where(torch.rand(len(rows), 1, 1, 1) < 0.5, some, some.flip(3))
            optimizer.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(net(some), classes[rows]).backward()
            optimizer.step()
    return net.eval()


@torch.no_grad()
def features_and_odds(net: Small, images: torch.Tensor) -> tuple[Any, Any]:
    features = torch.cat([net.features(some) for some in images.split(1000)])
    chances = net.classes(features).softmax(1).clamp(1e-9, 1 - 1e-9)
    return features.double().numpy(), (chances / (1.0 - chances)).log().double().numpy()


def one_seed(pixels: Any, classes: Any, test: Any, truth: Any, seed: int, images: int, epochs: int) -> list[Any]:
    chosen = np.random.default_rng(seed).permutation(len(classes))[: 2 * images]
    first, second = chosen[:images], chosen[images:]
    net = trained(as_images(pixels[first]), torch.from_numpy(classes[first]), seed, epochs)
    X, _ = features_and_odds(net, as_images(pixels[second]))
    judged, odds = features_and_odds(net, as_images(test))
    mean, spread = X.mean(axis=0), np.maximum(X.std(axis=0), 1e-6)
    X, judged, family, found = (X - mean) / spread, (judged - mean) / spread, LinearFamily(), []
    for number in range(10):
        positive, y = classes[second] == number, truth == number
        rows = Rows(X, positive, np.ones(positive.size))
        splits = folds(positive, 4, seed)
        plain = family.fit_baselines(rows, splits, refit=True)
        pairs = pairwise_linear(rows, plain[-1].penalty)
        for metric in METRICS:
            start = time.process_time()
            ours = fit_from_baselines(family, rate_objective(metric), rows, splits, plain, "isotonic", seed)
            took = time.process_time() - start
            scores = {SOFTMAX: odds[:, number], PLAIN: plain[-1].scores(judged), PAIRS: pairs.scores(judged)}
            scores[OURS] = ours.scorer.scores(judged)
            values = {name: rw.evaluate(y, one, metrics=metric)[metric] for name, one in scores.items()}
            row = {"seed": seed, "class": number, "metric": metric, "values": values, "seconds": took}
            found.append({**row, "chosen": ours.history["chosen"]})
        print(f"seed {seed}, class {number}", flush=True)
    return found


def gains(found: list[Any]) -> list[dict[str, Any]]:
    rows = []
    for metric in METRICS:
        mine = [row for row in found if row["metric"] == metric]
        for other in (SOFTMAX, PLAIN, PAIRS):
            gaps = np.array([row["values"][OURS] - row["values"][other] for row in mine])
            row: dict[str, Any] = {"metric": metric, "against": other, "points": 100 * float(gaps.mean())}
            row |= {
                "error": 100 * float(gaps.std(ddof=1) / np.sqrt(gaps.size)),
                "p": float(ttest_1samp(gaps, 0).pvalue),
            }
            means = {name: float(np.mean([one["values"][name] for one in mine])) for name in mine[0]["values"]}
            rows.append({**row, "means": means, "tuned": sum(one["chosen"] == "tuned" for one in mine)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="2,000 images, one seed, nothing written")
    options = parser.parse_args()
    pixels, classes = cifar10("train")
    test, truth = cifar10("test")
    images, epochs, seeds = (1000, 3, 1) if options.quick else (IMAGES, EPOCHS, options.seeds)
    found = []
    for seed in range(seeds):
        found += one_seed(pixels, classes, test, truth, seed, images, epochs)
    rows = gains(found)
    table = Table(title="CIFAR-10, mean over classes: ours, and ours minus the others in points")
    for column in ("metric", "ours", SOFTMAX, PLAIN, PAIRS, "tuned"):
        table.add_column(column)
    for metric in METRICS:
        mine = [row for row in rows if row["metric"] == metric]
        cells = (f"{row['points']:+.2f}±{row['error']:.2f}{'*' * (row['p'] < 0.05)}" for row in mine)
        table.add_row(metric, f"{mine[0]['means'][OURS]:.4f}", *cells, f"{mine[0]['tuned']} of {10 * seeds}")
    Console(width=120).print(table)
    if not options.quick:
        data = {"images": images, "epochs": epochs, "seeds": seeds}
        write("eban-cifar", {"rows": found, "gains": rows, "data": data, "machine": machine("torch")})


if __name__ == "__main__":
    main()
