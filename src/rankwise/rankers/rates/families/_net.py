"""Nets: cross entropy by AdamW, then epochs on it and the soft counts together."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers._score_functions._functions import NetFunction
from rankwise.rankers.nets._module import make_module, module_row_scores, module_scores, threads_worth
from rankwise.rankers.nets._score_function import net_function
from rankwise.rankers.rates._rows import Rows, Split
from rankwise.rankers.rates.families._base import Scorer, log_losses, unit_of
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.rankers.rates._classifier import RateClassifier

GAMMAS = (0.5, 2.0, 8.0)  # soft counts against cross entropy; the weights of the three nets are averaged
EPOCHS, RATE, EVERY = 12, 5e-4, 4  # of the epochs that tune; operating points are found anew every so many
WIDTH = 1.0  # of the sigmoids, in units of the scores
WEIGHT_DECAY = 1e-4
PATIENCE = 12


class Shifted(nn.Module):
    """A net and an intercept, which ranking nets do without."""

    def __init__(self, module: nn.Module, intercept: float) -> None:
        super().__init__()
        self.module = module
        self.intercept = nn.Parameter(torch.tensor([intercept]))

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """A score for each row."""
        return module_scores(self.module, X) + self.intercept


@dataclass(frozen=True, eq=False)
class NetScorer:
    """A net on standardized features."""

    module: nn.Module

    def scores(self, X: Any) -> FloatArray:
        """Log-odds."""
        return module_row_scores(self.module, X, "cpu")

    def to_score_function(self, model: RateClassifier, constant: float) -> NetFunction:
        """The layers of the net."""
        assert model.standardizer_ is not None
        user_module = None if isinstance(model.model, str) else model.model
        return net_function(model, self.module, model.activation, model.standardizer_, user_module, constant)


@dataclass(frozen=True)
class NetFamily:
    """`parameters` describe the net as those of LambdaRank do; epochs are chosen by the log loss of the rows judged."""

    parameters: dict[str, Any]
    epochs: int
    learning_rate: float
    batch_rows: int
    seed: int

    def plain(self, rows: Rows, splits: list[Split], *, refit: bool) -> list[Scorer]:
        """Cross entropy; on all rows, as many epochs as the splits kept in the median."""
        found: list[Scorer] = []
        kept = []
        for train, judged in splits:
            with _drawn_by(self.seed):
                module, epochs = self._by_cross_entropy(rows.part(train), rows.part(judged), self.epochs)
            found.append(NetScorer(module))
            kept.append(epochs)
        if refit:
            most = int(np.median(kept)) if kept else self.epochs
            with _drawn_by(self.seed):
                found.append(NetScorer(self._by_cross_entropy(rows, None, most)[0]))
        return found

    def _by_cross_entropy(self, rows: Rows, judged: Rows | None, epochs: int) -> tuple[nn.Module, int]:
        odds = rows.positives / max(float(rows.weight.sum()) - rows.positives, 1e-9)
        module: nn.Module = Shifted(make_module(self.parameters, rows.X.shape[1]), float(np.log(odds)))
        optimizer = torch.optim.AdamW(module.parameters(), lr=self.learning_rate, weight_decay=WEIGHT_DECAY)
        least, best, at = np.inf, module, epochs
        for epoch in range(epochs):
            module.train()
            with threads_worth(module, self.batch_rows):
                for X, positive, weight in _batches(rows, self.batch_rows, self.seed, epoch):
                    optimizer.zero_grad(set_to_none=True)
                    (weight * _cross_entropy(module(X), positive)).mean().backward()  # type: ignore[no-untyped-call]
                    optimizer.step()
            if judged is None:
                continue
            loss = float(judged.weight @ log_losses(NetScorer(module).scores(judged.X), judged.positive))
            if loss < least:
                least, best, at = loss, copy.deepcopy(module), epoch + 1
            elif epoch + 1 - at >= PATIENCE:
                break
        return best.eval(), at

    def tuned(self, start: Scorer, rows: Rows, soft: SoftCounts) -> Scorer:
        """The mean of the nets that soft counts make of one, by γ."""
        assert isinstance(start, NetScorer)
        with _drawn_by(self.seed):
            nets = [self._by_counts(copy.deepcopy(start.module), rows, soft, gamma) for gamma in GAMMAS]
        mean = copy.deepcopy(start.module)
        states = [net.state_dict() for net in nets]
        mean.load_state_dict(
            {
                name: torch.stack([state[name] for state in states]).mean(0) if tensor.is_floating_point() else tensor
                for name, tensor in states[0].items()
            }
        )
        return NetScorer(mean.eval())

    def _by_counts(self, module: nn.Module, rows: Rows, soft: SoftCounts, gamma: float) -> nn.Module:
        scores = NetScorer(module).scores(rows.X)
        unit = unit_of(scores, rows.positive)
        points = soft.points(scores, WIDTH * unit)
        thresholds = nn.Parameter(torch.tensor(points.thresholds, dtype=torch.float32))
        groups = [
            {"params": module.parameters(), "lr": RATE, "weight_decay": WEIGHT_DECAY},
            {"params": [thresholds], "lr": 2.0 * RATE * unit, "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups)
        scale = float(rows.weight.sum()) / rows.positives  # a mean over positives, as for linear models
        module.train()
        for epoch in range(EPOCHS):
            if epoch and epoch % EVERY == 0:
                points = soft.points(NetScorer(module).scores(rows.X), WIDTH * unit)
                with torch.no_grad():
                    thresholds.copy_(torch.tensor(points.thresholds))
            with threads_worth(module, 2 * self.batch_rows):
                for X, positive, weight in _batches(rows, 2 * self.batch_rows, self.seed, epoch):
                    optimizer.zero_grad(set_to_none=True)
                    found = module(X)
                    loss = _cross_entropy(found, positive) + gamma * points.of_tensors(found, positive, thresholds)
                    (scale * (weight * loss).mean()).backward()  # type: ignore[no-untyped-call]
                    optimizer.step()
        return module


@contextmanager
def _drawn_by(seed: int) -> Iterator[None]:
    """First weights and dropout follow from the seed; the caller's random numbers go on as if nothing had been."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


def _cross_entropy(scores: torch.Tensor, positive: torch.Tensor) -> torch.Tensor:
    return nn.functional.softplus(torch.where(positive, -scores, scores))


def _batches(rows: Rows, size: int, seed: int, epoch: int) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Rows in an order that the epoch draws; weights have a mean of 1 over all rows."""
    order = np.random.default_rng([seed, epoch]).permutation(rows.positive.size)
    weight = (rows.weight / rows.weight.mean()).astype(np.float32)
    for start in range(0, order.size, size):
        which = order[start : start + size]
        X, positive = torch.from_numpy(rows.X[which]), torch.from_numpy(rows.positive[which])
        yield X, positive, torch.from_numpy(weight[which])
