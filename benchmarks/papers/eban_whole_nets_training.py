"""One net of `eban_whole_nets.py`: what it is trained by, its training, and what it is judged by.

The net is `eban_cifar.py`'s, trained whole on 5,000 images for 12 epochs: the first by softmax where a warm start is
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
from papers.eban_cifar import METRICS, Small, as_images
from torch import nn

import rankwise as rw
from rankwise.losses import RankNetLoss, RateLoss

IMAGES, VALID_IMAGES, EPOCHS, CLASSES = 5_000, 10_000, 12, 10
SOFTMAX_RATE, WEIGHT_DECAY = 2e-3, 1e-3
SOFTMAX, BCE, PAIRS = "softmax", "sigmoid", "pairwise AUC"


@dataclass(frozen=True)
class Setting:
    """`loss` is one of the baselines or a metric; `scores` are what a rate loss and the judge are given."""

    loss: str
    surrogate: str = "hinge"
    scores: str = "logits"
    softmax_epochs: int = 0
    rate: float = 2e-3
    softmax_weight: float = 0.0
    multiplier_rate: float = 10.0
    batch: int = 64
    anchors: int = 10


@dataclass(frozen=True)
class Images:
    pixels: torch.Tensor
    classes: torch.Tensor

    @classmethod
    def of(cls, pixels: Any, classes: Any, rows: Any = slice(None)) -> Images:
        images = as_images(pixels[rows]).contiguous(memory_format=torch.channels_last)
        return cls(images, torch.from_numpy(classes[rows]))

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
        softmax = nn.functional.cross_entropy(logits, some.classes)
        if self.setting.loss == SOFTMAX:
            return softmax
        if self.setting.loss == BCE:
            return nn.functional.binary_cross_entropy_with_logits(logits, some.targets())
        if self.rates is None:
            return self.pairs(self.scores(logits).T, some.targets().T)
        return self.rates(self.scores(logits), some.targets()) + self.setting.softmax_weight * softmax


def train(net: Small, setting: Setting, images: Images, seed: int, epochs: range, of: int = EPOCHS) -> Small:
    """Go through these epochs of a cosine that ends after `of`; the order of images depends on seed and epoch alone."""
    cost = Cost(setting)
    if cost.rates is not None and epochs.start > 0:
        logits = scored(net, images.pixels[:2000])
        cost.rates.start(cost.scores(logits), Images(images.pixels, images.classes[:2000]).targets())
    groups = [{"params": list(net.parameters())}, {"params": list(cost.parameters()), "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW([group for group in groups if group["params"]], weight_decay=WEIGHT_DECAY)
    net.train()
    for epoch in epochs:
        torch.manual_seed(1000 * seed + epoch)
        for group in optimizer.param_groups:
            group["lr"] = setting.rate * 0.5 * (1.0 + np.cos(np.pi * epoch / of))
        for rows in torch.randperm(len(images.classes)).split(setting.batch):
            some = images.pixels[rows]
            some = torch.where(torch.rand(len(rows), 1, 1, 1) < 0.5, some, some.flip(3))
            optimizer.zero_grad(set_to_none=True)
            cost(net(some), Images(some, images.classes[rows])).backward()
            optimizer.step()
    return net.eval()


def new_net(seed: int) -> Small:
    """The same net, but faster on one core by its layout and by fewer allocations."""
    torch.manual_seed(seed)
    net = Small().to(memory_format=torch.channels_last)
    for module in net.modules():
        if isinstance(module, nn.ReLU):
            module.inplace = True
    return net


def warm(images: Images, seed: int, epochs: int, folder: Path) -> Small:
    """The net of that seed after so many epochs by softmax, trained once and kept in `folder`."""
    net, file = new_net(seed), folder / f"softmax-{seed}-{epochs}.pt"
    if not file.exists():
        train(net, Setting(SOFTMAX, rate=SOFTMAX_RATE), images, seed, range(epochs))
        torch.save(net.state_dict(), file.with_suffix(".tmp"))
        file.with_suffix(".tmp").replace(file)
    net.load_state_dict(torch.load(file, weights_only=True))
    return net


@torch.no_grad()
def scored(net: Small, pixels: torch.Tensor) -> torch.Tensor:
    net.eval()
    return torch.cat([net(some) for some in pixels.split(1000)])


def judged(logits: torch.Tensor, classes: torch.Tensor) -> dict[str, Any]:
    """Means over classes of each metric, by either kind of scores, and the accuracy."""
    found: dict[str, Any] = {"accuracy": float((logits.argmax(1) == classes).float().mean())}
    for name, scores in (("logits", logits), ("odds", odds(logits.double()))):
        of_class = [
            rw.evaluate((classes == c).numpy(), scores[:, c].double().numpy(), metrics=list(METRICS))
            for c in range(CLASSES)
        ]
        found[name] = {metric: [float(one[metric]) for one in of_class] for metric in METRICS}
    return found


def run(setting: Setting, seed: int, train_part: tuple[Any, Any], test_part: tuple[Any, Any], folder: Path) -> Any:
    """Train a net of that setting and seed; what it has on the validation images (seed 0) or the test images."""
    pixels, classes = train_part
    chosen = np.random.default_rng(seed).permutation(len(classes))
    images = Images.of(pixels, classes, chosen[:IMAGES])
    start, first = time.process_time(), setting.softmax_epochs
    net = warm(images, seed, first, folder) if first else new_net(seed)
    train(net, setting, images, seed, range(first, EPOCHS))
    seconds = time.process_time() - start
    judge = Images.of(*test_part) if seed else Images.of(pixels, classes, chosen[IMAGES : IMAGES + VALID_IMAGES])
    return {"seconds": seconds, **judged(scored(net, judge.pixels), judge.classes)}
