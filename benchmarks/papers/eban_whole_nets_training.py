"""One net of `eban_whole_nets.py`: what it is trained by, its training, and what it is judged by.

A net is trained whole on 5,000 images, of 16 × 16 pixels, for 10 epochs: the first by softmax where a warm start is
asked for, the others by the loss. All nets of a seed see the same images in the same order from the same weights, and
those with the same warm start share it. Settings are chosen by nets of seed 0, which are judged on 10,000 other
training images; nets of other seeds are judged on the 10,000 test images.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from papers.eban_whole_nets_models import CLASSES, new_net
from torch import nn

import rankwise as rw
from rankwise.losses import RankNetLoss, RateLoss

METRICS = ("aucpr", "p@r=0.7", "p@r=0.95", "r@p=0.7", "r@p=0.95")
IMAGES, VALID_IMAGES, EPOCHS = 5_000, 10_000, 10
RATE, WEIGHT_DECAY = 5e-3, 1e-3
SOFTMAX, BCE, PAIRS = "softmax", "sigmoid", "pairwise AUC"
WATCHED = (SOFTMAX, BCE, "aucpr")  # after each epoch
RECALLS = np.linspace(0.02, 1.0, 50)  # where the curve over all classes is read


@dataclass(frozen=True)
class Setting:
    """`loss` is one of the baselines or a metric; `scores` are what a rate loss and the judge are given."""

    loss: str
    net: str = "small"
    surrogate: str = "log2"
    scores: str = "logits"
    softmax_epochs: int = 0
    rate: float = RATE
    multiplier_rate: float = 10.0
    batch: int = 128
    anchors: int = 10


@dataclass(frozen=True)
class Images:
    pixels: torch.Tensor
    classes: torch.Tensor

    @classmethod
    def of(cls, pixels: Any, classes: Any, rows: Any = slice(None)) -> Images:
        images = nn.functional.avg_pool2d(torch.from_numpy(pixels[rows]).permute(0, 3, 1, 2).float(), 2) / 127.5 - 1.0
        return cls(images.contiguous(memory_format=torch.channels_last), torch.from_numpy(classes[rows]))

    def targets(self) -> torch.Tensor:
        return nn.functional.one_hot(self.classes, CLASSES).float()


def odds(logits: torch.Tensor) -> torch.Tensor:
    """Log odds of each class by softmax: its logit, less what all the others come to."""
    own = torch.eye(logits.shape[1], dtype=torch.bool, device=logits.device)
    return logits - logits[:, None, :].masked_fill(own, -torch.inf).logsumexp(2)


class Cost(nn.Module):
    """The loss of a setting, of logits and classes."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        if setting.loss in METRICS:
            self.rates: RateLoss | None = RateLoss(
                setting.loss,
                anchors=setting.anchors,
                surrogate=setting.surrogate,
                classes=CLASSES,
                multiplier_rate=setting.multiplier_rate,
            )
        else:
            self.rates, self.pairs = None, RankNetLoss()

    def scores(self, logits: torch.Tensor) -> torch.Tensor:
        return odds(logits) if self.setting.scores == "odds" else logits

    def forward(self, logits: torch.Tensor, some: Images) -> torch.Tensor:
        if self.setting.loss == SOFTMAX:
            return nn.functional.cross_entropy(logits, some.classes)
        if self.setting.loss == BCE:
            return nn.functional.binary_cross_entropy_with_logits(logits, some.targets())
        if self.rates is None:
            return self.pairs(self.scores(logits).T, some.targets().T)
        return self.rates(self.scores(logits), some.targets())


