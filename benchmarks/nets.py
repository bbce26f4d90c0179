"""Pairwise losses for nets: time and memory of loss and backward pass against the length of the lists.

    python benchmarks/nets.py [--quick]

Ours are `rankwise.losses.RankNetLoss` and `LambdaLoss("ndcg")`. The peers are published formulas over all pairs at
once, as PyTorch users and allRank have them, in float32, on padded batches (lists × documents × documents):

- RankNet, dense: binary cross entropy of s_i − s_j over the pairs with y_i > y_j.
- λ-loss, dense (allRank's lambdaLoss with LambdaRank's weights): −Σ |ΔNDCG_ij| log2 sigmoid(s_i − s_j) over the same
  pairs, with ranks from a sort. Written as weight · log sigmoid, which takes less memory than their power.
- MarginRankingLoss: PyTorch's own, on the scores of all pairs with y_i > y_j, margin 1.

A batch has about 10,000 documents (one list, where that is longer). Scores are a leaf tensor: there is no net, so the
time is that of the loss alone. Every case runs in a process of its own on one thread: CPU seconds are the best of
several, memory is by how much the peak of resident memory grows in one call. A peer that needs more than 4 GB is
stopped, and not tried on longer lists. Where formulas coincide, values are first checked to be the same.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import torch
from harness import RESULTS, least_seconds, machine, peak_growth, write
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.nn import functional

from rankwise.losses import LambdaLoss, RankNetLoss

matplotlib.use("agg")
import matplotlib.pyplot as plt

SHARES = torch.tensor([0.5, 0.25, 0.15, 0.07, 0.03])  # of the labels 0 to 4
DOCUMENTS = 10_000  # of a batch of short lists
MOST = 4 * 2**30  # bytes that a loss may take
FLAT = 2.0  # a document of ours costs at most this many times what it costs in the cheapest length of list
Loss = Callable[[Tensor, Tensor], Tensor]


def ours(loss: Any) -> Loss:
    return lambda scores, labels: loss(scores, labels, torch.full((len(scores),), scores.shape[1]))


def differences(scores: Tensor) -> Tensor:
    return scores[:, :, None] - scores[:, None, :]


def better(labels: Tensor) -> Tensor:
    return labels[:, :, None] > labels[:, None, :]


def dense_ranknet(scores: Tensor, labels: Tensor) -> Tensor:
    chosen = differences(scores)[better(labels)]
    return functional.binary_cross_entropy_with_logits(chosen, torch.ones_like(chosen))


def dense_lambda_loss(scores: Tensor, labels: Tensor) -> Tensor:
    order = scores.detach().argsort(dim=1, descending=True)
    s, y = scores.gather(1, order), labels.gather(1, order)
    discount = 1.0 / torch.log2(torch.arange(2.0, s.shape[1] + 2.0))
    ideal = ((2.0 ** labels.sort(dim=1, descending=True).values - 1.0) * discount).sum(dim=1, keepdim=True)
    gain = (2.0**y - 1.0) / ideal
    weight = differences(gain).abs_().mul_((discount[:, None] - discount[None, :]).abs_())
    return -(weight * functional.logsigmoid(differences(s)))[better(y)].sum() / torch.log(torch.tensor(2.0))


def margin_ranking(scores: Tensor, labels: Tensor) -> Tensor:
    which, i, j = better(labels).nonzero(as_tuple=True)
    above, below = scores[which, i], scores[which, j]
    return functional.margin_ranking_loss(above, below, torch.ones_like(above), margin=1.0)


LOSSES: dict[str, Loss] = {
    "rankwise RankNetLoss": ours(RankNetLoss()),
    "rankwise LambdaLoss ndcg": ours(LambdaLoss("ndcg", reduction="sum")),
    "RankNet, dense": dense_ranknet,
    "λ-loss, dense": dense_lambda_loss,
    "MarginRankingLoss, all pairs": margin_ranking,
}


def batch(length: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    lists = max(1, DOCUMENTS // length)
    labels = torch.multinomial(SHARES, lists * length, replacement=True, generator=generator).reshape(lists, length)
    scores = torch.randn(lists, length, generator=generator) + 0.3 * labels
    return scores.requires_grad_(), labels.float()


def check() -> None:
    """Ours and the dense formulas have the same values and gradients, up to the base of the logarithm."""
    for mine, dense, factor in (
        ("rankwise RankNetLoss", "RankNet, dense", 1.0),
        ("rankwise LambdaLoss ndcg", "λ-loss, dense", float(torch.log(torch.tensor(2.0)))),
    ):
        scores, labels = batch(1000)
        values = [LOSSES[mine](scores, labels), LOSSES[dense](scores, labels) * factor]
        gradients = [torch.autograd.grad(value, scores)[0] for value in values]
        torch.testing.assert_close(values[0], values[1], rtol=1e-4, atol=0)
        torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-3, atol=1e-3 * float(gradients[1].abs().max()))


def measure(name: str, length: int, repeats: int) -> dict[str, float] | None:
    """In this process: CPU seconds and bytes; None where memory does not suffice."""
    torch.set_num_threads(1)
    loss = LOSSES[name]

    def step(scores: Tensor, labels: Tensor) -> None:
        scores.grad = None
        loss(scores, labels).backward()

    given = batch(length)
    for warm in (batch(50), batch(50)):
        step(*warm)
    if "rankwise" in name:
        step(*batch(30_000))  # compiles what long lists need
    status = Path("/proc/self/status").read_text().splitlines()
    held = next(int(line.split()[1]) for line in status if line.startswith("VmData")) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (held + MOST, held + MOST))
    try:
        grown = peak_growth(lambda: step(*given))
        seconds = least_seconds({name: lambda: step(*given)}, {name: repeats})[name]
    except (RuntimeError, MemoryError):
        return None
    return {"seconds": seconds, "bytes": grown, "documents": given[0].numel()}


def in_fresh_process(name: str, length: int, repeats: int) -> dict[str, Any] | None:
    command = [sys.executable, __file__, "--measure", name, str(length), str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] | None = json.loads(done.stdout.splitlines()[-1])
    return found


def picture(rows: list[dict[str, Any]]) -> None:
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.4))
    for name in LOSSES:
        mine = [row for row in rows if row["loss"] == name and row["seconds"] is not None]
        style = "-o" if "rankwise" in name else "--s"
        lengths = [row["length"] for row in mine]
        panels[0].loglog(lengths, [1e6 * row["seconds"] / row["documents"] for row in mine], style, label=name)
        panels[1].loglog(lengths, [max(1, row["bytes"]) / row["documents"] for row in mine], style, label=name)
    panels[0].set(xlabel="documents of a list", ylabel="CPU µs per document, loss and backward pass")
    panels[1].set(xlabel="documents of a list", ylabel="bytes per document at the peak")
    panels[0].legend(fontsize=8)
    for panel in panels:
        panel.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(RESULTS / "nets.png", dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="lists of 100 and 1,000, nothing written")
    parser.add_argument("--measure", nargs=3, metavar=("LOSS", "LENGTH", "REPEATS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, length, repeats = options.measure
        print(json.dumps(measure(name, int(length), int(repeats))))
        return
    check()
    rows: list[dict[str, Any]] = []
    stopped: set[str] = set()
    for length in (100, 1000) if options.quick else (100, 1000, 10_000, 100_000, 1_000_000):
        for name in LOSSES:
            repeats = 3 if length >= 10_000 and "rankwise" not in name else 10
            found = None if name in stopped else in_fresh_process(name, length, repeats)
            how = "measured" if found else "not tried" if name in stopped else "over 4 GB"
            if found is None:
                stopped.add(name)
            found = found or dict.fromkeys(("seconds", "bytes", "documents"))
            rows.append({"length": length, "loss": name, "how": how, **found})
    table = Table(title="Loss and backward pass, one thread")
    for column in (
        "documents of a list",
        "loss",
        "CPU s",
        "µs per document",
        "MB at the peak",
        "times RankNetLoss, CPU",
    ):
        table.add_column(column, justify="left" if column == "loss" else "right")
    for row in rows:
        base = next(r for r in rows if r["length"] == row["length"])["seconds"]
        cells = [row["how"], "", "", ""]
        if row["seconds"] is not None:
            each, ratio = 1e6 * row["seconds"] / row["documents"], row["seconds"] / base
            cells = [f"{row['seconds']:.4f}", f"{each:.3f}", f"{row['bytes'] / 1e6:.1f}", f"{ratio:.1f}"]
        table.add_row(f"{row['length']:,}", row["loss"], *cells)
    Console(width=130).print(table)
    flat = {}
    for name in [name for name in LOSSES if "rankwise" in name]:
        each = [row["seconds"] / row["documents"] for row in rows if row["loss"] == name]
        flat[name] = max(each) / min(each)
        said = "reached" if flat[name] <= FLAT else "MISSED"
        print(f"{name}: the dearest document costs {flat[name]:.2f} times the cheapest one (bar {FLAT:g}: {said})")
    if not options.quick:
        picture(rows)
        write("nets", {"rows": rows, "dearest over cheapest document": flat, "machine": machine("torch")})


if __name__ == "__main__":
    main()