def train(net: nn.Module, setting: Setting, images: Images, seed: int, epochs: range, watch: Any = None) -> None:
    """Go through these epochs of a cosine that ends after EPOCHS; the order of images depends on seed and epoch alone.

    `watch` is called with the net after each epoch.
    """
    cost = Cost(setting)
    if cost.rates is not None and epochs.start > 0:
        logits = scored(net, images.pixels[:2000])
        cost.rates.start(cost.scores(logits), Images(images.pixels, images.classes[:2000]).targets())
    groups = [{"params": list(net.parameters())}, {"params": list(cost.parameters()), "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW([group for group in groups if group["params"]], weight_decay=WEIGHT_DECAY)
    for epoch in epochs:
        net.train()
        torch.manual_seed(1000 * seed + epoch)
        for group in optimizer.param_groups:
            group["lr"] = setting.rate * 0.5 * (1.0 + np.cos(np.pi * epoch / EPOCHS))
        for rows in torch.randperm(len(images.classes)).split(setting.batch):
            some = images.pixels[rows]
            some = torch.where(torch.rand(len(rows), 1, 1, 1) < 0.5, some, some.flip(3))
            optimizer.zero_grad(set_to_none=True)
            cost(net(some), Images(some, images.classes[rows])).backward()
            optimizer.step()
        if watch is not None:
            watch(net)


def warm(name: str, images: Images, seed: int, epochs: int, folder: Path) -> nn.Module:
    """The net of that seed after so many epochs by softmax, trained once and kept in `folder`."""
    net, file = new_net(name, seed), folder / f"softmax-{name}-{seed}-{epochs}.pt"
    if not file.exists():
        train(net, Setting(SOFTMAX), images, seed, range(epochs))
        torch.save(net.state_dict(), file.with_suffix(".tmp"))
        file.with_suffix(".tmp").replace(file)
    net.load_state_dict(torch.load(file, weights_only=True))
    return net


@torch.no_grad()
def scored(net: nn.Module, pixels: torch.Tensor) -> torch.Tensor:
    net.eval()
    return torch.cat([net(some) for some in pixels.split(500)])


def judged(logits: torch.Tensor, classes: torch.Tensor) -> dict[str, Any]:
    """The metrics of each class, by either kind of scores, and of one ranking of all images by all classes."""
    judgement: dict[str, Any] = {"accuracy": float((logits.argmax(1) == classes).float().mean())}
    targets = nn.functional.one_hot(classes, CLASSES).numpy()
    for name, scores in (("logits", logits.double()), ("odds", odds(logits.double()))):
        columns = [*zip(targets.T, scores.numpy().T, strict=True), (targets.ravel(), scores.numpy().ravel())]
        values = [rw.evaluate(y, s, metrics=list(METRICS)) for y, s in columns]
        judgement[name] = {metric: [float(one[metric]) for one in values[:-1]] for metric in METRICS}
        pooled = {metric: float(values[-1][metric]) for metric in METRICS}
        judgement[f"pooled {name}"] = pooled | {"curve": precisions(*columns[-1])}
    return judgement


def precisions(y: Any, scores: Any) -> list[float]:
    """The highest precision with at least the recall, for each of RECALLS."""
    hits = y[np.argsort(-scores, kind="stable")].cumsum()
    best = np.maximum.accumulate((hits / np.arange(1, len(y) + 1))[::-1])[::-1]
    return [round(float(best[np.searchsorted(hits, recall * hits[-1])]), 4) for recall in RECALLS]


def run(setting: Setting, seed: int, train_part: tuple[Any, Any], test_part: tuple[Any, Any], folder: Path) -> Any:
    """Train a net of that setting and seed; what it has on the validation images (seed 0) or the test images."""
    pixels, classes = train_part
    chosen = np.random.default_rng(seed).permutation(len(classes))
    images = Images.of(pixels, classes, chosen[:IMAGES])
    valid = Images.of(pixels, classes, chosen[IMAGES : IMAGES + VALID_IMAGES])
    start, first, areas = time.process_time(), setting.softmax_epochs, []

    def watch(net: nn.Module) -> None:
        """AUCPR of the validation images, a mean over classes: figures of how training converges."""
        logits = scored(net, valid.pixels[:2000]).double()
        scores, truth = odds(logits) if setting.scores == "odds" else logits, valid.classes[:2000]
        of_class = [rw.evaluate((truth == c).numpy(), scores[:, c].numpy(), metrics="aucpr") for c in range(CLASSES)]
        areas.append(float(np.mean([one["aucpr"] for one in of_class])))

    net = warm(setting.net, images, seed, first, folder) if first else new_net(setting.net, seed)
    train(net, setting, images, seed, range(first, EPOCHS), watch if setting.loss in WATCHED else None)
    seconds = time.process_time() - start
    judge = Images.of(*test_part) if seed else valid
    return {"seconds": seconds, "aucpr by epoch": areas, **judged(scored(net, judge.pixels), judge.classes)}
